%% timeout: 60
%% A hundred thousand short-lived processes, in waves; then many that live at once.
-module(proc_churn).
-export([main/0]).

main() ->
    S = self(),
    io:format("~w~n", [waves(100, 1000, S, 0)]),
    Ps = [spawn(fun() -> receive {go, X} -> S ! {X, self()} end end) || _ <- lists:seq(1, 50000)],
    [P ! {go, I} || {I, P} <- lists:zip(lists:seq(1, 50000), Ps)],
    io:format("~w~n", [lists:sum([receive {I, P} -> I end || {I, P} <- lists:zip(lists:seq(1, 50000), Ps)])]),
    io:format("~w~n", [chain(20000)]),
    io:format("~w~n", [tree(14)]),
    io:format("~w~n", [monitors(20000)]).

waves(0, _, _, A) -> A;
waves(N, K, S, A) ->
    [spawn(fun() -> S ! {w, I} end) || I <- lists:seq(1, K)],
    waves(N - 1, K, S, A + lists:sum([receive {w, I} -> I end || _ <- lists:seq(1, K)])).

chain(N) ->
    S = self(),
    Last = lists:foldl(fun(_, Next) -> spawn(fun() -> receive X -> Next ! X + 1 end end) end, S, lists:seq(1, N)),
    Last ! 0, receive V -> V end.

tree(0) -> 1;
tree(N) -> S = self(), [spawn(fun() -> S ! {t, tree(N - 1)} end) || _ <- [l, r]], receive {t, A} -> receive {t,
        B} -> A + B end end.

monitors(N) -> L = [spawn_monitor(fun() -> exit(I) end) || I <- lists:seq(1, N)], lists:sum([receive {'DOWN',
        M, process, P, I} -> I end || {P, M} <- L]).
