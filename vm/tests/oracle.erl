%% Answers of OTP for vm/tests/oracle.rs: a list of groups, written with term_to_binary.
-module(oracle).
-export([main/1]).

main(File) ->
    rand:seed(exsss, {1, 2, 3}),
    Ints = ints(),
    Terms = terms() ++ [random(4) || _ <- lists:seq(1, 3000)],
    Numbers = Ints ++ floats(),
    Pairs = [{pick(Numbers), pick(Numbers)} || _ <- lists:seq(1, 4000)],
    Groups = [
        {binary, [{Op, X, Y, try {ok, calc(Op, X, Y)} catch error:R -> R end}
                  || {X, Y} <- Pairs, Op <- ['+', '-', '*', '/', 'div', 'rem', 'band', 'bor', 'bxor']]},
        {shift, [{Op, X, Y, try {ok, calc(Op, X, Y)} catch error:R -> R end}
                 || X <- Ints, Y <- [0, 1, 3, 59, 63, 64, 65, 128, 200, -1, -3, -59, -63, -64, -65, -128, -200,
                                     1 bsl 70, -(1 bsl 70)],
                    Op <- ['bsl', 'bsr']]},
        {unary, [{Op, X, try {ok, calc(Op, X)} catch error:R -> R end}
                 || X <- Numbers, Op <- ['-', 'bnot', abs, trunc, round, floor, ceil, float]]},
        {text, [{X, B, integer_to_binary(X, B)} || X <- Ints, B <- [2, 7, 10, 16, 36]]},
        {float, [{F, float_to_binary(F, [short]), float_to_binary(F)} || F <- floats()]},
        {hash, [{T, erlang:phash2(T, 1 bsl 32)} || T <- Terms]},
        {order, [begin
                     X = pick(Terms), Y = pick([X | [pick(Terms) || _ <- "abc"]]),
                     {X, Y, cmp(X < Y, X == Y), X =:= Y, erts_internal:cmp_term(X, Y)}
                 end || _ <- lists:seq(1, 20000)]
                ++ [{X, Y, cmp(X < Y, X == Y), X =:= Y, erts_internal:cmp_term(X, Y)}
                    || {X, Y} <- Pairs ++ lists:flatmap(fun near/1, Ints)]},
        {external, [{T, term_to_binary(T, [deterministic]), term_to_binary(T, [{minor_version, 0}, deterministic]),
                     term_to_binary(T, [{minor_version, 2}, deterministic]), term_to_binary(T, [compressed])}
                    || T <- Terms]}
    ],
    ok = file:write_file(File, term_to_binary(Groups)).

near(X) ->
    try float(X) of
        F -> [{X, F}, {trunc(F), F}, {trunc(F) + 1, F}, {F, trunc(F) - 1}]
    catch error:_ -> [{X, 1.0e308}, {-1.0e308, X}]
    end.

cmp(true, _) -> -1;
cmp(_, true) -> 0;
cmp(_, _) -> 1.

pick(L) -> lists:nth(rand:uniform(length(L)), L).

ints() ->
    Base = lists:usort([S * ((1 bsl B) + D) || B <- [0, 1, 7, 8, 15, 16, 27, 31, 32, 52, 53, 58, 59, 60, 63, 64, 65, 95,
                                                     126, 127, 128, 191, 192, 256, 1000, 1023, 1024, 1025, 2000, 5000],
                                          D <- [-1, 0, 1], S <- [1, -1]]),
    Base ++ [binary:decode_unsigned(rand:bytes(rand:uniform(N))) * pick([1, -1])
             || N <- [4, 8, 9, 12, 16, 17, 24, 32, 40, 64, 100, 300, 600], _ <- lists:seq(1, 8)].

floats() ->
    [0.0, -0.0, 0.5, -0.5, 1.5, 2.5, -2.5, 0.49999999999999994, 4503599627370497.5, 1.0e22, 1.0e23, 5.0e-324,
     1.7976931348623157e308, -1.7976931348623157e308, 9007199254740992.0, 9007199254740994.0, 123456789012345680.0,
     1.0e-5, 0.0001, 0.00012345, 100000.0, 12000.0, 120.0, 1.0e15, 1.0e16]
    ++ [rand:uniform() * math:pow(10, rand:uniform(40) - 20) * pick([1, -1]) || _ <- lists:seq(1, 200)]
    ++ [math:pow(10, N) || N <- lists:seq(-30, 30)]
    ++ [float(N) || N <- [1, 2, 3, 10, 11, 100, 110, 1000, 1234567, 16777216, 4503599627370496, 9007199254740991]]
    ++ lists:append([case <<(rand:uniform(1 bsl 64) - 1):64>> of <<F/float>> -> [F]; _ -> [] end
                     || _ <- lists:seq(1, 300)]).

terms() ->
    ints() ++ floats() ++
    [[], {}, #{}, a, ok, '', 'hello world', 'é', 'éa', 'aé', 'ж', 'жaé', list_to_atom(lists:duplicate(255, $x)),
     list_to_atom(lists:duplicate(255, 1078)), "abc", "abcd", "abcde", [1, 2 | 3], [a | b], [256, 1], [[]], [1, []],
     lists:seq(1, 300), lists:duplicate(70000, 7), list_to_tuple(lists:seq(1, 300)),
     maps:from_list([{X, X} || X <- lists:seq(1, 32)]), maps:from_list([{X, X} || X <- lists:seq(1, 33)]),
     maps:from_list([{{X, "k"}, X * 1.5} || X <- lists:seq(1, 2000)]),
     maps:from_list([{{X, "k"}, X} || X <- lists:seq(1, 2000)]),
     maps:from_list([{X / 2, X} || X <- lists:seq(1, 100)] ++ [{X, X} || X <- lists:seq(1, 100)]),
     fun lists:map/2, fun erlang:abs/1, fun 'A b':'C d'/0,
     lists:foldl(fun(_, T) -> [T] end, [], lists:seq(1, 2000)),
     lists:foldl(fun(_, T) -> {T} end, a, lists:seq(1, 2000))]
    ++ [binary:part(<<"abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz">>, 0, N)
        || N <- lists:seq(0, 70)]
    ++ [<<(rand:bytes(N))/binary, 5:B>> || N <- [0, 1, 5, 11, 12, 13, 70], B <- lists:seq(3, 7)]
    ++ external().

external() ->
    X = fun(B) -> binary_to_term(iolist_to_binary([131 | B])) end,
    [X([88, 119, 3, "a@h", <<1:32, 2:32, 3:32>>]), X([88, 119, 3, "b@h", <<1:32, 2:32, 3:32>>]),
     X([88, 119, 3, "a@h", <<2:32, 1:32, 3:32>>]), X([88, 119, 3, "a@h", <<1:32, 2:32, 4:32>>]),
     X([88, 119, 13, "nonode@nohost", <<77:32, 2:32, 0:32>>]),
     X([90, 0, 3, 119, 3, "a@h", <<4:32, 1:32, 2:32, 3:32>>]), X([90, 0, 2, 119, 3, "a@h", <<4:32, 1:32, 2:32>>]),
     X([90, 0, 3, 119, 3, "b@h", <<4:32, 1:32, 2:32, 3:32>>]), X([90, 0, 3, 119, 3, "a@h", <<4:32, 2:32, 1:32, 3:32>>]),
     X([90, 0, 5, 119, 3, "a@h", <<4:32, 1:32, 2:32, 3:32, 4:32, 5:32>>]),
     X([89, 119, 3, "a@h", <<5:32, 6:32>>]), X([89, 119, 3, "b@h", <<4:32, 6:32>>]),
     X([120, 119, 3, "a@h", <<5:8, 5:56, 6:32>>])].

random(0) ->
    case rand:uniform(9) of
        1 -> rand:uniform(300) - 150;
        2 -> pick([a, b, c, ok, true, 'é']);
        3 -> rand:uniform() * 100;
        4 -> float(rand:uniform(20));
        5 -> rand:bytes(rand:uniform(20));
        6 -> [];
        7 -> rand:uniform(20);
        8 -> (rand:uniform(1 bsl 62) - (1 bsl 61)) * rand:uniform(1 bsl 10);
        9 -> <<(rand:bytes(rand:uniform(5)))/binary, 1:(rand:uniform(7))>>
    end;
random(N) ->
    case rand:uniform(6) of
        1 -> list_to_tuple([random(N - 1) || _ <- lists:seq(1, rand:uniform(4) - 1)]);
        2 -> [random(N - 1) || _ <- lists:seq(1, rand:uniform(4) - 1)];
        3 -> [random(N - 1) | random(N - 1)];
        4 -> maps:from_list([{random(N - 1), random(N - 1)} || _ <- lists:seq(1, rand:uniform(5) - 1)]);
        5 -> [rand:uniform(255) || _ <- lists:seq(1, rand:uniform(9))];
        6 -> random(0)
    end.

calc('+', X, Y) -> X + Y;
calc('-', X, Y) -> X - Y;
calc('*', X, Y) -> X * Y;
calc('/', X, Y) -> X / Y;
calc('div', X, Y) -> X div Y;
calc('rem', X, Y) -> X rem Y;
calc('band', X, Y) -> X band Y;
calc('bor', X, Y) -> X bor Y;
calc('bxor', X, Y) -> X bxor Y;
calc('bsl', X, Y) -> X bsl Y;
calc('bsr', X, Y) -> X bsr Y.

calc('-', X) -> -X;
calc('bnot', X) -> bnot X;
calc(abs, X) -> abs(X);
calc(trunc, X) -> trunc(X);
calc(round, X) -> round(X);
calc(floor, X) -> floor(X);
calc(ceil, X) -> ceil(X);
calc(float, X) -> float(X).
