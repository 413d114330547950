%% utf8, utf16 and utf32 segments in matching, with every kind of bad input.
-module(bin_utf).
-export([main/0, id/1]).

main() ->
    Good = [0, $a, 16#7f, 16#80, 16#7ff, 16#800, 16#d7ff, 16#e000, 16#fffd, 16#ffff, 16#10000, 16#10ffff],
    [begin
         <<X/utf8,
         R8/binary>> = id(<<X/utf8, 1>>),
         <<X/utf16,
         R16/binary>> = id(<<X/utf16, 2>>),
         <<X/utf32,
         R32/binary>> = id(<<X/utf32, 3>>),
         <<X/utf16-little>> = id(<<X/utf16-little>>), <<X/utf32-little>> = id(<<X/utf32-little>>),
         <<_:3, X/utf8, 1:5>> = id(<<2:3, X/utf8, 1:5>>),
         io:format("~w ~w ~w~n", [X, {R8, R16, R32}, [<<X/utf8>>, <<X/utf16>>, <<X/utf32>>]])
     end || X <- Good],
    Bad8 = [<<16#80>>, <<16#bf, 1>>, <<16#c0, 16#80>>, <<16#c1, 16#bf>>, <<16#c2>>, <<16#c2, 1>>, <<16#e0,
        16#80, 16#80>>, <<16#e0, 16#a0>>,
            <<16#ed,
            16#a0,
            16#80>>,
            <<16#ed,
            16#bf,
            16#bf>>,
            <<16#f0,
            16#80,
            16#80,
            16#80>>,
            <<16#f0,
            16#90,
            16#80>>,
            <<16#f4,
            16#90,
            16#80,
            16#80>>,
            <<16#f5, 16#80, 16#80, 16#80>>, <<16#f8, 16#88, 16#80, 16#80, 16#80>>, <<16#fe>>, <<16#ff>>, <<>>,
                <<1:4>>, <<16#ef, 16#bf, 16#bf>>],
    io:format("~w~n", [[m8(X) || X <- Bad8]]),
    Bad16 = [<<16#d800:16>>, <<16#dc00:16, 16#d800:16>>, <<16#d800:16, 1:16>>, <<16#d800:16, 16#dc00:16>>,
        <<1>>, <<>>, <<16#dfff:16>>, <<16#d83d:16, 16#de00:16>>],
    io:format("~w~n", [[m16(X) || X <- Bad16]]),
    Bad32 = [<<1:24>>, <<16#1f600:32>>, <<>>, <<16#fffe:32>>],
    io:format("~w~n", [[m32(X) || X <- Bad32]]),
    io:format("~w~n", [[skip(X) || X <- [<<"aé€😀z"/utf8>>, <<255, 1>>, <<>>]]]),
    io:format("~w~n", [[X || <<X/utf8>> <= <<"grüße, 世界"/utf8>>]]),
    io:format("~w~n", [<< <<X/utf16>> || <<X/utf8>> <= <<"aé😀"/utf8>> >>]),
    io:format("~w~n", [<< <<X/utf8>> || X <- [228, 246, 8364, 128512] >>]),
    io:format("~w~n", [count(<<"aé€😀"/utf8>>, 0)]),
    io:format("~w~n", [try count(<<"aé€", 255>>, 0) catch error:function_clause -> function_clause end]),
    io:format("~w~n", [lit(<<"é!"/utf8>>)]),
    io:format("~w~n", [skip16(<<"a😀b"/utf16>>)]),
    io:format("~w~n", [skip32(<<"a😀b"/utf32>>)]).

m8(<<X/utf8, _/bits>>) -> X;
m8(_) -> no.
m16(<<X/utf16, _/bits>>) -> X;
m16(<<X/utf16-little, _/bits>>) -> {little, X};
m16(_) -> no.
m32(<<X/utf32, _/bits>>) -> X;
m32(_) -> no.
skip(<<_/utf8, _/utf8, R/binary>>) -> R;
skip(_) -> no.
skip16(<<_/utf16, _/utf16, R/binary>>) -> R.
skip32(<<_/utf32, _/utf32, R/binary>>) -> R.
count(<<_/utf8, R/binary>>, N) -> count(R, N + 1);
count(<<>>, N) -> N.
lit(<<"é"/utf8, R/binary>>) -> R.

id(X) -> X.
