%% Dispatch on values and arities: atoms, integers dense and sparse, big integers, floats, strings, tuples.
-module(select_val).
-export([main/0, id/1]).

main() ->
    p([dense(X) || X <- lists:seq(-2, 13) ++ [a, 1.0, 1 bsl 64]]),
    p([sparse(X) || X <- [0, 1, 10, 100, 1000, 10000, 100000, 1 bsl 40, -7, -1 bsl 40, 5, 10.0]]),
    p([atoms(X) || X <- [alpha, beta, gamma, delta, epsilon, zeta, eta, theta, iota, kappa, '', lambda, 1, "alpha"]]),
    p([big(X) || X <- [1 bsl 64, (1 bsl 64) + 1, -(1 bsl 70), 1 bsl 100, 7, 18446744073709551616.0]]),
    p([fl(X) || X <- [1.0, 2.5, 0.0, -0.0, 1, 2]]),
    p([str(X) || X <- ["get", "put", "post", "delete", "", "ge", "gets", [g | e], x]]),
    p([tup(X) || X <- [{}, {1}, {1, 2}, {1, 2, 3}, {1, 2, 3, 4}, {a, 1}, {b, 2}, x, {c, d, e}]]),
    p([bin(X) || X <- [<<>>, <<1>>, <<2>>, <<1, 2>>, <<"long binary">>, x]]),
    p([mixed(X) || X <- [1, a, 1.0, "s", {}, [], <<>>, {x}, #{}, 2, b, 2.0]]),
    p([range(X) || X <- [0, 9, 10, 99, 100, -1, 5.5, a]]),
    p(lists:sum([h(X rem 300) || X <- lists:seq(1, 30000)])).

dense(0) -> zero; dense(1) -> one; dense(2) -> two; dense(3) -> three; dense(4) -> four; dense(5) -> five;
dense(6) -> six; dense(7) -> seven; dense(8) -> eight; dense(9) -> nine; dense(10) -> ten; dense(_) -> none.

sparse(1) -> a; sparse(10) -> b; sparse(100) -> c; sparse(1000) -> d; sparse(10000) -> e;
        sparse(1099511627776) -> f; sparse(-7) -> g;
sparse(-1099511627776) -> h; sparse(0) -> i; sparse(_) -> none.

atoms(alpha) -> 1; atoms(beta) -> 2; atoms(gamma) -> 3; atoms(delta) -> 4; atoms(epsilon) -> 5; atoms(zeta) ->
        6; atoms(eta) -> 7; atoms(theta) -> 8;
atoms(iota) -> 9; atoms(kappa) -> 10; atoms('') -> 11; atoms(_) -> 0.

big(18446744073709551616) -> a; big(18446744073709551617) -> b; big(-1180591620717411303424) -> c;
        big(1267650600228229401496703205376) -> d; big(7) -> e; big(_) -> none.

fl(1.0) -> a; fl(2.5) -> b; fl(X) when X == 0.0 -> z; fl(_) -> none.

str("get") -> 1; str("put") -> 2; str("post") -> 3; str("delete") -> 4; str("") -> 5; str([g | e]) -> 6; str(_) -> 0.

tup({}) -> 0; tup({1}) -> 1; tup({a, X}) -> {a, X}; tup({b, X}) -> {b, X}; tup({_, _}) -> 2; tup({X, Y, Z}) ->
        {Z, Y, X}; tup(T) when is_tuple(T) -> n; tup(_) -> no.

bin(<<>>) -> e; bin(<<1>>) -> one; bin(<<1, 2>>) -> two; bin(<<"long binary">>) -> long; bin(<<_>>) -> byte;
        bin(_) -> no.

mixed(1) -> i; mixed(a) -> a; mixed(1.0) -> f; mixed("s") -> s; mixed({}) -> t; mixed([]) -> n; mixed(<<>>) ->
        b; mixed({x}) -> x; mixed(X) when is_map(X) -> m; mixed(_) -> o.

range(X) when X >= 0, X < 10 -> digit; range(X) when X < 100, X >= 10 -> tens; range(X) when is_integer(X),
        X > 99 -> more; range(X) when is_number(X) -> num; range(_) -> none.

h(X) when X < 256 -> case X band 7 of 0 -> 1; 1 -> 2; 2 -> 4; 3 -> 8; 4 -> 16; 5 -> 32; 6 -> 64; 7 -> 128 end;
h(X) -> case X of 256 -> 1000; 257 -> 2000; 258 -> 3000; 299 -> 4000; _ -> 0 end.

p(X) -> io:format("~w~n", [X]).
id(X) -> X.
