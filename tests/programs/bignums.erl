%% Large integers: factorials, powers, division identities, printing and parsing in all bases.
-module(bignums).
-export([main/0, id/1]).

main() ->
    io:format("~p~n~p~n", [fact(50), fact(200)]),
    F2000 = fact(2000),
    S = integer_to_list(F2000),
    io:format("~p digits, sum ~p, hash ~p~n", [length(S), lists:sum([C - $0 || C <- S]), erlang:phash2(F2000)]),
    F2000 = list_to_integer(S),
    F2000 = binary_to_integer(integer_to_binary(F2000, 36), 36),
    1 = lists:foldl(fun(N, A) -> 0 = A rem N, A div N end, F2000, lists:seq(1, 2000)),
    io:format("~p~n", [pow(7, 300) rem pow(10, 50)]),
    io:format("~p~n", [fib(1000)]),
    X = pow(3, 500) - 1, Y = pow(2, 333) + 12345,
    [begin
         Q = A div B, R = A rem B,
         true = A =:= Q * B + R,
         true = abs(R) < abs(B),
         io:format("~w ~w~n", [erlang:phash2(Q), erlang:phash2(R)])
     end || A <- [X, -X, Y, -Y, 17, -17, 1 bsl 64], B <- [Y, -Y, 10, -10, 1 bsl 32, (1 bsl 64) - 1, X, pow(10,
         18), 1 bsl 128]],
    [io:format("~s ~s~n", [integer_to_list(-Y, B), integer_to_binary(1 bsl 100, B)]) || B <- [2, 3, 8, 10, 16, 32, 36]],
    io:format("~p~n", [[list_to_integer(T, B) || {T, B} <- [{"-ff", 16}, {"zz", 36}, {"+101", 2}, {"0", 10},
                                                             {"ffffffffffffffffffffffffffffffff", 16}]]]),
    io:format("~p~n", [isqrt(pow(10, 100) * 2)]),
    io:format("~p~n", [[band_(X, Y), X bor Y, X bxor -Y, -X band Y, -X bor -Y, bnot X]]),
    io:format("~p~n", [[(X bsl 17) bsr 17 =:= X, (-X) bsr 3, (-X) bsr 1000, (X bsr 790)]]),
    io:format("~p~n", [[X > Y, -X > -Y, X == X + 0, X =:= Y, X > 1.0e100, X < 1.0e300, X == float(X)]]),
    io:format("~p~n", [gcd(fact(30), pow(6, 40))]),
    io:format("~p~n", [lists:sort([X, -X, Y, -Y, 0, 1 bsl 59, -(1 bsl 59), 1 bsl 64, -(1 bsl 64)]) =:=
                       [-X, -Y, -(1 bsl 64), -(1 bsl 59), 0, 1 bsl 59, 1 bsl 64, Y, X]]),
    io:format("~p~n", [modpow(3, pow(10, 60), pow(10, 40) + 1)]),
    io:format("~p~n", [erlang:phash2(mersenne(4423))]).

band_(A, B) -> A band B.

fact(0) -> 1;
fact(N) -> N * fact(N - 1).

fib(N) -> fib(N, 0, 1).
fib(0, A, _) -> A;
fib(N, A, B) -> fib(N - 1, B, A + B).

pow(_, 0) -> 1;
pow(B, N) when N band 1 =:= 1 -> B * pow(B, N - 1);
pow(B, N) -> H = pow(B, N bsr 1), H * H.

modpow(_, 0, _) -> 1;
modpow(B, N, M) when N band 1 =:= 1 -> B * modpow(B, N - 1, M) rem M;
modpow(B, N, M) -> H = modpow(B, N bsr 1, M), H * H rem M.

gcd(A, 0) -> A;
gcd(A, B) -> gcd(B, A rem B).

isqrt(N) -> isqrt(N, N).
isqrt(N, X) ->
    case (X + N div X) div 2 of
        Y when Y >= X -> X;
        Y -> isqrt(N, Y)
    end.

mersenne(P) -> (1 bsl P) - 1.

id(X) -> X.
