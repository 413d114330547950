%% phash2 of every kind of term, phash, md5, crc32, adler32 in parts and combined.
-module(hashes).
-export([main/0, id/1]).

main() ->
    Ts = [0, 1, -1, 255, 256, 1 bsl 27, 1 bsl 31, 1 bsl 32, 1 bsl 59, -(1 bsl 59), 1 bsl 63, 1 bsl 64,
        -(1 bsl 64), (1 bsl 100) + 7, -((1 bsl 200) - 1), 0.0, -0.0, 1.0, -1.5, 1.0e300, a, b, '', ok, 'é',
        '日本', [], [1], [1, 2, 3], "abc", lists:seq(1, 300), [a | b], [[]], [[[1]]], {}, {1}, {a, b}, {1, {2,
        {3}}}, list_to_tuple(lists:seq(1, 100)),
          <<>>, <<1>>, <<"abc">>, <<1:1>>, <<5:3>>, <<"abc", 5:3>>, list_to_binary(lists:seq(0, 255)), #{},
              #{a => 1}, #{1 => 2, 3 => 4}, maps:from_list([{I, I} || I <- lists:seq(1, 100)]),
              fun lists:map/2, fun erlang:abs/1, [256, -1, 1.5], [1, 2, 3 | 4], "unicode €"],
    [io:format("~w ~w ~w~n", [erlang:phash2(T), erlang:phash2(T, 1000), erlang:phash2(T, 1 bsl 32)]) || T <- Ts],
    [io:format("~w ", [erlang:phash(T, 1 bsl 32)]) || T <- Ts, not is_map(T)],
    io:nl(),
    p(erlang:phash2([Ts, list_to_tuple(Ts)])),
    p([erlang:md5(X) || X <- ["", "abc", <<"The quick brown fox">>, [<<"a">>, "bc"]]]),
    C0 = erlang:md5_init(),
    C1 = erlang:md5_update(C0, "ab"),
    C2 = erlang:md5_update(C1, [<<"c">>]),
    p(erlang:md5_final(C2) =:= erlang:md5("abc")),
    Big = binary:copy(<<"0123456789">>, 100000),
    p([erlang:md5(Big), erlang:crc32(Big), erlang:adler32(Big), erlang:phash2(Big)]),
    p([erlang:crc32("abc"), erlang:crc32(0, "abc"), erlang:crc32(erlang:crc32("ab"), "c"),
        erlang:crc32_combine(erlang:crc32("ab"), erlang:crc32("c"), 1)]),
    p([erlang:adler32("abc"), erlang:adler32(1, "abc"), erlang:adler32(erlang:adler32("ab"), "c"),
        erlang:adler32_combine(erlang:adler32("ab"), erlang:adler32("c"), 1)]),
    [t(F) || F <- [fun() -> erlang:phash2(a, -1) end, fun() -> erlang:phash2(a, 0) end, fun() ->
        erlang:phash2(a, (1 bsl 32) + 1) end, fun() -> erlang:phash(a, 0) end, fun() -> erlang:md5(id(a)) end,
        fun() -> erlang:md5([256]) end, fun() -> erlang:crc32(-1, "a") end, fun() -> erlang:crc32(1 bsl 32,
        "a") end, fun() -> erlang:md5_update(id(x), "a") end, fun() -> erlang:md5_final(<<1>>) end, fun() ->
        erlang:adler32([a]) end]],
    p([erlang:phash2(X) =:= erlang:phash2(binary_to_term(term_to_binary(X))) || X <- Ts] =:= [true || _ <- Ts]),
    <<_:3,
    U/binary>> = <<1:3,
    "unaligned">>,
    p([erlang:phash2(U) =:= erlang:phash2(<<"unaligned">>), erlang:crc32(U), erlang:md5(U)]).

p(X) -> io:format("~w~n", [X]).
t(F) -> p(try F() catch C:R -> {C, R} end).
id(X) -> X.
