%% The order of all terms, the two equalities, sorting a list of everything.
-module(term_order).
-export([main/0, id/1]).

main() ->
    L = [0, 1, -1, 1.0, -1.0, 0.0, 2.5, 1 bsl 59, -(1 bsl 59), 1 bsl 64, 1.8446744073709552e19, 1.0e300,
        1 bsl 1100, -(1 bsl 1100),
         a,
         b,
         aa,
         'A',
         '',
         true,
         fun lists:map/2,
         fun lists:foldl/3,
         {},
         {1},
         {a},
         {1, 2},
         {1.0, 2},
         {a, b},
         {b, a},
         {1, 2, 3},
         #{},
         #{a => 1},
         #{a => 2},
         #{b => 1},
         #{1 => x},
         #{1.0 => x},
         #{a => 1, b => 2},
         [],
         [1],
         [1.0],
         [a],
         [1, 2],
         [2],
         [[]],
         "abc",
         [a | b],
         [1 | 2],
         <<>>, <<0>>, <<1>>, <<1, 2>>, <<2>>, <<1:1>>, <<0:1>>, <<1:9>>, <<"abc">>],
    S = lists:sort(L),
    io:format("~w~n", [[show(X) || X <- S]]),
    true = S =:= lists:sort(lists:reverse(S)) orelse differ,
    N = length(L), Ix = lists:zip(lists:seq(1, N), L),
    io:format("~w~n", [[{I, J} || {I, X} <- Ix, {J, Y} <- Ix, I < J, X == Y]]),
    io:format("~w~n", [[{I, J} || {I, X} <- Ix, {J, Y} <- Ix, I < J, X =:= Y]]),
    io:format("~w~n", [[{I, J} || {I, X} <- Ix, {J, Y} <- Ix, (X < Y) =:= (X >= Y)]]),
    io:format("~w~n", [[{I, J} || {I, X} <- Ix, {J, Y} <- Ix, (X =< Y) =/= (Y >= X)]]),
    io:format("~w~n", [erlang:phash2([{I, J, X < Y, X == Y} || {I, X} <- Ix, {J, Y} <- Ix])]),
    io:format("~w~n", [length(lists:usort(L))]),
    P = self(), R = make_ref(), F = fun() -> P end,
    Types = [1, a, R, F, P, {}, #{}, [], <<>>],
    io:format("~w~n", [[[if X < Y -> l; X > Y -> g; true -> e end || Y <- Types] || X <- Types]]),
    Rs = [make_ref() || _ <- lists:seq(1, 10)], io:format("~w~n", [length(lists:usort(Rs ++ Rs))]),
    io:format("~w~n", [[max(A, B) || A <- [1, 1.0, a], B <- [1.0, 1, {}]]]),
    io:format("~w~n", [[min(A, B) || A <- [1, 1.0, a], B <- [1.0, 1, {}]]]),
    D = deep(100000, []), io:format("~w ~w~n", [D =:= deep(100000, []), D < deep(100000, x)]),
    Big = lists:seq(1, 100000), io:format("~w ~w~n", [Big == [X * 1.0 || X <- Big], Big =:= [X * 1.0 || X <- Big]]).

show(X) when is_integer(X), abs(X) > 1 bsl 200 -> {huge, X > 0};
show(X) when is_map(X) -> {map, lists:sort(maps:to_list(X))};
show(X) -> X.

deep(0, A) -> A;
deep(N, A) -> deep(N - 1, [A]).

id(X) -> X.
