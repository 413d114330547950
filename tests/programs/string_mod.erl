%% Module string on lists and binaries, with graphemes.
-module(string_mod).
-export([main/0]).

main() ->
    S = "Hello, Wörld! e\x{301}a", B = <<"Hello, Wörld! e\x{301}a"/utf8>>,
    [p([F(X) || X <- [S, B, "", <<>>, ["ab", <<"cd"/utf8>>]]]) || F <- [fun string:length/1,
        fun string:reverse/1, fun string:uppercase/1, fun string:lowercase/1, fun string:titlecase/1,
        fun string:casefold/1, fun string:trim/1, fun string:is_empty/1, fun string:to_graphemes/1,
        fun string:next_grapheme/1, fun string:next_codepoint/1, fun string:chomp/1, fun(Y) -> string:slice(Y,
        1, 3) end, fun(Y) -> string:pad(Y, 20) end, fun(Y) -> string:pad(Y, 20, leading, $.) end, fun(Y) ->
        string:pad(Y, 20, both) end, fun(Y) -> string:take(Y, "Hel") end, fun(Y) -> string:take(Y, "a", true,
        trailing) end]],
    p([string:split("a,b,c", ","), string:split("a,b,c", ",", all), string:split("a,b,c", ",", trailing),
        string:split(<<"a--b">>, <<"--">>), string:lexemes("a b,,c", " ,"), string:lexemes(<<"  x y ">>, " "),
        string:nth_lexeme("a b c", 2, " ")]),
    p([string:find("hello", "l"), string:find("hello", "l", trailing), string:find(<<"hello">>, "x"),
        string:prefix("hello", "he"), string:prefix("hello", "x"), string:replace("abab", "b", "X"),
        string:replace("abab", "b", "X", all), string:equal("a", <<"a">>), string:equal("A", "a", true),
        string:concat("a", "b")]),
    p([string:trim("  x  ", leading), string:trim("  x  ", trailing), string:trim("xxaxx", both, "x"),
        string:to_integer("12a"), string:to_float("1.5e2z"), string:to_integer("a")]),
    p([string:str("hello", "l"), string:rstr("hello", "l"), string:chr("abc", $b), string:rchr("abcb", $b),
        string:substr("hello", 2, 3), string:tokens("a b-c", " -"), string:join(["a", "b"], ", "),
        string:copies("ab", 3), string:words("a b c"), string:strip("  a "), string:left("ab", 4),
        string:right("ab", 4), string:centre("ab", 6), string:to_upper("aé"), string:to_lower("AÉ"),
        string:span("aab", "a"), string:cspan("bba", "a"), string:sub_word("a b c", 2), string:chars($x, 3),
        string:len("abc")]),
    p([try F() catch error:_ -> error_ end || F <- [fun() -> string:length(a) end, fun() -> string:slice("abc",
        -1) end, fun() -> string:uppercase([a]) end, fun() -> string:split(x, "y") end, fun() ->
        string:length(<<255, 254>>) end, fun() -> string:uppercase([-1]) end]]).

p(X) -> io:format("~tw~n", [X]).
