%% Maps around 32 keys and large ones: the change between the two representations must not show.
-module(maps_large).
-export([main/0, id/1]).

main() ->
    [begin
         M = maps:from_list([{K, K * 2} || K <- lists:seq(1, N)]),
         U = lists:foldl(fun(K, A) -> A#{K => K * 2} end, #{}, lists:seq(N, 1, -1)),
         R = maps:remove(N, M),
         io:format("~w ~w ~w ~w ~w ~w ~w~n", [N, map_size(M), M =:= U, M == U, map_size(R),
             R =:= maps:from_list([{K, K * 2} || K <- lists:seq(1, N - 1)]),
                                     erlang:phash2(M)]),
         true = lists:sort(maps:keys(M)) =:= lists:seq(1, N),
         N3 = M#{x => y},
         M = maps:remove(x, N3),
         N2 = maps:get(N, M), N2 = 2 * N
     end || N <- [1, 2, 31, 32, 33, 34, 64, 65, 100, 1000, 10000]],
    Keys = [1, 1.0, a, "a", <<"a">>, {a}, [], {}, 1 bsl 70, -1, #{}, #{a => 1}] ++ [{k, I} || I <- lists:seq(1, 50)],
    M = maps:from_list([{K, {v, K}} || K <- Keys]),
    io:format("~w ~w~n", [map_size(M), [K || K <- Keys, maps:get(K, M) =/= {v, K}]]),
    io:format("~w~n", [[maps:find(K, M) || K <- [1, 1.0, 2, b, [], {k, 7}, {k, 51}]]]),
    M2 = lists:foldl(fun(K, A) -> A#{K := new} end, M, Keys),
    io:format("~w~n", [lists:usort(maps:values(M2))]),
    t(exact, fun() -> M#{nokey := 1} end),
    t(match, fun() -> #{{k, 1} := A, a := B, "a" := C} = M, {A, B, C} end),
    t(nomatch, fun() -> #{{k, 99} := A} = id(M), A end),
    t(badkey, fun() -> maps:get(nokey, M) end),
    Empty = lists:foldl(fun maps:remove/2, M, Keys),
    io:format("~w ~w~n", [Empty, Empty =:= #{}]),
    A = maps:from_list([{I, a} || I <- lists:seq(1, 100)]),
    B = A#{50 := b}, C = maps:put(50, a, B),
    io:format("~w~n", [[A < B, A > B, A =:= C, A == B, A == maps:map(fun(_, V) -> V end, C), A < #{1 => 1},
        A > maps:remove(100, A)]]),
    F = maps:from_list([{I, 1.0} || I <- lists:seq(1, 100)]),
    G = maps:from_list([{I, 1} || I <- lists:seq(1, 100)]),
    io:format("~w~n", [[F == G, F =:= G, F < G, F > G]]),
    Big = maps:from_list([{integer_to_binary(I), I} || I <- lists:seq(1, 50000)]),
    io:format("~w~n", [maps:fold(fun(_, V, S) -> V + S end, 0, Big)]),
    Half = maps:filter(fun(_, V) -> V rem 2 =:= 0 end, Big),
    io:format("~w ~w~n", [map_size(Half), lists:sum(maps:values(maps:merge(Big, maps:map(fun(_, V) -> -V end,
        Half))))]),
    It = iter(maps:next(maps:iterator(Half)), 0),
    io:format("~w~n", [It]).

iter(none, N) -> N;
iter({_, V, I}, N) -> iter(maps:next(I), N + V).

t(L, F) -> io:format("~s: ~w~n", [L, try F() catch error:{badmatch, _} -> badmatch; error:{badkey, K} ->
        {badkey, K} end]).
id(X) -> X.
