%% Aliases, spawn requests, hibernation, selective receive by references.
-module(proc_alias).
-export([main/0, awake/1]).

d(X) -> erlang:display(X).
e(F) -> try F() catch C:R -> {C, R} end.

main() ->
    S = self(),
    A = alias(), A ! one, receive one -> d(one) end,
    d(unalias(A)), d(unalias(A)), A ! two, receive two -> d(bad) after 20 -> d(dropped) end,
    R = alias([reply]), R ! first, R ! second,
    receive first -> d(first) end, receive second -> d(bad) after 20 -> d(once) end,
    %% As gen_server calls: a monitor that is an alias until the reply.
    P = spawn(fun server/0),
    M1 = monitor(process, P, [{alias, reply_demonitor}]),
    P ! {M1, 1}, receive {M1, V1} -> d(V1) end,
    d(demonitor(M1, [info])),
    P ! {M1, 2}, receive {M1, _} -> d(bad) after 20 -> d(gone) end,
    M2 = monitor(process, P, [{alias, demonitor}]), demonitor(M2), M2 ! x, receive x -> d(bad) after 20 -> d(off) end,
    M3 = monitor(process, P, [{alias, explicit_unalias}]), demonitor(M3), M3 ! y, receive y -> d(still) end,
    d(unalias(M3)),
    M4 = monitor(process, P, [{alias, demonitor}]), exit(P, kill),
    receive {'DOWN', M4, _, _, W4} -> d(W4) end, M4 ! z, receive z -> d(bad) after 20 -> d(off) end,
    [d(e(F)) || F <- [fun() -> alias([x]) end, fun() -> unalias(x) end,
                      fun() -> monitor(process, S, [{alias, x}]) end]],
    requests(), hibernation(), selective().

server() -> receive {Ref, X} -> Ref ! {Ref, X * 2}, server() end.

requests() ->
    R1 = spawn_request(fun() -> exit(done) end, [monitor]),
    receive {spawn_reply, R1, ok, P1} -> d(is_pid(P1)) end,
    receive {'DOWN', R1, process, _, W1} -> d(W1) end,
    R2 = spawn_request(fun() -> ok end, [bad_option]),
    receive {spawn_reply, R2, error, W2} -> d(W2) end,
    R3 = spawn_request(fun() -> ok end, [{reply_tag, {my, tag}}]),
    receive {{my, tag}, R3, ok, P3} -> d(is_pid(P3)) end,
    R4 = spawn_request(fun() -> ok end, [{reply, no}]),
    receive {spawn_reply, R4, _, _} -> d(bad) after 20 -> d(silent) end,
    R6 = spawn_request(no@where, fun() -> ok end, []), receive {spawn_reply, R6, error, W6} -> d(W6) end,
    {P5, M5} = spawn_opt(fun() -> exit(x5) end, [{monitor, [{tag, custom}]}]),
    receive {custom, M5, process, P5, W5} -> d(W5) end.

hibernation() ->
    {P, M} = spawn_monitor(fun() -> put(k, v), erlang:hibernate(?MODULE, awake, [self()]) end),
    P ! {self(), hello}, receive {awake, X, K} -> d({X, K}) end,
    receive {'DOWN', M, _, _, W} -> d(W) end,
    %% A message that is there already wakes at once.
    {Q, N} = spawn_monitor(fun() -> receive go -> erlang:hibernate(?MODULE, awake, [self()]) end end),
    Q ! {self(), early}, Q ! go, receive {awake, X2, K2} -> d({X2, K2}) end,
    receive {'DOWN', N, _, _, W2} -> d(W2) end.

awake(Me) -> true = Me =:= self(), receive {P, X} -> P ! {awake, X, get(k)} end.

%% A reference made after a long queue has arrived.
selective() ->
    [self() ! {junk, I} || I <- lists:seq(1, 20000)],
    P = spawn(fun echo/0),
    d(length([ok || _ <- lists:seq(1, 300), call(P) =:= ok])),
    self() ! {tag, late},
    receive {tag, L} -> d(L) end,
    d(drain(0)),
    P ! stop.
call(P) -> R = make_ref(), P ! {self(), R}, receive {R, X} -> X end.
echo() -> receive {P, R} -> P ! {R, ok}, echo(); stop -> ok end.
drain(N) -> receive {junk, _} -> drain(N + 1) after 0 -> N end.
