%% proc_lib: start, start_link, init_ack, failures, initial_call, translate, stop, sys messages to a special process.
-module(proclib).
-export([main/0, good/1, bad/1, slow/1, dies/1, special/1, system_continue/3, system_terminate/4,
    system_get_state/1, system_replace_state/2]).

main() ->
    process_flag(trap_exit, true),
    S = self(),
    {ok, P, extra} = proc_lib:start_link(?MODULE, good, [S]),
    p(proc_lib:initial_call(P)),
    P ! stop,
    receive {'EXIT', P, R} -> p(R) end,
    p(proc_lib:start_link(?MODULE, bad, [S])),
    flush(),
    p(proc_lib:start(?MODULE, slow, [S], 30)),
    p(proc_lib:start(?MODULE, dies, [S])),
    p(proc_lib:start_link(?MODULE, dies, [S])),
    flush(),
    {ok, Q} = proc_lib:start_link(?MODULE, special, [S]),
    p([sys:get_state(Q), sys:replace_state(Q, fun(X) -> X + 1 end), sys:get_state(Q)]),
    ok = sys:suspend(Q),
    Q ! {ping, S},
    receive pong -> p(bad) after 30 -> p(suspended) end,
    ok = sys:resume(Q),
    receive pong -> p(pong) after 1000 -> p(none) end,
    ok = sys:statistics(Q, true),
    Q ! {ping, S},
    receive pong -> ok end,
    {ok, Stats} = sys:statistics(Q, get),
    p(lists:sort([K || {K, _} <- Stats])),
    p(sys:log(Q, {true, 5})), p(sys:log(Q, get)), ok = proc_lib:stop(Q), flush(),
    p(try proc_lib:stop(Q) catch exit:W -> W end),
    {X, M} = proc_lib:spawn_opt(fun() -> exit(normal) end, [monitor]), receive {'DOWN', M, _, X, Wx} -> p(Wx) end,
    Y = proc_lib:spawn_link(fun() -> S ! {anc, length(get('$ancestors')), tuple_size(get('$initial_call'))},
        exit(shutdown) end),
    receive {anc, A, I} -> p({A, I}) end,
    receive {'EXIT', Y, Ry} -> p(Ry) end,
    p(proc_lib:translate_initial_call(spawn(fun() -> timer:sleep(50) end)) =/= x),
    Z = proc_lib:spawn(fun() -> proc_lib:hibernate(?MODULE, good, [S]) end),
    timer:sleep(20),
    p(process_info(Z, current_function)),
    exit(Z, kill).

good(S) -> proc_lib:init_ack(S, {ok, self(), extra}), receive stop -> ok end.
bad(S) -> proc_lib:init_ack(S, {error, no_way}), exit(normal).
slow(_) -> timer:sleep(5000).
dies(_) -> exit(shutdown).
special(S) -> proc_lib:init_ack({ok, self()}), loop(S, sys:debug_options([]), 1).
loop(Parent, Deb, St) ->
    receive
        {system, From, Req} -> sys:handle_system_msg(Req, From, Parent, ?MODULE, Deb, St);
        {ping, To} -> D = sys:handle_debug(Deb, fun(_, _, _) -> ok end, special, {in, ping}),
        To ! pong,
        loop(Parent, D, St)
    end.
system_continue(P, D, S) -> loop(P, D, S).
system_terminate(R, _, _, _) -> exit(R).
system_get_state(S) -> {ok, S}.
system_replace_state(F, S) -> N = F(S), {ok, N, N}.

flush() -> receive _ -> flush() after 20 -> ok end.
p(X) -> io:format("~p~n", [X]).
