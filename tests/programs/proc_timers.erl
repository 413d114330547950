%% Timers: receive after, send_after, start_timer, cancel_timer, read_timer.
-module(proc_timers).
-export([main/0]).

d(X) -> erlang:display(X).
e(F) -> try F() catch C:R -> {C, R} end.
ms() -> erlang:monotonic_time(millisecond).

main() ->
    d(receive x -> x after 0 -> zero end),
    self() ! x, d(receive x -> x after 0 -> zero end),
    T0 = erlang:monotonic_time(), receive after 30 -> ok end,
    d(erlang:convert_time_unit(erlang:monotonic_time() - T0, native, millisecond) >= 30),
    %% A message that does not match does not prolong the time.
    S = self(), spawn(fun() -> nag(S, 30) end),
    T1 = ms(), receive never -> ok after 60 -> ok end, T2 = ms(),
    d(T2 - T1 >= 60), d(T2 - T1 < 1000), flush(),
    d(e(fun() -> receive after -1 -> ok end end)), d(e(fun() -> receive after foo -> ok end end)),
    R1 = erlang:start_timer(20, self(), {msg, "x"}), receive {timeout, R1, M1} -> d(M1) end,
    R2 = erlang:send_after(20, self(), [plain]), receive [plain] -> d(plain) end,
    d(erlang:cancel_timer(R2)), d(erlang:read_timer(R2)), d(erlang:cancel_timer(make_ref())),
    R3 = erlang:send_after(60000, self(), late),
    L3 = erlang:read_timer(R3), d(L3 > 59000 andalso L3 =< 60000),
    C3 = erlang:cancel_timer(R3), d(C3 > 59000 andalso C3 =< 60000), d(erlang:cancel_timer(R3)),
    R4 = erlang:send_after(60000, self(), late),
    d(erlang:cancel_timer(R4, [{async, true}])),
    receive {cancel_timer, R4, V4} -> d(is_integer(V4)) end,
    d(erlang:cancel_timer(R4, [{info, false}])),
    d(erlang:read_timer(R4, [{async, true}])), receive {read_timer, R4, V5} -> d(V5) end,
    R6 = erlang:send_after(ms() + 25, self(), absolute, [{abs, true}]),
    d(is_reference(R6)), receive absolute -> d(absolute) end,
    erlang:send_after(ms() - 1, self(), past, [{abs, true}]), receive past -> d(past) end,
    %% In order of their deadlines.
    [erlang:send_after(T, self(), {t, T}) || T <- [70, 10, 40, 1, 100]],
    d([receive {t, T} -> T end || _ <- lists:seq(1, 5)]),
    %% To a name: resolved when the timer fires; nobody there is no error.
    erlang:send_after(20, late_name, to_name), register(late_name, self()),
    receive to_name -> d(to_name) end, unregister(late_name),
    erlang:send_after(1, nobody_has_this_name, x), receive after 10 -> ok end,
    %% From and for other processes.
    {P, M} = spawn_monitor(fun() -> erlang:start_timer(10, S, from_other), exit(gone) end),
    receive {'DOWN', M, _, P, gone} -> d(gone) end, receive {timeout, _, from_other} -> d(from_other) end,
    R7 = erlang:send_after(60000, P, x), d(erlang:cancel_timer(R7)),
    spawn(fun() -> S ! {ref, erlang:send_after(60000, S, x)} end),
    receive {ref, R8} -> d(is_integer(erlang:cancel_timer(R8))) end,
    %% Many.
    Refs = [erlang:start_timer(1000000 + I, self(), I) || I <- lists:seq(1, 20000)],
    d(length([ok || R <- Refs, is_integer(erlang:cancel_timer(R))])),
    [erlang:send_after(I rem 20, self(), {many, I}) || I <- lists:seq(1, 5000)],
    d(lists:sum([receive {many, I} -> I end || _ <- lists:seq(1, 5000)])),
    [d(e(F)) || F <- [
        fun() -> erlang:send_after(-1, self(), x) end, fun() -> erlang:send_after(1 bsl 80, self(), x) end,
        fun() -> erlang:send_after(1, "x", x) end, fun() -> erlang:start_timer(1, self(), x, [y]) end,
        fun() -> erlang:cancel_timer(x) end, fun() -> erlang:cancel_timer(make_ref(), [x]) end,
        fun() -> erlang:read_timer(x) end]],
    receive X -> d({unexpected, X}) after 0 -> d(done) end.

nag(_, 0) -> ok;
nag(S, N) -> S ! nag, receive after 5 -> nag(S, N - 1) end.
flush() -> receive nag -> flush() after 200 -> ok end.
