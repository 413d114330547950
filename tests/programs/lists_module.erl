%% The functions of module lists.
-module(lists_module).
-export([main/0]).

main() ->
    L = [3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5],
    Even = fun(X) -> X rem 2 =:= 0 end,
    T = [{b, 1}, {a, 2}, {b, 0}, {c, 3}, {a, 1}],
    p(all, [lists:all(Even, [2, 4]), lists:all(Even, L), lists:any(Even, L), lists:any(Even, [])]),
    p(append, [lists:append([[1], [2, 3], []]), lists:append([a], b)]),
    p(concat, lists:concat([a, 1, "b", 2.5])),
    p(delete, lists:delete(1, L)),
    p(droplast, [lists:droplast(L), catch_(fun() -> lists:droplast([]) end)]),
    p(dropwhile, [lists:dropwhile(fun(X) -> X < 5 end, L), lists:takewhile(fun(X) -> X < 5 end, L)]),
    p(duplicate, lists:duplicate(3, x)),
    p(filter, lists:filter(Even, L)),
    p(filtermap, lists:filtermap(fun(X) when X > 4 -> {true, -X}; (X) -> X =:= 1 end, L)),
    p(flatlength, lists:flatlength([1, [2, [3]], []])),
    p(flatmap, lists:flatmap(fun(X) -> [X, X] end, [1, 2])),
    p(flatten, [lists:flatten([1, [2, [3, [[]]]], 4]), lists:flatten([[1]], [2])]),
    p(folds, [lists:foldl(fun(X, A) -> [X | A] end, [], L), lists:foldr(fun(X, A) -> [X | A] end, [], L)]),
    p(join, lists:join($,, ["a", "b"])),
    p(keys, [lists:keydelete(b, 1, T), lists:keymap(fun(X) -> X * 2 end, 2, T), lists:keyreplace(a, 1, T, {z, 9}),
             lists:keystore(q, 1, T, {q, 1}), lists:keystore(a, 1, T, {a, x}), lists:keytake(a, 1, T),
                 lists:keytake(q, 1, T)]),
    p(keysort, [lists:keysort(1, T), lists:keysort(2, T), lists:ukeysort(1, T)]),
    p(keymerge, [lists:keymerge(1, [{a, 1}, {c, 1}], [{a, 2}, {b, 2}]), lists:ukeymerge(1, [{a, 1}, {c, 1}],
        [{a, 2}, {b, 2}])]),
    p(last, [lists:last(L), catch_(fun() -> lists:last([]) end)]),
    p(maps, [lists:map(fun(X) -> X + 1 end, L), lists:mapfoldl(fun(X, A) -> {X + A, A + 1} end, 0, L),
             lists:mapfoldr(fun(X, A) -> {X + A, A + 1} end, 0, L)]),
    p(max, [lists:max(L), lists:min(L), lists:max([1, a, 2.0]), lists:sum(L), catch_(fun() -> lists:max([]) end)]),
    p(merge, [lists:merge([1, 3], [2, 4]), lists:merge([[1, 4], [2], [3, 5]]), lists:merge3([1], [0], [2]),
              lists:umerge([1, 2], [2, 3]), lists:merge(fun(A, B) -> A >= B end, [3, 1], [4, 2])]),
    p(nth, [lists:nth(3, L), lists:nthtail(9, L), catch_(fun() -> lists:nth(0, L) end), catch_(fun() ->
        lists:nth(99, L) end)]),
    p(partition, lists:partition(Even, L)),
    p(prefix, [lists:prefix([3, 1], L), lists:prefix([1], L), lists:suffix([5], L), lists:suffix([3, 5], L)]),
    p(search, [lists:search(Even, L), lists:search(Even, [1])]),
    p(seq, [lists:seq(1, 5), lists:seq(5, 1, -2), lists:seq(1, 0), lists:seq(2, 2, 0), catch_(fun() ->
        lists:seq(1, 5, -1) end),
            catch_(fun() -> lists:seq(a, 5) end)]),
    p(sort, [lists:sort(L), lists:usort(L), lists:sort(fun(A, B) -> A >= B end, L), lists:usort(fun(A, B) ->
        A >= B end, L)]),
    p(split, [lists:split(3, L), lists:splitwith(fun(X) -> X < 5 end, L), catch_(fun() -> lists:split(99, L) end)]),
    p(sublist, [lists:sublist(L, 3), lists:sublist(L, 2, 3), lists:sublist(L, 99), lists:sublist(L, 0)]),
    p(zip, [lists:zip([1, 2], [a, b]), lists:unzip([{1, a}, {2, b}]), lists:zip3([1], [2], [3]),
        lists:unzip3([{1, 2, 3}]),
            lists:zipwith(fun(X, Y) -> X + Y end, [1, 2], [3, 4]), catch_(fun() -> lists:zip([1], []) end)]),
    p(uniq, [lists:uniq(L), lists:uniq(fun({K, _}) -> K end, T)]),
    p(enumerate, [lists:enumerate([a, b]), lists:enumerate(10, [a, b])]),
    p(foreach, lists:foreach(fun(X) -> io:format("~w;", [X]) end, L)),
    p(bad, [catch_(fun() -> lists:map(fun(X) -> X end, [1 | 2]) end), catch_(fun() -> lists:foldl(x, 0, [1]) end),
            catch_(fun() -> lists:sort(x) end), catch_(fun() -> lists:sum([a]) end), catch_(fun() ->
                lists:flatten([a | b]) end)]).

p(N, V) -> io:format("~w: ~p~n", [N, V]).
catch_(F) -> try F() catch C:R -> {C, R} end.
