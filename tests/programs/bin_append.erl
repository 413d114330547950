%% Binaries grown by appending: linear, shared, branching, at bit offsets, with old versions still in use.
-module(bin_append).
-export([main/0, id/1]).

main() ->
    B = grow(1000000, <<>>),
    io:format("~w ~w~n", [byte_size(B), erlang:crc32(B)]),
    Old = grow(1000, <<"start">>),
    A1 = <<Old/binary, "one">>, A2 = <<Old/binary, "two">>, A3 = <<A1/binary, "x">>, A4 = <<A1/binary, "y">>,
    io:format("~w~n", [[erlang:crc32(X) || X <- [Old, A1, A2, A3, A4]]]),
    io:format("~w~n", [[binary:last(X) || X <- [Old, A1, A2, A3, A4]]]),
    Versions = versions(300, <<>>, []),
    io:format("~w~n", [lists:all(fun({N, V}) -> V =:= list_to_binary([I band 255 || I <- lists:seq(1, N)]) end,
        Versions)]),
    Bits = lists:foldl(fun(I, A) -> <<A/bits, I:3>> end, <<>>, lists:seq(1, 10000)),
    io:format("~w ~w~n", [bit_size(Bits), erlang:phash2(Bits)]),
    Mixed = lists:foldl(fun(I, A) -> <<A/bits, I:(I rem 13), "ab", (I * 1.0):32/float, (<<I:5>>)/bits>> end,
        <<>>, lists:seq(1, 3000)),
    io:format("~w ~w~n", [bit_size(Mixed), erlang:phash2(Mixed)]),
    Pre = lists:foldl(fun(I, A) -> <<I, A/binary>> end, <<>>, lists:seq(1, 2000)),
    io:format("~w ~w~n", [byte_size(Pre), erlang:md5(Pre)]),
    Self = self(),
    P = spawn(fun() -> receive {bin, X} -> Self ! {back, <<X/binary, "child">>} end end),
    P ! {bin, Old}, Mine = <<Old/binary, "parent">>,
    receive {back, Theirs} -> io:format("~w ~w~n", [erlang:crc32(Theirs), erlang:crc32(Mine)]) end,
    Utf = lists:foldl(fun(I, A) -> <<A/binary, (256 + I)/utf8>> end, <<>>, lists:seq(1, 5000)),
    io:format("~w ~w~n", [byte_size(Utf), length(unicode:characters_to_list(Utf))]),
    Acc2 = two(10000, <<>>, <<>>),
    io:format("~w~n", [Acc2]),
    Dbl = lists:foldl(fun(_, X) -> <<X/binary, X/binary>> end, <<"ab">>, lists:seq(1, 18)),
    io:format("~w ~w~n", [byte_size(Dbl), erlang:adler32(Dbl)]),
    io:format("~w~n", [try <<(id(<<1:3>>))/binary, 1>> catch error:R -> R end]),
    io:format("~w~n", [try <<(id(x))/binary, 1>> catch error:R2 -> R2 end]).

grow(0, A) -> A;
grow(N, A) -> grow(N - 1, <<A/binary, N>>).

versions(0, _, Vs) -> Vs;
versions(N, A, Vs) -> K = 301 - N, A1 = <<A/binary, K>>, versions(N - 1, A1, [{K, A1} | Vs]).

two(0, A, B) -> {erlang:crc32(A), byte_size(B)};
two(N, A, B) when N band 1 =:= 0 -> two(N - 1, <<A/binary, N:16>>, B);
two(N, A, B) -> two(N - 1, A, <<B/binary, (byte_size(A)):24, 1>>).

id(X) -> X.
