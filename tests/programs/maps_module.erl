%% Module maps with good and bad input.
-module(maps_module).
-export([main/0]).

main() ->
    M = #{a => 1, b => 2, c => 3},
    t(keys, fun() -> {maps:keys(M), maps:values(M), maps:to_list(M), maps:size(M)} end),
    t(put, fun() -> {maps:put(d, 4, M), maps:put(a, 9, M), maps:update(a, 5, M)} end),
    t(update_bad, fun() -> maps:update(z, 1, M) end),
    t(remove, fun() -> {maps:remove(a, M), maps:remove(z, M), maps:take(a, M), maps:take(z, M)} end),
    t(find, fun() -> {maps:find(a, M), maps:find(z, M), maps:is_key(a, M), maps:is_key(z, M)} end),
    t(merge, fun() -> {maps:merge(M, #{a => x, d => y}), maps:merge(#{}, M), maps:merge(M, #{})} end),
    t(merge_with, fun() -> maps:merge_with(fun(K, A, B) -> {K, A, B} end, M, #{a => x, d => y}) end),
    t(intersect, fun() -> {maps:intersect(M, #{a => x, q => 1}), maps:intersect_with(fun(_, A, B) -> {A, B} end, M, #{b => z})} end),
    t(with, fun() -> {maps:with([a, z], M), maps:without([a, z], M)} end),
    t(map, fun() -> maps:map(fun(K, V) -> {K, V} end, M) end),
    t(filter, fun() -> maps:filter(fun(_, V) -> V > 1 end, M) end),
    t(filtermap, fun() -> maps:filtermap(fun(a, _) -> false; (b, _) -> true; (_, V) -> {true, V * 10} end, M) end),
    t(fold, fun() -> maps:fold(fun(K, V, A) -> [{K, V} | A] end, [], M) end),
    t(foreach, fun() -> maps:foreach(fun(K, V) -> io:format("~w=~w ", [K, V]) end, M) end),
    t(from_keys, fun() -> {maps:from_keys([a, b], 0), maps:from_keys([], 0)} end),
    t(groups, fun() -> maps:groups_from_list(fun(X) -> X rem 2 end, [1, 2, 3, 4]) end),
    t(update_with, fun() -> {maps:update_with(a, fun(V) -> V + 1 end, M), maps:update_with(z, fun(V) -> V end, 0, M)} end),
    t(update_with_bad, fun() -> maps:update_with(z, fun(V) -> V end, M) end),
    t(get_default, fun() -> {maps:get(a, M, d), maps:get(z, M, d)} end),
    t(iter, fun() -> {K, V, I} = maps:next(maps:iterator(M)), {K, V, maps:to_list(I)} end),
    t(new, fun() -> maps:new() end),
    [t(bad, F) || F <- [fun() -> maps:keys(x) end, fun() -> maps:values([]) end, fun() -> maps:to_list(1) end, fun() -> maps:put(a, b, c) end,
                        fun() -> maps:remove(a, b) end, fun() -> maps:merge(#{}, a) end, fun() -> maps:merge(a, #{}) end,
                        fun() -> maps:find(a, []) end, fun() -> maps:is_key(a, []) end, fun() -> maps:take(a, []) end,
                        fun() -> maps:update(a, 1, []) end, fun() -> maps:map(x, #{}) end, fun() -> maps:map(fun(X) -> X end, #{}) end,
                        fun() -> maps:fold(fun(A, _, _) -> A end, 0, []) end, fun() -> maps:filter(fun(_, _) -> maybe_ end, M) end,
                        fun() -> maps:with(a, M) end, fun() -> maps:without([a | b], M) end, fun() -> maps:from_keys(a, 1) end,
                        fun() -> maps:iterator([]) end, fun() -> maps:next(x) end, fun() -> maps:size(x) end, fun() -> maps:get(a, x, y) end]].

t(L, F) -> io:format("~s: ~p~n", [L, try F() catch C:R -> {C, R} end]).
