%% Selective receive: order, nesting, many waiting messages, references, after 0, after N, guards.
-module(receives).
-export([main/0, id/1]).

main() ->
    S = self(),
    [S ! M || M <- [c, b, a, 1, {x, 1}, {y, 2}, "s"]],
    p([receive a -> a end, receive {_, N} when N > 1 -> {n, N} end, receive X when is_list(X) -> X end,
        receive Y when is_integer(Y) -> Y end, flush()]),
    p(receive never -> x after 0 -> none end),
    S ! {k, 1}, S ! {k, 2}, S ! {k, 3},
    p([receive {k, 2} -> two end, receive {k, Z} -> Z end, receive {k, Z2} -> Z2 end]),
    [S ! {m, I} || I <- lists:seq(1, 5000)],
    p(lists:sum([receive {m, I} -> I end || I <- lists:seq(5000, 1, -1)])),
    [S ! {noise, I} || I <- lists:seq(1, 20000)],
    p([call(I) || I <- lists:seq(1, 20)]),
    p([receive {noise, 20000} -> last end, receive {noise, 1} -> first end, length(flush())]),
    S ! outer, S ! inner1, S ! inner2,
    p(receive outer -> receive inner2 -> receive inner1 -> nested end end end),
    p([aft(T) || T <- [0, 1, 10]]),
    T0 = erlang:monotonic_time(millisecond),
    receive nope -> ok after 60 -> ok end,
    D = erlang:monotonic_time(millisecond) - T0,
    p(D >= 60 andalso D < 1000),
    V = id(want), S ! {tag, other}, S ! {tag, want}, p([receive {tag, V} -> V end, flush()]),
    t(fun() -> receive x -> y after id(a) -> z end end),
    t(fun() -> receive x -> y after id(-1) -> z end end),
    t(fun() -> receive x -> y after id(1 bsl 40) -> z end end),
    t(fun() -> receive x -> y after id(1.5) -> z end end),
    spawn(fun() -> timer:sleep(30), S ! late end), p(receive late -> late after infinity -> never end),
    S ! m1, p(try receive m1 -> throw(in_receive) end catch throw:W -> W end),
    S ! 5, S ! 15, p(receive Q when Q > 10 -> Q end), p(receive Q2 -> Q2 end),
    S ! <<1, 2, 3>>, p(receive <<A, R/binary>> -> {A, R} end),
    S ! #{a => 1}, S ! #{b => 2}, p([receive #{b := Bv} -> Bv end, receive #{a := Av} -> Av end]),
    loop_timeouts(200),
    p(erlang:send(S, via_send)), p(flush()),
    p(order(1000)),
    p(two_senders(1000)),
    p(fold_receive(10000)).

call(I) ->
    S = self(), Ref = make_ref(),
    spawn(fun() -> S ! {Ref, I * I} end),
    receive {Ref, V} -> V end.

aft(T) -> receive never -> bad after T -> {after_, T} end.

loop_timeouts(0) -> ok;
loop_timeouts(N) -> receive never -> ok after 0 -> loop_timeouts(N - 1) end.

order(N) -> S = self(), spawn(fun() -> [S ! {o, I} || I <- lists:seq(1, N)] end), [receive {o, X} -> X end
        || _ <- lists:seq(1, N)] =:= lists:seq(1, N).

%% Messages of one sender keep their order, whatever the other does.
two_senders(N) ->
    S = self(), [spawn(fun() -> [S ! {T, I} || I <- lists:seq(1, N)] end) || T <- [x, y]],
    All = [receive {T, I} when T =:= x; T =:= y -> {T, I} end || _ <- lists:seq(1, 2 * N)],
    [[I || {T, I} <- All, T =:= Tag] =:= lists:seq(1, N) || Tag <- [x, y]].

fold_receive(N) -> S = self(), spawn(fun() -> [S ! {v, I} || I <- lists:seq(1, N)], S ! stop end), fr(0).
fr(A) -> receive {v, I} -> fr(A + I); stop -> A end.

flush() -> receive M -> [M | flush()] after 0 -> [] end.
p(X) -> io:format("~p~n", [X]).
t(F) -> p(try F() catch C:R -> {C, R} end).
id(X) -> X.
