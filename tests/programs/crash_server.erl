%% A gen_server that crashes in a call, a cast, an info and in init: reports of gen_server and proc_lib.
-module(crash_server).
-behaviour(gen_server).
-export([main/0, init/1, handle_call/3, handle_cast/2, handle_info/2]).

main() ->
    process_flag(trap_exit, true),
    [begin
         {ok, P} = gen_server:start(?MODULE, ok, []), M = monitor(process, P),
         catch case How of call -> gen_server:call(P, crash); cast -> gen_server:cast(P, crash); info ->
             P ! crash; bad -> gen_server:call(P, bad); exit -> gen_server:cast(P, exit) end,
         receive {'DOWN', M, _, _, R} -> io:format("~w: ~p~n", [How, if is_tuple(R) -> element(1, R); true ->
             R end]) end,
         timer:sleep(150)
     end || How <- [call, cast, info, bad, exit]],
    {error, {E, _}} = gen_server:start(?MODULE, crash, []), io:format("init: ~p~n", [E]), timer:sleep(150).

init(ok) -> {ok, state};
init(crash) -> error(init_failed).
handle_call(crash, _, S) -> {reply, lists:nth(5, [S]), S};
handle_call(bad, _, _) -> nonsense.
handle_cast(crash, _) -> error(cast_failed);
handle_cast(exit, S) -> {stop, my_reason, S}.
handle_info(crash, S) -> {noreply, S + 1}.
