%% Every way to start a process, with results and errors.
-module(proc_spawn).
-export([main/0, child/1, reply/2, id/1]).

main() ->
    S = self(),
    spawn(fun() -> S ! {1, ok} end), get_(1),
    spawn(?MODULE, reply, [S, 2]), get_(2),
    L = spawn_link(fun() -> S ! {3, link}, receive stop -> ok end end), get_(3),
    p(lists:member(L, element(2, process_info(S, links)))), unlink(L), L ! stop,
    {P4, R4} = spawn_monitor(fun() -> exit(done4) end),
    receive {'DOWN', R4, process, P4, Why4} -> p(Why4) end,
    {P5, R5} = spawn_opt(?MODULE, child, [x], [monitor, {priority, high}, {min_heap_size, 1000}, {fullsweep_after, 5}]),
    receive {'DOWN', R5, process, P5, Why5} -> p(Why5) end,
    P6 = spawn_opt(fun() -> S ! {6, process_info(self(), priority)} end, [link, {priority, low}]),
    get_(6),
    p(is_pid(P6)),
    {P7, R7} = spawn_opt(fun() -> exit(x7) end, [{monitor, [{tag, 'MYDOWN'}]}]),
    receive {'MYDOWN', R7, process, P7, Why7} -> p({tagged, Why7}) end,
    Q8 = spawn_request(fun() -> S ! {8, spawned} end),
    receive {spawn_reply, Q8, ok, P8} -> p(is_pid(P8)) end, get_(8),
    Q9 = spawn_request(?MODULE, reply, [S, 9], [{reply_tag, mytag}]),
    receive {mytag, Q9, ok, _} -> p(mytag) end, get_(9),
    Q10 = spawn_request(?MODULE, reply, [S, 10], [{reply, no}]), p(is_reference(Q10)), get_(10),
    Q11 = spawn_request(?MODULE, reply, [S, 11], [badoption]),
    receive {spawn_reply, Q11, R, W} -> p({R, W}) end,
    Q12 = spawn_request(fun() -> exit(twelve) end, [monitor]),
    receive {spawn_reply, Q12, ok, P12} -> receive {'DOWN', Q12, process, P12, W12} -> p(W12) end end,
    p(spawn_request_abandon(Q8)),
    [t(F) || F <- [fun() -> spawn(id(a)) end, fun() -> spawn(a, b, c) end, fun() -> spawn(?MODULE, child,
        id([a | b])) end,
                   fun() -> spawn_opt(fun() -> ok end, [bad]) end,
                   fun() -> spawn_opt(fun() -> ok end, [{priority, top}]) end,
                   fun() -> spawn_link("x", y, []) end,
                   fun() -> spawn_opt(fun() -> ok end, x) end, fun() -> spawn_monitor(1) end]],
    N = 2000,
    Ps = [spawn(?MODULE, reply, [S, {n, I}]) || I <- lists:seq(1, N)],
    p(length(lists:usort(Ps))),
    p(lists:sum([receive {{n, I}, _} -> I end || I <- lists:seq(1, N)])),
    p([is_process_alive(X) || X <- [self(), P4]]),
    t(fun() -> is_process_alive(id(a)) end).

get_(N) -> receive {N, V} -> p({N, V}) after 5000 -> p({N, timeout}) end.
reply(To, N) -> To ! {N, replied}.
child(X) -> exit({child, X, process_info(self(), priority), process_info(self(), trap_exit)}).
p(X) -> io:format("~p~n", [X]).
t(F) -> p(try F() catch C:R -> case R of {badarity, _} -> badarity; _ -> {C, R} end end).
id(X) -> X.
