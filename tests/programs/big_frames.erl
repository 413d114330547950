%% Functions with many arguments, many variables, large tuples and deep nesting of expressions.
-module(big_frames).
-export([main/0, id/1]).

main() ->
    p(args(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20)),
    p(apply(fun args/20, lists:seq(20, 1, -1))),
    p(vars(id(3))),
    p(nest(id(2))),
    p(tuple(id(5))),
    p(lists_(id(7))),
    p(deep_case(id(4), id(x))),
    p(lets(100)),
    p((clo(1, 2, 3, 4, 5, 6, 7, 8, 9, 10))(11)),
    p(swap8(1, 2, 3, 4, 5, 6, 7, 8, 5)).

args(A, B, C, D, E, F, G, H, I, J, K, L, M, N, O, P, Q, R, S, T) -> X = id(A), {X, B - C, [D, E | F], G * H,
        I + J - K, {L, {M, {N}}}, O rem P, Q bxor R, S, T, id(B), id(X)}.
vars(X) ->
    A = id(X + 1),
    B = id(A * 2),
    C = id(B - X),
    D = id({A, B}),
    E = id([C, D]),
    F = id(E),
    G = id(A + B),
    H = id(G + C),
    I = id(H * 2),
    J = id(I - 1),
    K = id(J + A),
    L = id(K + B),
    M = id(L + C),
    N = id(M),
    O = id(N + 1),
    P = id(O + 1),
    [A, B, C, D, E, F, G, H, I, J, K, L, M, N, O, P, A + P, B + O, C + N].
nest(X) ->
        (((((((((X + 1) * 2 - X) * 3 + X) * 4 - X) * 5 + X) * 6 - X) * 7 + X) * 8 - X) * 9 + X) * id(id(id(id(X + id(X * id(X)))))).
tuple(X) -> {X, X + 1, {X, [X, {X, <<X>>}], #{X => X}}, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X,
        X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X}.
lists_(X) -> [X, [X, [X, [X, [X, [X | X], X | X], X], X | [X]], {X}], "lit", X | lists:seq(1, X)].
deep_case(X, Y) -> case X of 1 -> a; _ -> case Y of y -> b; _ -> case {X, Y} of {4, Z} -> if X > 3, Z =:= x ->
        try case id([X, Y]) of [A | _] when A > 5 -> c; [A, B] -> receive never -> d after 0 -> {A, B, X, Y,
        Z} end end catch _:_ -> e end; true -> f end end end end.
lets(0) -> 0;
lets(N) -> A = N, B = A + 1, C = id(B), D = C - A, D + lets(N - 1).
clo(A, B, C, D, E, F, G, H, I, J) -> fun(K) -> L = fun(M) -> {A, B, C, D, E, F, G, H, I, J, K, M} end, L(A + K) end.
swap8(A, B, C, D, E, F, G, H, 0) -> [A, B, C, D, E, F, G, H];
swap8(A, B, C, D, E, F, G, H, N) -> swap8(H, G, F, E, D, C, B, A + N, N - 1).
p(X) -> io:format("~w~n", [X]).
id(X) -> X.
