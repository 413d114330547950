-module(cli_input).
-export([lines/0, mixed/0, terms/0, binaries/0, served/0]).

show({ok, T}) -> io:format("ok ~w~n", [T]);
show(T) -> io:format("~w~n", [T]).

lines() ->
    case io:get_line("> ") of
        eof -> show(eof);
        Line -> show(Line), lines()
    end.

mixed() ->
    show(io:get_chars("chars> ", 3)),
    show(io:get_line("line> ")),
    show(io:get_chars('', 2)),
    show(io:fread("number> ", "~d ~s")),
    show(io:get_line("")),
    show(io:get_chars("", 100)),
    show(io:get_chars("", 100)).

terms() ->
    case io:read("term> ") of
        eof -> show(eof);
        Result -> show(Result), terms()
    end.

binaries() ->
    ok = io:setopts([binary, {encoding, unicode}]),
    show(io:getopts()),
    show(io:get_line("")),
    show(io:get_chars("", 3)),
    show(io:get_line("")),
    show(io:get_line("")).

%% Whoever only writes is served while another waits for input.
served() ->
    Self = self(),
    spawn(fun() -> Self ! {line, io:get_line("waiting> ")} end),
    timer:sleep(50),
    io:format("not kept waiting~n"),
    receive {line, Line} -> show(Line) end.
