%% The smallest program: display and io:format.
-module(hello).
-export([main/0]).

main() ->
    io:format("hello, ~s~n", [world]),
    ok.
