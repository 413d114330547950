%% A loop of integer arithmetic.
-module(collatz).
-export([size/0, run/1]).
size() -> 30000.
run(N) -> loop(1, N, 0).
loop(I, N, Best) when I > N -> Best;
loop(I, N, Best) -> loop(I + 1, N, max(Best, steps(I, 0))).
steps(1, S) -> S;
steps(N, S) when N rem 2 =:= 0 -> steps(N div 2, S + 1);
steps(N, S) -> steps(3 * N + 1, S + 1).
