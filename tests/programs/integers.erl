%% Integer arithmetic around every border between small and big.
-module(integers).
-export([main/0, id/1]).

main() ->
    Borders = [B + D || B <- [0, 1 bsl 27, 1 bsl 31, 1 bsl 32, 1 bsl 58, 1 bsl 59, 1 bsl 60, 1 bsl 62, 1 bsl 63,
                              1 bsl 64, 1 bsl 127, 1 bsl 128], D <- [-1, 0, 1]],
    Ns = Borders ++ [-B || B <- Borders],
    [io:format("~w ~w ~w ~w ~w~n", [N, id(N) + 1, id(N) - 1, -id(N), id(N) * id(N)]) || N <- Ns],
    Small = [-(1 bsl 64), -(1 bsl 59) - 1, -(1 bsl 59), -7, -1, 1, 3, (1 bsl 59) - 1, 1 bsl 59, 1 bsl 63,
        (1 bsl 64) + 5],
    io:format("~p~n", [[{A div B, A rem B} || A <- Small, B <- Small]]),
    io:format("~p~n", [[{A band B, A bor B, A bxor B, bnot A} || A <- Small, B <- Small]]),
    io:format("~p~n", [[{A + B, A - B, A * B} || A <- Small, B <- Small]]),
    io:format("~p~n", [[{A < B, A =< B, A == B, A =:= B, max(A, B), min(A, B)} || A <- Small, B <- Small]]),
    Shifts = [0, 1, -1, 5, 31, 58, 59, 60, 63, 64, 65, 100, -58, -59, -60, -63, -64, -65, -100],
    io:format("~p~n", [[{A bsl S, A bsr S} || A <- Small, S <- Shifts]]),
    [io:format("~w: ~p~n", [N, [bad(N, A, B) || {A, B} <- [{1, 0}, {1 bsl 70, 0}, {a, 1}, {1, a}, {1.0, 2}, {[], {}}]]])
     || N <- ['+', '-', '*', 'div', 'rem', 'bsl', 'bsr', 'band', 'bor', 'bxor', '/']],
    io:format("~p~n", [[try -id(X) catch error:E -> E end || X <- [1, -1 bsl 59, a, 1.5, -0.0]]]),
    io:format("~p~n", [[try bnot id(X) catch error:E -> E end || X <- [1, -1, 1 bsl 64, a, 1.5]]]),
    io:format("~p~n", [[try +id(X) catch error:E -> E end || X <- [1, 1 bsl 64, a, 1.5]]]),
    io:format("~p~n", [try 1 bsl id(1 bsl 64) catch error:E -> E end]),
    io:format("~p ~p~n", [id(0) bsl id(1 bsl 30), id(1) bsr id(1 bsl 64)]),
    io:format("~p ~p~n", [id(-1) bsr id(1 bsl 64), id(5) bsl id(-(1 bsl 64))]),
    io:format("~p~n", [[abs(X) || X <- Small]]),
    io:format("~p~n", [sum(-1000, 1000, 0)]).

bad(Op, A, B) -> try erlang:Op(A, B) catch C:R -> {C, R} end.

sum(N, M, A) when N > M -> A;
sum(N, M, A) -> sum(N + 1, M, A + N * N * N * 1000003 * 1000003).

id(X) -> X.
