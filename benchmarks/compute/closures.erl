%% Funs: made, passed, called; maps and folds over lists.
-module(closures).
-export([size/0, run/1]).
size() -> 2000.
run(N) ->
    L = lists:seq(1, 100),
    loop(N, L, 0).
loop(0, _, S) -> S;
loop(N, L, S) ->
    F = compose(fun(X) -> X + N end, fun(X) -> X * 2 end),
    loop(N - 1, L, S + lists:foldl(fun(X, A) -> F(X) + A end, 0, lists:map(F, L))).
compose(F, G) -> fun(X) -> F(G(X)) end.
