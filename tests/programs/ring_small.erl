%% timeout: 60
%% Rings of several sizes; a token goes around and counts.
-module(ring_small).
-export([main/0]).

main() -> [io:format("~w ~w~n", [N, ring(N, Hops)]) || {N, Hops} <- [{1, 1000}, {2, 10000}, {10, 100000},
        {1000, 200000}, {30000, 60000}]].

ring(N, Hops) ->
    S = self(),
    First = spawn(fun() -> receive {next, P} -> node_(P, S) end end),
    Last = lists:foldl(fun(_, Prev) -> Me = spawn(fun() -> receive {next, P} -> node_(P, S) end end),
        Prev ! {next, Me}, Me end, First, lists:seq(2, N)),
    Last ! {next, First}, First ! {token, Hops, 0},
    receive {done, C} -> First ! stop, C end.

node_(Next, S) ->
    receive
        {token, 0, C} -> S ! {done, C}, node_(Next, S);
        {token, H, C} -> Next ! {token, H - 1, C + 1}, node_(Next, S);
        stop -> Next ! stop
    end.
