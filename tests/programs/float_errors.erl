%% Float registers: errors in the middle of an expression, guards with floats, conversions of huge integers.
-module(float_errors).
-export([main/0, id/1]).

main() ->
    Xs = [1, 2.0, -3.5, 0, 0.0, a, 1 bsl 70, 1 bsl 1030, 1.0e200, [], <<>>],
    [io:format("~w ~w: ~w~n", [short(X), short(Y), [try F(X, Y) of V -> V catch error:E -> E end
        || F <- fs()]]) || X <- Xs, Y <- Xs],
    io:format("~w~n", [[guard(X, Y) || X <- Xs, Y <- Xs]]).

short(N) when is_integer(N), N > 1000 -> {big, length(integer_to_list(N))};
short(X) -> X.

fs() ->
    [fun(X, Y) -> X * 1.0 + Y end,
     fun(X, Y) -> (X / 2) * (Y / 3) end,
     fun(X, Y) -> X * 1.5 - Y * 2.5 end,
     fun(X, Y) -> 1.0 / (X * 1.0 + Y * 1.0) end,
     fun(X, Y) -> (X + 0.5) * (Y + 0.5) * (X + 1.5) end,
     fun(X, Y) -> -(X * 1.0) / Y end].

guard(X, Y) when X * 1.0 + Y > 3.0 -> big;
guard(X, Y) when X / Y < 0.0 -> neg;
guard(X, _) when is_float(X), X + 1.0 =:= 1.0 -> zero;
guard(_, _) -> none.

id(X) -> X.
