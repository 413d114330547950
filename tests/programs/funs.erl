%% Funs: closures, external funs, recursion, comparison, fun_info, arity and type errors.
-module(funs).
-export([main/0, id/1, add/2, zero/0]).

main() ->
    A = id(10), B = id("env"),
    F0 = fun() -> A end, F1 = fun(X) -> X + A end, F2 = fun(X, Y) -> {X, Y, B} end,
    L2 = fun add/2, E2 = fun ?MODULE:add/2, M = id(?MODULE), N = id(add), Dyn = fun M:N/2,
    p([F0(), F1(5), F2(1, 2), L2(3, 4), E2(3, 4), Dyn(5, 6)]),
    p([apply(F1, [1]), apply(E2, [1, 2]), apply(?MODULE, add, [1, 2]), (id(F0))()]),
    p([E2 =:= Dyn, E2 =:= fun ?MODULE:add/2, F1 =:= F1, fun lists:map/2 == fun lists:map/2, E2 < fun ?MODULE:zero/0]),
    p([is_function(F, Ar) || F <- [F0, F1, F2, L2, E2], Ar <- [0, 1, 2]]),
    p([erlang:fun_info(E2, I) || I <- [module, name, arity, type, env]]),
    p([erlang:fun_info(F2, I) || I <- [module, arity, type, env]]),
    p(E2),
    p([begin {arity, R} = erlang:fun_info(F, arity), R end || F <- [F0, F1, F2, L2, E2]]),
    Fact = fun Self(0) -> 1; Self(K) -> K * Self(K - 1) end,
    p(Fact(30)),
    Y = fun(G) -> (fun(X) -> X(X) end)(fun(X) -> G(fun(V) -> (X(X))(V) end) end) end,
    p((Y(fun(Rec) -> fun(0) -> 0; (K) -> K + Rec(K - 1) end end))(100)),
    Comp = lists:foldl(fun(G, Acc) -> fun(X) -> G(Acc(X)) end end, fun(X) -> X end, [fun(X) -> X * 2 end
        || _ <- lists:seq(1, 50)]),
    p(Comp(1)),
    Counter = counter(5), p(Counter()),
    Many = [fun() -> I * A end || I <- lists:seq(1, 5)],
    p([G() || G <- Many]),
    P = self(), spawn(fun() -> P ! {sent, fun(X) -> X + A end} end),
    receive {sent, G1} -> p(G1(1)) end,
    p(big(1, 2, 3, 4, 5, 6, 7, 8)),
    [t(L, H) || {L, H} <- [
        {badarity, fun() -> (id(E2))(1) end},
        {badarity_local, fun() -> try (id(F1))(1, 2) catch error:{badarity, {_, As}} -> {arity, As} end end},
        {badfun, fun() -> (id(a))(1) end},
        {badfun2, fun() -> (id({m, f}))(1) end},
        {badfun3, fun() -> apply(id("x"), []) end},
        {undef, fun() -> (fun nomod:nofun/1)(x) end},
        {undef2, fun() -> (fun ?MODULE:nofun/1)(x) end},
        {undef3, fun() -> apply(?MODULE, nofun, [1, 2]) end},
        {undef4, fun() -> (id(nomod)):foo() end},
        {badarg, fun() -> apply(?MODULE, add, id([1 | 2])) end},
        {badarg2, fun() -> apply(id(1), add, []) end},
        {badarg3, fun() -> apply(E2, id(x)) end},
        {make, fun() -> erlang:make_fun(?MODULE, add, 2) end},
        {make_bad, fun() -> erlang:make_fun(?MODULE, add, -1) end},
        {clause, fun() -> try (id(fun(1) -> one end))(2) catch error:function_clause -> fc end end},
        {info, fun() -> erlang:fun_info(E2, foo) end},
        {info2, fun() -> erlang:fun_info(a, arity) end}, {exported, fun() -> [erlang:function_exported(?MODULE,
            F, K) || {F, K} <- [{add, 2}, {add, 3}, {counter, 1}]] end}]].

counter(0) -> fun() -> done end;
counter(N) -> F = counter(N - 1), fun() -> {N, F()} end.

big(A, B, C, D, E, F, G, H) ->
    Fn = fun(X1, X2, X3, X4, X5, X6, X7, X8) -> [A + X8, B + X7, C + X6, D + X5, E + X4, F + X3, G + X2, H + X1] end,
    Fn(1, 2, 3, 4, 5, 6, 7, 8).

add(X, Y) -> X + Y.
zero() -> 0.
p(X) -> io:format("~p~n", [X]).
t(L, F) -> io:format("~s: ~p~n", [L, try F() catch C:R -> {C, R} end]).
id(X) -> X.
