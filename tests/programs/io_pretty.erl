%% ~p: where it breaks lines, for every container, at many widths and columns; recognised strings; depth.
-module(io_pretty).
-export([main/0]).
-record(rec, {name, list = [], map}).

main() ->
    L = lists:seq(1, 60), T = list_to_tuple(L), S = lists:duplicate(100, $s), B = list_to_binary(S),
    Ts = [L, T, S, B, {tag, L, S}, [{key, V} || V <- lists:seq(1, 15)], {deep, {deep, {deep, {deep, L}}}}, [S,
        S], [[], {}, [[]], <<>>, "", ''], #{1 => L}, #{1 => #{2 => #{3 => S}}},
          maps:from_list([{I, {value, I, S}} || I <- lists:seq(1, 5)]),
          #rec{name = "record", list = L, map = #{1 => 2}},
          [#rec{name = N} || N <- [a, b, c]],
          {ok, [{a, "string", [1.5, -2.0e-10]}]},
          [a | b],
          [1, 2 | L],
          {[a | S]},
          [<<"x">> || _ <- lists:seq(1, 30)],
          [list_to_atom(lists:duplicate(N, $a)) || N <- lists:seq(1, 40, 3)], {list_to_atom(lists:duplicate(90,
              $q)), x}, "with\nnewlines\tand \"quotes\"", lists:duplicate(20, "word"), [65, 66, 7], <<200, 201,
              202>>, {'$ancestors', [self_, {x, y}], "äöü"}, lists:foldl(fun(I, A) -> {I, A} end, leaf,
              lists:seq(1, 40))],
    [io:format("~p~n", [X]) || X <- Ts],
    [io:format("prefix ~p suffix~n", [X]) || X <- Ts],
    [io:format("~40p~n", [X]) || X <- Ts],
    [io:format("~20p|~n", [X]) || X <- lists:sublist(Ts, 10)],
    [io:format("          ~.5p|~n", [X]) || X <- lists:sublist(Ts, 3)],
    [io:format("~P~n", [X, 10]) || X <- Ts],
    [io:format("~tp ~lp~n", [X, X]) || X <- ["abc", "åäö", [8364, 8365], <<"åäö">>, <<"åäö"/utf8>>]],
    io:format("~s~n", [io_lib:print({a, L}, 5, 30, 20)]),
    io:format("~w~n", [io_lib:write(lists:seq(1, 100), 10) =/= x]),
    io:format("~s~n", [io_lib:write({a, [b, {c, d}]}, 4)]),
    io:format("~w~n", [[io_lib:printable_list(X) || X <- ["abc", [1], [8364], "", x]]]),
    io:format("~s~n", [io_lib:format("~p", [list_to_tuple(lists:duplicate(200, x))])]).
