%% A ring of N processes, a token that makes Hops hops: ring:main(["1000", "1000000"]).
-module(ring).
-export([main/1]).

main([N, Hops]) -> run(list_to_integer(N), list_to_integer(Hops)).

run(N, Hops) ->
    Self = self(),
    T0 = erlang:monotonic_time(microsecond),
    First = spawn(fun() -> first(Self) end),
    Last = build(First, N - 1),
    First ! {next, Last},
    receive ready -> ok end,
    T1 = erlang:monotonic_time(microsecond),
    First ! {token, Hops},
    receive {done, Left} -> Left = 0 end,
    T2 = erlang:monotonic_time(microsecond),
    io:format("ring ~p ~p ok~n", [N, Hops]),
    io:format("create ~p us~nhops ~p us~n", [T1 - T0, T2 - T1]),
    %% The processes end with the machine.
    ok.

build(Next, 0) -> Next;
build(Next, N) -> build(spawn(fun() -> node_loop(Next) end), N - 1).

first(Main) ->
    receive {next, Next} -> Main ! ready, first_loop(Main, Next) end.

first_loop(Main, Next) ->
    receive
        {token, 0} -> Main ! {done, 0}, first_loop(Main, Next);
        {token, H} -> Next ! {token, H - 1}, first_loop(Main, Next);
        {over, 0} -> Main ! {done, 0}, first_loop(Main, Next)
    end.

node_loop(Next) ->
    receive
        {token, 0} -> Next ! {over, 0}, node_loop(Next);
        {token, H} -> Next ! {token, H - 1}, node_loop(Next);
        {over, 0} -> Next ! {over, 0}, node_loop(Next)
    end.
