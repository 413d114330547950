%% Small maps: construction, update, matching, comparison, errors.
-module(maps_flat).
-export([main/0, id/1]).

main() ->
    M = #{a => 1, "b" => 2, {c} => 3, 4 => d, 5.0 => e, <<"f">> => 6},
    io:format("~w~n", [lists:sort(maps:to_list(M))]),
    io:format("~w ~w ~w~n", [#{}, map_size(M), #{z => 1}]),
    t(get, fun() -> [maps:get(K, M) || K <- [a, "b", {c}, 4, 5.0, <<"f">>]] end),
    t(get_bad, fun() -> maps:get(zz, M) end),
    t(get_exact, fun() -> [maps:get(4.0, M, none), maps:get(5, M, none)] end),
    t(get_badmap, fun() -> maps:get(a, id([])) end),
    t(assoc, fun() -> #{a => id(9), n => 1, a => 10} end),
    t(update, fun() -> (#{a => 1})#{a := 2, b => 3} end),
    t(update_bad, fun() -> (id(#{a => 1}))#{b := 3} end),
    t(update_badmap, fun() -> (id(x))#{b => 3} end),
    t(update_badmap2, fun() -> (id({1}))#{b := 3} end),
    t(match, fun() -> #{a := X, {c} := Y} = M, {X, Y} end),
    t(match_bad, fun() -> #{a := 2} = id(M) end),
    t(match_var, fun() -> K = id("b"), #{K := V} = M, V end),
    t(match_missing, fun() -> #{zz := V} = id(M), V end),
    t(cases, fun() -> [k(X) || X <- [#{}, #{t => a}, #{t => b, v => 1}, #{v => 5}, #{t => c, u => 1}, x,
        #{t => 1, u => []}]] end),
    t(map_get, fun() -> [map_get(a, M), is_map_key(a, M), is_map_key(b, M)] end),
    t(map_get_bad, fun() -> map_get(b, id(M)) end),
    t(map_get_bad2, fun() -> map_get(b, id(1)) end),
    t(map_key_bad, fun() -> is_map_key(b, id(1)) end),
    t(size_bad, fun() -> map_size(id(1)) end),
    t(eq, fun() -> [#{a => 1} == #{a => 1.0}, #{a => 1} =:= #{a => 1.0}, #{1 => a} == #{1.0 => a},
        #{a => 1} =:= id(#{a => 1}),
                    #{a => 1, b => 2} =:= maps:from_list([{b, 2}, {a, 1}])] end),
    Ms = [#{}, #{a => 1}, #{b => 1}, #{a => 2}, #{a => 1, b => 1}, #{1 => 1}, #{1.0 => 1}, #{[] => 1},
        #{2 => 0}, #{a => 1.0}],
    t(order, fun() -> [[if A < B -> '<'; A > B -> '>'; true -> '=' end || B <- Ms] || A <- Ms] end),
    t(nested, fun() -> #{x := #{y := [#{z := Z} | _]}} = id(#{x => #{y => [#{z => deep}, 1]}}), Z end),
    t(expr_keys, fun() -> #{id(1) + 1 => a, [id(x)] => b, {id(z), 1} => c} end),
    t(comp, fun() -> maps:from_list([{X, X * X} || X <- lists:seq(1, 5)]) end),
    t(from_dup, fun() -> maps:from_list([{a, 1}, {b, 2}, {a, 3}]) end),
    t(from_bad, fun() -> maps:from_list([{a, 1}, b]) end),
    t(from_bad2, fun() -> maps:from_list([{a, 1} | b]) end),
    t(update_same, fun() -> X = id(#{a => 1, b => 2}), X#{a := 1} end),
    t(update_many, fun() -> X = id(#{a => 1, b => 2, c => 3}), X#{c := 1, a := 3, b := id(2)} end).

k(#{t := a}) -> a;
k(#{t := b, v := V}) -> {b, V};
k(#{t := T, u := U}) when is_atom(T), U > 0 -> {tu, T, U};
k(#{v := _}) -> v;
k(M) when map_size(M) =:= 0 -> empty;
k(#{}) -> map;
k(_) -> none.

t(L, F) -> io:format("~s: ~w~n", [L, norm(try F() catch C:R -> {C, R} end)]).

%% The order in which a map prints atom keys depends on the release: maps become sorted lists.
norm(M) when is_map(M) -> {'#', lists:sort([{norm(K), norm(V)} || {K, V} <- maps:to_list(M)])};
norm(T) when is_tuple(T) -> list_to_tuple(norm(tuple_to_list(T)));
norm([H | T]) -> [norm(H) | norm(T)];
norm(X) -> X.

id(X) -> X.
