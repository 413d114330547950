%% apply in every form, with run-time modules and functions, built-ins included.
-module(apply_variants).
-export([main/0, id/1, f/0, f/1, f/2, f/5, tail/3]).

main() ->
    M = id(?MODULE), F = id(f),
    p([M:F(), M:F(1), M:F(1, 2), M:F(1, 2, 3, 4, 5), ?MODULE:F(1), M:f(1)]),
    p([apply(M, F, As) || As <- [[], [1], [1, 2], [1, 2, 3, 4, 5]]]),
    p([try apply(erlang, X, [3, 4]) catch error:R -> R end || X <- ['+', '-', '*', 'div', '<', '==', max, min,
        'band', 'bsl', '++']]),
    L = id(lists), p([L:reverse([1, 2]), L:max([1, 5, 2]), L:map(fun(X) -> X * X end, [1, 2]), L:nth(2, [a, b])]),
    E = id(erlang), p([E:length([1]), E:element(1, {x}), E:self() =:= self(), E:'+'(1, 2), E:tuple_size({a})]),
    p(tail(3, M, [])),
    p([apply(fun(A, B) -> {B, A} end, [1, 2]), apply(fun erlang:abs/1, [-4])]),
    p(erlang:apply(M, id(f), [lists:seq(1, 3)])),
    Self = self(),
    spawn(M, F, [1]), spawn(erlang, send, [Self, spawned]),
    receive spawned -> p(spawned) end,
    p([try apply(A, B, C) catch error:R -> R end || {A, B, C} <- [{M, nope, []}, {nomod, f, []}, {M, f, [1, 2,
        3]}, {M, f, x}, {1, f, []}, {M, 1, []}, {M, f, [1 | 2]}]]),
    p([try X:f() catch error:R -> R end || X <- [1, "m", {m}, nomod, {?MODULE}]]),
    p(try M:(id(1))() catch error:R1 -> R1 end),
    p([try apply(erlang, B, C) catch error:R3 -> R3 end || {B, C} <- [{atom_to_list, [1]}, {nosuch, []},
        {length, [x]}, {hd, [[]]}]]),
    p(catch_apply()).

catch_apply() -> case catch apply(?MODULE, f, [a, b]) of {2, a, b} -> good; X -> X end.

tail(0, _, A) -> A;
tail(N, M, A) -> F = id(tail), M:F(N - 1, M, [N | A]).

f() -> 0.
f(X) -> {1, X}.
f(X, Y) -> {2, X, Y}.
f(A, B, C, D, E) -> {5, E, D, C, B, A}.

p(X) -> io:format("~p~n", [X]).
id(X) -> X.
