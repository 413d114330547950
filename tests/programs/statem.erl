%% gen_statem: both callback modes, postpone, time-outs of all kinds, internal events, enter calls, replies, stop.
-module(statem).
-behaviour(gen_statem).
-export([main/0, init/1, callback_mode/0, handle_event/4, terminate/3]).

main() ->
    {ok, P} = gen_statem:start_link(?MODULE, self(), []),
    p(log()),
    p([gen_statem:call(P, where), gen_statem:cast(P, open), gen_statem:call(P, where)]), p(log()),
    p(gen_statem:call(P, postponed)), p(log()),
    gen_statem:cast(P, {state_timeout, 20}), timer:sleep(60), p(log()),
    gen_statem:cast(P, {timeout, 20}), timer:sleep(60), p(log()),
    gen_statem:cast(P, {generic, 30, a}),
    gen_statem:cast(P, {generic, 10, b}),
    gen_statem:cast(P, {generic, 100000, c}),
    timer:sleep(80),
    p(log()),
    gen_statem:cast(P, cancel_c), p(gen_statem:call(P, where)), p(log()),
    gen_statem:cast(P, internal), p(gen_statem:call(P, where)), p(log()),
    P ! some_info, p(gen_statem:call(P, where)), p(log()),
    p(element(1, sys:get_state(P))),
    p(try gen_statem:call(P, noreply, 20) catch exit:{timeout, _} -> timeout end),
    R = gen_statem:send_request(P, where), p(gen_statem:receive_response(R)),
    p(gen_statem:call(P, repeat)), p(log()),
    p(gen_statem:stop(P)), p(log()),
    p(try gen_statem:call(P, x) catch exit:{W, _} -> W end),
    {ok, Q} = gen_statem:start(?MODULE, self(), []),
    M = monitor(process, Q),
    gen_statem:cast(Q, stop),
    receive {'DOWN', M, _, _, Why} -> p(Why) end,
    p(log()),
    {ok, Z} = gen_statem:start(?MODULE, self(), []), p(gen_statem:call(Z, stop_and_reply)), log(),
    process_flag(trap_exit, true), p([gen_statem:start(?MODULE, A, []) || A <- [ignore, {stop, {shutdown, bad}}]]).

callback_mode() -> [handle_event_function, state_enter].
init(ignore) -> ignore;
init({stop, R}) -> {stop, R};
init(To) -> {ok, closed, To, [{next_event, internal, started}]}.

handle_event(enter, Old, New, To) -> To ! {log, {enter, Old, New}}, keep_state_and_data;
handle_event({call, F}, where, S, _) -> {keep_state_and_data, {reply, F, S}};
handle_event(cast, open, closed, To) -> {next_state, open, To};
handle_event({call, _}, postponed, open, To) -> {next_state, closed, To, [postpone]};
handle_event({call, F}, postponed, closed, _) -> {keep_state_and_data, [{reply, F, handled_closed}]};
handle_event(cast, {state_timeout, T}, _, _) -> {keep_state_and_data, [{state_timeout, T, st}]};
handle_event(cast, {timeout, T}, _, _) -> {keep_state_and_data, [{timeout, T, et}]};
handle_event(cast, {generic, T, N}, _, _) -> {keep_state_and_data, [{{timeout, N}, T, N}]};
handle_event(cast, cancel_c, _, _) -> {keep_state_and_data, [{{timeout, c}, cancel}]};
handle_event(cast, internal, _, _) -> {keep_state_and_data, [{next_event, internal, i1}, {next_event, internal, i2}]};
handle_event({call, F}, repeat, _, _) -> {repeat_state_and_data, [{reply, F, repeated}]};
handle_event({call, F}, stop_and_reply, _, _) -> {stop_and_reply, normal, [{reply, F, bye}]};
handle_event({call, _}, noreply, _, _) -> keep_state_and_data;
handle_event(cast, stop, _, _) -> stop;
handle_event(state_timeout, X, S, To) -> To ! {log, {state_timeout, X, S}}, {next_state, open, To};
handle_event(T, X, S, To) -> To ! {log, {T, X, S}}, keep_state_and_data.
terminate(R, S, To) when is_pid(To) -> To ! {log, {terminate, R, S}}.

log() -> receive {log, X} -> [X | log()] after 5 -> [] end.
p(X) -> io:format("~p~n", [X]).
