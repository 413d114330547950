%% max-otp: 25
%% The same bit syntax compiled for older releases: bs_init2, bs_put_*, bs_add, bs_append and their kin.
-module(bin_legacy23).
-compile([r23]).
-export([main/0, id/1]).

main() ->
    X = id(16#1234567), B = id(<<"bytes">>), Bits = id(<<5:3>>), F = id(1.5), S = id(11),
    p([<<X:32>>, <<X:S>>, <<X:16/little, B/binary>>, <<1:1, X:24, B/binary, Bits/bits>>, <<F/float, F:32/float,
        F:(id(16))/float>>]),
    p([<<B/binary, X:16>>, <<B/binary, "string", X>>, <<B:2/binary, 7>>, <<Bits/bits, B/bits, 1:S>>,
        <<B/binary-unit:8, Bits:2/bits>>]),
    p([<<X/utf8>> || X <- [id($a), 233, 8364, 128512]]),
    p([<<X/utf16>> || X <- [id($a), 233, 8364, 128512]]),
    p([<<X/utf32>> || X <- [id($a), 233, 8364, 128512]]),
    p([<<"a", X/utf8, B/binary, X/utf16-little, X/utf32-little>> || X <- [id(233), 128512]]),
    p(<< <<(X1 + 1), 0>> || <<X1>> <= B >>),
    p(<< <<X1:7>> || X1 <- lists:seq(1, 9) >>),
    p(<< (id(<<X1>>)) || X1 <- [1, 2, 3] >>),
    L = lists:foldl(fun(I, A) -> <<A/binary, I:16, I/utf8>> end, <<>>, lists:seq(1, 1000)),
    p({byte_size(L), erlang:crc32(L)}),
    Bl = lists:foldl(fun(I, A) -> <<A/bits, I:3, I:S>> end, <<>>, lists:seq(1, 1000)),
    p({bit_size(Bl), erlang:phash2(Bl)}),
    [t(G) || G <- [fun() -> <<(id(a)):8>> end, fun() -> <<(id(1))/binary>> end, fun() -> <<B:9/binary>> end,
        fun() -> <<1:(id(-1))>> end,
                   fun() -> <<(id(16#d800))/utf8>> end,
                   fun() -> <<(id(16#d800))/utf16>> end,
                   fun() -> <<(id(16#d800))/utf32>> end,
                   fun() -> <<(id(a))/float>> end,
                   fun() -> <<Bits/binary, 1>> end, fun() -> <<(id(x))/binary, 1>> end, fun() -> <<1,
                       (id(x))/bits>> end, fun() -> << (id(X1)) || X1 <- [1] >> end]],
    p(call(fun(A, C) -> A - C end, 5, 3)),
    p(try call(id(nofun), 1, 2) catch error:R -> R end).

call(F, A, B) -> F(A, B).
p(X) -> io:format("~w~n", [X]).
t(F) -> p(try F() catch C:R -> {C, R} end).
id(X) -> X.
