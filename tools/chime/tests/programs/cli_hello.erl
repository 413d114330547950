-module(cli_hello).
-export([main/0, echo/1, both/0, both/1, stop/0, fail/0, leave/0, toss/0, missing/0, many/0, forever/0]).

%% Needs no module of the library.
main() -> put_chars("hello\n").

put_chars(Chars) ->
    Ref = make_ref(),
    user ! {io_request, self(), Ref, {put_chars, unicode, Chars}},
    receive {io_reply, Ref, Reply} -> Reply end.

echo(Args) -> put_chars([[$<, A, $>] || A <- Args]), put_chars("\n").

both() -> put_chars("both/0\n").
both(_) -> put_chars("both/1\n").

stop() -> put_chars("stopping\n"), erlang:halt(7).
fail() -> erlang:error({bad, [thing]}).
leave() -> erlang:exit(reason).
toss() -> erlang:throw({ball, 1}).
missing() -> no_such_module:function(1, "two").

%% More than any buffer holds, then a halt.
many() -> many(20000), erlang:halt(0).
many(0) -> ok;
many(N) -> put_chars("a line that is repeated many times, so that pipes run full\n"), many(N - 1).

forever() -> put_chars("again\n"), forever().
