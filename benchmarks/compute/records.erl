%% Dispatch on tuples, records updated in a loop.
-module(records).
-export([size/0, run/1]).
-record(s, {op, a = 0, b = 0, log = []}).
size() -> 1000000.
run(N) -> loop(#s{op = inc}, N).
loop(#s{a = A, b = B}, 0) -> {A, B};
loop(S, N) -> loop(step(S), N - 1).
step(#s{op = inc, a = A} = S) -> S#s{op = dec, a = A + 3};
step(#s{op = dec, a = A, b = B} = S) -> S#s{op = swap, a = A - 1, b = B + 1};
step(#s{op = swap, a = A, b = B} = S) -> S#s{op = inc, a = B, b = A}.
