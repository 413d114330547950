%% io:format: every control sequence, widths, precision, padding, and errors.
-module(io_format).
-export([main/0, id/1]).

main() ->
    f("~w|~p|~s|~c|~n", [[1, 2], "abc", "str", $x]), f("~10w|~-10w|~10.5w|~-10.5w|~.5w|~n", [abc, abc, abcdefgh, abcdefgh, abcdefgh]),
    f("~10s|~-10s|~10.3s|~-10.3s|~.3s|~5s|~-5.*s|~*s|~n", ["hello", "hello", "hello", "hello", "hello", "toolongstring", 3, "abcd", 6, "q"]),
    f("~10.5.*s|~*.5s|~8..*s|~10.3.xs~n", [$-, "hello", 8, "hello", $+, "pad", "long"]), f("~5c|~3c|~-5c|~5.3c|~c~n", [$a, $b, $c, $d, 200]), f("~tc~tc|~3tc~n", [233, 8364, 128512]),
    f("~b|~B|~10b|~-10b|~10..0b|~.16b|~.16B|~.2b|~8.2.0b|~b~n", [10, -10, 42, 42, 42, 255, 255, 5, 5, 1 bsl 70]), f("~x|~X|~.16x|~10.16X|~.8x~n", [10, "pre", 255, "0x", 255, "0X", 255, "0x", -8, "o"]),
    f("~#|~.16#|~.2#|~.16+|~+|~.36#~n", [10, 255, 5, -255, 7, 35]),
    f("~e|~f|~g|~.3e|~.2f|~.4g|~10.2f|~-10.2f|~15.3e|~010.2f|~.10f~n", [1.5, 1.5, 1.5, 12345.678, 2.675, 0.0001234, 3.14159, 3.14159, 1.0e-10, 2.5, 0.1]),
    f("~f ~f ~f ~.1f ~.1f ~.1f ~.15f ~.20f~n", [1.0e15, 1.0e-7, -0.5, 0.25, 0.35, 0.05, 0.1, 0.1]), f("~g ~g ~g ~g ~g~n", [1.0e10, 1.0e-5, 0.1, 12345.6, 1.0e100]), f("~f ~e ~g~n", [5, 5, 5]), f("~.0f~n", [2.5]), f("~.1e~n", [2.5]),
    f("~i~w ~~ ~i~n", [skip, shown, skip]), f("~ts|~s|~ts~n", ["grüße €", "latin \344", <<"utf8 ü"/utf8>>]), f("~s ~s ~s~n", [<<"bin">>, atom, ["io", [<<"list">>, $!]]]),
    f("~w ~w ~w ~w~n", ["", [], '', <<>>]), f("~w ~p ~w ~p~n", [<<1, 2>>, <<1, 2>>, <<"ab">>, <<"ab">>]), f("~p ~p ~p ~p~n", [<<1:3>>, <<"a", 1:3>>, "a\tb\n\\\"\e", [1, 2, 300]]), f("~p ~tp ~w ~tw~n", ["åäö", "åäö", "åä", 'åä']),
    f("~p ~tp ~p ~tp~n", [[8364], [8364], <<"€"/utf8>>, <<"€"/utf8>>]), f("~lp ~lw ~p~n", ["abc", "abc", "abc"]), f("~p ~p~n", ['a b', {'X', 'b\'c'}]), f("~W ~W ~P ~P ~P~n", [[1, 2, 3, 4, 5, 6], 3, {a, b, {c, {d, {e}}}}, 4, lists:seq(1, 20), 8, {a, [b, {c}]}, 3, "a string of text", 5]),
    f("~w ~p~n", [#{1 => [a]}, #{1 => #{2 => 3}}]), f("~w ~w~n", [fun lists:map/2, fun erlang:'+'/2]), f("plain~n", []), io:format("only~n"), io:format('atom ~p~n', [x]), io:format(<<"bin ~p~n">>, [y]), io:format("~s~n", ["single"]), io:format("~~~n"),
    [io:format("~s: ~p~n", [S, try io_lib:format(S, A), ok catch C:R -> {C, R} end]) || {S, A} <- [{"~p", []}, {"~p", [1, 2]}, {"~q", [1]}, {"~", []}, {"~s", [1]}, {"~s", [[300]]}, {"~s", [{a}]}, {"~c", [a]}, {"~b", [1.0]}, {"~f", [a]}, {"~.5", [1]}, {"~.1b", [3]}, {"~.40b", [3]}, {"~x", [1, 2]}, {"~ts", [[55296]]}, {"~p", x}, {"~*s", [a, "x"]}]],
    io:put_chars("put\n"), io:put_chars(standard_io, [<<"chars">>, $\n]), io:nl(), io:write({a, "b", 1.0}), io:nl(), io:fwrite("~s~n", [fwrite]), io:put_chars(user, "user\n"), io:format(standard_io, "sio~n", []).

f(F, A) -> io:format("~s", [try io_lib:format(F, A) of S -> unicode:characters_to_binary(S) catch C:R -> io_lib:format("~p ~p ~p~n", [F, C, R]) end]).
id(X) -> X.
