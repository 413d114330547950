%% Conversions between numbers, texts, lists and binaries, with bad input.
-module(conv).
-export([main/0, id/1]).

main() ->
    p([integer_to_list(X) || X <- [0, -1, 1 bsl 60, -(1 bsl 64), 123456789012345678901234567890]]),
    p([integer_to_list(255, B) || B <- lists:seq(2, 36)]),
    p([integer_to_binary(-255, B) || B <- [2, 8, 16, 36]]),
    p([list_to_integer(X) || X <- ["0", "-0", "+7", "00012", "-9223372036854775808", "9223372036854775807",
        "9223372036854775808"]]),
    p([binary_to_integer(X) || X <- [<<"12">>, <<"-12">>, <<"+12">>]]),
    p([binary_to_integer(<<"-Ff">>, 16), list_to_integer("zZ", 36)]),
    p([float_to_list(X, [{decimals, D}]) || X <- [1.0, 0.1, 123.456, -5.5e-5], D <- [0, 1, 5, 20]]),
    p([float_to_list(X, [{scientific, D}]) || X <- [1.0, 0.1, 123.456, -5.5e-5], D <- [0, 1, 5, 20]]),
    p([float_to_binary(X, [short]) || X <- [1.0, 0.1, 1.0e22, 1.0e-7]]),
    p([float_to_list(X, [compact, {decimals, 8}]) || X <- [1.0, 1.5, 0.12345678]]),
    p([list_to_binary(X) || X <- [[], [1, [2, <<3>>, []], <<>>], [[[[255]]]]]]),
    p([iolist_to_binary(X) || X <- [<<"a">>, [<<"a">>, $b | <<"c">>]]]),
    p([iolist_size(X) || X <- [[], <<"abc">>, [1, <<2, 3>>, [4]]]]),
    p(erlang:iolist_to_iovec([<<"a">>, "bc", [<<"d">>]])),
    p([tuple_to_list({a, {b}}), list_to_tuple([a, [b]])]),
    p([atom_to_list(x), list_to_atom("x y"), atom_to_binary('é'), binary_to_atom(<<"q">>)]),
    p([list_to_existing_atom("ok"), binary_to_existing_atom(<<"ok">>)]),
    p([list_to_float(X) || X <- ["1.0", "-1.0e-3", "0.1e1"]]),
    p([binary_to_float(X) || X <- [<<"1.0">>, <<"1.0e10">>]]),
    p(pid_to_list(self()) =/= x),
    p(list_to_pid(pid_to_list(self())) =:= self()),
    R = make_ref(),
    p(list_to_ref(ref_to_list(R)) =:= R),
    p(erlang:fun_to_list(fun lists:map/2)),
    [t(F) || F <- [fun() -> list_to_binary(id(a)) end, fun() -> list_to_binary([256]) end, fun() ->
        list_to_binary([-1]) end, fun() -> list_to_binary([a]) end, fun() -> list_to_binary([1 | 2]) end,
        fun() -> iolist_to_binary([<<1:1>>]) end, fun() -> iolist_size([a]) end, fun() -> list_to_pid("x") end,
        fun() -> list_to_ref("#Ref<") end, fun() -> list_to_port("x") end,
        fun() -> binary_to_float(<<"1">>) end, fun() -> float_to_list(1.0, [{decimals, -1}]) end, fun() ->
            float_to_list(1.0, [{decimals, 254}]) end, fun() -> float_to_list(1.0, x) end, fun() ->
            float_to_binary(a) end, fun() -> integer_to_binary(1, 1) end, fun() -> integer_to_list(1, a) end,
            fun() -> list_to_float(a) end, fun() -> tuple_to_list([]) end, fun() -> atom_to_binary(<<>>) end,
            fun() -> erlang:fun_to_list(a) end, fun() -> pid_to_list(a) end, fun() -> erlang:iolist_to_iovec(a) end]],
    Deep = lists:foldl(fun(I, A) -> [A, I band 255, <<I>>] end, [], lists:seq(1, 20000)),
    p([erlang:crc32(Deep), iolist_size(Deep), erlang:phash2(iolist_to_binary(Deep)), erlang:adler32(Deep),
        erlang:md5(Deep)]).

p(X) -> io:format("~p~n", [X]).
t(F) -> p(try F() catch C:R -> {C, R} end).
id(X) -> X.
