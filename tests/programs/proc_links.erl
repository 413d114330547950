%% Links and exit signals with every reason, trapping and not.
-module(proc_links).
-export([main/0]).

main() ->
    Reasons = [normal, shutdown, {shutdown, x}, kill, killed, boom, {a, b}, 17, "str", noproc, noconnection],
    p([{R, own_exit(R, true)} || R <- Reasons]),
    p([{R, own_exit(R, false)} || R <- Reasons]),
    p([{R, sent_exit(R, true)} || R <- Reasons]),
    p([{R, sent_exit(R, false)} || R <- Reasons]),
    p([{R, self_exit(R, T)} || R <- [normal, kill, x], T <- [true, false]]),
    chain(),
    p(link_dead()),
    p(unlink_then_exit()),
    p(link_self()),
    p(both_die()),
    p(trap_and_go_on()),
    p(exit_many(500)).

%% A linked process ends by itself; what does its partner see?
own_exit(Reason, Trap) ->
    run(fun(Report) ->
                process_flag(trap_exit, Trap),
                P = spawn_link(fun() -> exit(Reason) end),
                receive {'EXIT', P, R} -> Report({got, R}) after 100 -> Report(alive) end
        end).

%% A process is sent an exit signal.
sent_exit(Reason, Trap) ->
    S = self(),
    P = spawn(fun() -> process_flag(trap_exit, Trap), S ! {ready, self()}, receive X -> exit({received,
        element(1, X), element(3, X)}) after 100 -> exit(untouched) end end),
    receive {ready, P} -> ok end,
    M = monitor(process, P),
    exit(P, Reason),
    receive {'DOWN', M, process, P, Why} -> Why end.

self_exit(Reason, Trap) ->
    {_, M} = spawn_monitor(fun() -> process_flag(trap_exit, Trap), exit(self(), Reason), receive {'EXIT', _,
        R} -> exit({got, R}) after 50 -> exit(survived) end end),
    receive {'DOWN', M, process, _, Why} -> Why end.

run(F) ->
    S = self(), Tag = make_ref(),
    {_, M} = spawn_monitor(fun() -> F(fun(V) -> S ! {Tag, V} end) end),
    receive {'DOWN', M, process, _, Why} -> receive {Tag, V} -> V after 0 -> {died, Why} end end.

chain() ->
    process_flag(trap_exit, true),
    S = self(),
    P = spawn_link(fun() -> link_chain(100, S) end),
    receive {last, L} -> exit(L, snap) end,
    receive {'EXIT', P, R} -> p({chain, R}) end,
    process_flag(trap_exit, false).

link_chain(0, S) -> S ! {last, self()}, receive never -> ok end;
link_chain(N, S) -> spawn_link(fun() -> link_chain(N - 1, S) end), receive never -> ok end.

link_dead() ->
    process_flag(trap_exit, true),
    {P, M} = spawn_monitor(fun() -> ok end),
    receive {'DOWN', M, _, _, _} -> ok end,
    R = (catch link(P)),
    V = receive {'EXIT', P, W} -> {R, W} after 1000 -> {R, nothing} end,
    process_flag(trap_exit, false), V.

unlink_then_exit() ->
    P = spawn_link(fun() -> receive go -> exit(bad) end end),
    unlink(P), unlink(P), M = monitor(process, P), P ! go,
    receive {'DOWN', M, _, _, R} -> {survived, R} end.

link_self() -> [link(self()), unlink(self()), try link(erlang:list_to_atom("a")) catch error:R -> R end,
        try exit(erlang:list_to_atom("a"), b) catch error:R2 -> R2 end].

both_die() ->
    S = self(),
    {_, M} = spawn_monitor(fun() -> C = spawn_link(fun() -> receive never -> ok end end), S ! {c, C}, exit(mum) end),
    receive {c, C} -> M2 = monitor(process, C), receive {'DOWN', M, _, _, R1} -> receive {'DOWN', M2, _, _,
        R2} -> {R1, lists:member(R2, [mum, noproc])} end end end.

trap_and_go_on() ->
    run(fun(Report) ->
                process_flag(trap_exit, true),
                Ps = [spawn_link(fun() -> exit({n, I}) end) || I <- lists:seq(1, 20)],
                Report([receive {'EXIT', P, R} -> R end || P <- Ps])
        end).

exit_many(N) ->
    Ps = [spawn(fun() -> receive never -> ok end end) || _ <- lists:seq(1, N)],
    Ms = [monitor(process, P) || P <- Ps],
    [exit(P, {bye, I}) || {I, P} <- lists:zip(lists:seq(1, N), Ps)],
    lists:sum([receive {'DOWN', M, _, _, {bye, I}} -> I end || M <- Ms]).

p(X) -> io:format("~p~n", [X]).
