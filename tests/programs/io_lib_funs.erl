%% io_lib, io requests, the group leader's protocol: columns, getopts, write_* functions, fread, chars.
-module(io_lib_funs).
-export([main/0]).

main() ->
    p([io_lib:write_atom('a b'), io_lib:write_string("a\"b\n"), io_lib:write_char($a), io_lib:write_char($\n),
        io_lib:write_latin1_string("å")]),
    p([lists:flatten(io_lib:write(X)) || X <- [a, "s", {1, 2.5}, [a | b], <<1, 2>>, #{1 => 2}]]),
    p([io_lib:fread(F, S) || {F, S} <- [{"~d", "42 rest"}, {"~d ~s", "1 abc"}, {"~f", "1.5"}, {"~a", "atom"},
        {"~c~c", "xy"}, {"~16u", "ff"}, {"~d", "x"}, {"~d", ""}, {"a~d", "a7"}, {"~*d~d", "1 2"}, {"~l~d",
        "5"}, {"~3s", "abcdef"}, {"~~", "~"}, {"~#", "16#ff"}]]),
    p([io_lib:deep_char_list(X) || X <- ["a", ["b", [$c]], [a]]]),
    p([io_lib:char_list(X) || X <- ["a", ["b"], [300], x]]),
    p(io_lib:nl()),
    p([io_lib:indentation("ab\ncd", 3), io_lib:indentation("abc", 3)]),
    p(lists:flatten(io_lib:format("~s ~w", ["x", y]))),
    p(io_lib:format_prompt({format, "~w> ", [1]}) =/= x),
    p([io_lib:latin1_char_list("å"), io_lib:printable_latin1_list("å"), io_lib:printable_unicode_list([8364])]),
    {ok, Ts, _} = erl_scan:string("foo(X) -> X + 1.5, \"str\", $a, 'q a', 16#ff, \"\\x41\"."),
    p(Ts),
    {ok, F} = erl_parse:parse_form(element(2, erl_scan:string("f(X) when X > 1 -> {X, [1|2]}."))),
    p(F),
    io:format("~s~n", [erl_pp:form(F)]),
    {ok, Es} = erl_parse:parse_exprs(element(2,
        erl_scan:string("A = 1 + 2, lists:map(fun(X) -> X * A end, [1,2,3])."))),
    {value, V, Bs} = erl_eval:exprs(Es, []),
    p({V, Bs}),
    p([erl_scan:string(S) || S <- ["'unclosed", "\"x", "$", "1.2.3", "a b @"]]),
    p(erl_parse:parse_exprs(element(2, erl_scan:string("1 + .")))),
    io:requests([{put_chars, unicode, "one"}, nl, {format, "~p~n", [two]}]),
    p(io:request({put_chars, unicode, "raw\n"})),
    p(io:request(bad_request)),
    p(io:get_line("")),
    p(io:read("")),
    p(io:get_chars("", 5)),
    p(io:columns() =/= x),
    P = spawn_link(fun() -> gl([]) end),
    Old = group_leader(),
    group_leader(P, self()),
    io:format("captured ~p~n", [1]),
    io:put_chars("more"),
    group_leader(Old, self()),
    P ! {get, self()},
    receive {got, G} -> p(unicode:characters_to_list(lists:reverse(G))) end,
    p(catch io:format(dead_device(), "x", [])), p(catch io:format(no_such_device, "x", [])).

gl(A) -> receive {io_request, From, R, {put_chars, _, C}} -> From ! {io_reply, R, ok}, gl([C | A]);
        {io_request, From, R, {put_chars, _, M, F, As}} -> From ! {io_reply, R, ok}, gl([apply(M, F, As) | A]);
        {get, To} -> To ! {got, A} end.
dead_device() -> {P, M} = spawn_monitor(fun() -> ok end), receive {'DOWN', M, _, _, _} -> P end.
p(X) -> io:format("~tp~n", [case X of {'EXIT', {R, [_ | _]}} -> {'EXIT', R}; _ -> X end]).
