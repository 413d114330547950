%% List operators and list built-ins, with large inputs and bad ones.
-module(lists_ops).
-export([main/0, id/1]).

main() ->
    io:format("~p~n", [[[1, 2] ++ [3], [] ++ [], [1] ++ 2, [] ++ x, "ab" ++ "cd"]]),
    io:format("~p~n", [[[1, 2, 3, 2, 1] -- [2, 1], [1, 2] -- [], [] -- [1], [1.0, 1] -- [1], [a, b, a] -- [a]]]),
    L = lists:seq(1, 100000),
    io:format("~p~n", [length(L ++ L)]),
    io:format("~p~n", [length(L -- lists:seq(1, 100000, 3))]),
    io:format("~p~n", [erlang:phash2(L -- lists:reverse(lists:seq(5, 99999)))]),
    io:format("~p~n", [[hd([1, 2]), tl([1, 2]), length([]), length([a, b])]]),
    t(app, fun() -> id(a) ++ [1] end),
    t(app_imp, fun() -> id([1 | 2]) ++ [1] end),
    t(sub, fun() -> id([1 | 2]) -- [1] end),
    t(sub2, fun() -> [1] -- id(x) end),
    t(hd, fun() -> hd(id([])) end),
    t(tl, fun() -> tl(id(a)) end),
    t(len, fun() -> length(id([1 | 2])) end),
    t(len2, fun() -> length(id(a)) end),
    t(l2t, fun() -> list_to_tuple(id([1 | 2])) end),
    t(l2t_ok, fun() -> list_to_tuple([1, [2], {3}]) end),
    t(t2l, fun() -> tuple_to_list(id(a)) end),
    t(l2a, fun() -> [list_to_atom("abc"), list_to_atom("")] end),
    t(member, fun() -> [lists:member(X, [1, 2.0, {a}, "s", <<1>>]) || X <- [1, 1.0, 2, 2.0, {a}, "s", <<1>>, b]] end),
    t(member_bad, fun() -> lists:member(1, id([2 | 3])) end),
    t(reverse, fun() -> {lists:reverse([1, 2, 3]), lists:reverse([1, 2], [3]), lists:reverse([1], x)} end),
    t(reverse_bad, fun() -> lists:reverse(id(x)) end),
    T = [{1, a}, {2, b}, {3.0, c}, {4}, x, {2, d}],
    t(keyfind, fun() -> [lists:keyfind(K, 1, T) || K <- [1, 1.0, 3, 3.0, 4, 5]] end),
    t(keyfind2, fun() -> [lists:keyfind(K, 2, T) || K <- [a, d, z]] end),
    t(keymember, fun() -> [lists:keymember(K, 1, T) || K <- [1, 3, 9]] end),
    t(keysearch, fun() -> [lists:keysearch(K, 1, T) || K <- [1, 3, 9]] end),
    t(keyfind_bad, fun() -> lists:keyfind(1, 0, T) end),
    t(keyfind_bad2, fun() -> lists:keyfind(9, 1, id([{1} | x])) end),
    t(subtract_big, fun() -> length(lists:subtract(L, lists:seq(50000, 150000))) end),
    t(reverse_big, fun() -> hd(lists:reverse(L)) end),
    t(imp, fun() -> [X | Y] = id([1 | 2]), {X, Y} end).

t(L, F) -> io:format("~s: ~p~n", [L, try F() catch C:R -> {C, R} end]).
id(X) -> X.
