%% Catches and tries across calls, processes, tail positions and comprehensions; values kept over an exception.
-module(nested_catch_frames).
-export([main/0, id/1]).

main() ->
    p([lvl(N, 0) || N <- lists:seq(0, 6)]),
    p(keep(id(1), id(2), id(3))),
    p([catch_list(X) || X <- [ok, throw, error, exit]]),
    p(loop(1000, 0)),
    p(rec(200)),
    p(try lists:map(fun(X) -> 10 div X end, [1, 2, 0, 4]) catch error:badarith -> caught end),
    p([try 10 div X catch error:badarith -> inf end || X <- [1, 0, 2]]),
    p(try try_in_fun(fun() -> throw(deep) end) catch throw:X1 -> {outer, X1} end),
    p(after_order()),
    p(sub(fun() -> error(in_process) end)),
    p(case (catch throw({a, b})) of {a, B} -> B end),
    p(1 + (catch id(2))),
    p([catch id(1), catch throw(2), catch 3 + id(1)]),
    p(try (fun F(0) -> throw(zero); F(N) -> F(N - 1) + 1 end)(1000) catch zero -> unwound end),
    p(catch_after_catch(id(a))),
    p(raise_in_after()).

lvl(N, N0) -> try case N of 0 -> N0; 1 -> throw(N0); 2 -> error(N0); 3 -> exit(N0); _ -> {N, lvl(N - 2,
        N0 + 1)} end catch throw:X -> {t, X}; error:X when X > 0 -> {e, X}; exit:X -> {x, X}; error:X -> {e0,
        X} after put(lvl, N) end.
keep(A, B, C) -> D = A + B, E = try id(D), throw({A, C}) catch {X, Y} -> X + Y + D end, {A, B, C, D, E}.
catch_list(X) -> R = (catch case X of ok -> fine; throw -> throw(t); error -> error(e); exit -> exit(x) end),
        case R of {'EXIT', {E, S}} when is_list(S) -> {error, E}; _ -> R end.
loop(0, A) -> A;
loop(N, A) -> B = try case id(N) of X when X rem 2 =:= 0 -> 1; X when X rem 3 =:= 0 -> throw(three); _ ->
        error(other) end catch throw:_ -> 100; error:_ -> 10 end, loop(N - 1, A + B).
rec(0) -> throw(bottom);
rec(N) -> try rec(N - 1) catch throw:bottom when N rem 10 =:= 0, N > 100 -> {caught_at, N} end.
try_in_fun(F) -> try F() catch error:_ -> wrong end.
after_order() -> put(o, []), (catch try try put(o, [a | get(o)]), throw(x) after put(o,
        [b | get(o)]) end after put(o, [c | get(o)]) end), get(o).
sub(F) -> {_, M} = spawn_monitor(fun() -> exit(try F() catch C:R -> {C, R} end) end), receive {'DOWN', M, _, _,
        W} -> W end.
catch_after_catch(X) -> A = (catch X + 1), B = (catch X ++ [1]), C = (catch X()), [case E of {'EXIT', {{badfun,
        F}, _}} -> {badfun, F}; {'EXIT', {R, _}} -> R end || E <- [A, B, C]].
raise_in_after() -> try try throw(one) after error(two) end catch C:R -> {C, R} end.
p(X) -> io:format("~p~n", [X]).
id(X) -> X.
