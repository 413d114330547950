%% Tail calls of every kind run in constant space; deep recursion that is not.
-module(tail_calls).
-export([main/0, even/1, odd/1, ext/2, app/2]).

main() ->
    io:format("~w~n", [count(10000000, 0)]),
    io:format("~w ~w~n", [even(1000001), odd(1000001)]),
    io:format("~w~n", [ext(1000000, 0)]),
    io:format("~w~n", [app(300000, 0)]),
    F = fun G(0, A) -> A; G(N, A) -> G(N - 1, A + 1) end,
    io:format("~w~n", [F(1000000, 0)]),
    io:format("~w~n", [pingf(500000, fun(N, S) -> pingf(N, S) end)]),
    io:format("~w~n", [small(fun small/2, 3000000)]),
    io:format("~w~n", [sum(1000000)]),
    io:format("~w~n", [length(build(1000000))]),
    io:format("~w~n", [many(300000, 1, 2, 3, 4, 5, 6, 7, 8)]),
    io:format("~w~n", [ack(2, 300)]),
    io:format("~w~n", [try infinite(200000) catch throw:T -> T end]),
    io:format("~w~n", [cat(1000)]),
    io:format("~w~n", [state(a, 999999)]).

%% The last call of a fun has no opcode of its own.
small(_, 0) ->
    {memory, M} = process_info(self(), memory),
    M < 1000000;
small(F, N) -> F(F, N - 1).

count(0, A) -> A;
count(N, A) -> count(N - 1, A + 1).

even(0) -> true;
even(N) -> odd(N - 1).
odd(0) -> false;
odd(N) -> even(N - 1).

ext(0, A) -> A;
ext(N, A) -> ?MODULE:ext(N - 1, A + N).

app(0, A) -> A;
app(N, A) -> apply(?MODULE, app, [N - 1, A + N]).

pingf(0, _) -> done;
pingf(N, F) -> F(N - 1, F).

sum(0) -> 0;
sum(N) -> N + sum(N - 1).

build(0) -> [];
build(N) -> [N | build(N - 1)].

many(0, A, B, C, D, E, F, G, H) -> [A, B, C, D, E, F, G, H];
many(N, A, B, C, D, E, F, G, H) -> many(N - 1, H, A, B, C, D, E, F, G).

ack(0, N) -> N + 1;
ack(M, 0) -> ack(M - 1, 1);
ack(M, N) -> ack(M - 1, ack(M, N - 1)).

infinite(0) -> throw(bottom);
infinite(N) -> [infinite(N - 1) | x].

cat(0) -> ok;
cat(N) -> case catch cat(N - 1) of ok -> ok end.

state(_, 0) -> done;
state(a, N) -> state(b, N - 1);
state(b, N) -> state(c, N - 1);
state(c, N) -> state(a, N - 1).
