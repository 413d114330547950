%% timeout: 60
%% Small computations: fib, tak, nrev, queens, sieve, hanoi, collatz, primes, permutations, matrices, knapsack, life.
-module(classics).
-export([main/0]).

main() ->
    p(fib(24)),
    p(tak(14, 10, 4)),
    p(erlang:phash2(nrev(lists:seq(1, 500)))),
    p(length(queens(6))),
    p(length(sieve(5000))),
    p(hanoi(14)),
    p(lists:max([{collatz(N, 1), N} || N <- lists:seq(1, 10000)])),
    p(length(perms([1, 2, 3, 4, 5, 6]))),
    p(lists:sort(perms([1, 2, 3]))),
    M = [[I * J rem 7 || J <- lists:seq(1, 20)] || I <- lists:seq(1, 20)],
    p(erlang:phash2(mul(M, mul(M, M)))),
    p(knap([{I, I * 3 rem 17} || I <- lists:seq(1, 20)], 50)),
    p(erlang:phash2(life(sets:from_list([{1, 0}, {2, 1}, {0, 2}, {1, 2}, {2, 2}]), 50))),
    p(pascal(20)),
    p(gcd(1 bsl 70 - 1, 1 bsl 42 - 1)),
    p(mandel(30)),
    p(words("the cat the dog a cat the end")),
    p(rle("aaabccddddd")),
    p(caesar("Hello, World", 3)),
    p(roman(1994)),
    p(luhn("4539578763621486")),
    p(bin(37)),
    p(hailstone(27)),
    p(ackermann(2, 9)),
    p(dijkstra()),
    p(calc("2*(3+4)-5*2")).

fib(N) when N < 2 -> N;
fib(N) -> fib(N - 1) + fib(N - 2).
tak(X, Y, Z) when Y >= X -> Z;
tak(X, Y, Z) -> tak(tak(X - 1, Y, Z), tak(Y - 1, Z, X), tak(Z - 1, X, Y)).
nrev([]) -> [];
nrev([H | T]) -> nrev(T) ++ [H].
queens(N) -> q(N, N).
q(0, _) -> [[]];
q(K, N) -> [[C | Q] || Q <- q(K - 1, N), C <- lists:seq(1, N), safe(C, Q, 1)].
safe(_, [], _) -> true;
safe(C, [X | T], D) -> C =/= X andalso abs(C - X) =/= D andalso safe(C, T, D + 1).
sieve(N) -> sv(lists:seq(2, N)).
sv([]) -> [];
sv([P | T]) when P * P > 5000 -> [P | T];
sv([P | T]) -> [P | sv([X || X <- T, X rem P =/= 0])].
hanoi(0) -> 0;
hanoi(N) -> 2 * hanoi(N - 1) + 1.
collatz(1, A) -> A;
collatz(N, A) when N band 1 =:= 0 -> collatz(N bsr 1, A + 1);
collatz(N, A) -> collatz(3 * N + 1, A + 1).
perms([]) -> [[]];
perms(L) -> [[H | T] || H <- L, T <- perms(L -- [H])].
mul(A, B) -> T = transpose(B), [[lists:sum(lists:zipwith(fun(X, Y) -> X * Y end, R, C)) rem 1000003 || C <- T]
        || R <- A].
transpose([[] | _]) -> [];
transpose(M) -> [[hd(R) || R <- M] | transpose([tl(R) || R <- M])].
knap(Items, Cap) -> lists:max(tuple_to_list(lists:foldl(fun({W, V}, T) -> list_to_tuple([max(element(C + 1, T),
        if C >= W -> element(C - W + 1, T) + V; true -> 0 end) || C <- lists:seq(0, Cap)]) end,
        list_to_tuple(lists:duplicate(Cap + 1, 0)), Items))).
life(S, 0) -> lists:sort(sets:to_list(S));
life(S, N) -> Cells = lists:usort([{X + DX, Y + DY} || {X, Y} <- sets:to_list(S), DX <- [-1, 0, 1], DY <- [-1,
        0, 1]]), life(sets:from_list([C || C <- Cells, alive(C, S)]), N - 1).
alive({X, Y} = C, S) -> case length([x || DX <- [-1, 0, 1], DY <- [-1, 0, 1], {DX, DY} =/= {0, 0},
        sets:is_element({X + DX, Y + DY}, S)]) of 3 -> true; 2 -> sets:is_element(C, S); _ -> false end.
pascal(0) -> [1];
pascal(N) -> P = pascal(N - 1), lists:zipwith(fun erlang:'+'/2, [0 | P], P ++ [0]).
gcd(A, 0) -> A;
gcd(A, B) -> gcd(B, A rem B).
mandel(N) -> lists:sum([iter(X * 3.0 / N - 2.0, Y * 2.0 / N - 1.0, 0.0, 0.0, 50) || X <- lists:seq(0, N),
        Y <- lists:seq(0, N)]).
iter(_, _, _, _, 0) -> 50;
iter(_, _, A, B, N) when A * A + B * B > 4.0 -> 50 - N;
iter(X, Y, A, B, N) -> iter(X, Y, A * A - B * B + X, 2.0 * A * B + Y, N - 1).
words(S) -> lists:sort(maps:to_list(lists:foldl(fun(W, M) -> maps:update_with(W, fun(C) -> C + 1 end, 1,
        M) end, #{}, string:tokens(S, " ")))).
rle([]) -> [];
rle([H | T]) -> {S, R} = lists:splitwith(fun(X) -> X =:= H end, T), [{1 + length(S), [H]} | rle(R)].
caesar(S, K) -> [if C >= $a, C =< $z -> (C - $a + K) rem 26 + $a; C >= $A, C =< $Z -> (C - $A + K) rem 26 + $A;
        true -> C end || C <- S].
roman(N) -> roman(N, [{1000, "M"}, {900, "CM"}, {500, "D"}, {400, "CD"}, {100, "C"}, {90, "XC"}, {50, "L"},
        {40, "XL"}, {10, "X"}, {9, "IX"}, {5, "V"}, {4, "IV"}, {1, "I"}]).
roman(0, _) -> "";
roman(N, [{V, S} | _] = L) when N >= V -> S ++ roman(N - V, L);
roman(N, [_ | T]) -> roman(N, T).
luhn(S) -> {T, _} = lists:foldr(fun(C, {A, D}) -> X = (C - $0) * D, {A + X div 10 + X rem 10, 3 - D} end, {0,
        1}, S), T rem 10 =:= 0.
bin(0) -> "";
bin(N) -> bin(N div 2) ++ [$0 + N rem 2].
hailstone(1) -> [1];
hailstone(N) -> [N | hailstone(case N rem 2 of 0 -> N div 2; 1 -> 3 * N + 1 end)].
ackermann(0, N) -> N + 1;
ackermann(M, 0) -> ackermann(M - 1, 1);
ackermann(M, N) -> ackermann(M - 1, ackermann(M, N - 1)).
dijkstra() -> G = #{1 => [{2, 7}, {3, 9}, {6, 14}], 2 => [{3, 10}, {4, 15}], 3 => [{4, 11}, {6, 2}], 4 => [{5,
        6}], 5 => [], 6 => [{5, 9}]}, dj([{0, 1}], G, #{}).
dj([], _, D) -> lists:sort(maps:to_list(D));
dj([{C, N} | Q], G, D) -> case D of #{N := _} -> dj(Q, G, D); _ -> dj(lists:sort([{C + W, M} || {M,
        W} <- maps:get(N, G)] ++ Q), G, D#{N => C}) end.
calc(S) -> {V, []} = expr(S), V.
expr(S) -> {V, R} = term(S), expr(V, R).
expr(V, [$+ | R]) -> {W, R2} = term(R), expr(V + W, R2);
expr(V, [$- | R]) -> {W, R2} = term(R), expr(V - W, R2);
expr(V, R) -> {V, R}.
term(S) -> {V, R} = fact(S), term(V, R).
term(V, [$* | R]) -> {W, R2} = fact(R), term(V * W, R2);
term(V, R) -> {V, R}.
fact([$( | R]) -> {V, [$) | R2]} = expr(R), {V, R2};
fact(S) -> {D, R} = lists:splitwith(fun(C) -> C >= $0 andalso C =< $9 end, S), {list_to_integer(D), R}.
p(X) -> io:format("~p~n", [X]).
