%% Registered names, group leaders, process flags, dictionaries of other processes, process_info.
-module(proc_names).
-export([main/0, waiter/0]).

d(X) -> erlang:display(X).
e(F) -> try F() catch C:R -> {C, R} end.

main() ->
    {P, M} = spawn_monitor(fun run/0),
    receive {'DOWN', M, process, P, Why} -> d({main, Why}) end.

run() ->
    names(), info(), flags(), suspension(), leaders().

names() ->
    S = self(),
    d(register(zed, S)), d(whereis(zed) =:= S), d(process_info(S, registered_name)),
    zed ! hi, receive hi -> d(hi) end,
    {zed, node()} ! there, receive there -> d(there) end,
    d(e(fun() -> register(other, S) end)), d(e(fun() -> register(undefined, S) end)),
    P = spawn(fun waiter/0),
    d(e(fun() -> register(zed, P) end)), d(lists:member(zed, registered())),
    d(unregister(zed)), d(whereis(zed)), d(process_info(S, registered_name)),
    d(e(fun() -> unregister(zed) end)), d(e(fun() -> zed ! x end)), d(e(fun() -> erlang:send(zed, x) end)),
    d(erlang:send(P, nothing)), d(erlang:send(P, nothing, [noconnect])),
    d(e(fun() -> erlang:send(P, x, [bad]) end)), d(e(fun() -> "x" ! y end)),
    register(gone, P), M = monitor(process, gone),
    exit(P, kill), receive {'DOWN', M, process, O, W} -> d({O, W}) end,
    d(whereis(gone)), d(e(fun() -> register(gone, P) end)), d(P ! to_the_dead),
    d({gone, node()} ! to_nobody).

waiter() -> receive {P, X} -> P ! X, waiter(); stop -> ok end.

info() ->
    S = self(),
    P = spawn(?MODULE, waiter, []),
    P ! {S, sync}, receive sync -> ok end,
    P ! one, P ! {two, [2, "two", <<"2">>], 3},
    d(process_info(P, messages)), d(process_info(P, message_queue_len)),
    d(process_info(P, [status, current_function, initial_call, trap_exit, priority, links, dictionary])),
    d(process_info(P, current_location)), d(process_info(P, current_stacktrace)),
    d(process_info(P, registered_name)), d(process_info(P, [registered_name])), d(process_info(P, [])),
    M = monitor(process, P),
    d(process_info(P, monitored_by) =:= {monitored_by, [S]}),
    d(process_info(S, monitors) =:= {monitors, [{process, P}]}),
    link(P), d(process_info(P, links) =:= {links, [S]}), unlink(P), d(process_info(P, links)),
    d(process_info(P, parent) =:= {parent, S}),
    put(key, value), d(process_info(S, dictionary)),
    d(process_info(S, status)),
    d([K || {K, _} <- process_info(P)]),
    [d(is_integer(element(2, process_info(P, K)))) ||
        K <- [memory, reductions, heap_size, total_heap_size, stack_size, message_queue_len]],
    d(process_info(P, [message_queue_data, min_heap_size, fullsweep_after, min_bin_vheap_size, error_handler])),
    P ! stop, receive {'DOWN', M, _, _, normal} -> ok end,
    d(process_info(P)), d(process_info(P, status)), d(process_info(P, [status])), d(is_process_alive(P)),
    d(is_process_alive(S)), d(lists:member(S, processes())), d(lists:member(P, processes())),
    [d(e(F)) || F <- [fun() -> process_info(1, status) end, fun() -> process_info(S, nothing) end,
                      fun() -> process_info(P, nothing) end, fun() -> is_process_alive(x) end]].

flags() ->
    d(process_flag(trap_exit, true)), d(process_flag(trap_exit, false)),
    d(process_flag(priority, high)), d(process_flag(priority, normal)),
    d(process_flag(fullsweep_after, 10)), d(process_flag(fullsweep_after, 65535)),
    d(process_flag(min_heap_size, 1000)), d(process_flag(min_heap_size, 1)), d(process_flag(min_heap_size, 1)),
    d(process_flag(message_queue_data, off_heap)), d(process_flag(message_queue_data, on_heap)),
    d(process_flag(error_handler, error_handler)), d(process_flag(save_calls, 0)),
    d(process_flag(max_heap_size, 500000)),
    d(process_flag(max_heap_size, #{size => 0, kill => true, error_logger => true})),
    [d(e(fun() -> process_flag(K, V) end)) ||
        {K, V} <- [{trap_exit, x}, {priority, x}, {x, y}, {min_heap_size, -1}, {max_heap_size, 10}]],
    {P, M} = spawn_opt(fun() -> grow([]) end,
                       [monitor, {max_heap_size, #{size => 20000, kill => true, error_logger => false}}]),
    receive {'DOWN', M, process, P, W} -> d({too_large, W}) end.

grow(L) -> grow([L, L | L]).

suspension() ->
    P = spawn(?MODULE, waiter, []),
    d(erlang:suspend_process(P)), d(erlang:suspend_process(P, [unless_suspending])),
    P ! {self(), x}, receive x -> d(bad) after 30 -> d(suspended) end,
    d(process_info(P, status)),
    d(erlang:resume_process(P)), receive x -> d(resumed) end,
    d(e(fun() -> erlang:resume_process(P) end)), d(e(fun() -> erlang:suspend_process(self()) end)),
    %% Whoever suspends and dies lets go.
    {Q, M} = spawn_monitor(fun() -> erlang:suspend_process(P) end),
    receive {'DOWN', M, _, Q, normal} -> ok end,
    P ! {self(), y}, receive y -> d(freed) end,
    d(erlang:garbage_collect(P)), d(erlang:garbage_collect()), P ! stop.

leaders() ->
    G = group_leader(),
    P = spawn(fun waiter/0),
    S = self(),
    d(process_info(P, group_leader) =:= {group_leader, G}),
    d(group_leader(S, P)), d(process_info(P, group_leader) =:= {group_leader, S}),
    Q = spawn(fun() -> S ! {gl, group_leader()} end), receive {gl, G2} -> d(G2 =:= G) end,
    d(e(fun() -> group_leader(x, S) end)), d(e(fun() -> group_leader(S, x) end)),
    d(is_pid(Q)), P ! stop.
