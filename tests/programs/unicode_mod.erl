%% Module unicode: conversions between encodings, normal forms, incomplete and bad input.
-module(unicode_mod).
-export([main/0]).

main() ->
    T = "aé€😀", U8 = <<"aé€😀"/utf8>>,
    p([unicode:characters_to_list(X) || X <- [U8, T, [U8, T], [], <<>>, [[$a, [<<"é"/utf8>>]]]]]),
    p([unicode:characters_to_binary(T), unicode:characters_to_binary(T, unicode, utf16),
        unicode:characters_to_binary(T, unicode, {utf16, little}), unicode:characters_to_binary(T, unicode,
        utf32), unicode:characters_to_binary(T, unicode, {utf32, little}), unicode:characters_to_binary("aé",
        unicode, latin1), unicode:characters_to_binary(T, unicode, latin1),
        unicode:characters_to_binary(<<233>>, latin1)]),
    p([unicode:characters_to_list(<<"aé"/utf16>>, utf16), unicode:characters_to_list(<<0, 216>>, {utf16,
        little}), unicode:characters_to_list(<<1:32, 2:32>>, utf32), unicode:characters_to_list(<<233>>, latin1)]),
    p([unicode:characters_to_list(X) || X <- [<<255>>, <<"ab", 255, "c">>, <<195>>, [<<195>>, <<169>>], <<"a",
        226, 130>>, [$a, 55296], [1114112], <<237, 160, 128>>]]),
    p([unicode:characters_to_binary(X) || X <- [<<255>>, <<"ab", 255, "c">>, <<195>>, [<<195>>, <<169>>], [$a,
        55296], [1114112]]]),
    p([unicode:bom_to_encoding(X) || X <- [<<239, 187, 191>>, <<254, 255>>, <<255, 254>>, <<0, 0, 254, 255>>,
        <<"x">>]]),
    p([unicode:encoding_to_bom(X) || X <- [utf8, utf16, {utf16, little}, latin1]]),
    p([unicode:characters_to_nfc_list("e\x{301}"), unicode:characters_to_nfd_list("é"),
        unicode:characters_to_nfc_binary("e\x{301}"), unicode:characters_to_nfkc_list([64257]),
        unicode:characters_to_nfkd_list([64257])]),
    p([try F() catch error:R -> R end || F <- [fun() -> unicode:characters_to_list(a) end, fun() ->
        unicode:characters_to_binary([a]) end, fun() -> unicode:characters_to_list(<<1:3>>) end, fun() ->
        unicode:characters_to_list("a", foo) end, fun() -> unicode:characters_to_binary([-1]) end]]),
    Big = lists:flatten(lists:duplicate(20000, T)),
    BB = unicode:characters_to_binary(Big),
    p([byte_size(BB), unicode:characters_to_list(BB) =:= Big, erlang:crc32(BB),
        length(string:to_graphemes("e\x{301}👨‍👩‍👧x"))]),
    p([unicode_util:gc("e\x{301}x"), unicode_util:cp("ab"), unicode_util:nfd([233])]).

p(X) -> io:format("~w~n", [X]).
