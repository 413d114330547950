%% Module re: matching, capturing, splitting, replacing, options, errors.
-module(regexps).
-export([main/0]).

main() ->
    S = "The year 2026, the 12th month: 01-12-2026 and caf\x{e9}",
    [p({P, try re:run(S, P) catch error:R -> R end}) || P <- ["year", "\\d+", "(\\d+)-(\\d+)-(\\d+)", "^The",
        "month$", "[aeiou]{2,}", "(?i)THE", "x*", "zzz", "(a|b)c", "(", "a{2", "[z", "\\w+\\s", "(?<n>\\d\\d)",
        "(?=m)m", "(?!T)h", ".*?,", "\\bthe\\b", "(t)(h)(e)", "(x)?T"]],
    [p({O, try re:run(S, "(the) (\\w+)", O) catch error:R -> R end}) || O <- [[{capture, all, list}],
        [{capture, first, binary}], [{capture, [2], list}], [{capture, none}], [caseless, {capture, all,
        list}], [global, caseless, {capture, all, list}], [{offset, 10}], [anchored], [{capture, all_names,
        list}], [bad_option], [{capture, [1, 2, 9], list}]]],
    p([re:split("a1b22c", "\\d+"), re:split("a1b22c", "\\d+", [{return, list}]), re:split("a1b2c", "(\\d)",
        [{return, list}]), re:split("abc", "", [{return, list}]), re:split("a,b,c", ",", [{return, list},
        {parts, 2}]), re:split("a,,", ",", [{return, list}, trim])]),
    p([re:replace("abcabc", "b", "[&]", [{return, list}]), re:replace("abcabc", "b", "X", [global, {return,
        binary}]), re:replace("john smith", "(\\w+) (\\w+)", "\\2 \\1", [{return, list}]), re:replace("x", "y",
        "z"), re:replace("aaa", "a", "\\\\&", [global, {return, list}])]),
    {ok, M} = re:compile("(\\w)(\\d)", [caseless]),
    p([re:run("A1b2", M, [global, {capture, all, list}]), re:inspect(element(2, re:compile("(?<a>x)(?<b>y)")),
        namelist), re:compile("("), re:compile("a**")]),
    p([re:run("grüße", "ü", [unicode, {capture, all, list}]), re:run(<<"a€b"/utf8>>, "€", [unicode]),
        re:run("a\nb", "a.b", [dotall]), re:run("a\nb", "^b", [multiline]), re:run("ab", "a b", [extended]),
        re:run(lists:duplicate(10000, $a) ++ "b", "a+b", [{capture, none}]),
        re:run("aaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "(a+)+$x", [{match_limit, 1000}, report_errors])]).

p(X) -> io:format("~p~n", [X]).
