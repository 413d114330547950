%% Runs one compute program: `bench:main(["fib", "5"])` calls fib:run(fib:size()) five times and prints the
%% checksum and the fastest time in microseconds. A program's work is inside run/1; start-up is not counted.
-module(bench).
-export([main/1]).

main([Name, Runs]) ->
    M = list_to_atom(Name),
    N = M:size(),
    {Result, Time} = best(M, N, list_to_integer(Runs), none, infinity),
    io:format("~s ~p~n~p us~n", [Name, erlang:phash2(Result), Time]).

best(_, _, 0, Result, Time) ->
    {Result, Time};
best(M, N, Runs, _, Best) ->
    erlang:garbage_collect(),
    T0 = erlang:monotonic_time(microsecond),
    Result = M:run(N),
    Time = erlang:monotonic_time(microsecond) - T0,
    best(M, N, Runs - 1, Result, min(Time, Best)).
