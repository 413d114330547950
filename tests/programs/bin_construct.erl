%% Binary construction: every type, size, unit, sign and endianness, and what cannot be built.
-module(bin_construct).
-export([main/0, id/1]).

main() ->
    X = id(16#123456789abcdef0), N = id(-2), F = id(3.25), B = id(<<"hello">>), S = id(13), Bits = id(<<5:3>>),
    p([<<X:8>>, <<X:16>>, <<X:24>>, <<X:32>>, <<X:64>>, <<X:7, 0:1>>, <<X:S>>, <<X:128>>, <<X:0>>]),
    p([<<X:16/little>>, <<X:S/little>>, <<X:64/little>>, <<X:37/little, 1:3>>, <<X:128/little>>, <<X:16/native>>]),
    p([<<N>>, <<N:16>>, <<N:13>>, <<N:64/little>>, <<N:100>>, <<N:3>>, <<N:16/signed>>, <<N:16/unsigned>>]),
    p([<<F/float>>, <<F:32/float>>, <<F:16/float>>, <<F:64/float-little>>, <<F:32/float-little>>,
        <<F:16/float-little>>, <<X/float>>, <<1:32/float>>]),
    p([<<B/binary>>, <<B:3/binary>>, <<B:0/binary>>, <<1, B/binary, 2>>, <<1:1, B/binary>>,
        <<B:2/binary-unit:8>>, <<B:12/bits>>, <<B/bits, 1:1>>]),
    p([<<Bits/bits>>, <<Bits/bits, Bits/bits>>, <<Bits/bits, B/binary, Bits/bits>>, <<Bits:2/bits>>]),
    p([<<"abc">>, <<"abc":16>>, <<"a", "b">>, <<"é"/utf8>>, <<"aé"/utf16>>, <<"é"/utf32>>, <<"é">>,
        <<"ab":16/little>>]),
    p([<<X/utf8>> || X <- [id($a), 16#7f, 16#80, 16#7ff, 16#800, 16#ffff, 16#10000, 16#10ffff]]),
    p([<<X/utf16>> || X <- [id($a), 16#ffff, 16#10000, 16#10ffff, 16#d7ff, 16#e000]]),
    p([<<X/utf16-little>> || X <- [id($a), 16#1f600]]),
    p([<<X/utf32>> || X <- [id($a), 16#10ffff]] ++ [<<(id($z))/utf32-little>>]),
    p([<<X:2/unit:8>>, <<X:3/integer-unit:5>>, <<X:S/unit:2>>, <<(id(1)):(S + 3)>>, <<(S * 2):8, (S - 1):(S - 5)>>]),
    p([<<(id(1) bsl 100 + 7):128>>, <<(id(1) bsl 100 + 7):104/little>>, <<(-(id(1) bsl 100)):128>>,
        <<(id(1) bsl 64):64>>, <<(id(1) bsl 70 - 1):72>>]),
    [t(L, G) || {L, G} <- [
        {not_int, fun() -> <<(id(a))>> end},
        {float_as_int, fun() -> <<(id(1.0)):8>> end},
        {not_bin, fun() -> <<(id(1))/binary>> end},
        {list, fun() -> <<(id("abc"))/binary>> end},
        {too_short, fun() -> <<B:9/binary>> end},
        {bits_as_bin, fun() -> <<Bits/binary>> end},
        {neg_size, fun() -> <<1:(id(-1))>> end},
        {atom_size, fun() -> <<1:(id(a))>> end},
        {big_size, fun() -> <<1:(id(1 bsl 70))>> end},
        {float_size, fun() -> <<F:(id(20))/float>> end},
        {float_atom, fun() -> <<(id(a))/float>> end},
        {utf8_bad, fun() -> <<(id(16#d800))/utf8>> end},
        {utf8_big, fun() -> <<(id(16#110000))/utf8>> end},
        {utf8_neg, fun() -> <<(id(-1))/utf8>> end},
        {utf16_bad, fun() -> <<(id(16#dc00))/utf16>> end},
        {utf32_bad, fun() -> <<(id(16#110000))/utf32>> end},
        {utf8_atom, fun() -> <<(id(a))/utf8>> end},
        {float_over, fun() -> <<(id(1.0e300)):32/float>> end},
        {float16_over, fun() -> <<(id(1.0e10)):16/float>> end},
        {big_float, fun() -> <<(id(1 bsl 2000)):64/float>> end},
        {unit, fun() -> <<Bits/binary-unit:2>> end}, {unit_ok, fun() -> <<(id(<<5:4>>))/binary-unit:2>> end}]],
    p([<<A:4, C:4>> || {A, C} <- [{1, 2}, {15, 0}, {17, -1}]]),
    p(lists:foldl(fun(I, A) -> <<A/bits, I:I>> end, <<>>, lists:seq(1, 20))),
    p([bit_size(<<X:S, B/binary, 1:1>>), byte_size(<<X:S, B/binary>>), <<(byte_size(B)):32, B/binary>>]).

p(L) -> io:format("~w~n", [L]).
t(L, F) -> io:format("~s: ~w~n", [L, try F() catch C:R -> {C, R} end]).
id(X) -> X.
