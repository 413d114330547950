%% Module math, with its errors.
-module(math_fun).
-export([main/0, id/1]).

main() ->
    Xs = [0, 0.5, 1, -1, 2.5, 10, 100],
    [io:format("~w ~s~n", [F, [io_lib:format(" ~s", [r(fun() -> math:F(X) end)]) || X <- Xs]])
     || F <- [sin, cos, tan, asin, acos, atan, sinh, cosh, tanh, asinh, acosh, atanh, exp, log, log2, log10,
         sqrt, erf, erfc, floor, ceil]],
    [io:format("~w ~s~n", [F, [io_lib:format(" ~s", [r(fun() -> math:F(X, Y) end)]) || X <- [0, 2, -1, 3.5],
        Y <- [0, 1, 2.5, -2]]])
     || F <- [pow, atan2, fmod]],
    io:format("~.12f~n", [math:pi()]),
    [io:format("~p ~p~n", [F, try math:F(A) catch C:R -> {C, R} end])
     || {F, A} <- [{sqrt, -1}, {log, 0}, {log, -1}, {exp, 1000}, {acos, 2}, {sin, a}, {sqrt, 1 bsl 2000},
         {log2, 1 bsl 70}, {log2, 8}, {log10, 1000}]],
    io:format("~p~n", [try math:pow(10, 400) catch C:R -> {C, R} end]),
    io:format("~p~n", [try math:fmod(1, 0) catch C2:R2 -> {C2, R2} end]).

r(F) -> try float_to_list(F() + 0.0, [{decimals, 9}]) catch _:R -> atom_to_list(R) end.
id(X) -> X.
