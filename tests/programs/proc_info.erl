%% process_info, process_flag, the process dictionary, group leaders: what is deterministic of them.
-module(proc_info).
-export([main/0, wait/0, id/1]).

main() ->
    S = self(),
    P = spawn(?MODULE, wait, []), timer:sleep(20),
    p(process_info(P, [status, message_queue_len, messages, links, monitors, monitored_by, registered_name,
        dictionary, trap_exit, priority,
                       current_function, initial_call, error_handler, suspending, message_queue_data])),
    P ! a, P ! {b, 1}, timer:sleep(20), p(process_info(P, messages)), p(process_info(P, message_queue_len)),
    link(P), M = monitor(process, P),
    p([{links, [S]} =:= process_info(P, links), {monitored_by, [S]} =:= process_info(P, monitored_by),
        process_info(S, monitors) =:= {monitors, [{process, P}]}]),
    p(process_info(P, registered_name)), register(x, P), p(process_info(P, registered_name)),
    unlink(P), exit(P, kill), receive {'DOWN', M, _, _, R} -> p(R) end, p([process_info(P), process_info(P, status)]),
    p(process_info(S, status)), p(process_info(S, current_function)),
    {heap_size, H} = process_info(S, heap_size),
    {memory, Me} = process_info(S, memory),
    {reductions, Rd} = process_info(S, reductions),
    {total_heap_size, TH} = process_info(S, total_heap_size), {stack_size, SS} = process_info(S, stack_size),
    p([is_integer(X) andalso X > 0 || X <- [H, Me, Rd, TH, SS]]),
    %% flags
    p([process_flag(trap_exit, true), process_flag(trap_exit, false)]),
    p([process_flag(priority, high), process_flag(priority, low), process_flag(priority, normal)]),
    p([process_flag(fullsweep_after, 10), process_flag(fullsweep_after, 65535)] =/= x),
    p([process_flag(error_handler, error_handler), process_flag(save_calls, 0), process_flag(sensitive, false)]),
    p(process_flag(message_queue_data, off_heap)),
    S ! off,
    receive off -> p(off) end,
    p(process_flag(message_queue_data, on_heap)),
    p([begin {K, V} = process_info(S, K), V end || K <- [trap_exit, priority, message_queue_data, error_handler]]),
    %% dictionary
    erase(),
    p([put(a, 1), put(a, 2), get(a), get(b), erase(a), erase(a), put({k}, [v]), put(1.0, f), get(1),
        lists:sort(get()), lists:sort(get_keys()), get_keys(f)]),
    [put({n, I}, I * I) || I <- lists:seq(1, 5000)],
    p([get({n, 77}), length(get()), lists:sum([erase({n, I}) || I <- lists:seq(1, 5000, 2)]), length(get_keys())]),
    p(lists:sort(erase()) =:= lists:sort(erase()) orelse length(erase())), p(get()),
    p(element(2, process_info(S, dictionary))),
    %% group leader
    GL = group_leader(), p(is_pid(GL)),
    {Q, Mq} = spawn_monitor(fun() -> exit({same, group_leader() =:= GL}) end),
    receive {'DOWN', Mq, _, Q, W} -> p(W) end,
    Fake = spawn(fun() -> receive {io_request, From, Ref, Req} -> From ! {io_reply, Ref, ok}, S ! {fake,
        element(1, Req)} end end),
    {_, Mf} = spawn_monitor(fun() -> group_leader(Fake, self()), io:format("to nowhere~n") end),
    receive {'DOWN', Mf, _, _, Wf} -> p(Wf) end,
    receive {fake, T} -> p(T) end,
    [t(F) || F <- [fun() -> process_info(id(a)) end, fun() -> process_info(S, foo) end, fun() ->
        process_info(S, [status, foo]) end, fun() -> process_flag(trap_exit, 1) end,
                   fun() -> process_flag(foo, 1) end, fun() -> process_flag(priority, 5) end, fun() ->
                       group_leader(id(a), S) end, fun() -> process_flag(min_heap_size, -1) end]],
    p(process_info(S, [])).

wait() -> receive never -> ok end.
p(X) -> io:format("~p~n", [X]).
t(F) -> p(try F() catch C:R -> {C, R} end).
id(X) -> X.
