%% Binary and list comprehensions over lists and binaries.
-module(bin_comp).
-export([main/0, id/1]).

main() ->
    B = list_to_binary(lists:seq(0, 20)),
    p([X * 2 || <<X>> <= B, X rem 3 =:= 0]),
    p(<< <<(X + 1)>> || <<X>> <= B >>),
    p(<< <<X:5>> || X <- lists:seq(1, 10) >>),
    p(<< <<X:1>> || <<X:1>> <= <<16#aa, 16#55>>, X =:= 1 >>),
    p([{X, Y} || <<X:4, Y:4>> <= <<16#12, 16#34, 16#5:4>>]),
    p([X || <<X:3>> <= <<16#ff, 0>>]),
    p([X || <<1, X>> <= <<1, 2, 1, 3, 2, 4, 1, 5>>]),
    p([{X, Y} || X <- [1, 2, 3], Y <- [a, b], X =/= 2]),
    p([{X, Y} || X <- [1, 2], <<Y>> <= <<8, 9>>]),
    p([{X, Y} || <<X>> <= <<1, 2>>, Y <- [a, b]]),
    p([X || {ok, X} <- [{ok, 1}, error, {ok, 2}, {error, 3}]]),
    p([Y || X <- [1, 2, 3], Y <- lists:seq(1, X), Y band 1 =:= 1]),
    p([[Z || Z <- lists:seq(1, X)] || X <- [1, 2, 3]]),
    p(<< <<A:B1>> || {A, B1} <- [{1, 3}, {2, 7}, {3, 12}] >>),
    p(<< <<X/float>> || X <- [1, 2.5] >>),
    p(<< <<X/binary>> || X <- [<<"a">>, <<"bc">>, <<>>, <<"def">>] >>),
    p(<< (id(<<X, 0>>)) || <<X:16>> <= <<1:16, 2:16>> >>),
    p(bit_size(<< <<X:7>> || X <- lists:seq(1, 1000) >>)),
    p([X || <<L, X:L/binary>> <= <<1, "a", 3, "abc", 0, 2, "zz">>]),
    p(erlang:phash2(<< <<(X bxor 16#5a)>> || <<X>> <= binary:copy(B, 5000) >>)),
    t(fun() -> [X || X <- id(x)] end),
    t(fun() -> [X || X <- id([1 | 2])] end),
    t(fun() -> [X || <<X>> <= id([1])] end),
    t(fun() -> << <<X>> || X <- id([1, a]) >> end),
    t(fun() -> << (id(X)) || X <- [<<1>>, 2] >> end),
    t(fun() -> [X || X <- [1, 2], id(X)] end),
    t(fun() -> [X || X <- [1, a], X + 1 > 1] end),
    t(fun() -> [X || X <- [1, a], id(X + 1) > 1] end),
    t(fun() -> [X || X <- [true, false, a], X] end).

p(X) -> io:format("~w~n", [X]).
t(F) -> p(try F() catch C:R -> {C, R} end).
id(X) -> X.
