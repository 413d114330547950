%% The order of signals between two processes: messages, exits, links, monitors, info requests.
-module(signals).
-export([main/0]).

main() ->
    S = self(),
    p(lists:usort([msg_then_exit(S) || _ <- lists:seq(1, 200)])),
    p(lists:usort([msgs_then_down() || _ <- lists:seq(1, 200)])),
    p(lists:usort([link_exit() || _ <- lists:seq(1, 200)])),
    p(lists:usort([info_after_sends(I) || I <- lists:seq(1, 100)])),
    p(lists:usort([unlink_race() || _ <- lists:seq(1, 100)])),
    p(lists:usort([alive_after_exit() || _ <- lists:seq(1, 100)])),
    p(lists:usort([demonitor_race() || _ <- lists:seq(1, 100)])).

%% A message sent before an exit signal is seen before it.
msg_then_exit(S) ->
    P = spawn(fun() -> process_flag(trap_exit, true), S ! ready, A = receive X -> X end, B = receive Y ->
        Y end, S ! {order, A, element(1, B)} end),
    receive ready -> ok end, P ! first, exit(P, second),
    receive {order, A, B} -> {A, B} end.

%% All messages of a process arrive before the news of its death.
msgs_then_down() ->
    S = self(),
    {_, M} = spawn_monitor(fun() -> [S ! {n, I} || I <- lists:seq(1, 50)] end),
    receive {'DOWN', M, _, _, _} -> ok end,
    length(flush([])).

link_exit() ->
    process_flag(trap_exit, true),
    S = self(), P = spawn_link(fun() -> S ! msg, exit(bye) end),
    A = receive X -> X end, B = receive Y -> Y end,
    process_flag(trap_exit, false), {A, case B of {'EXIT', P, R} -> R end}.

info_after_sends(N) ->
    P = spawn(fun() -> receive never -> ok end end),
    [P ! I || I <- lists:seq(1, N)],
    {message_queue_len, L} = process_info(P, message_queue_len),
    exit(P, kill),
    L - N.

unlink_race() ->
    process_flag(trap_exit, true), P = spawn_link(fun() -> ok end), unlink(P),
    %% After unlink returns, no new exit message arrives.
    receive {'EXIT', P, _} -> ok after 0 -> ok end,
    R = receive {'EXIT', P, _} -> late after 1 -> none end,
    process_flag(trap_exit, false),
    R.

alive_after_exit() -> P = spawn(fun() -> receive never -> ok end end), exit(P, kill), is_process_alive(P).

demonitor_race() -> P = spawn(fun() -> ok end), M = monitor(process, P), demonitor(M, [flush]),
        receive {'DOWN', M, _, _, _} -> late after 1 -> none end.

flush(A) -> receive {n, I} -> flush([I | A]) after 0 -> A end.
p(X) -> io:format("~p~n", [X]).
