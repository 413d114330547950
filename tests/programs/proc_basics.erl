%% Processes: spawn, send, receive, links, monitors, exit signals, trap_exit.
-module(proc_basics).
-export([main/0]).

d(X) -> erlang:display(X).

%% In a process of its own, whatever the flags of the one that calls main.
main() ->
    {P, M} = spawn_monitor(fun run/0),
    receive {'DOWN', M, process, P, Why} -> d({main, Why}) end.

run() ->
    S = self(),
    A = spawn(fun() -> receive {S, X} -> S ! {self(), X + 1} end end),
    A ! {S, 41},
    receive {A, Y} -> d({got, Y}) end,
    exits(),
    links(),
    monitors(),
    order(),
    unlinking(),
    ring(),
    exit(over).

exits() ->
    Reasons = [normal, bye, kill, {tuple, "text", 1.5, <<"bin">>}, #{a => [b]}],
    [begin
         {P, M} = spawn_monitor(fun() -> exit(R) end),
         receive {'DOWN', M, process, P, W} -> d({down, W}) end
     end || R <- Reasons],
    {T, TM} = spawn_monitor(fun() -> process_flag(trap_exit, true), trapper() end),
    T ! {self(), ready}, receive ready -> ok end,
    exit(T, normal), exit(T, one), exit(T, {two, 2}), exit(T, shutdown),
    T ! {self(), seen}, receive {seen, L} -> d(L) end,
    exit(T, kill), receive {'DOWN', TM, _, _, KW} -> d(KW) end,
    {N, NM} = spawn_monitor(fun() -> receive stop -> exit(stopped) end end),
    exit(N, normal), N ! stop, receive {'DOWN', NM, _, _, NW} -> d(NW) end,
    {Q, QM} = spawn_monitor(fun() -> exit(self(), normal), receive after infinity -> ok end end),
    receive {'DOWN', QM, _, Q, QW} -> d({self_normal, QW}) end,
    {R, RM} = spawn_monitor(fun() -> exit(self(), kill), d(not_reached) end),
    receive {'DOWN', RM, _, R, RW} -> d({self_kill, RW}) end.

trapper() -> trapper([]).
trapper(L) ->
    receive
        {'EXIT', P, R} when is_pid(P) -> trapper([R | L]);
        {P, ready} -> P ! ready, trapper(L);
        {P, seen} -> P ! {seen, lists:reverse(L)}, trapper(L)
    end.

links() ->
    {P, M} = spawn_monitor(fun() -> spawn_link(fun() -> exit(child) end), receive after infinity -> ok end end),
    receive {'DOWN', M, _, P, W} -> d({linked, W}) end,
    {P2, M2} = spawn_monitor(fun() -> spawn_link(fun() -> ok end), receive after 20 -> exit(survived) end end),
    receive {'DOWN', M2, _, P2, W2} -> d(W2) end,
    process_flag(trap_exit, true),
    C = spawn_link(fun() -> receive go -> exit(gone) end end),
    d(link(C)), C ! go,
    receive {'EXIT', C, W3} -> d({trapped, W3}) end,
    d(link(C)),
    receive {'EXIT', C, W4} -> d({late, W4}) end,
    process_flag(trap_exit, false),
    d(catch_error(fun() -> link(C) end)),
    d(link(self())),
    %% A chain falls as a whole.
    {H, HM} = spawn_monitor(fun() -> chain(20) end),
    receive {'DOWN', HM, _, H, HW} -> d({chain, HW}) end.

chain(0) -> exit(end_of_chain);
chain(N) -> spawn_link(fun() -> chain(N - 1) end), receive after infinity -> ok end.

monitors() ->
    P = spawn(fun() -> receive {stop, R} -> exit(R) end end),
    Ms = [monitor(process, P) || _ <- lists:seq(1, 5)],
    d(demonitor(hd(Ms))), d(demonitor(hd(Ms))),
    P ! {stop, reason},
    [receive {'DOWN', M, process, P, W} -> d(W) end || M <- tl(Ms)],
    receive {'DOWN', _, _, _, _} -> d(too_many) after 0 -> d(all) end,
    M6 = monitor(process, P), receive {'DOWN', M6, _, _, W6} -> d(W6) end,
    M7 = monitor(process, no_such_name), receive {'DOWN', M7, process, O7, W7} -> d({O7, W7}) end,
    M8 = monitor(process, P),
    d(demonitor(M8, [flush])), receive {'DOWN', M8, _, _, _} -> d(bad) after 20 -> d(flushed) end,
    M9 = monitor(process, self()), d(is_reference(M9)), d(demonitor(M9, [info])),
    Q = spawn(fun() -> receive x -> ok end end),
    MA = monitor(process, Q), d(demonitor(MA, [info])), d(demonitor(MA, [info])),
    MB = monitor(process, Q, [{tag, {my, "tag"}}]), exit(Q, {why, [1]}),
    receive {{my, "tag"}, MB, process, Q, WB} -> d(WB) end,
    [d(catch_error(F)) || F <- [
        fun() -> monitor(process, 1) end, fun() -> monitor(nothing, self()) end,
        fun() -> demonitor(x) end, fun() -> demonitor(make_ref(), [x]) end,
        fun() -> monitor(process, self(), [x]) end, fun() -> link(x) end, fun() -> unlink(1) end,
        fun() -> exit(x, y) end, fun() -> spawn(a, b, c) end, fun() -> spawn(a, "b", []) end,
        fun() -> spawn_opt(fun() -> ok end, [x]) end, fun() -> spawn_link(x) end]].

%% Signals of one pair keep their order, whatever their kinds.
order() ->
    S = self(),
    {P, M} = spawn_monitor(fun() -> [S ! I || I <- lists:seq(1, 2000)], exit(sent) end),
    L = collect(M, []),
    d(L =:= lists:seq(1, 2000)),
    d(P =/= S).
collect(M, L) ->
    receive
        I when is_integer(I) -> collect(M, [I | L]);
        {'DOWN', M, _, _, sent} -> lists:reverse(L)
    end.

unlinking() ->
    process_flag(trap_exit, true),
    P = spawn_link(fun() -> receive z -> exit(late) end end),
    unlink(P), P ! z,
    receive {'EXIT', P, _} -> d(bad) after 20 -> d(unlinked) end,
    %% An exit that has arrived already is not taken back by the system, but no new one comes.
    [begin
         Q = spawn_link(fun() -> exit(quick) end),
         unlink(Q),
         receive {'EXIT', Q, quick} -> ok after 0 -> ok end,
         receive {'EXIT', Q, _} -> d(bad) after 0 -> ok end
     end || _ <- lists:seq(1, 500)],
    process_flag(trap_exit, false).

ring() ->
    S = self(),
    First = lists:foldl(fun(_, Next) -> spawn(fun() -> hop(Next) end) end, S, lists:seq(1, 999)),
    First ! {lap, 1},
    d(laps(First, 50)),
    First ! stop, receive stop -> ok end.
laps(First, N) ->
    receive
        {lap, X} when N =:= 1 -> X;
        {lap, X} -> First ! {lap, X + 1}, laps(First, N - 1)
    end.
hop(Next) ->
    receive
        {lap, X} -> Next ! {lap, X + 1}, hop(Next);
        stop -> Next ! stop
    end.

catch_error(F) ->
    try F() catch C:R -> {C, R} end.
