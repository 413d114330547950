%% min-otp: 27
%% Compiled with the instruction that counts executed lines.
-module(line_coverage).
-compile([line_coverage]).
-export([main/0]).

main() ->
    X = sum(lists:seq(1, 100)),
    Y = case X > 10 of
            true -> big;
            false -> small
        end,
    io:format("~p ~p~n", [X, Y]),
    io:format("~p~n", [try sum(a) catch error:function_clause -> fc end]).

sum([H | T]) ->
    H + sum(T);
sum([]) ->
    0.
