%% Calls and small integers.
-module(fib).
-export([size/0, run/1]).
size() -> 30.
run(N) when N < 2 -> N;
run(N) -> run(N - 1) + run(N - 2).
