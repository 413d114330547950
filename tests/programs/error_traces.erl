%% Who is named in the trace of a failed operator, of a call of no fun, and of a binary that cannot be built.
%% max-otp: 25
-module(error_traces).
-export([main/0, plus/1, plus_tuple/0, last/1, caught/2, first/2, applied/2, none/1]).
-export([bin_f/2, bin_h/2, bin_i/2, bin_j/2, bin_k/2, bin_l/2, is_rec/2, flat/1]).


plus(X) -> +X.
plus_tuple() -> +{x}.
last(X) -> X(1).
caught(X, Y) -> try X(Y) catch throw:_ -> ok end.
first(X, Y) -> Z = X(Y), plus(Z).
applied(X, Y) -> [apply(X, Y)].
none(X) -> {X, X(), x}.

bin_f(X, Y) -> <<X:8, Y/binary>>.
bin_h(X, Y) -> <<X/binary, Y/utf8>>.
bin_i(X, Y) -> <<X/binary, Y/binary>>.
bin_j(X, Y) -> <<X/bitstring, Y/binary, X:8, Y/float, X/utf16>>.
bin_k(X, Y) -> <<X/utf8, Y/utf32, X:Y, Y:32/float, X:Y/binary>>.
bin_l(X, Y) -> <<1:X, Y/utf16, X:Y/float, Y/bitstring>>.

is_rec(T, N) -> is_record(T, a, N).
flat(T) -> erts_debug:flat_size(T).

try_all([]) -> ok;
try_all([{F, Args} | T]) ->
    try apply(?MODULE, F, Args) of
        V -> io:format("~w ~w ~p~n", [F, Args, V])
    catch
        C:E:S -> io:format("~w ~w ~w ~w ~w~n", [F, Args, C, tidy(E), trace(S)])
    end,
    try_all(T).

tidy({badarity, {_, L}}) -> {badarity, L};
tidy(E) -> E.

trace([{?MODULE, try_all, _, _} | _]) -> [];
trace([{?MODULE, op, _, _} | _]) -> [];
trace([{?MODULE, F, _, I} | T]) -> [{F, proplists:get_value(error_info, I)} | trace(T)];
trace([{M, F, A, _} | T]) -> [{M, F, A} | trace(T)];
trace([]) -> [].

op(N, F) ->
    try F(x) of
        V -> io:format("~w ~w~n", [N, V])
    catch
        C:E:S -> io:format("~w ~w ~w ~w~n", [N, C, E, [{M, A} || {M, _, A, _} <- S, M =:= erlang]])
    end.

main() ->
    One = fun() -> 1 end,
    try_all([{plus, [-0.0]}, {plus, [1 bsl 70]}, {plus, [1.5]}, {plus, [x]}, {plus_tuple, []}]),
    try_all([{last, [x]}, {last, [One]}, {caught, [x, 1]}, {caught, [One, 1]}, {first, [x, 1]}, {first, [One, 2]}]),
    try_all([{applied, [x, [1]]}, {applied, [One, [1]]}, {applied, [x, 1]}, {none, [x]}, {none, [a]}]),
    try_all([{F, [X, Y]} || F <- [bin_f, bin_h, bin_i, bin_j, bin_k, bin_l],
                            X <- [x, 1, 8, <<1>>, <<1:1>>, 1.0, 300, 16#d800],
                            Y <- [y, 1, 16, <<1>>, <<1:1>>, -1, 1 bsl 70]]),
    try_all([{is_rec, [T, N]} || T <- [{a}, {a, 1}, a], N <- [1, 2, -1, 1 bsl 70, -1 bsl 70, 1.0]]),
    try_all([{flat, [T]} || T <- [0.0, "literal", #{a => 1}, {1, [2], <<"bin">>}, 1 bsl 70, a]]),
    op(1, fun(X) -> X - (-32768) end),
    op(2, fun(X) -> X - 32768 end),
    op(3, fun(X) -> X + (-32768) end),
    op(4, fun(X) -> (-32768) + X end),
    op(5, fun(X) -> (-32768) - X end),
    op(6, fun(X) -> X - (-576460752303423488) end),
    op(7, fun(X) -> X + (-576460752303423488) end),
    op(8, fun(X) -> X + 576460752303423487 end),
    op(9, fun(X) -> X - 576460752303423487 end),
    op(10, fun(_) -> {} - 65535 end),
    op(11, fun(_) -> {} + 65535 end),
    op(12, fun(_) -> 65535 + {} end),
    op(13, fun(_) -> [] + 1 end),
    op(14, fun(_) -> a - 1 end),
    op(15, fun(_) -> 1 + a end),
    op(16, fun(_) -> +a end),
    op(17, fun(_) -> + "a" end),
    op(18, fun(_) -> -a end),
    op(19, fun(X) -> -X end),
    op(20, fun(_) -> 1.0 + a end),
    op(21, fun(X) -> X + 2147483648 end),
    op(22, fun(X) -> X - 2147483648 end),
    op(23, fun(X) -> X - 2147483647 end),
    op(24, fun(X) -> X - (-2147483648) end),
    op(25, fun(X) -> case X of {A,_} -> A - (-32768); [H|_] -> H - 2; Y when is_atom(Y) -> Y - (-5) end end),
    op(26, fun(X) -> Z = {X}, Z - (-5) end),
    op(27, fun(X) -> Z = {X}, Z - 5 end),
    op(28, fun(X) -> Z = [X], Z + 5 end),
    op(30, fun(X) -> X - 0 end),
    op(31, fun(X) -> X + 0 end),
    op(32, fun(X) -> 0 - X end),
    ok.
