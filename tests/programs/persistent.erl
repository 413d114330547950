%% persistent_term, counters, atomics.
-module(persistent).
-export([main/0, id/1]).

main() ->
    K = {?MODULE, k},
    p([persistent_term:put(K, {big, lists:seq(1, 1000)}), persistent_term:get(K) =:= {big, lists:seq(1, 1000)},
        persistent_term:get(nokey, def), persistent_term:put(K, 2), persistent_term:get(K),
        persistent_term:erase(K), persistent_term:erase(K), persistent_term:get(K, gone)]),
    X = {held, [a, b]},
    persistent_term:put(K, X),
    Y = persistent_term:get(K),
    S = self(),
    P = spawn(fun() -> Z = persistent_term:get(K), S ! ready, receive go -> S ! {z, Z} end end),
    receive ready -> ok end,
    persistent_term:erase(K),
    garbage_collect(),
    P ! go,
    receive {z, Z} -> p({Y, Z}) end,
    A = atomics:new(3, []),
    p([atomics:put(A, 1, 5), atomics:add(A, 1, 10), atomics:get(A, 1), atomics:add_get(A, 2, -3),
        atomics:sub_get(A, 2, 1), atomics:exchange(A, 3, 9), atomics:compare_exchange(A, 3, 9, 10),
        atomics:compare_exchange(A, 3, 9, 11), atomics:get(A, 3), maps:get(size, atomics:info(A)),
        maps:get(max, atomics:info(A))]),
    atomics:put(A, 1, (1 bsl 63) - 1),
    atomics:add(A, 1, 1),
    p(atomics:get(A, 1)),
    U = atomics:new(1, [{signed, false}]),
    p([atomics:sub_get(U, 1, 1), maps:get(max, atomics:info(U))]),
    C = counters:new(2, [write_concurrency]),
    Ws = [spawn_monitor(fun() -> [counters:add(C, 1, I) || I <- lists:seq(1, 1000)] end) || _ <- lists:seq(1, 10)],
    [receive {'DOWN', M, _, _, _} -> ok end || {_, M} <- Ws],
    p([counters:get(C, 1), counters:put(C, 2, 7), counters:sub(C, 2, 10), counters:get(C, 2), maps:get(size,
        counters:info(C))]),
    Wa = [spawn_monitor(fun() -> [atomics:add(A, 3, 1) || _ <- lists:seq(1, 10000)] end) || _ <- lists:seq(1, 4)],
    [receive {'DOWN', M, _, _, _} -> ok end || {_, M} <- Wa],
    p(atomics:get(A, 3)),
    [t(F) || F <- [fun() -> persistent_term:get(nokey) end, fun() -> atomics:new(0, []) end, fun() ->
        atomics:get(A, 0) end, fun() -> atomics:get(A, 4) end, fun() -> atomics:put(A, 1, 1 bsl 70) end,
        fun() -> atomics:get(id(x), 1) end, fun() -> counters:new(-1, []) end, fun() -> counters:add(C, 3,
        1) end, fun() -> counters:get(id(x), 1) end, fun() -> atomics:put(U, 1, -1) end]].

p(X) -> io:format("~p~n", [X]).
t(F) -> p(try F() catch C:R -> {C, R} end).
id(X) -> X.
