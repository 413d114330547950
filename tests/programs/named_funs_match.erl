%% Pattern matching in every place: heads, case, fun, generators, aliases, literals, nested maps and binaries, improper lists.
-module(named_funs_match).
-export([main/0, id/1]).
-define(PAIR(A, B), {pair, A, B}).

main() ->
    p([h(X) || X <- [[], [1], [1, 2], [1 | 2], [a, b, c], "abc", "abd", {pair, 1, 1}, {pair, 1, 2}, {x, {y,
        [z | w]}}, #{k => [1, {2}]}, <<"bin", 7>>, 3.0, {1, 2} , [[[]]], {[], {}, <<>>}]]),
    {A, B} = {C, _} = id({1, 2}),
    p([A, B, C]),
    [X, Y | Z] = id([1, 2, 3, 4]),
    p({X, Y, Z}),
    {ok, #{a := [V | _]} = M} = id({ok, #{a => [5, 6]}}),
    p({V, map_size(M)}),
    "pre" ++ Rest = id("prefix"),
    p(Rest),
    p([R || {ok, [R | _]} <- [{ok, [1]}, {ok, []}, {error, 2}, {ok, [3, 4]}]]),
    F = fun ({a, N}) when N > 0 -> pos; ({a, _}) -> neg; (Q = [_ | _]) -> {list, Q}; (_) -> other end,
    p([F(W) || W <- [{a, 1}, {a, -1}, "x", z]]),
    p([try g(W) catch error:E -> E end || W <- [1, {2}, [3], x]]),
    p(case id({1, 1}) of {S, S} -> same; _ -> diff end),
    p(case id({1, 1.0}) of {T, T} -> same; _ -> diff end),
    Bound = id(7),
    p([case W of Bound -> bound; {Bound, _} -> tup; [Bound | _] -> lst; _ -> no end || W <- [7, {7, 1}, [7], 8]]),
    p([$a, $\n, $\x41, 16#ff, 2#1010, 36#zz, 1_000_000]),
    p([1.0e3, 1.5e-3, "con" "cat", "tab\there", "\x{263a}" =:= [9786]]),
    p(if A > B -> gt; A < B -> lt; true -> eq end),
    p(begin U = id(1), U + 1 end),
    p([begin D = K * 2, D + 1 end || K <- [1, 2]]),
    p(?PAIR(a, ?PAIR(b, c))).

h([]) -> nil;
h([X]) -> {one, X};
h([X, Y]) -> {two, X, Y};
h("ab" ++ [C]) -> {ab, C};
h([X | Y]) when not is_list(Y) -> {improper, X, Y};
h([a | T] = L) -> {a, T, length(L)};
h({pair, X, X}) -> same;
h(?PAIR(_, Y)) -> {pair, Y};
h({x, {y, [Z | W]} = Y}) -> {Z, W, Y};
h(#{k := [_, {N}]}) -> {map, N};
h(<<"bin", N>>) -> {bin, N};
h(3.0) -> float;
h({[], {}, <<>>}) -> empties;
h(_) -> other.

g(X) when is_integer(X) -> {X, ok} = {1, ok}, one;
g({Y}) -> [Y] = [2], two;
g([Z | _]) -> Z = id(4), four.
p(X) -> io:format("~w~n", [X]).
id(X) -> X.
