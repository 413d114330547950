%% ETS: types, updates, matching, select, counters, ownership, errors.
-module(ets_tables).
-export([main/0, id/1]).

main() ->
    [begin T = ets:new(t, [Ty]), [ets:insert(T, {K, V}) || {K, V} <- [{1, a}, {2, b}, {1, c}, {1.0, d}, {1, c},
        {x, y}]], p({Ty, s(ets:tab2list(T)), s(ets:lookup(T, 1)), ets:member(T, 1.0),
        ets:info(T, size), ets:insert_new(T, {2, z}), s(ets:lookup(T, 2)), s(ets:match(T,
        {'$1', '_'})), ets:delete(T, 1), s(ets:tab2list(T))}), ets:delete(T) end || Ty <- [set,
        ordered_set, bag, duplicate_bag]],
    O = ets:new(o, [ordered_set, named_table, public, {keypos, 2}]),
    ets:insert(o, [{v, K} || K <- [5, 3, 9, 1, 7]]),
    p([ets:first(O), ets:last(o), ets:next(o, 3), ets:prev(o, 3), ets:next(o, 9), ets:tab2list(o), ets:next(o,
        4), ets:slot(o, 0)]),
    p(ets:foldl(fun({_, K}, A) -> [K | A] end, [], o)),
    p([ets:take(o, 5), ets:tab2list(o), ets:select_count(o, [{{'_', '$1'}, [{'>', '$1', 2}], [true]}])]),
    C = ets:new(c, []),
    ets:insert(C, {k, 1, 2}),
    p([ets:update_counter(C, k, 5), ets:update_counter(C, k, {3, -2}), ets:update_counter(C, k, [{2, 1}, {3,
        10, 5, 0}]), ets:update_counter(C, new, 3, {new, 10}), ets:update_element(C, k, {3, z}), ets:lookup(C,
        k), ets:update_element(C, none, {2, 1}), ets:lookup_element(C, k, 3)]),
    B = ets:new(b, [set]), ets:insert(B, [{I, I rem 7, {sub, I * I}} || I <- lists:seq(1, 2000)]),
    p(lists:sort(ets:select(B, [{{'$1', '$2', {sub, '$3'}}, [{'=:=', '$2', 2}, {'<', '$1', 50}], [{{'$1', '$3'}}]}]))),
    p(length(ets:match_object(B, {'_', 1, '_'}))),
    p(ets:select_delete(B, [{{'_', '$1', '_'}, [{'>', '$1', 3}], [true]}])),
    p(ets:info(B, size)),
    p(ets:match_delete(B, {'_', 0, '_'})),
    p(ets:info(B, size)),
    {Part, Cont} = ets:select(B, [{{'$1', '_', '_'}, [], ['$1']}], 10),
    p(length(Part ++ all(ets:select(Cont)))),
    p(ets:select_replace(C, [{{k, '$1', '$2'}, [], [{{k, {'+', '$1', 100}, '$2'}}]}])),
    p(ets:lookup(C, k)),
    p(ets:test_ms({1, 2}, [{{'$1', '$2'}, [{'<', '$1', '$2'}], [{'+', '$1', '$2'}]}])),
    [t(F) || F <- [fun() -> ets:lookup(nope, 1) end, fun() -> ets:insert(B, x) end, fun() -> ets:insert(o,
        {1}) end, fun() -> ets:new(o, [named_table]) end, fun() -> ets:new(a, [bad]) end, fun() ->
        ets:update_counter(B, nokey, 1) end, fun() -> ets:update_counter(C, k, {9, 1}) end, fun() ->
        ets:lookup_element(C, nokey, 1) end, fun() -> ets:next(o, zz) end, fun() -> ets:select(B, [bad]) end,
        fun() -> ets:delete(nope) end, fun() -> ets:first(nope) end, fun() -> ets:rename(o, 1) end]],
    S = self(),
    P = spawn(fun() -> T = ets:new(mine, [protected]), S ! {tab, T}, receive stop -> ok end end),
    receive {tab, T1} -> t(fun() -> ets:insert(T1, {a}) end), M = monitor(process, P), P ! stop,
        receive {'DOWN', M, _, _, _} -> p(ets:info(T1)) end end,
    H = spawn(fun() -> receive {'ETS-TRANSFER', Tx, _, G} -> S ! {given, G, ets:lookup(Tx, k) =/= []} end end),
    ets:give_away(C, H, gift),
    receive {given, G, L} -> p({G, L}) end,
    ets:safe_fixtable(B, true),
    p(ets:info(B, fixed)),
    ets:safe_fixtable(B, false),
    p([ets:delete_all_objects(B), ets:info(B, size), ets:rename(o, oo), ets:whereis(o), ets:info(oo, type),
        ets:delete(oo)]),
    R = ets:new(r, [public, {write_concurrency, true}, {read_concurrency, true}]),
    Ws = [spawn_monitor(fun() -> [ets:update_counter(R, cnt, 1, {cnt, 0}) || _ <- lists:seq(1, 1000)] end)
        || _ <- lists:seq(1, 8)],
    [receive {'DOWN', Mr, _, _, _} -> ok end || {_, Mr} <- Ws],
    p(ets:lookup(R, cnt)).

all('$end_of_table') -> [];
all({L, C}) -> L ++ all(ets:select(C)).
%% In an order that tells 1 from 1.0.
s(L) -> [X || {_, X} <- lists:sort([{term_to_binary(X), X} || X <- L])].
p(X) -> io:format("~w~n", [X]).
t(F) -> p(try F() catch C:R -> {C, R} end).
id(X) -> X.
