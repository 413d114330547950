%% A supervisor whose children crash: its reports, restarts and its giving up.
-module(crash_supervisor).
-behaviour(supervisor).
-export([main/0, init/1, start/1, run/1]).

main() ->
    process_flag(trap_exit, true),
    {ok, Sup} = supervisor:start_link({local, top}, ?MODULE, []),
    fell(fun(P) -> exit(P, kill) end),
    io:format("~w~n", [is_pid(whereis(kid))]),
    fell(fun(P) -> P ! crash end),
    io:format("~w~n", [is_pid(whereis(kid))]),
    kid ! crash,
    receive {'EXIT', Sup, R} -> io:format("~w~n", [R]) after 10000 -> io:format("still up~n") end,
    timer:sleep(200).

%% Ends the child, and waits for its successor.
fell(How) ->
    Old = whereis(kid),
    M = monitor(process, Old),
    How(Old),
    receive {'DOWN', M, _, _, _} -> successor(Old) end.

successor(Old) ->
    case whereis(kid) of
        P when is_pid(P), P =/= Old -> ok;
        _ -> timer:sleep(10), successor(Old)
    end.

init([]) -> {ok, {#{strategy => one_for_one, intensity => 2, period => 60}, [#{id => kid, start => {?MODULE,
        start, [kid]}}]}}.
start(N) -> P = proc_lib:spawn_link(?MODULE, run, [N]), register(N, P), {ok, P}.
run(N) -> receive crash -> error({crashed, N}); stop -> ok end.
