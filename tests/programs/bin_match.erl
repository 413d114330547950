%% Binary matching: integers, floats, binaries, tails, sizes from variables, failures, clause selection.
-module(bin_match).
-export([main/0, id/1]).

main() ->
    B = id(<<16#fedcba9876543210:64, "tail">>),
    [t(L, F) || {L, F} <- [
        {u8, fun() -> <<X, _/binary>> = B, X end}, {s8, fun() -> <<X:8/signed, _/binary>> = B, X end},
        {u16l, fun() -> <<X:16/little, _/binary>> = B, X end},
        {s16l, fun() -> <<X:16/signed-little, _/binary>> = B, X end},
        {u13, fun() -> <<X:13, R/bits>> = B, {X, bit_size(R)} end},
        {s13, fun() -> <<X:13/signed, _/bits>> = B, X end},
        {l13, fun() -> <<X:13/little, _/bits>> = B, X end},
        {sl13, fun() -> <<X:13/signed-little, _/bits>> = B, X end},
        {u64, fun() -> <<X:64, R/binary>> = B, {X, R} end}, {s64, fun() -> <<X:64/signed, _/binary>> = B, X end},
        {l64, fun() -> <<X:64/little, _/binary>> = B, X end}, {u90, fun() -> <<X:90, _/bits>> = B, X end},
        {s90, fun() -> <<X:90/signed-little, _/bits>> = B, X end},
        {un, fun() -> <<_:3, X:16, Y:5, _/bits>> = B, {X, Y} end},
        {un2, fun() -> <<_:5, X:3/binary, _/bits>> = B, X end},
        {un3, fun() -> <<_:1, X:64/signed, _/bits>> = B, X end},
        {zero, fun() -> <<X:0, _/binary>> = B, X end}, {bin3, fun() -> <<X:3/binary, _/binary>> = B, X end},
        {tail, fun() -> <<_:8/binary, T/binary>> = B, T end}, {short, fun() -> <<_:13/binary, _/binary>> = B end},
        {exact, fun() -> <<_:8/binary>> = B end},
        {str, fun() -> <<_:64, "tail">> = B, ok end},
        {str_bad, fun() -> <<_:64, "tall">> = B, ok end},
        {lit, fun() -> <<16#fe, 16#dc:8, _/bits>> = B, ok end},
        {bits, fun() -> <<X:7/bits, Y:2/bits, _/bits>> = B, {X, Y} end},
        {notbin, fun() -> <<_/binary>> = id(abc) end}, {bits_tail, fun() -> <<_:3, X/binary>> = B, X end},
        {unit, fun() -> <<X:2/unit:5, _/bits>> = B, X end},
        {binunit, fun() -> <<X:2/binary-unit:12, _/bits>> = B, X end},
        {tailunit, fun() -> <<X/binary-unit:16>> = B, X end}, {tailunit2, fun() -> <<_, X/binary-unit:16>> = B,
            X end}]],
    t(floats, fun() -> <<A:64/float, C:32/float, D:16/float, E:32/float-little, F:64/float-little>> =
                           id(<<1.5:64/float, -2.25:32/float, 0.5:16/float, 7.0:32/float-little,
                               1.0e100:64/float-little>>), {A, C, D, E, F} end),
    t(nan, fun() -> <<X:64/float>> = id(<<16#7ff8000000000000:64>>), X end),
    t(inf, fun() -> <<X:32/float>> = id(<<16#7f800000:32>>), X end),
    t(inf16, fun() -> <<X:16/float>> = id(<<16#7c00:16>>), X end),
    t(f_unaligned, fun() -> <<_:3, X:64/float, _:5>> = id(<<5:3, 2.5:64/float, 0:5>>), X end),
    t(sized, fun() -> [sized(X) || X <- [<<3, "abcdef">>, <<0>>, <<9, "abc">>, <<>>, <<2, 1, 2>>]] end),
    t(size_bad, fun() -> N = id(-1), <<_:N, _/bits>> = B end),
    t(size_atom, fun() -> N = id(a), <<_:N, _/bits>> = B end),
    t(size_expr, fun() -> <<N, X:(N * 2 + 1)/binary, R/binary>> = id(<<1, "abcd">>), {X, R} end),
    t(parse, fun() -> parse(id(<<1, 5:16, "hello", 2, 42:32, 3, 1:1, 2:7, 4, 1.5/float, 9>>), []) end),
    t(parse_bad, fun() -> parse(id(<<1, 50:16, "hello">>), []) end),
    t(clauses, fun() -> [c(X) || X <- [<<>>, <<0>>, <<1, 2>>, <<"GET /">>, <<"PUT /">>, <<"GETX">>, <<1:1>>,
        <<255, 255, 255>>, <<3:2, 1:6>>, x]] end),
    t(guard, fun() -> [g(X) || X <- [<<5, 1>>, <<50, 1>>, <<200, 1>>, <<>>]] end),
    t(reuse, fun() -> reuse(id(<<1, 2, 3, 4, 5, 6, 7>>), 0) end),
    t(same_var, fun() -> [same(X) || X <- [<<1, 1>>, <<1, 2>>]] end),
    t(big, fun() -> <<_:80000, X:16, _/binary>> = id(binary:copy(<<0, 1, 2, 3, 4>>, 5000)), X end),
    t(split, fun() -> split(<<"a,b,,cc,d">>, $,) end),
    t(nested, fun() -> {<<A, R/binary>>, <<C, A, _/binary>>} = id({<<7, 8>>, <<9, 7, 1>>}), {A, C, R} end),
    t(case_, fun() -> case id(<<1, 2, 3>>) of <<A:12, _:4, C>> when A > 100 -> big; <<A, T/binary>> -> {A, T} end end).

sized(<<N, X:N/binary, R/binary>>) -> {ok, X, R};
sized(<<N, R/binary>>) -> {short, N, R};
sized(_) -> none.

parse(<<1, N:16, S:N/binary, R/binary>>, A) -> parse(R, [{str, S} | A]);
parse(<<2, N:32/signed, R/binary>>, A) -> parse(R, [{int, N} | A]);
parse(<<3, F:1, V:7, R/binary>>, A) -> parse(R, [{flag, F, V} | A]);
parse(<<4, F/float, R/binary>>, A) -> parse(R, [F | A]);
parse(<<9>>, A) -> lists:reverse(A);
parse(R, A) -> {error, R, A}.

c(<<>>) -> empty;
c(<<0>>) -> zero;
c(<<1, X>>) -> {one, X};
c(<<"GET ", R/binary>>) -> {get, R};
c(<<"PUT ", R/binary>>) -> {put, R};
c(<<"GET", R/binary>>) -> {getx, R};
c(<<X:1>>) -> {bit, X};
c(<<255, R/bits>>) -> {ff, R};
c(<<3:2, X:6>>) -> {three, X};
c(_) -> other.

g(<<N, _/binary>>) when N < 10 -> low;
g(<<N, _/binary>>) when N < 100 -> mid;
g(<<_, R/binary>>) -> {high, R};
g(B) -> {none, B}.

reuse(<<A, B, R/binary>> = All, S) when A < B, byte_size(All) > 3 -> reuse(R, S + A * B);
reuse(<<A, R/binary>>, S) -> reuse(R, S + A);
reuse(<<>>, S) -> S.

same(<<A, A>>) -> same;
same(<<_, _>>) -> different.

split(B, C) -> split(B, C, <<>>, []).
split(<<C, R/binary>>, C, W, A) -> split(R, C, <<>>, [W | A]);
split(<<X, R/binary>>, C, W, A) -> split(R, C, <<W/binary, X>>, A);
split(<<>>, _, W, A) -> lists:reverse([W | A]).

t(L, F) -> io:format("~s: ~w~n", [L, try F() catch C:R -> {C, R} end]).
id(X) -> X.
