%% Quicksort and mergesort written out, and lists:sort.
-module(sorting).
-export([size/0, run/1]).
size() -> 20000.
run(N) ->
    L = random(N, 42, []),
    A = quick(L),
    A = merge_sort(L),
    A = lists:sort(L),
    erlang:phash2(A).
random(0, _, L) -> L;
random(N, X, L) -> Y = (X * 1103515245 + 12345) rem 2147483648, random(N - 1, Y, [Y | L]).
quick([]) -> [];
quick([P | T]) -> quick([X || X <- T, X < P]) ++ [P | quick([X || X <- T, X >= P])].
merge_sort([]) -> [];
merge_sort([X]) -> [X];
merge_sort(L) ->
    {A, B} = lists:split(length(L) div 2, L),
    merge(merge_sort(A), merge_sort(B)).
merge([], B) -> B;
merge(A, []) -> A;
merge([X | A], [Y | _] = B) when X =< Y -> [X | merge(A, B)];
merge(A, [Y | B]) -> [Y | merge(A, B)].
