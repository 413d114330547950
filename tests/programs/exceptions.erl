%% try, catch and after in every nesting; the three classes; the old catch; stack traces as values.
-module(exceptions).
-export([main/0, id/1]).

main() ->
    Fs = [fun() -> value end, fun() -> throw(t) end, fun() -> error(e) end, fun() -> exit(x) end, fun() ->
        error(e, [a]) end,
          fun() -> 1 + id(a) end, fun() -> {ok, _} = id(no) end, fun() -> erlang:raise(throw, r, []) end,
              fun() -> exit({a, b}) end],
    p([try F() of value -> was_value; O -> O catch throw:T -> {t, T}; error:E -> {e, E}; exit:X -> {x, X} end
        || F <- Fs]),
    p([try F() catch _:R -> R end || F <- Fs]),
    p([strip(catch F()) || F <- Fs]),
    p([nested(F) || F <- Fs]),
    p([try try F() catch throw:t -> inner end catch C:R -> {outer, C, R} end || F <- Fs]),
    p([try try F() after put(aft, [F | []]) end of V -> {v, V} catch C:_ -> {C, length(get(aft))} end || F <- Fs]),
    p([try try F() catch error:_ -> throw(from_catch) end catch C:R -> {C, R} end || F <- Fs]),
    p(try try throw(a) after throw(b) end catch throw:X0 -> X0 end),
    p(try try throw(a) catch a -> error(c) after io:format("after~n") end catch C1:R1 -> {C1, R1} end),
    p(try try id(1) of 2 -> two catch throw:R2 -> R2 end catch C3:R3 -> {C3, R3} end),
    p(try throw({tag, 5}) catch {tag, N} when N > 3 -> {big, N}; {tag, N} -> {small, N} end),
    p(catch (catch throw(inner)) ++ id(x) =:= y),
    p(case catch error(foo) of {'EXIT', {foo, [_ | _]}} -> ok end),
    p(loop(10, [])),
    p(tail(100000)),
    p(try deep(5000) catch throw:{bottom, D} -> D end),
    p(try lists:foreach(fun(3) -> throw(found); (_) -> ok end, [1, 2, 3, 4]) catch found -> found end),
    p([rethrow(F) || F <- Fs]),
    p(try error(badarg) catch error:badarg:St -> {is_list(St), element(1, hd(St)), element(2, hd(St))} end),
    p([cls(F) || F <- Fs]),
    p(erl_after()),
    p([case catch raise(C) of {'EXIT', {R, _}} -> {exit, R}; Z -> Z end || C <- [throw, error, exit]]),
    p(try erlang:raise(id(foo), a, []) catch Q:W -> {Q, W} end),
    p(erlang:raise(id(foo), a, [])),
    p(catch erlang:raise(error, a, id(notalist))),
    p(try throw(id(1)) catch 1 -> one; _ -> other end),
    p(try exit(normal) catch exit:normal -> n end),
    p((fun() -> try id(5) of 5 -> five after io:format("of after~n") end end)()).

strip({'EXIT', {R, S}}) when is_list(S) -> {'EXIT', R, length(S) > 0};
strip(X) -> X.

nested(F) ->
    try
        try F() catch error:_ -> in_error; throw:_ -> exit(converted) after put(n, 1) end
    of
        value -> v;
        Other -> {of_, Other}
    catch
        exit:R -> {exit, R}
    after
        erase(n)
    end.

rethrow(F) ->
    try try F() catch C:R:S -> erlang:raise(C, {again, R}, S) end catch C2:R2 -> {C2, R2} end.

cls(F) -> try F(), none catch throw:_ -> throw; error:badarith -> arith; error:{badmatch, V} -> {bm, V}; C:_ -> C end.

raise(C) -> erlang:raise(C, reason, [{m, f, 1, []}]).

loop(0, A) -> A;
loop(N, A) ->
    V = try if N rem 3 =:= 0 -> throw(N); N rem 3 =:= 1 -> error(N); true -> N end catch throw:X -> {t, X};
        error:X -> {e, X} end,
    loop(N - 1, [V | A]).

tail(0) -> done;
tail(N) ->
    try throw(x) catch throw:x -> ok end,
    tail(N - 1).

deep(0) -> throw({bottom, 5000});
deep(N) -> 1 + deep(N - 1).

erl_after() ->
    R = (catch try exit(first) after exit(second) end),
    {R, get(aft) =/= undefined}.

p(X) -> io:format("~p~n", [X]).
id(X) -> X.
