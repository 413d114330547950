%% max-otp: 25
%% Instructions that only older code uses: float error checks, zeroed frames, make_fun2, receive marks, set_tuple_element.
-module(legacy22).
-compile([r22]).
-export([main/0, id/1]).
-record(r, {a, b, c, d}).

main() ->
    p(poly(id(1.5), id(2), id(-3.0))),
    p([try poly(X, Y, 1.0) catch error:R -> R end || {X, Y} <- [{1.0e308, 1.0e308}, {a, 1}, {1, 0.0},
        {1 bsl 2000, 1}]]),
    p(call(id(3))),
    F = closure(id(1), id(2)), p(F(3)),
    p(upd(#r{a = id(1)})),
    p([zero(X) || X <- [1, 2, 3]]),
    p([try zero(X) catch C:E -> {C, E} end || X <- [throw, error, exit]]),
    [self() ! {junk, I} || I <- lists:seq(1, 100)],
    p(rpc(echo(), hello)),
    p(upd2(#r{a = 1, b = 2, c = 3, d = 4})).

poly(X, Y, Z) when is_float(Z) -> X * Y + Z / X - Y * Z * 2.0.

call(N) -> A = id(N), B = id(A + 1), C = id(B + 1), {A, B, C}.

closure(A, B) -> fun(X) -> {A, B, X, fun() -> A end} end.

upd(R) -> R#r{a = 2, b = 3, d = 5}.
upd2(R) -> X = id(9), R#r{a = X, b = X, c = X}.

zero(X) ->
    Y = case X of
            1 -> id(one);
            2 -> Z = id(two), id({Z, X});
            3 -> try id(X) of 3 -> three after id(after_) end;
            throw -> throw(X);
            error -> error(X);
            exit -> exit(X)
        end,
    id({Y, X}).

rpc(Pid, X) ->
    Ref = make_ref(),
    Pid ! {self(), Ref, X},
    receive {Ref, Y} -> Y end.

echo() -> spawn(fun() -> receive {From, Ref, X} -> From ! {Ref, {echo, X}} end end).

p(X) -> io:format("~p~n", [X]).
id(X) -> X.
