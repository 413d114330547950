%% Factorials and powers: big integers.
-module(bignums).
-export([size/0, run/1]).
size() -> 2000.
run(N) -> erlang:phash2([fact(N, 1), power(3, N * 5), fact(N, 1) div power(7, N), fact(N, 1) rem power(11, N div 2)]).
fact(0, A) -> A;
fact(N, A) -> fact(N - 1, A * N).
power(_, 0) -> 1;
power(B, N) when N rem 2 =:= 1 -> B * power(B, N - 1);
power(B, N) -> P = power(B, N div 2), P * P.
