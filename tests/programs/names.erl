%% Registered names: register, unregister, whereis, sending, reuse after death, errors.
-module(names).
-export([main/0, id/1]).

main() ->
    p([register(me, self()), whereis(me) =:= self(), lists:member(me, registered())]),
    me ! hi, receive hi -> p(got) end,
    {me, node()} ! hi2, receive hi2 -> p(got2) end,
    p(process_info(self(), registered_name)),
    p([unregister(me), whereis(me), process_info(self(), registered_name)]),
    P = spawn(fun() -> receive stop -> ok end end), register(srv, P), M = monitor(process, srv), srv ! stop,
    receive {'DOWN', M, _, _, R} -> p({R, whereis(srv)}) end,
    register(srv, self()), p(whereis(srv) =:= self()), unregister(srv),
    [t(F) || F <- [fun() -> srv ! x end, fun() -> unregister(srv) end, fun() -> register(undefined,
        self()) end, fun() -> register(id("a"), self()) end,
                   fun() -> register(a, id(b)) end,
                   fun() -> register(dead, P) end,
                   fun() -> whereis(id(1)) end,
                   fun() -> erlang:send(nope, x) end,
                   fun() -> erlang:send(nope, x, [noconnect]) end, fun() -> id({a}) ! x end, fun() ->
                       id(1) ! x end, fun() -> {nope, node()} ! x end]],
    register(twice, self()),
    t(fun() -> register(twice, self()) end),
    t(fun() -> register(twice2, self()) end),
    unregister(twice),
    race(200),
    Names = [list_to_atom("n" ++ integer_to_list(I)) || I <- lists:seq(1, 1000)],
    S = self(),
    [register(N, spawn(fun() -> receive {ping, I} -> S ! {pong, N, I} end end)) || N <- Names],
    [N ! {ping, I} || {I, N} <- lists:zip(lists:seq(1, 1000), Names)],
    p(lists:sum([receive {pong, N, I} -> I end || N <- Names])),
    timer:sleep(50),
    p([N || N <- Names, whereis(N) =/= undefined]).

%% Many processes try to take one name: exactly one gets it.
race(N) ->
    S = self(),
    Ps = [spawn(fun() -> receive go -> ok end, S ! {self(), catch register(prize, self())}, receive stop ->
        ok end end) || _ <- lists:seq(1, N)],
    [P ! go || P <- Ps],
    Won = [ok || P <- Ps, receive {P, V} -> V =:= true end],
    p(length(Won)), [P ! stop || P <- Ps].

p(X) -> io:format("~p~n", [X]).
t(F) -> p(try F() catch C:R -> {C, R} end).
id(X) -> X.
