%% Sets N timers that are far away, says so and waits: idle:main(["50000"]).
-module(idle).
-export([main/1]).

main([N]) ->
    timers(list_to_integer(N)),
    io:format("ready~n"),
    receive stop -> ok end.

timers(0) -> ok;
timers(N) ->
    erlang:send_after(3600_000 + N, self(), {timer, N}),
    timers(N - 1).
