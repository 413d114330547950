%% Sorting: stability, big inputs, all variants, sorted and reversed runs.
-module(sorting).
-export([main/0]).

main() ->
    R = rand(20000, 12345, []),
    S = lists:sort(R),
    io:format("~w ~w ~w~n", [length(S), hd(S), lists:last(S)]),
    true = S =:= msort(R),
    true = S =:= lists:sort(S),
    true = S =:= lists:sort(lists:reverse(S)),
    true = lists:usort(R) =:= lists:usort(S),
    io:format("~w~n", [length(lists:usort([X rem 1000 || X <- R]))]),
    Pairs = [{X rem 10, I} || {I, X} <- lists:zip(lists:seq(1, length(R)), R)],
    K = lists:keysort(1, Pairs),
    io:format("stable ~w~n", [stable(K)]),
    io:format("stable ~w~n", [stable(lists:sort(fun({A, _}, {B, _}) -> A =< B end, Pairs))]),
    io:format("~w~n", [erlang:phash2(lists:sort(fun(A, B) -> A > B end, R))]),
    io:format("~w~n", [lists:sort([[3], [1, 2], [], [1], [2 | a], [1 | b]])]),
    io:format("~w~n", [[lists:sort(L) || L <- [[], [1], [2, 1], [1, 2], [3, 1, 2], [2, 3, 1], [1, 1, 1]]]]),
    io:format("~w~n", [lists:reverse(lists:sort([{b}, {a, 1}, {a}, {}, {a, 0}]))]),
    io:format("~w~n", [erlang:phash2(lists:merge(lists:sort(lists:sublist(R, 1000)), S))]),
    io:format("~w~n", [erlang:phash2(lists:ukeysort(1, Pairs))]),
    Quick = qsort(R),
    true = Quick =:= S,
    ok.

rand(0, _, A) -> A;
rand(N, S, A) -> S1 = (S * 1103515245 + 12345) band 16#7fffffff, rand(N - 1, S1, [S1 | A]).

stable([{A, I}, {A, J} | T]) -> I < J andalso stable([{A, J} | T]);
stable([{A, _}, {B, J} | T]) -> A < B andalso stable([{B, J} | T]);
stable(_) -> true.

msort([]) -> [];
msort([X]) -> [X];
msort(L) -> {A, B} = lists:split(length(L) div 2, L), merge(msort(A), msort(B)).

merge([], B) -> B;
merge(A, []) -> A;
merge([A | As], [B | _] = Bs) when A =< B -> [A | merge(As, Bs)];
merge(As, [B | Bs]) -> [B | merge(As, Bs)].

qsort([]) -> [];
qsort([P | T]) -> qsort([X || X <- T, X < P]) ++ [P] ++ qsort([X || X <- T, X >= P]).
