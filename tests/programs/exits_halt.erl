%% Output is complete when main returns while other processes still run and timers are pending.
-module(exits_halt).
-export([main/0]).

main() ->
    [spawn(fun() -> receive never -> ok end end) || _ <- lists:seq(1, 1000)],
    erlang:send_after(100000, self(), never),
    spawn(fun() -> loop(0) end),
    [io:format("line ~w of a long output ~s~n", [I, lists:duplicate(I rem 70, $.)]) || I <- lists:seq(1, 3000)],
    io:format("last line without newline").

loop(N) -> loop(N + 1).
