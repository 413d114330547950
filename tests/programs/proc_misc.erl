%% hibernate, suspend and resume, max_heap_size, priorities, garbage collection, yields.
-module(proc_misc).
-export([main/0, woken/2, grow/1, id/1]).

main() ->
    S = self(),
    %% hibernate
    H = spawn(fun() -> put(kept, 1), X = lists:seq(1, 100), erlang:hibernate(?MODULE, woken, [S, length(X)]) end),
    timer:sleep(20), p(process_info(H, current_function)), H ! wake, receive {woken, V} -> p(V) end,
    H2 = spawn(fun() -> self() ! already, erlang:hibernate(?MODULE, woken, [S, 0]) end),
    receive {woken, V2} -> p(V2) end,
    p(is_pid(H2)),
    t(fun() -> erlang:hibernate(id(1), a, []) end), t(fun() -> erlang:hibernate(a, b, id(c)) end),
    %% suspend and resume
    C = spawn(fun() -> count(S, 0) end), timer:sleep(10),
    p(erlang:suspend_process(C)),
    p(process_info(C, status)),
    C ! {get, 1},
    receive {count, _} -> p(bad) after 50 -> p(suspended) end,
    p(element(2, process_info(S, suspending)) =:= [{C, 1, 0}]),
    p(erlang:suspend_process(C, [unless_suspending])),
    p(erlang:resume_process(C)),
    receive {count, N} -> p({resumed, N}) end,
    t(fun() -> erlang:resume_process(C) end),
    t(fun() -> erlang:suspend_process(S) end),
    t(fun() -> erlang:suspend_process(id(a)) end),
    exit(C, kill),
    %% max_heap_size
    {_, M} = spawn_opt(?MODULE, grow, [[]], [monitor, {max_heap_size, #{size => 100000, kill => true,
        error_logger => false}}]),
    receive {'DOWN', M, _, _, R} -> p(R) end,
    p(process_flag(max_heap_size, #{size => 0}) =/= x),
    {_, M1} = spawn_opt(fun() -> exit(element(2, process_info(self(), max_heap_size)) =/= 0) end, [monitor,
        {max_heap_size, 1000000}]),
    receive {'DOWN', M1, _, _, R1} -> p(R1) end,
    %% garbage_collect
    p([garbage_collect(), garbage_collect(self()), garbage_collect(spawn(fun() -> ok end)) =/= x,
        garbage_collect(self(), [{type, minor}])]),
    L = lists:seq(1, 10000), garbage_collect(), p(lists:sum(L)),
    case garbage_collect(self(), [{async, req1}]) of async -> receive {garbage_collect, req1, GR} -> p(GR) end;
        Other -> p({sync, Other}) end,
    P = spawn(fun() -> receive stop -> ok end end),
    async = garbage_collect(P, [{async, rq}]),
    receive {garbage_collect, rq, Ok} -> p(Ok) end,
    P ! stop,
    t(fun() -> garbage_collect(id(a)) end), t(fun() -> garbage_collect(S, [bad]) end),
    p(erlang:yield()),
    p(erlang:bump_reductions(1000)),
    %% a busy process does not starve others
    B = spawn(fun() -> busy(0) end),
    T = [begin S ! {tick, I}, receive {tick, I} -> I end end || I <- lists:seq(1, 1000)],
    p(length(T)),
    Ps = [spawn(fun() -> busy(0) end) || _ <- lists:seq(1, 8)], receive nothing -> ok after 50 -> p(timer_ran) end,
    [exit(X, kill) || X <- [B | Ps]],
    Pr = [begin Me = self(), spawn_opt(fun() -> Me ! {done, Q} end, [{priority, Q}]), receive {done, Q} ->
        Q end end || Q <- [low, normal, high, max]],
    p(Pr),
    t(fun() -> erlang:process_display(S, foo) end).

woken(To, X) -> receive M -> To ! {woken, {M, X, get(kept)}} end.
count(S, N) -> receive {get, K} -> S ! {count, N + K}, count(S, N + K) end.
grow(A) -> grow([A, lists:seq(1, 100) | A]).
busy(N) -> busy(N + 1).
p(X) -> io:format("~p~n", [X]).
t(F) -> p(try F() catch C:R -> {C, R} end).
id(X) -> X.
