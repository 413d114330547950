%% Several processes print through one group leader, in turn; a large chunk; characters of all sizes.
-module(io_many).
-export([main/0]).

main() ->
    S = self(),
    [begin spawn(fun() -> io:format("process ~w~n", [I]), S ! I end), receive I -> ok end end || I <- lists:seq(1, 50)],
    io:put_chars([lists:duplicate(60, $x), $\n]),
    io:format("~s~n", [lists:duplicate(20000, "0123456789")]),
    io:format("~ts~n", ["latin é, greek λ, euro €, emoji 😀, cjk 漢字"]),
    io:format("~s~n", [<<"bytes">>]),
    io:format("~ts~n", [<<"utf8 ü"/utf8>>]),
    ok = io:setopts([{encoding, unicode}]),
    io:format("~ts~n", [[8364]]),
    io:format("nul ~w tab \t end~n", [0]),
    io:format("~c~c~c~n", [65, 66, 67]).
