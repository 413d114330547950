%% External term format: exact bytes, round trips, options, damaged input.
-module(ext_term).
-export([main/0, id/1]).

main() ->
    Ts = [0, 255, 256, -1, 1 bsl 31, -(1 bsl 31), (1 bsl 31) - 1, 1 bsl 59, 1 bsl 64, -(1 bsl 64), 1 bsl 2100,
        1.5, -0.0, a, '', 'é', 'some_atom', [], [1], "abc", [1000], [a | b], [[[]]], {}, {a, {b}},
        list_to_tuple(lists:seq(1, 300)), <<>>, <<"abc">>, <<5:3>>, <<1, 2:7>>, #{}, #{1 => 2},
        fun lists:map/2, lists:duplicate(100, $x), {1, "s", <<"b">>, [2.5 | z]}],
    [io:format("~w~n", [begin B = term_to_binary(T), T = binary_to_term(B), if byte_size(B) > 60 ->
        {byte_size(B), erlang:crc32(B)}; true -> B end end]) || T <- Ts],
    [io:format("~w~n", [term_to_binary(T, O)]) || T <- [a, {'é', 1.5}], O <- [[], [{minor_version, 0}],
        [{minor_version, 1}], [{minor_version, 2}], [deterministic]]],
    C = term_to_binary(lists:duplicate(1000, "compress me"), [compressed]),
    p([byte_size(C) < 1000, binary_to_term(C) =:= lists:duplicate(1000, "compress me"),
        byte_size(term_to_binary(a, [compressed]))]),
    p([erlang:external_size(T) || T <- Ts]),
    p(erlang:external_size({a, "b"}, [{minor_version, 1}])),
    p(binary_to_term(<<131, 97, 5, 99, 99>>, [used])),
    p([binary_to_term(term_to_binary(X)) =:= X || X <- [self(), make_ref(), Ts]]),
    F = fun(X) -> {X, Ts} end,
    G = binary_to_term(term_to_binary(F)),
    p([G =:= F, G(1) =:= F(1)]),
    p(catch_(fun() -> binary_to_term(<<131, 119, 12, "zzz_new_atom">>, [safe]) end)),
    p(binary_to_term(<<131, 119, 2, "ok">>, [safe])),
    p([binary_to_term(B) || B <- [<<131, 100, 0, 1, "a">>, <<131, 118, 0, 2, 195, 169>>, <<131, 115, 1, "b">>,
        <<131, 99, "1.50000000000000000000e+00", 0, 0, 0, 0, 0>>, <<131, 107, 0, 2, "hi">>, <<131, 110, 1, 1,
        5>>, <<131, 110, 8, 0, 255, 255, 255, 255, 255, 255, 255, 127>>, <<131, 111, 0, 0, 0, 1, 0, 7>>, <<131,
        98, 255, 255, 255, 255>>, <<131, 116, 0, 0, 0, 1, 97, 1, 97, 2>>]]),
    Bad = [<<>>, <<131>>, <<130, 97, 1>>, <<131, 97>>, <<131, 98, 0>>, <<131, 108, 255, 255, 255, 255, 97, 1>>,
        <<131, 108, 0, 0, 0, 1, 97, 1>>, <<131, 104, 5, 97, 1>>, <<131, 109, 255, 255, 255, 255, 1>>, <<131,
        119, 5, "ab">>, <<131, 119, 1, 255>>, <<131, 100, 1, 1>>, <<131, 70, 127, 240, 0, 0, 0, 0, 0, 0>>,
        <<131, 99, "x">>, <<131, 77, 0, 0, 0, 1, 0, 1>>, <<131, 77, 0, 0, 0, 1, 9, 1>>, <<131, 116, 0, 0, 0, 2,
        97, 1, 97, 2, 97, 1, 97, 3>>, <<131, 80, 0, 0, 0, 5, 1, 2, 3>>, <<131, 113, 97, 1>>, <<131, 112, 0>>,
        <<131, 255>>, <<131, 103, 97, 1>>, <<131, 97, 1, 2>>, <<131, 110, 255, 0>>, <<131, 82, 0>>],
    p([catch_(fun() -> binary_to_term(B) end) || B <- Bad]),
    [p(catch_(X)) || X <- [fun() -> binary_to_term(id(a)) end, fun() -> binary_to_term(<<131, 97, 1>>,
        [bad]) end, fun() -> term_to_binary(a, [{compressed, 10}]) end, fun() -> term_to_binary(a,
        [{minor_version, 5}]) end, fun() -> binary_to_term(<<1:3>>) end]],
    Full = term_to_binary({[1, 2.5, a, "str"], <<"bin">>, #{1 => 1 bsl 80}}),
    p([length([x || N <- lists:seq(0, byte_size(Full) - 1), catch_(fun() -> binary_to_term(binary:part(Full, 0,
        N)) end) =/= badarg])]),
    Big = lists:seq(1, 100000),
    p(erlang:crc32(term_to_binary(Big))),
    Deep = lists:foldl(fun(_, A) -> {A} end, x, lists:seq(1, 100000)),
    p(binary_to_term(term_to_binary(Deep)) =:= Deep),
    p([erlang:crc32(term_to_iovec(Big)), term_to_iovec(a)]).

p(X) -> io:format("~w~n", [X]).
catch_(F) -> try F() catch error:R -> R end.
id(X) -> X.
