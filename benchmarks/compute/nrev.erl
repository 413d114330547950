%% Naive reverse: building lists on the stack.
-module(nrev).
-export([size/0, run/1]).
size() -> 100.
run(N) -> loop(lists:seq(1, 500), N).
loop(L, 0) -> L;
loop(L, N) -> loop(rev(L), N - 1).
rev([]) -> [];
rev([H | T]) -> app(rev(T), [H]).
app([], L) -> L;
app([H | T], L) -> [H | app(T, L)].
