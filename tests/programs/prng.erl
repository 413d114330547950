%% Integer-heavy arithmetic with masks: xorshift, LCG, SHA-256, CRC, base conversion; all by hand.
-module(prng).
-export([main/0]).
-define(M32, 16#ffffffff).
-define(M64, 16#ffffffffffffffff).

main() ->
    p(xs(88172645463325252, 2000)),
    p(lcg(12345, 5000)),
    p(crc("123456789")),
    p(crc(lists:seq(0, 255))),
    p(hex(sha256(<<"">>))),
    p(hex(sha256(<<"abc">>))),
    p(hex(sha256(binary:copy(<<"a">>, 1000)))),
    p(fnv("hello")),
    p(adler("Wikipedia")),
    p(mt(5489, 700)).

xs(X, 0) -> X;
xs(X, N) -> A = X bxor ((X bsl 13) band ?M64), B = A bxor (A bsr 7), C = B bxor ((B bsl 17) band ?M64), xs(C, N - 1).
lcg(X, 0) -> X;
lcg(X, N) -> lcg((X * 6364136223846793005 + 1442695040888963407) band ?M64, N - 1).
crc(L) -> ?M32 bxor lists:foldl(fun(B, C) -> step(C bxor B, 8) end, ?M32, L).
step(C, 0) -> C;
step(C, N) when C band 1 =:= 1 -> step((C bsr 1) bxor 16#edb88320, N - 1);
step(C, N) -> step(C bsr 1, N - 1).
fnv(S) -> lists:foldl(fun(C, H) -> ((H bxor C) * 1099511628211) band ?M64 end, 14695981039346656037, S).
adler(S) -> {A, B} = lists:foldl(fun(C, {X, Y}) -> X1 = (X + C) rem 65521, {X1, (Y + X1) rem 65521} end, {1,
        0}, S), (B bsl 16) bor A.
mt(Seed, N) -> T = lists:reverse(lists:foldl(fun(I, [P | _] = L) ->
        [(1812433253 * (P bxor (P bsr 30)) + I) band ?M32 | L] end, [Seed], lists:seq(1, N))),
        lists:foldl(fun(X, A) -> (A * 31 + X) band ?M32 end, 0, T).

ks() -> [frac(P, 3) || P <- primes(64)].
hs() -> [frac(P, 2) || P <- primes(8)].
primes(N) -> lists:sublist([P || P <- lists:seq(2, 400), lists:all(fun(D) -> P rem D =/= 0 end, lists:seq(2,
        P div 2))], N).
%% The first 32 bits of the fraction of a root, with integers only.
frac(P, K) -> root(P bsl (32 * K), K, 0, 1 bsl 40) band ?M32.
root(_, _, L, H) when H - L =< 1 -> L;
root(V, K, L, H) -> M = (L + H) div 2, case pow(M, K) =< V of true -> root(V, K, M, H); false -> root(V, K, L, M) end.
pow(X, 2) -> X * X;
pow(X, 3) -> X * X * X.
sha256(B) -> Len = bit_size(B), Pad = (448 - (Len + 1)) band 511, Msg = <<B/binary, 1:1, 0:Pad, Len:64>>,
        blocks(Msg, hs(), ks()).
blocks(<<Bl:64/binary, R/binary>>, H, K) -> W = sched([X || <<X:32>> <= Bl]), blocks(R, [(X + Y) band ?M32
        || {X, Y} <- lists:zip(H, rounds(W, K, H))], K);
blocks(<<>>, H, _) -> << <<X:32>> || X <- H >>.
sched(W) -> sched(lists:reverse(W), 16).
sched(L, 64) -> lists:reverse(L);
sched(L, N) -> W2 = lists:nth(2, L), W7 = lists:nth(7, L), W15 = lists:nth(15, L), W16 = lists:nth(16, L),
        S0 = rr(W15, 7) bxor rr(W15, 18) bxor (W15 bsr 3), S1 = rr(W2, 17) bxor rr(W2, 19) bxor (W2 bsr 10),
        sched([(W16 + S0 + W7 + S1) band ?M32 | L], N + 1).
rounds([], [], H) -> H;
rounds([W | Ws], [K | Ks], [A, B, C, D, E, F, G, H]) -> S1 = rr(E, 6) bxor rr(E, 11) bxor rr(E, 25),
        Ch = (E band F) bxor ((bnot E) band G), T1 = H + S1 + Ch + K + W, S0 = rr(A, 2) bxor rr(A,
        13) bxor rr(A, 22), Mj = (A band B) bxor (A band C) bxor (B band C), rounds(Ws, Ks,
        [(T1 + S0 + Mj) band ?M32, A, B, C, (D + T1) band ?M32, E, F, G]).
rr(X, N) -> ((X bsr N) bor (X bsl (32 - N))) band ?M32.
hex(B) -> lists:flatten([io_lib:format("~2.16.0b", [X]) || <<X>> <= B]).
p(X) -> io:format("~p~n", [X]).
