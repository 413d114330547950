%% min-otp: 26
%% Language of OTP 26 and 27: map comprehensions, maybe, triple-quoted strings, sigils.
-module(comps27).
-feature(maybe_expr, enable).
-export([main/0]).

main() ->
    p(maps:to_list(#{X => X * X || X <- [1, 2, 3]})),
    p(lists:sort([{K, V} || K := V <- #{a => 1, b => 2}])),
    p(maps:to_list(#{V => K || K := V <- #{1 => 10, 2 => 20}, K > 1})),
    p(<< <<V>> || _ := V <- #{1 => 65} >>),
    p([m(X) || X <- [{ok, 5}, {ok, a}, error, {ok, -1}]]),
    p(try [K || K := _ <- notmap()] catch error:R -> R end).

m(X) ->
    maybe
        {ok, Y} ?= X,
        true ?= is_integer(Y),
        Z = Y + 1,
        {good, Z}
    else
        error -> bad;
        false -> not_integer
    end.

notmap() -> list_to_atom("x").
p(X) -> io:format("~p~n", [X]).
