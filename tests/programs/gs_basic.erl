%% gen_server: calls, casts, infos, timeouts, continue, stop, dead servers, sys functions.
-module(gs_basic).
-behaviour(gen_server).
-export([main/0]).
-export([init/1, handle_call/3, handle_cast/2, handle_info/2, handle_continue/2, terminate/2, code_change/3,
    format_status/1]).

main() ->
    {ok, P} = gen_server:start_link(?MODULE, {ok, 10}, []),
    p([gen_server:call(P, get), gen_server:call(P, {add, 5}), gen_server:cast(P, {add, 100}), gen_server:call(P, get)]),
    P ! {info, self()}, p(receive X -> X after 1000 -> none end),
    p(gen_server:call(P, deferred)),
    p(gen_server:call(P, timeout_then_get)), timer:sleep(40), p(gen_server:call(P, get)),
    p(gen_server:call(P, continue)),
    p([sys:get_state(P), sys:replace_state(P, fun({N, L}) -> {N * 2, L} end), gen_server:call(P, get)]),
    ok = sys:suspend(P),
    p(try gen_server:call(P, get, 30) catch exit:{timeout, {gen_server, call, [_, get, 30]}} -> timeout end),
    ok = sys:resume(P),
    timer:sleep(10), p(gen_server:call(P, get)), flush(),
    {status, P, {module, gen_server}, [_, St, _, _, _]} = sys:get_status(P), p(St),
    R = gen_server:send_request(P, get),
    p(gen_server:receive_response(R, 1000)),
    R2 = gen_server:send_request(P, get),
    p(gen_server:wait_response(R2, 1000)),
    p(gen_server:stop(P)), p(is_process_alive(P)),
    p(ex(fun() -> gen_server:call(P, get) end)),
    p(ex(fun() -> gen_server:call(no_such_server, get) end)),
    p(gen_server:cast(no_such_server, x)),
    p(ex(fun() -> gen_server:stop(no_such_server) end)),
    {ok, N} = gen_server:start({local, gs_name}, ?MODULE, {ok, 1}, []),
    p(gen_server:call(gs_name, get)),
    p(element(1, gen_server:start({local, gs_name}, ?MODULE, {ok, 1}, []))),
    p(gen_server:call({gs_name, node()}, get)),
    p(N =:= whereis(gs_name)),
    gen_server:stop(gs_name, shutdown, 1000),
    p(whereis(gs_name)),
    process_flag(trap_exit, true),
    p([gen_server:start(?MODULE, A, []) || A <- [ignore, {stop, shutdown}, {stop, {shutdown, x}}]]),
    p(gen_server:start_link(?MODULE, {stop, normal}, [])),
    flush(),
    p(gen_server:start(?MODULE, slow, [{timeout, 30}])),
    {ok, C} = gen_server:start(?MODULE, {ok, 0}, []),
    Mc = monitor(process, C),
    gen_server:cast(C, stop),
    receive {'DOWN', Mc, _, _, Why} -> p(Why) end,
    {ok, D} = gen_server:start(?MODULE, {ok, 0}, []), p(ex(fun() -> gen_server:call(D, {stop_reply, shutdown}) end)),
    {ok, E} = gen_server:start_monitor(?MODULE, {ok, 3}, []),
    {Ep, Em} = E,
    gen_server:stop(Ep),
    receive {'DOWN', Em, process, Ep, W2} -> p(W2) end,
    {ok, F} = gen_server:start_link(?MODULE, {report, self()}, []),
    exit(F, shutdown),
    receive {terminated, T} -> p(T) after 1000 -> p(no) end,
    receive {'EXIT', F, Rf} -> p(Rf) end,
    {ok, G} = gen_server:start(?MODULE, {ok, 7}, []),
    p(ex(fun() -> gen_server:call(G, noreply, 20) end)),
    p(gen_server:call(G, get)),
    p(gen_server:reply({self(), make_ref()}, x)), flush(),
    Ps = [begin {ok, Q} = gen_server:start(?MODULE, {ok, I}, []), Q end || I <- lists:seq(1, 200)],
    p(lists:sum([gen_server:call(Q, get) || Q <- Ps])),
    [gen_server:stop(Q) || Q <- Ps].

init({ok, N}) -> {ok, {N, []}};
init(ignore) -> ignore;
init({stop, R}) -> {stop, R};
init(slow) -> timer:sleep(5000), {ok, x};
init({report, To}) -> process_flag(trap_exit, true), {ok, {report, To}}.

handle_call(get, _, {N, _} = S) -> {reply, N, S};
handle_call({add, K}, _, {N, L}) -> {reply, N + K, {N + K, L}};
handle_call(deferred, From, S) -> self() ! {later, From}, {noreply, S};
handle_call(timeout_then_get, _, S) -> {reply, waiting, S, 10};
handle_call(continue, From, S) -> {noreply, S, {continue, From}};
handle_call(noreply, _, S) -> {noreply, S};
handle_call({stop_reply, R}, _, S) -> {stop, R, stopping, S}.
handle_cast({add, K}, {N, L}) -> {noreply, {N + K, L}};
handle_cast(stop, S) -> {stop, normal, S}.
handle_info({info, To}, S) -> To ! {infoed, S}, {noreply, S};
handle_info({later, From}, S) -> gen_server:reply(From, later), {noreply, S};
handle_info(timeout, {_, L}) -> {noreply, {timed_out, L}};
handle_info(_, S) -> {noreply, S}.
handle_continue(From, {_, L}) -> gen_server:reply(From, continued), {noreply, {50, L}}.
terminate(R, {report, To}) -> To ! {terminated, R};
terminate(_, _) -> ok.
code_change(_, S, _) -> {ok, S}.
format_status(M) -> M.

ex(F) -> try F() catch exit:{R, {gen_server, Fn, [_ | _]}} -> {exit, R, Fn}; C:R -> {C, R} end.
flush() -> receive _ -> flush() after 0 -> ok end.
p(X) -> io:format("~p~n", [X]).
