%% A supervisor and its gen_server: the server is called, crashes, is restarted under the same name and is called again.
-module(demo).
-behaviour(supervisor).
-export([main/1, init/1]).

main([Calls]) ->
    N = list_to_integer(Calls),
    {ok, Sup} = supervisor:start_link(demo, self()),
    Old = up(),
    T0 = erlang:monotonic_time(microsecond),
    io:format("~p calls: the counter is at ~p~n", [N, calls(N)]),
    T1 = erlang:monotonic_time(microsecond),
    {'EXIT', {{{crash_at, N}, _Trace}, _Call}} = (catch gen_server:call(counter, crash)),
    New = up(),
    T2 = erlang:monotonic_time(microsecond),
    New = whereis(counter),
    [{counter, New, worker, _}] = supervisor:which_children(Sup),
    io:format("crashed and restarted, a new process under the same name: ~p~n", [New =/= Old]),
    io:format("~p calls: the counter is at ~p~n", [N, calls(N)]),
    io:format("calls ~p us~nrestart ~p us~n", [T1 - T0, T2 - T1]).

init(Owner) ->
    {ok, {#{strategy => one_for_one}, [#{id => counter, start => {counter, start_link, [Owner]}}]}}.

up() -> receive {up, Pid} -> Pid end.

calls(1) -> gen_server:call(counter, add);
calls(N) ->
    gen_server:call(counter, add),
    calls(N - 1).
