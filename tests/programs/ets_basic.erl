%% Tables: making, inserting, looking up, deleting, counters, order, errors.
-module(ets_basic).
-export([main/0]).

main() ->
    T = ets:new(t, [public]),
    O = ets:new(o, [ordered_set]),
    B = ets:new(b, [bag]),
    D = ets:new(d, [duplicate_bag]),
    named = ets:new(named, [named_table, {keypos, 2}]),
    Dead = ets:new(dead, []),
    true = ets:delete(Dead),
    t(new, fun() -> [ets:new(N, L) || {N, L} <- [{"x", []}]] end),
    [t({new, L}, fun() -> ets:new(x, L) end)
     || L <- [[foo], foo, [{keypos, 0}], [{heir, 1, 2}], [set | x], [{write_concurrency, 'maybe'}]]],
    t(taken, fun() -> ets:new(named, [named_table]) end),
    [begin
         t({lookup, N}, fun() -> ets:lookup(X, 1) end),
         t({insert, N}, fun() -> ets:insert(X, {1}) end),
         t({delete, N}, fun() -> ets:delete(X) end)
     end || {N, X} <- [{dead, Dead}, {nope, nope}, {number, 1}]],
    [t({insert, X}, fun() -> ets:insert(T, X) end) || X <- [foo, {}, [{a}, b], [{a} | b], []]],
    t(keypos, fun() -> ets:insert(named, {a}) end),
    t(keypos2, fun() -> ets:insert(named, {a, k, 1}), {ets:lookup(named, k), ets:lookup(named, a)} end),
    t(insert_new, fun() -> [ets:insert_new(T, X) || X <- [{k, 1}, {k, 2}, [{l, 1}, {k, 3}], [{l, 1}, {m, 1}]]] end),
    t(contents, fun() -> lists:sort(all(T)) end),
    t(member, fun() -> [ets:member(T, X) || X <- [k, l, z, 1.0]] end),
    [t({element, K, N}, fun() -> ets:lookup_element(T, K, N) end)
     || {K, N} <- [{k, 1}, {k, 2}, {k, 3}, {k, 0}, {k, a}, {z, 1}]],
    t(delete, fun() -> [ets:delete(T, k), ets:delete(T, z), ets:member(T, k)] end),
    [t({delete_object, X}, fun() -> ets:delete_object(T, X) end) || X <- [foo, {}, {l, 2}, {l, 1}]],
    t(contents, fun() -> all(T) end),
    [ets:insert(X, Y) || X <- [B, D], Y <- [{a, 1}, {a, 2}, {a, 1}, {a, 3}, {b, 1}]],
    t(bag, fun() -> {ets:lookup(B, a), ets:lookup_element(B, a, 2), ets:lookup(B, b)} end),
    t(duplicate_bag, fun() -> {ets:lookup(D, a), ets:lookup_element(D, a, 2)} end),
    t(delete_bag, fun() -> [begin ets:delete_object(X, {a, 1}), ets:lookup(X, a) end || X <- [B, D]] end),
    t(take, fun() -> [{ets:take(X, a), ets:take(X, a)} || X <- [B, D, T]] end),
    ets:insert(O, [{2, b}, {1.0, a}, {x, c}, {"s", d}, {{t}, e}, {1, aa}]),
    t(ordered, fun() -> {all(O), back(O), ets:lookup(O, 1.0), ets:member(O, 2.0)} end),
    t(next, fun() -> [ets:next(O, 1.5), ets:prev(O, 1.5), ets:next(O, zzz), ets:prev(O, 0), ets:next(O, <<>>)] end),
    t(next_missing, fun() -> ets:next(T, zz) end),
    t(prev_missing, fun() -> ets:prev(T, zz) end),
    t(slot, fun() -> [ets:slot(O, 0), ets:slot(O, 5)] end),
    t(slot_bad, fun() -> ets:slot(O, 6) end),
    t(slot_worse, fun() -> ets:slot(O, a) end),
    counters(T, B),
    elements(T, B),
    large(),
    infos(T, O, B, D, Dead).

all(T) -> all(T, ets:first(T)).
all(_, '$end_of_table') -> [];
all(T, K) -> ets:lookup(T, K) ++ all(T, ets:next(T, K)).

back(T) -> back(T, ets:last(T)).
back(_, '$end_of_table') -> [];
back(T, K) -> [K | back(T, ets:prev(T, K))].

counters(T, B) ->
    ets:insert(T, [{c, 1, x, 1.5}, {big, 1 bsl 59 - 2}]),
    [t({counter, X}, fun() -> ets:update_counter(T, c, X) end)
     || X <- [1, -3, foo, [], {2, 5}, [{2, 1}, {2, 10, 5, 7}, {2, -1, 0, 100}], {3, 1}, {4, 1}, {5, 1}, {1, 1}, {0, 1},
              {2, a}, {2, 1, x, 1}, [{2, 1} | x], [{2, 1}, {3, 1}], {2, 1 bsl 70}, {2, -(1 bsl 70)}]],
    t(counter_after, fun() -> ets:lookup(T, c) end),
    t(counter_big, fun() -> [ets:update_counter(T, big, 1) || _ <- lists:seq(1, 4)] end),
    t(counter_back, fun() -> [ets:update_counter(T, big, -1) || _ <- lists:seq(1, 4)] end),
    t(counter_missing, fun() -> ets:update_counter(T, none, 1) end),
    t(counter_bag, fun() -> ets:update_counter(B, none, 1) end),
    t(counter_default, fun() -> [ets:update_counter(T, new, {3, 2}, {x, a, 40}), ets:lookup(T, new)] end),
    [t({default, X, Y}, fun() -> ets:update_counter(T, never, X, Y) end)
     || {X, Y} <- [{1, foo}, {1, {a}}, {{3, 1}, {a, 1}}]].

elements(T, B) ->
    ets:insert(T, {e, 1, "two", 3}),
    [t({element, X}, fun() -> {ets:update_element(T, e, X), ets:lookup(T, e)} end)
     || X <- [{2, a}, {3, 3}, [{2, [x]}, {4, y}], [], {1, e}, {5, a}, {0, a}, foo, [{2, never}, {9, 1}]]],
    t(element_missing, fun() -> ets:update_element(T, none, {2, a}) end),
    t(element_bag, fun() -> ets:update_element(B, e, {2, a}) end).

%% Many objects: growing, shrinking, walking while the table is fixed and changes.
large() ->
    T = ets:new(large, []),
    N = 20000,
    [ets:insert(T, {K, K * K, [K]}) || K <- lists:seq(1, N)],
    t(size, fun() -> ets:info(T, size) end),
    t(sum, fun() -> lists:sum([K || {K, _, [K]} <- all(T)]) end),
    ets:safe_fixtable(T, true),
    t(fixed, fun() -> walk(T, ets:first(T), 0) end),
    t(size, fun() -> ets:info(T, size) end),
    ets:insert(T, [{K} || K <- lists:seq(1, 100)]),
    ets:safe_fixtable(T, false),
    t(size, fun() -> {ets:info(T, size), length(all(T))} end),
    ets:insert(T, [{float(K), K} || K <- lists:seq(1, 5000)]),
    [ets:delete(T, K) || K <- lists:seq(1, 100)],
    t(size, fun() -> {ets:info(T, size), lists:sum([K || {_, K} <- all(T)])} end),
    t(delete_all, fun() -> {ets:delete_all_objects(T), ets:info(T, size), ets:first(T)} end),
    ets:insert(T, {<<0:8000>>, lists:seq(1, 10)}),
    t(binary, fun() -> [{B, L}] = all(T), {byte_size(B), L} end),
    ets:delete(T).

walk(_, '$end_of_table', Seen) -> Seen;
walk(T, K, Seen) ->
    ets:delete(T, K),
    walk(T, ets:next(T, K), Seen + 1).

infos(T, O, B, D, Dead) ->
    t(infos, fun() -> [[ets:info(X, I) || I <- [name, type, keypos, protection, named_table, size, heir, compressed,
                                                read_concurrency, write_concurrency, fixed, node]]
                       || X <- [O, B, D, named]] end),
    t(info, fun() -> [K || {K, _} <- ets:info(O)] end),
    t(owner, fun() -> ets:info(T, owner) =:= self() end),
    t(id, fun() -> [ets:info(T, id) =:= T, ets:whereis(named) =:= ets:info(named, id), ets:whereis(nope)] end),
    t(dead, fun() -> [ets:info(Dead), ets:info(Dead, size), ets:info(nope)] end),
    [t({info, X}, fun() -> ets:info(X) end) || X <- [1, "x"]],
    t(item, fun() -> ets:info(T, foo) end),
    t(all, fun() -> [lists:member(X, ets:all()) || X <- [T, O, named, Dead]] end),
    t(rename, fun() -> [ets:rename(named, renamed), ets:info(renamed, name), ets:info(named)] end),
    t(rename_taken, fun() -> ets:new(other, [named_table]), ets:rename(other, renamed) end),
    t(fixed, fun() -> ets:safe_fixtable(T, true), ets:safe_fixtable(T, true), {_, L} = ets:info(T, safe_fixed),
                      [N || {P, N} <- L, P =:= self()] end),
    t(equal, fun() -> ets:whereis(renamed) =:= ets:whereis(renamed) end).

t(Name, F) ->
    R = try F()
        catch C:X:St ->
                case St of
                    [{ets, Fn, A, I} | _] when is_list(A) -> {C, X, Fn, length(A), proplists:get_value(error_info, I)};
                    _ -> {C, X}
                end
        end,
    io:format("~0p: ~0p~n", [Name, R]).
