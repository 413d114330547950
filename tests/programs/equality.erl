%% Equality, exact equality and matching of numbers, nested terms, binaries; min and max; membership.
-module(equality).
-export([main/0, id/1]).

main() ->
    Xs = [1, 1.0, 0, 0.0, -0.0, a, "a", <<"a">>, {1}, {1.0}, [1], [1.0], #{1 => 1}, #{1 => 1.0}, #{1.0 => 1},
        {{1, [2]}}, {{1.0, [2.0]}}, 1 bsl 64, 1.8446744073709552e19, fun lists:map/2],
    [io:format("~w: ~w ~w~n", [X, [I || {I, Y} <- ix(Xs), X == Y], [I || {I, Y} <- ix(Xs), X =:= Y]]) || X <- Xs],
    io:format("~w~n", [[case id(X) of 1 -> i; 0 -> z; 1.0 -> f; {1} -> t; [1.0] -> l; #{1 := 1} -> m; _ ->
        o end || X <- Xs]]),
    A = id(1),
    B = id(1.0),
    io:format("~w~n", [[A == B, A =:= B, A /= B, A =/= B, {A} == {B}, [A | B] == [B | A], max(A, B), min(A, B),
        max(B, A)]]),
    io:format("~w~n", [try A = B catch error:E -> E end]),
    io:format("~w~n", [[lists:member(X, Xs) || X <- [2, 0, {1}]]]),
    N = 10000,
    L1 = lists:seq(1, N),
    L2 = lists:seq(1, N),
    io:format("~w~n", [[L1 == L2, L1 =:= L2 ++ [x], list_to_tuple(L1) =:= list_to_tuple(L2),
        list_to_binary([X band 255 || X <- L1]) =:= list_to_binary([X band 255 || X <- L2])]]),
    io:format("~w~n", [[f(X, Y) || X <- [1, 1.0, a], Y <- [1, 1.0, a]]]).

f(X, X) -> same;
f(X, Y) when X == Y -> equal;
f(_, _) -> different.
ix(L) -> lists:zip(lists:seq(1, length(L)), L).
id(X) -> X.
