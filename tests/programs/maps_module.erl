%% Module maps with good and bad input.
-module(maps_module).
-export([main/0]).

main() ->
    M = #{1 => 1, 2 => 2, 3 => 3},
    t(keys, fun() -> {maps:keys(M), maps:values(M), maps:to_list(M), maps:size(M)} end),
    t(put, fun() -> {maps:put(4, 4, M), maps:put(1, 9, M), maps:update(1, 5, M)} end),
    t(update_bad, fun() -> maps:update(26, 1, M) end),
    t(remove, fun() -> {maps:remove(1, M), maps:remove(26, M), maps:take(1, M), maps:take(26, M)} end),
    t(find, fun() -> {maps:find(1, M), maps:find(26, M), maps:is_key(1, M), maps:is_key(26, M)} end),
    t(merge, fun() -> {maps:merge(M, #{1 => x, 4 => y}), maps:merge(#{}, M), maps:merge(M, #{})} end),
    t(merge_with, fun() -> maps:merge_with(fun(K, A, B) -> {K, A, B} end, M, #{1 => x, 4 => y}) end),
    t(intersect, fun() -> {maps:intersect(M, #{1 => x, 17 => 1}), maps:intersect_with(fun(_, A, B) -> {A, B} end, M, #{2 => 26})} end),
    t(with, fun() -> {maps:with([1, 26], M), maps:without([1, 26], M)} end),
    t(map, fun() -> maps:map(fun(K, V) -> {K, V} end, M) end),
    t(filter, fun() -> maps:filter(fun(_, V) -> V > 1 end, M) end),
    t(filtermap, fun() -> maps:filtermap(fun(1, _) -> false; (2, _) -> true; (_, V) -> {true, V * 10} end, M) end),
    t(fold, fun() -> maps:fold(fun(K, V, A) -> [{K, V} | A] end, [], M) end),
    t(foreach, fun() -> maps:foreach(fun(K, V) -> io:format("~w=~w ", [K, V]) end, M) end),
    t(from_keys, fun() -> {maps:from_keys([1, 2], 0), maps:from_keys([], 0)} end),
    t(groups, fun() -> maps:groups_from_list(fun(X) -> X rem 2 end, [1, 2, 3, 4]) end),
    t(update_with, fun() -> {maps:update_with(1, fun(V) -> V + 1 end, M), maps:update_with(26, fun(V) -> V end, 0, M)} end),
    t(update_with_bad, fun() -> maps:update_with(26, fun(V) -> V end, M) end),
    t(get_default, fun() -> {maps:get(1, M, 4), maps:get(26, M, 4)} end),
    t(iter, fun() -> {K, V, I} = maps:next(maps:iterator(M)), {K, V, maps:to_list(I)} end),
    t(new, fun() -> maps:new() end),
    [t(bad, F) || F <- [fun() -> maps:keys(x) end, fun() -> maps:values([]) end, fun() -> maps:to_list(1) end, fun() -> maps:put(1, 2, 3) end,
                        fun() -> maps:remove(1, 2) end, fun() -> maps:merge(#{}, 1) end, fun() -> maps:merge(1, #{}) end,
                        fun() -> maps:find(1, []) end, fun() -> maps:is_key(1, []) end, fun() -> maps:take(1, []) end,
                        fun() -> maps:update(1, 1, []) end, fun() -> maps:map(x, #{}) end, fun() -> maps:map(fun(X) -> X end, #{}) end,
                        fun() -> maps:fold(fun(A, _, _) -> A end, 0, []) end, fun() -> maps:filter(fun(_, _) -> maybe_ end, M) end,
                        fun() -> maps:with(1, M) end, fun() -> maps:without([1 | 2], M) end, fun() -> maps:from_keys(1, 1) end,
                        fun() -> maps:iterator([]) end, fun() -> maps:next(x) end, fun() -> maps:size(x) end, fun() -> maps:get(1, x, y) end]].

t(L, F) -> io:format("~s: ~p~n", [L, try F() catch C:R -> {C, R} end]).
