%% and, or, xor, not, andalso, orelse with every combination, side effects, and non-booleans.
-module(boolean_logic).
-export([main/0, id/1]).

main() ->
    Vs = [true, false, x, 1, []],
    p([{A, B, r(fun() -> id(A) and id(B) end), r(fun() -> id(A) or id(B) end), r(fun() -> id(A) xor id(B) end),
        r(fun() -> id(A) andalso id(B) end), r(fun() -> id(A) orelse id(B) end)} || A <- Vs, B <- Vs]),
    p([r(fun() -> not id(A) end) || A <- Vs]),
    p([r(fun() -> e(A) andalso e(B) orelse e(C) end) || A <- [true, false], B <- [true, false], C <- [true, false]]),
    p(get(trace)),
    p([r(fun() -> case id(A) of true when B -> both; false when not B -> neither; _ -> mixed end end)
        || A <- [true, false], B <- [true, false, x]]),
    p([if A, B -> 1; A; B -> 2; true -> 3 end || A <- Vs, B <- Vs]),
    p([is_boolean(A) || A <- Vs]),
    p([r(fun() -> (id(A) > 1) and (id(A) < 5) end) || A <- [0, 3, 9, a]]),
    p([r(fun() -> is_atom(A) andalso A =/= x orelse is_list(A) end) || A <- Vs]),
    p(lists:foldl(fun(X, A) -> A andalso X end, true, [true, true, 5])).

e(X) -> put(trace, [X | case get(trace) of undefined -> []; L -> L end]), X.
r(F) -> try F() catch error:R -> R end.
p(X) -> io:format("~w~n", [X]).
id(X) -> X.
