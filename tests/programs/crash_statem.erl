%% A gen_statem and a gen_event handler that crash: their reports.
-module(crash_statem).
-behaviour(gen_statem).
-export([main/0, callback_mode/0, init/1, handle_event/4]).

main() ->
    {ok, P} = gen_statem:start(?MODULE, [], []), M = monitor(process, P), gen_statem:cast(P, crash),
    receive {'DOWN', M, _, _, {R, _}} -> io:format("~p~n", [R]) end, timer:sleep(200),
    {ok, Q} = gen_statem:start(?MODULE, [], []), Mq = monitor(process, Q), gen_statem:cast(Q, bad_return),
    receive {'DOWN', Mq, _, _, {Rq, _}} -> io:format("~p~n", [Rq]) end, timer:sleep(200).

callback_mode() -> handle_event_function.
init([]) -> {ok, idle, data}.
handle_event(cast, crash, _, D) -> {next_state, broken, D div 2};
handle_event(cast, bad_return, _, _) -> whatever.
