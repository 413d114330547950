%% Tuples and their built-ins, with errors.
-module(tuples).
-export([main/0, id/1]).

main() ->
    T = {a, b, c},
    t(element, fun() -> [element(I, T) || I <- [1, 2, 3]] end),
    [t(element_bad, fun() -> element(I, X) end) || {I, X} <- [{0, T}, {4, T}, {-1, T}, {1, {}}, {1, a}, {a, T},
        {1.0, T}, {1 bsl 70, T}]],
    t(setelement, fun() -> [setelement(I, T, x) || I <- [1, 2, 3]] end),
    [t(setelement_bad, fun() -> setelement(I, X, y) end) || {I, X} <- [{0, T}, {4, T}, {1, a}, {a, T}]],
    t(append, fun() -> erlang:append_element(T, {d}) end),
    t(delete, fun() -> [erlang:delete_element(I, T) || I <- [1, 3]] end),
    t(delete_bad, fun() -> erlang:delete_element(4, T) end),
    t(insert, fun() -> [erlang:insert_element(I, T, n) || I <- [1, 4]] end),
    t(insert_bad, fun() -> erlang:insert_element(5, T, n) end),
    t(make, fun() -> [make_tuple(0), make_tuple(3), erlang:make_tuple(4, x, [{2, two}, {2, deux}, {4, four}])] end),
    t(make_bad, fun() -> erlang:make_tuple(-1, x) end),
    t(make_bad2, fun() -> erlang:make_tuple(2, x, [{3, a}]) end),
    t(size, fun() -> [tuple_size(X) || X <- [{}, {1}, {1, 2}]] end),
    t(size_bad, fun() -> tuple_size(id([])) end),
    Big = erlang:make_tuple(10000, 0),
    t(big, fun() -> B = lists:foldl(fun(I, A) -> setelement(I, A, I) end, Big, lists:seq(1, 10000, 7)),
                    {tuple_size(B), lists:sum(tuple_to_list(B)), element(10000, B)} end),
    t(eq, fun() -> [{1, 2} =:= {1, 2}, {1, 2} == {1.0, 2}, {1, 2} =:= {1.0, 2}, {1} < {1, 0}, {2} < {1, 0},
        {} < {a}] end),
    t(nested, fun() -> {{{X}}, [{Y, _} | _]} = id({{{1}}, [{2, 3}, 4]}), {X, Y} end),
    t(badmatch, fun() -> {_, _} = id({1, 2, 3}) end),
    t(arity, fun() -> [ar(X) || X <- [{}, {1}, {1, 2}, {a, 1}, {b, 1, 2}, x, {1, 2, 3, 4}]] end),
    t(swap, fun() -> swap(1, 2, 3) end),
    t(multi, fun() -> {A, B, C} = multi(id(5)), A + B + C end).

make_tuple(N) -> erlang:make_tuple(N, z).

ar({}) -> 0;
ar({X}) -> {one, X};
ar({a, X}) -> {a, X};
ar({X, Y}) -> {two, X, Y};
ar({b, X, Y}) -> {b, X, Y};
ar(X) when is_tuple(X) -> {many, tuple_size(X)};
ar(_) -> none.

swap(A, B, C) -> three(C, A, B).
three(A, B, C) -> {B, C, A}.
multi(X) -> {X, X * 2, X * 3}.

t(L, F) -> io:format("~s: ~p~n", [L, try F() catch C:R -> {C, R} end]).
id(X) -> X.
