%% Module binary, with bad input, and the binary built-ins of erlang.
-module(binary_module).
-export([main/0, id/1]).

main() ->
    B = <<"the quick brown fox jumps over the lazy dog, the end">>,
    t(match, fun() -> [binary:match(B, P) || P <- [<<"the">>, <<"zzz">>, [<<"fox">>, <<"quick">>], <<"end">>]] end),
    t(match_scope, fun() -> binary:match(B, <<"the">>, [{scope, {5, 40}}]) end),
    t(matches, fun() -> [binary:matches(B, P) || P <- [<<"the">>, [<<"o">>, <<"ow">>, <<"own f">>], <<"aa">>]] end),
    t(overlap, fun() -> {binary:matches(<<"aaaaa">>, <<"aa">>), binary:matches(<<"abcabcabd">>, [<<"abcabd">>, <<"bc">>])} end),
    t(compiled, fun() -> P = binary:compile_pattern([<<" ">>, <<",">>]), {binary:matches(B, P), binary:split(B, P)} end),
    t(split, fun() -> [binary:split(B, <<" ">>), binary:split(B, <<" the ">>, [global]), binary:split(<<",a,,b,">>, <<",">>, [global, trim]),
                       binary:split(<<",a,,b,">>, <<",">>, [global, trim_all])] end),
    t(replace, fun() -> [binary:replace(B, <<"the">>, <<"a">>), binary:replace(B, <<"the">>, <<"a">>, [global]),
                         binary:replace(<<"abc">>, <<"b">>, <<"[]">>, [{insert_replaced, 1}])] end),
    t(part, fun() -> [binary:part(B, 4, 5), binary:part(B, {byte_size(B), -3}), binary:first(B), binary:last(B), binary:at(B, 1)] end),
    t(bytes, fun() -> [binary:bin_to_list(<<"abc">>), binary:bin_to_list(<<"abcd">>, 1, 2), binary:list_to_bin([1, <<2>>, [3]])] end),
    t(copy, fun() -> [binary:copy(<<"ab">>, 3), binary:copy(<<"ab">>), binary:copy(<<>>, 5)] end),
    t(unsigned, fun() -> [binary:decode_unsigned(<<1, 0>>), binary:decode_unsigned(<<1, 0>>, little), binary:decode_unsigned(<<>>),
                          binary:encode_unsigned(65536), binary:encode_unsigned(0), binary:encode_unsigned(258, little), binary:encode_unsigned(1 bsl 70)] end),
    t(prefix, fun() -> [binary:longest_common_prefix([<<"erlang">>, <<"ergonomy">>]), binary:longest_common_suffix([<<"fang">>, <<"erlang">>])] end),
    t(hex, fun() -> [binary:encode_hex(<<1, 171, 255>>), binary:decode_hex(<<"01ABff">>)] end),
    t(ref, fun() -> [binary:referenced_byte_size(<<"abc">>)] end),
    Big = binary:copy(<<"0123456789abcdef">>, 20000),
    t(big, fun() -> {length(binary:matches(Big, <<"f0">>)), binary:match(<<Big/binary, "Q">>, <<"Q">>), erlang:crc32(binary:replace(Big, <<"a">>, <<>>, [global]))} end),
    [t(bad, F) || F <- [
        fun() -> binary:match(x, <<"a">>) end, fun() -> binary:match(B, <<>>) end, fun() -> binary:match(B, []) end, fun() -> binary:match(B, [x]) end,
        fun() -> binary:match(B, <<"a">>, [{scope, {0, 1000}}]) end, fun() -> binary:matches(id(<<1:3>>), <<"a">>) end,
        fun() -> binary:part(B, 50, 5) end, fun() -> binary:part(B, -1, 1) end, fun() -> binary:at(B, 100) end, fun() -> binary:at(B, -1) end,
        fun() -> binary:first(<<>>) end, fun() -> binary:last(<<>>) end, fun() -> binary:copy(<<"a">>, -1) end, fun() -> binary:copy(a, 1) end,
        fun() -> binary:split(B, x) end, fun() -> binary:split(B, <<" ">>, [foo]) end, fun() -> binary:replace(B, <<"t">>, x) end,
        fun() -> binary:decode_unsigned(a) end, fun() -> binary:encode_unsigned(-1) end, fun() -> binary:decode_hex(<<"0">>) end, fun() -> binary:decode_hex(<<"zz">>) end,
        fun() -> binary:longest_common_prefix([]) end, fun() -> binary:bin_to_list(<<"abc">>, 2, 5) end, fun() -> binary:list_to_bin(x) end,
        fun() -> binary:compile_pattern([]) end, fun() -> split_binary(B, 1000) end, fun() -> split_binary(B, -1) end, fun() -> binary_to_list(B, 0, 3) end]],
    t(split_binary, fun() -> [split_binary(<<"abc">>, N) || N <- [0, 1, 3]] end),
    t(b2l, fun() -> [binary_to_list(<<"abcd">>, 2, 3), binary_to_list(<<>>)] end).

t(L, F) -> io:format("~s: ~p~n", [L, try F() catch C:R -> {C, R} end]).
id(X) -> X.
