-module(cli_protocol).
-export([main/0]).

main() ->
    Requests =
        [{put_chars, unicode, [955, $\n]}, {put_chars, latin1, [233, $\n]}, {put_chars, latin1, [955]},
         {put_chars, "old\n"}, {put_chars, unicode, lists, seq, [$a, $f]}, {put_chars, lists, seq, [$a, $f]},
         {put_chars, unicode, <<255>>}, {put_chars, latin1, <<255>>}, {put_chars, unicode, [a]}, {put_chars, unicode, a},
         {put_chars, unicode, [16#110000]}, {put_chars, unicode, [16#D800]}, {put_chars, unicode, ["a" | <<"b">>]},
         {put_chars, unicode, lists, no_such, []}, {put_chars, unicode, erlang, self, []},
         {put_chars, unicode, lists, seq, improper}, {put_chars, strange, "abc"},
         {get_geometry, columns}, {get_geometry, depth}, getopts, {setopts, [{color, red}]}, {setopts, []},
         {setopts, [list, {encoding, utf8}]}, getopts, {put_chars, unicode, [955, 233, $\n]},
         {setopts, [{binary, false}, {encoding, latin1}]}, {get_password, unicode}, {unheard_of},
         {requests, []}, {requests, [{put_chars, unicode, "x"}, getopts]},
         {requests, [{put_chars, unicode, "x"}, {strange, 1}, {put_chars, unicode, "y"}]},
         {get_line, unicode, {format, "~s>", ["p"]}}, {get_line, unicode, ['not text', 1]}, {get_line, unicode, [955]}],
    [io:format(" ~w~n", [ask(user, R)]) || R <- Requests],
    Errors =
        [getopts, {setopts, [{binary, true}]}, {setopts, [{encoding, unicode}]}, {get_line, unicode, ""},
         {get_geometry, rows}, {unheard_of}],
    [io:format(" ~w~n", [ask(standard_error, R)]) || R <- Errors].

ask(Device, Request) ->
    Ref = make_ref(),
    Device ! {io_request, self(), Ref, Request},
    receive {io_reply, Ref, Reply} -> Reply after 2000 -> no_reply end.
