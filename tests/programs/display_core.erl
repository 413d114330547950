%% Calls, tail calls, arithmetic, lists, binaries and messages with nothing but erlang:display.
-module(display_core).
-export([main/0, loop/2, echo/0]).

main() ->
    erlang:display(loop(1000000, 0)),
    erlang:display(deep(100000)),
    erlang:display(fib(20)),
    erlang:display(rev([1, 2, 3, 4], [])),
    erlang:display(try throw(ball) catch throw:X -> {caught, X} end),
    P = spawn(?MODULE, echo, []),
    P ! {self(), hello},
    receive {P, M} -> erlang:display(M) end,
    P ! stop,
    receive never -> ok after 10 -> erlang:display(timeout) end,
    <<A:4, B:12, R/binary>> = <<16#abcd:16, "rest">>,
    erlang:display({A, B, R}),
    F = fun(Y) -> Y + A end,
    erlang:display(F(1)),
    erlang:display(maps:get(k, #{k => v})).

loop(0, A) -> A;
loop(N, A) -> loop(N - 1, A + N).

deep(0) -> 0;
deep(N) -> 1 + deep(N - 1).

fib(N) when N < 2 -> N;
fib(N) -> fib(N - 1) + fib(N - 2).

rev([], A) -> A;
rev([H | T], A) -> rev(T, [H | A]).

echo() ->
    receive
        {From, M} -> From ! {self(), {echo, M}}, echo();
        stop -> ok
    end.
