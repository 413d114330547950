%% Monitors: reasons, flush, info, names, aliases, tags.
-module(proc_monitors).
-export([main/0, id/1]).

main() ->
    p([down(R) || R <- [normal, shutdown, boom, kill, {a, 1}]]),
    P0 = dead(),
    M0 = monitor(process, P0), receive {'DOWN', M0, process, P0, W0} -> p(W0) end,
    M1 = monitor(process, no_such_name), receive {'DOWN', M1, process, {no_such_name, N1}, W1} -> p({W1, N1 =:= node()}) end,
    register(worker, spawn(fun() -> receive stop -> exit(stopped) end end)),
    M2 = monitor(process, worker), worker ! stop, receive {'DOWN', M2, process, {worker, _}, W2} -> p(W2) end,
    A = alive(), M3 = monitor(process, A), p(demonitor(M3)), exit(A, kill), receive {'DOWN', M3, _, _, _} -> p(bad) after 50 -> p(silent) end,
    M4 = monitor(process, dead()), timer:sleep(10), p(demonitor(M4, [flush])), receive {'DOWN', M4, _, _, _} -> p(bad) after 0 -> p(flushed) end,
    B = alive(), M5 = monitor(process, B), p([demonitor(M5, [info]), demonitor(M5, [info]), demonitor(M5, [flush, info]), demonitor(make_ref(), [info])]),
    Ms = [monitor(process, B) || _ <- lists:seq(1, 5)], p(length(element(2, process_info(B, monitored_by)))), exit(B, all),
    p([receive {'DOWN', M, process, B, R} -> R end || M <- Ms]),
    p(element(2, process_info(self(), monitors))),
    M6 = monitor(process, self()), p(demonitor(M6)),
    %% aliases
    Al = alias(), Al ! one, receive one -> p(alias_one) after 500 -> p(lost) end, p(unalias(Al)), Al ! two, receive two -> p(bad) after 50 -> p(gone) end, p(unalias(Al)),
    Rp = alias([reply]), Rp ! first, Rp ! second, receive first -> p(first) end, receive second -> p(bad) after 50 -> p(only_first) end,
    Ex = alias([explicit_unalias]), Ex ! a, Ex ! b, p([receive a -> a end, receive b -> b end]), p(unalias(Ex)),
    C = alive(), Ma = monitor(process, C, [{alias, demonitor}]), Ma ! via, receive via -> p(via) end, demonitor(Ma), Ma ! via2, receive via2 -> p(bad) after 50 -> p(no_alias) end,
    Mr = monitor(process, C, [{alias, reply_demonitor}]), C ! {call, Mr, hello}, receive {reply, Mr, V} -> p(V) end,
    exit(C, kill), receive {'DOWN', Mr, _, _, _} -> p(bad) after 50 -> p(demonitored_by_reply) end,
    D = alive(), Mt = monitor(process, D, [{tag, {my, tag}}]), exit(D, tagged), receive {{my, tag}, Mt, process, D, Wt} -> p(Wt) end,
    E = alive(), Mu = monitor(process, E, [{alias, explicit_unalias}, {tag, t}]), exit(E, x), receive {t, Mu, process, E, x} -> Mu ! still end, receive still -> p(still) after 500 -> p(lost) end, p(unalias(Mu)),
    [t(F) || F <- [fun() -> monitor(process, id(1)) end, fun() -> monitor(foo, self()) end, fun() -> demonitor(id(a)) end, fun() -> demonitor(make_ref(), [bad]) end,
                   fun() -> alias([bad]) end, fun() -> unalias(id(a)) end, fun() -> monitor(process, self(), [bad]) end, fun() -> monitor(process, {a, b, c}) end,
                   fun() -> monitor(time_offset, foo) end]],
    Q = alive(), T = [monitor(process, Q) || _ <- lists:seq(1, 10000)], exit(Q, done),
    p(length([receive {'DOWN', M, _, _, done} -> ok end || M <- T])).

down(R) -> {P, M} = spawn_monitor(fun() -> receive go -> exit(R) end end), P ! go, receive {'DOWN', M, process, P, W} -> W end.
dead() -> {P, M} = spawn_monitor(fun() -> ok end), receive {'DOWN', M, _, _, _} -> P end.
alive() -> spawn(fun L() -> receive {call, Ref, X} -> Ref ! {reply, Ref, {echo, X}}, L() end end).
p(X) -> io:format("~p~n", [X]).
t(F) -> p(try F() catch C:R -> {C, R} end).
id(X) -> X.
