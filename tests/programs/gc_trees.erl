%% timeout: 60
%% Collector: short-lived trees beside a long-lived one, big live data, processes with large heaps, explicit collections.
-module(gc_trees).
-export([main/0]).

main() ->
    Long = make(16), io:format("~w~n", [check(Long)]),
    io:format("~w~n", [lists:sum([check(make(8)) || _ <- lists:seq(1, 2000)])]), io:format("~w~n", [check(Long)]),
    Live = maps:from_list([{I, {I, lists:seq(1, I rem 10), integer_to_binary(I)}} || I <- lists:seq(1, 100000)]),
    io:format("~w~n", [churn(300000, Live, 0)]),
    io:format("~w~n", [erlang:phash2(maps:get(77777, Live))]),
    S = self(),
    [spawn(fun() -> T = make(12), garbage_collect(), S ! {done, check(T)} end) || _ <- lists:seq(1, 20)],
    io:format("~w~n", [lists:sum([receive {done, N} -> N end || _ <- lists:seq(1, 20)])]),
    io:format("~w~n", [queue(200000)]),
    io:format("~w~n", [grow_shrink(20)]),
    put(keep, make(10)),
    garbage_collect(),
    io:format("~w~n", [check(get(keep))]),
    io:format("~w~n", [stack(50000, [])]),
    P = spawn(fun() -> hold(make(14), 0) end),
    [begin P ! {S, I}, receive {I, C} -> C end end || I <- lists:seq(1, 200)],
    P ! {S, last},
    io:format("~w~n", [receive {last, C} -> C end]),
    io:format("~w~n", [check(Long) + length(maps:to_list(Live))]).

make(0) -> leaf;
make(D) -> {make(D - 1), D, make(D - 1)}.
check(leaf) -> 1;
check({L, _, R}) -> check(L) + check(R).
churn(0, _, A) -> A;
churn(N, M, A) -> {N1, L, B} = maps:get((N * 31) rem 100000 + 1, M), churn(N - 1, M,
        (A + N1 + length(L) + byte_size(B)) band 16#ffffff).
queue(N) -> Q = lists:foldl(fun(I, Q) -> Q1 = queue:in({I, [I]}, Q), case queue:len(Q1) > 100 of true ->
        element(2, queue:out(Q1)); false -> Q1 end end, queue:new(), lists:seq(1, N)), lists:sum([I || {I,
        _} <- queue:to_list(Q)]).
grow_shrink(0) -> ok;
grow_shrink(N) -> L = lists:seq(1, 200000), 200000 = length(L), garbage_collect(), grow_shrink(N - 1).
stack(0, A) -> length(A);
stack(N, A) -> X = {N, [N]}, R = stack(N - 1, [X | A]), {N, [N]} = X, R.
hold(T, N) -> receive {S, I} -> G = make(6), S ! {I, check(T) + check(G) + N - N}, hold(T, N + 1) end.
