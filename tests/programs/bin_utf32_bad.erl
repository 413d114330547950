%% min-otp: 26
%% Invalid code points in utf32 segments (OTP 25 itself ends with a segmentation fault).
-module(bin_utf32_bad).
-export([main/0]).

main() ->
    Bad = [16#d800, 16#dfff, 16#110000, 16#7fffffff, 16#ffffffff, 16#d7ff, 16#e000],
    io:format("~w~n", [[big(<<X:32>>) || X <- Bad]]),
    io:format("~w~n", [[little(<<X:32/little>>) || X <- Bad]]),
    io:format("~w~n", [[skip(<<X:32, "rest">>) || X <- Bad]]),
    io:format("~w~n", [[X || <<X/utf32>> <= <<1:32, 2:32, 16#d800:32, 3:32>>]]).

big(<<X/utf32>>) -> X;
big(B) -> {no, byte_size(B)}.
little(<<X/utf32-little>>) -> X;
little(B) -> {no, byte_size(B)}.
skip(<<_/utf32, R/binary>>) -> R;
skip(B) -> {no, byte_size(B)}.
