%% Built-ins of module erlang that no other program is about, with bad input.
-module(erlang_bifs).
-export([main/0, id/1]).

main() ->
    p([abs(X) || X <- [-1, 1, -1.5, -(1 bsl 59), -(1 bsl 70), -0.0]]),
    p([{trunc(X), round(X), floor(X), ceil(X)} || X <- [1, -1.5, 2.5, 1.0e20, -0.1]]),
    p([float(X) || X <- [1, 2.5, 1 bsl 70]]),
    p([max(1, 2), min(a, 1), max([], {})]),
    p([hd([1]), tl([1]), length([a, b])]),
    p([tuple_size({1}), byte_size(<<1:9>>), bit_size(<<1:9>>), map_size(#{1 => 2})]),
    p([element(1, {a}), setelement(1, {a}, b)]),
    p([size({1, 2}), size(<<1, 2>>)]),
    p([is_record(id({r, 1}), r, 2), is_record(id(x), r, 1)]),
    p([erlang:max(1, 1.0), erlang:min(1.0, 1)]),
    p([binary_part(<<"abcdef">>, 2, 3), binary_part(<<"abc">>, {3, -1})]),
    p([split_binary(<<"abc">>, 1)]),
    p([erlang:make_tuple(2, x), list_to_tuple([]), tuple_to_list({})]),
    p(erlang:decode_packet(line, <<"one\ntwo">>, [])),
    p([erlang:decode_packet(T, B, []) || {T, B} <- [{1, <<2, "abc">>}, {2, <<0, 1, "x">>}, {4, <<0, 0, 0, 9,
        1>>}, {raw, <<"r">>}, {http, <<"GET / HTTP/1.1\r\n">>}, {httph, <<"Host: x\r\n\r\n">>}, {asn1, <<48, 1,
        5>>}, {http_bin, <<"HTTP/1.0 200 OK\r\n">>}]]),
    p([bitstring_to_list(<<1, 2:4>>), list_to_bitstring([<<1:1>>, <<2:2>>])]),
    [t(F) || F <- [fun() -> abs(id(a)) end, fun() -> element(id(x), {}) end, fun() -> binary_part(<<1>>, 0,
        2) end, fun() -> split_binary(id(a), 1) end, fun() -> erlang:decode_packet(foo, <<>>, []) end, fun() ->
        max_(1) end, fun() -> erlang:make_tuple(a, 1) end, fun() -> list_to_bitstring([a]) end, fun() ->
        is_record(id(x), id(1)) end, fun() -> round(id([])) end, fun() -> erlang:nif_error(x) end, fun() ->
        erlang:halt(id(foo)) end, fun() -> erlang:apply(id(a), id(b)) end, fun() -> erlang:error(id(a), id(b),
        id(c)) end]].

t(F) -> p(try F() catch C:R -> {C, R} end).
max_(X) -> max(X, hd(id([]))).
p(X) -> io:format("~p~n", [X]).
id(X) -> X.
