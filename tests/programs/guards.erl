%% Every guard test and guard function, on every kind of term, in guards and in bodies.
-module(guards).
-export([main/0, id/1]).
-record(r, {a, b = 2}).

terms() ->
    [{int, 1}, {neg, -5}, {big, 1 bsl 70}, {float, 2.5}, {atom, foo}, {true, true}, {nil, []},
     {list, [1, 2]}, {improper, [1 | 2]}, {empty, {}}, {tuple, {a, b, c}}, {rec, #r{a = 1}},
     {map, #{a => 1}}, {emap, #{}}, {bin, <<1, 2, 3>>}, {bits, <<1:3>>}, {fun0, fun() -> ok end},
     {fun2, fun(X, _) -> X end}, {ext, fun lists:map/2}, {pid, self()}, {ref, make_ref()}].

main() ->
    [io:format("~-9w~s~n", [N, row(T)]) || {N, T} <- terms()],
    [io:format("~-9w~p~n", [N, [funs(G, T) || G <- lists:seq(1, 14)]]) || {N, T} <- terms()],
    io:format("~p~n", [[{A, B, cmp(A, B)} || A <- [1, 1.0, 2, a], B <- [1, 1.0, 2, a]]]),
    io:format("~p~n", [[{A, B, bools(A, B)} || A <- [true, false, x], B <- [true, false, x]]]),
    io:format("~p~n", [[alt(X) || X <- [1, 5, a, {1}, 10.5, "x"]]]),
    io:format("~p~n", [[arith(X) || X <- [0, 1, 2.0, a, 1 bsl 65, -7]]]),
    io:format("~p~n", [[size3(X) || X <- [{1, 2}, <<1, 2, 3>>, <<1:9>>, [], 5]]]).

row(T) -> [case t(G, T) of true -> "x"; false -> "." end || G <- lists:seq(1, 20)].

t(1, X) when is_atom(X) -> true;
t(2, X) when is_integer(X) -> true;
t(3, X) when is_float(X) -> true;
t(4, X) when is_number(X) -> true;
t(5, X) when is_list(X) -> true;
t(6, X) when is_tuple(X) -> true;
t(7, X) when is_map(X) -> true;
t(8, X) when is_binary(X) -> true;
t(9, X) when is_bitstring(X) -> true;
t(10, X) when is_function(X) -> true;
t(11, X) when is_function(X, 2) -> true;
t(12, X) when is_pid(X) -> true;
t(13, X) when is_port(X) -> true;
t(14, X) when is_reference(X) -> true;
t(15, X) when is_boolean(X) -> true;
t(16, X) when is_record(X, r) -> true;
t(17, X) when is_record(X, r, 3) -> true;
t(18, X) when X =:= [] -> true;
t(19, [_ | _]) -> true;
t(20, X) when not is_atom(X), not is_tuple(X) -> true;
t(_, _) -> false.

funs(1, X) when abs(X) >= 0 -> abs(X);
funs(2, X) when byte_size(X) >= 0 -> byte_size(X);
funs(3, X) when bit_size(X) >= 0 -> bit_size(X);
funs(4, X) when length(X) >= 0 -> length(X);
funs(5, X) when tuple_size(X) >= 0 -> tuple_size(X);
funs(6, X) when map_size(X) >= 0 -> map_size(X);
funs(7, X) when hd(X) =/= none -> hd(X);
funs(8, X) when tl(X) =/= none -> tl(X);
funs(9, X) when element(2, X) =/= none -> element(2, X);
funs(10, X) when trunc(X) =/= none -> trunc(X);
funs(11, X) when round(X) =/= none -> round(X);
funs(12, X) when float(X) =/= none -> float(X);
funs(13, X) when is_map_key(a, X) -> map_get(a, X);
funs(14, X) when node(X) =:= node() -> here;
funs(_, _) -> '-'.

cmp(A, B) -> [A == B, A =:= B, A /= B, A =/= B, A < B, A =< B, A > B, A >= B,
              if A == B -> eq; true -> ne end, if A =:= B -> eqx; true -> nex end,
              if A < B -> lt; true -> ge end, if A =< B -> le; true -> gt end].

bools(A, B) ->
    [if A and B -> 1; true -> 0 end, if A or B -> 1; true -> 0 end, if A xor B -> 1; true -> 0 end,
     if A andalso B -> 1; true -> 0 end, if A orelse B -> 1; true -> 0 end, if not A -> 1; true -> 0 end,
     try A and B catch error:R1 -> R1 end, try A or B catch error:R2 -> R2 end,
     try A andalso B catch error:R3 -> R3 end, try A orelse B catch error:R4 -> R4 end,
     try A xor B catch error:R5 -> R5 end, try not A catch error:R6 -> R6 end].

alt(X) when X > 3, X < 7; is_atom(X); element(1, X) =:= 1 -> yes;
alt(X) when is_float(X) andalso X > 10 orelse X =:= "x" -> maybe_;
alt(_) -> no.

arith(X) when X + 1 > 1, X * 2 > 2, X - 1 > 0, X rem 2 =:= 1 -> odd;
arith(X) when X div 2 =:= 0 -> small;
arith(X) when X / 2 == 1.0 -> two;
arith(X) when -X > 3, X bsr 1 < 0, X band 1 =:= 1, X bor 2 =/= 0, X bxor 1 =/= 0, bnot X > 0, X bsl 2 < 0 -> neg;
arith(_) -> other.

size3(X) when size(X) >= 2 -> size(X);
size3(X) -> try size(X) catch error:R -> R end.

id(X) -> X.
