%% Bitstrings at every offset: equality, order, hashing, concatenation, conversion, sub-binaries of sub-binaries.
-module(bin_unaligned).
-export([main/0, id/1]).

main() ->
    Base = list_to_binary([(I * 37) band 255 || I <- lists:seq(1, 64)]),
    Offs = [begin <<_:O, X/bits>> = <<0:O, Base/binary>>, X end || O <- lists:seq(0, 17)],
    io:format("~w~n", [lists:usort([X =:= Base || X <- Offs])]),
    io:format("~w~n", [length(lists:usort([erlang:phash2(X) || X <- Offs]))]),
    io:format("~w~n", [length(lists:usort(Offs))]),
    io:format("~w~n", [lists:usort([erlang:crc32(X) || X <- Offs])]),
    io:format("~w~n", [lists:usort([erlang:md5(X) || X <- Offs])]),
    io:format("~w~n", [length(lists:usort([binary_to_list(X) || X <- Offs]))]),
    io:format("~w~n", [length(lists:usort([term_to_binary(X) || X <- Offs]))]),
    io:format("~w~n", [[begin <<_:O, X:L/bits, _/bits>> = Base, X end || {O, L} <- [{0, 1}, {1, 7}, {3, 8}, {5,
        9}, {7, 33}, {8, 16}, {63, 65}]]]),
    io:format("~w~n", [lists:sort([<<1:1>>, <<>>, <<0>>, <<0:1>>, <<1:2>>, <<255>>, <<1, 2>>, <<1, 1:1>>,
        <<1>>, <<1, 0:7>>])]),
    io:format("~w~n", [[<<5:3>> =:= <<5:3>>, <<5:3>> == <<5:4>>, <<5:3>> < <<5:4>>, <<1>> < <<1, 0>>,
        <<2>> < <<1, 255>>, <<1:7>> > <<0>>]]),
    io:format("~w~n", [[bitstring_to_list(<<1, 2, 5:3>>), list_to_bitstring([1, <<5:3>>, [<<1:5>>, 2]])]]),
    io:format("~w~n", [try binary_to_list(id(<<1:3>>)) catch error:R -> R end]),
    io:format("~w~n", [try list_to_binary([id(<<1:3>>)]) catch error:R2 -> R2 end]),
    io:format("~w~n", [deep(Base, 0)]),
    io:format("~w~n", [[binary:part(Base, 3, 4), binary_part(Base, {10, -4}), binary:at(Base, 5)]]),
    io:format("~p ~p ~p~n", [<<1:1>>, <<"ab", 3:2>>, <<>>]),
    io:format("~w~n", [[bit_size(X) || X <- [<<1:1>>, <<1, 2:2>>, <<>>]]]),
    io:format("~w~n", [[{byte_size(X), is_binary(X), is_bitstring(X)} || X <- [id(<<1:1>>), <<1:9>>, <<1:8>>, <<>>]]]),
    io:format("~w~n", [rev(id(<<2#1101001:7>>), <<>>)]),
    io:format("~w~n", [rot(<<1, 2, 3>>, 5)]).

deep(B, N) when bit_size(B) > 9 -> <<_:9, R/bits>> = B, deep(R, N + bit_size(R));
deep(_, N) -> N.

rev(<<X:1, R/bits>>, A) -> rev(R, <<X:1, A/bits>>);
rev(<<>>, A) -> A.

rot(B, N) -> <<A:N/bits, R/bits>> = B, <<R/bits, A/bits>>.

id(X) -> X.
