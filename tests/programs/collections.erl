%% dict, orddict, gb_trees, gb_sets, sets, ordsets, queue, array, proplists, digraph: against each other.
-module(collections).
-export([main/0]).

main() ->
    Ks = [(I * 7919) rem 1009 || I <- lists:seq(1, 1500)], KVs = [{K, K * K} || K <- Ks],
    D = dict:from_list(KVs),
    O = orddict:from_list(KVs),
    G = lists:foldl(fun({K, V}, A) -> gb_trees:enter(K, V, A) end, gb_trees:empty(), KVs),
    M = maps:from_list(KVs),
    p([dict:size(D), orddict:size(O), gb_trees:size(G), map_size(M)]),
    p([lists:sort(dict:to_list(D)) =:= O, gb_trees:to_list(G) =:= O, lists:sort(maps:to_list(M)) =:= O]),
    p([dict:find(5, D), orddict:find(5, O), gb_trees:lookup(5, G), dict:is_key(-1, D), gb_trees:is_defined(-1, G)]),
    D2 = dict:update(5, fun(X) -> X + 1 end, D),
    D3 = dict:update_counter(new, 3, D2),
    D4 = dict:append(l, x, dict:append(l, y, D3)),
    p([dict:fetch(5, D2), dict:fetch(new, D3), dict:fetch(l, D4), dict:fold(fun(_, V, A) when is_integer(V) ->
        V + A; (_, _, A) -> A end, 0, D4)]),
    p([try dict:fetch(zz, D) catch error:badarg -> badarg end, try gb_trees:get(zz, G) catch error:_ ->
        err end, try orddict:fetch(zz, O) catch error:_ -> err end]),
    {K1, V1, G2} = gb_trees:take_smallest(G),
    {K2, V2, G3} = gb_trees:take_largest(gb_trees:balance(G2)),
    p([K1, V1, K2, V2, gb_trees:size(G3)]),
    p(walk(gb_trees:next(gb_trees:iterator_from(1000, G)))),
    p(gb_trees:keys(lists:foldl(fun gb_trees:delete_any/2, G, lists:seq(10, 2000)))),
    S1 = sets:from_list(Ks),
    S2 = sets:from_list(lists:seq(1, 100), [{version, 2}]),
    p([sets:size(S1), sets:size(sets:intersection(S1, S2)), sets:size(sets:union(S1, S2)),
        sets:size(sets:subtract(S1, S2)), sets:is_subset(S2, S1), sets:is_element(3, S2), sets:is_disjoint(S1, S2)]),
    p([ordsets:union([1, 3], [2, 3]), ordsets:intersection([1, 2, 3], [2, 3, 4]), ordsets:subtract([1, 2, 3],
        [2]), ordsets:is_subset([1], [1, 2]), ordsets:add_element(2, [1, 3]), ordsets:del_element(1, [1, 3])]),
    GS = gb_sets:from_list(Ks),
    p([gb_sets:size(GS), gb_sets:smallest(GS), gb_sets:largest(GS), gb_sets:is_member(5, GS),
        gb_sets:to_list(gb_sets:intersection(GS, gb_sets:from_list([1, 2, 5000]))),
        gb_sets:size(gb_sets:union(GS, gb_sets:from_list([a, b])))]),
    Q = lists:foldl(fun queue:in/2, queue:new(), lists:seq(1, 100)),
    {{value, A}, Q2} = queue:out(Q),
    {{value, Z}, Q3} = queue:out_r(Q2),
    p([A, Z, queue:len(Q3), queue:get(Q3), queue:get_r(Q3), queue:member(50, Q3), lists:sum(queue:to_list(Q3)),
        queue:is_empty(queue:new()), queue:out(queue:new()), queue:to_list(queue:filter(fun(X) ->
        X rem 25 =:= 0 end, Q)), queue:to_list(queue:join(queue:from_list([1]), queue:from_list([2]))),
        queue:peek(queue:new()), queue:to_list(queue:reverse(queue:from_list([1, 2]))), queue:split(1,
        queue:from_list([1, 2, 3])) =/= x]),
    p(try queue:get(queue:new()) catch error:empty -> empty end),
    Ar = array:set(50, x, array:from_list(lists:seq(0, 9), none)),
    p([array:size(Ar), array:get(50, Ar), array:get(20, Ar), array:sparse_to_list(Ar), array:get(3, Ar),
        array:foldl(fun(_, V, S) when is_integer(V) -> S + V; (_, _, S) -> S end, 0, Ar),
        array:to_list(array:resize(3, Ar))]),
    p(try array:get(-1, Ar) catch error:badarg -> badarg end),
    Fx = array:new(3, fixed),
    p(try array:set(3, x, Fx) catch error:badarg -> badarg end),
    P = [a, {b, 1}, {b, 2}, {c, "x"}, d],
    p([proplists:get_value(a, P), proplists:get_value(b, P), proplists:get_value(z, P, def),
        proplists:get_all_values(b, P), proplists:is_defined(d, P), proplists:get_bool(a, P),
        proplists:delete(b, P), proplists:compact([{a, true}]), proplists:unfold(P), proplists:get_keys([{b,
        1}]), proplists:lookup(c, P), proplists:split(P, [b]), proplists:to_map([{a, 1}])]),
    Dg = digraph:new(),
    [digraph:add_vertex(Dg, V) || V <- [a, b, c, d]],
    [digraph:add_edge(Dg, X, Y) || {X, Y} <- [{a, b}, {b, c}, {a, d}]],
    p([digraph:get_path(Dg, a, c), lists:sort(digraph:vertices(Dg)), digraph_utils:is_acyclic(Dg),
        lists:sort(digraph_utils:reachable([b], Dg)), digraph:get_path(Dg, c, a)]),
    digraph:delete(Dg).

walk(none) -> [];
walk({K, V, I}) -> [{K, V} | walk(gb_trees:next(I))].
p(X) -> io:format("~w~n", [X]).
