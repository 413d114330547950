%% Timers: send_after, start_timer, cancel and read with their options, absolute times, order, errors.
-module(timers).
-export([main/0, id/1]).

main() ->
    S = self(),
    [erlang:send_after(T, S, {t, T}) || T <- [80, 20, 60, 40, 0]],
    p([receive {t, T} -> T end || _ <- lists:seq(1, 5)]),
    R1 = erlang:start_timer(10, S, hello), receive {timeout, R1, M} -> p(M) end,
    R2 = erlang:send_after(10000, S, no),
    Left = erlang:read_timer(R2),
    p(Left > 5000 andalso Left =< 10000),
    C = erlang:cancel_timer(R2),
    p(C > 5000 andalso C =< 10000),
    p([erlang:cancel_timer(R2), erlang:read_timer(R2), erlang:cancel_timer(R1),
        erlang:cancel_timer(make_ref()), erlang:read_timer(make_ref())]),
    R3 = erlang:send_after(10000, S, no),
    p(erlang:cancel_timer(R3, [{async, true}])),
    receive {cancel_timer, R3, V3} -> p(V3 > 5000) end,
    R4 = erlang:send_after(10000, S, no),
    p(erlang:cancel_timer(R4, [{async, true}, {info, false}])),
    receive {cancel_timer, R4, _} -> p(bad) after 30 -> p(quiet) end,
    R5 = erlang:send_after(10000, S, no),
    p(erlang:cancel_timer(R5, [{info, false}])),
    p(erlang:cancel_timer(R5, [{info, true}])),
    R6 = erlang:send_after(10000, S, no),
    p(erlang:read_timer(R6, [{async, true}])),
    receive {read_timer, R6, V6} -> p(V6 > 5000) end,
    erlang:cancel_timer(R6),
    Now = erlang:monotonic_time(millisecond),
    erlang:send_after(Now + 30, S, abs1, [{abs, true}]),
    receive abs1 -> p(erlang:monotonic_time(millisecond) >= Now + 30) end,
    erlang:send_after(Now, S, past, [{abs, true}]), receive past -> p(past) end,
    R7 = erlang:start_timer(Now + 100000, S, far, [{abs, true}]), p(erlang:cancel_timer(R7) > 50000),
    register(tm, S), erlang:send_after(5, tm, named), receive named -> p(named) end, unregister(tm),
    erlang:send_after(5, no_such_name, x), erlang:send_after(5, dead(), x), timer:sleep(20), p(still_here),
    %% a timer ends with its process
    D = spawn(fun() -> erlang:send_after(40, S, from_dead), erlang:start_timer(10000, self(), x) end),
    timer:sleep(10),
    p(is_process_alive(D)),
    receive from_dead -> p(from_dead) after 500 -> p(lost) end,
    [t(F) || F <- [fun() -> erlang:send_after(-1, S, x) end, fun() -> erlang:send_after(id(a), S, x) end,
        fun() -> erlang:send_after(1, id("p"), x) end,
                   fun() -> erlang:start_timer(1.5, S, x) end,
                   fun() -> erlang:cancel_timer(id(a)) end,
                   fun() -> erlang:cancel_timer(make_ref(), [bad]) end,
                   fun() -> erlang:send_after(1 bsl 70, S, x) end, fun() -> erlang:send_after(1, S, x, [{abs,
                       maybe_}]) end, fun() -> erlang:read_timer(id(1)) end]],
    Rs = [erlang:send_after(100000 + I, S, {never, I}) || I <- lists:seq(1, 20000)],
    p(length([ok || R <- Rs, is_integer(erlang:cancel_timer(R))])),
    [erlang:send_after(I rem 50, S, {many, I}) || I <- lists:seq(1, 5000)],
    p(lists:sum([receive {many, I} -> I end || I <- lists:seq(1, 5000)])),
    p(receive Any -> Any after 0 -> empty end),
    T0 = erlang:monotonic_time(millisecond), timer:sleep(25), p(erlang:monotonic_time(millisecond) - T0 >= 25),
    {ok, TR} = timer:send_after(10, fired), receive fired -> p(fired) end, p(element(1, timer:cancel(TR))),
    {Us, res} = timer:tc(fun() -> timer:sleep(5), res end), p(Us >= 5000),
    p([timer:seconds(2), timer:minutes(1), timer:hours(1), timer:hms(1, 1, 1)]).

dead() -> {P, M} = spawn_monitor(fun() -> ok end), receive {'DOWN', M, _, _, _} -> P end.
p(X) -> io:format("~p~n", [X]).
t(F) -> p(try F() catch C:R -> {C, R} end).
id(X) -> X.
