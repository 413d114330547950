%% Floats: arithmetic, printing, parsing, rounding, comparison with integers, overflow.
-module(floats).
-export([main/0, id/1]).

main() ->
    Fs = [0.0, -0.0, 1.0, -1.0, 0.1, 0.2, 0.3, 1.5, 2.5, -2.5, 1.0e10, 1.0e15, 1.0e16, 1.0e21, 1.0e22, 1.0e23,
          123456789.123456789, 1.0e-5, 1.0e-4, 1.0e-3, 1.0e100, 1.7976931348623157e308, 2.2250738585072014e-308,
          4.9406564584124654e-324,
          9007199254740992.0,
          9007199254740993.0,
          1.0e300,
          3.141592653589793,
          0.3333333333333333,
          5.0e-324, 123.0, 4.35, 5.0e22, 2.0e-7, 100.0, 1.0e6, 12345678.9],
    [io:format("~w ~p ~s ~s~n", [F, F, float_to_list(F), io_lib:format("~w", [-F])]) || F <- Fs],
    io:format("~p~n", [[F || F <- Fs, list_to_float(lists:flatten(io_lib:format("~w", [F]))) =/= F]]),
    [io:format("~s ~s ~s ~s ~s~n",
               [float_to_list(F, [{decimals, 4}]), float_to_list(F, [{decimals, 6}, compact]),
                float_to_list(F, [{scientific, 3}]), float_to_binary(F, [{scientific, 0}]), float_to_list(F, [short])])
     || F <- [0.0, 1.0, 0.5, -1.25, 1234.5678, 0.00005, 1.0e10, 99999.99999, 2.5, 3.5, 1.0e-10]],
    io:format("~p~n", [[{trunc(F), round(F), floor(F), ceil(F)} || F <- [0.0, 0.4, 0.5, 1.5, 2.5, -0.5, -1.5,
        -2.4, 1.0e15, 1.0e20, -1.0e25]]]),
    io:format("~p~n", [[A + B || A <- [0.1, 1, 1.0e308], B <- [0.2, 2]]]),
    io:format("~p~n", [[A * B - A / B || A <- [0.1, 1, 7.5], B <- [0.2, 2, -3]]]),
    Ns = [1, 1.0, 9007199254740993, 9007199254740992.0, 1 bsl 64, 18446744073709551616.0, (1 bsl 64) + 1, -1,
        -1.0, 0, 0.0, -0.0,
          1.0e300, 1 bsl 1023, 8.98846567431158e307],
    io:format("~p~n", [[{A < B, A == B, A =:= B} || A <- Ns, B <- Ns]]),
    io:format("~p~n", [lists:sort([1, 1.0, 0.5, 2, 1 bsl 60, 1.0e18, -3, -3.5])]),
    t(over, fun() -> id(1.0e308) * id(10) end),
    t(over2, fun() -> id(1.0e308) + id(1.0e308) end),
    t(over3, fun() -> -id(1.7e308) - id(1.7e308) end),
    t(zero, fun() -> id(1.0) / id(0) end),
    t(zero2, fun() -> id(0) / id(0.0) end),
    t(atom, fun() -> id(1.0) + id(a) end),
    t(under, fun() -> id(1.0e-300) * id(1.0e-300) end),
    t(neg, fun() -> -id(0.0) end),
    t(div_, fun() -> id(1.0) div id(1) end),
    t(rem_, fun() -> id(1) rem id(1.0) end),
    t(band_, fun() -> id(1.0) band 1 end),
    [t("l2f " ++ S, fun() -> list_to_float(S) end)
     || S <- ["1.0", "-1.5e3", "1.0e400", "1", "1.", ".5", "1.0e", "abc", "", " 1.0", "1.0 ", "1.0E+2", "+1.0",
         "1e5", "0.0000000000000000000000001",
              "4.9e-324", "1.0e-400", "123456789012345678901234567890.0"]],
    [t("b2f " ++ binary_to_list(S), fun() -> binary_to_float(S) end) || S <- [<<"2.5">>, <<"2">>, <<"x">>]],
    t(trunc_big, fun() -> trunc(1.0e100) end),
    t(trunc_atom, fun() -> trunc(id(a)) end),
    t(f2l, fun() -> float_to_list(1) end),
    t(f2l_opts, fun() -> float_to_list(1.0, [{decimals, 300}]) end),
    t(f2l_opts2, fun() -> float_to_list(1.0, [foo]) end),
    t(loop, fun() -> loop(100000, 0.0) end),
    t(fdeep, fun() -> poly(id(1.5), id(-2.25), id(3.0)) end),
    t(string, fun() -> [string:to_float(S) || S <- ["1.5x", "3", "-0.5e1", "x"]] end).

loop(0, A) -> A;
loop(N, A) -> loop(N - 1, A + 1 / N).

poly(X, Y, Z) -> X * X * Y - Z / X + (X + Y + Z) * 2.0 - (-X).

t(L, F) -> io:format("~s: ~p~n", [L, try F() catch C:R -> {C, R} end]).
id(X) -> X.
