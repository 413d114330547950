%% timeout: 60
%% Many senders, one receiver; large messages; ping-pong; a relay of binaries.
-module(msg_storm).
-export([main/0]).

main() ->
    S = self(),
    [spawn(fun() -> [S ! {I, J} || J <- lists:seq(1, 2000)] end) || I <- lists:seq(1, 50)],
    io:format("~w~n", [sum(50 * 2000, 0)]),
    Big = lists:seq(1, 20000),
    T = {Big, list_to_tuple(Big), maps:from_list([{X, X} || X <- lists:seq(1, 1000)]),
        list_to_binary(lists:duplicate(100000, 7))},
    E = spawn(fun echo/0),
    io:format("~w~n", [lists:usort([begin E ! {S, T}, receive {E, T2} -> T2 =:= T end end || _ <- lists:seq(1, 50)])]),
    P = spawn(fun echo/0), io:format("~w~n", [pp(P, 100000)]),
    R = lists:foldl(fun(_, Next) -> spawn(fun() -> relay(Next) end) end, S, lists:seq(1, 100)),
    Bins = [binary:copy(<<I>>, 1000 + I) || I <- lists:seq(1, 100)], [R ! B || B <- Bins],
    io:format("~w~n", [lists:sum([receive B when is_binary(B) -> erlang:crc32(B) end
        || _ <- Bins]) =:= lists:sum([erlang:crc32(B) || B <- Bins])]),
    Fun = fun(X) -> X + length(Big) end, E ! {S, Fun}, io:format("~w~n", [receive {E, F} -> F(1) end]),
    Deep = lists:foldl(fun(_, A) -> [A] end, [], lists:seq(1, 100000)),
    E ! {S, Deep},
    io:format("~w~n", [receive {E, D} -> D =:= Deep end]),
    Lits = [{"literal", <<"literal">>, #{lit => [1, 2, 3]}}],
    E ! {S, Lits},
    io:format("~w~n", [receive {E, L} -> L =:= Lits end]).

sum(0, A) -> A;
sum(N, A) -> receive {I, J} -> sum(N - 1, A + I * J) end.
echo() -> receive {From, X} -> From ! {self(), X}, echo() end.
pp(_, 0) -> done;
pp(P, N) -> P ! {self(), N}, receive {P, N} -> pp(P, N - 1) end.
relay(Next) -> receive X -> Next ! X, relay(Next) end.
