%% gen_event: handlers added, deleted, swapped, called, notified.
-module(genevent).
-behaviour(gen_event).
-export([main/0, init/1, handle_event/2, handle_call/2, handle_info/2, terminate/2]).

main() ->
    {ok, E} = gen_event:start_link(),
    S = self(),
    p([gen_event:add_handler(E, ?MODULE, {S, one}), gen_event:add_handler(E, {?MODULE, b}, {S, two}),
        gen_event:add_handler(E, ?MODULE, {S, x})]),
    p(lists:sort(gen_event:which_handlers(E))),
    p(gen_event:notify(E, hello)), p(gen_event:sync_notify(E, world)), p(lists:sort(log())),
    p([gen_event:call(E, ?MODULE, get), gen_event:call(E, {?MODULE, b}, get), gen_event:call(E, nohandler, get)]),
    E ! raw, timer:sleep(10), p(lists:sort(log())),
    p(gen_event:swap_handler(E, {{?MODULE, b}, swapping}, {{?MODULE, c}, {S, three}})),
    p(log()),
    p(lists:sort(gen_event:which_handlers(E))),
    gen_event:notify(E, remove), timer:sleep(10), p(log()), p(gen_event:which_handlers(E)),
    p(gen_event:delete_handler(E, {?MODULE, c}, bye)),
    p(gen_event:add_sup_handler(E, ?MODULE, {S, sup})),
    p(gen_event:delete_handler(E, ?MODULE, because)),
    p(log()),
    receive {gen_event_EXIT, H, R} -> p({H, R}) after 100 -> p(none) end, p(gen_event:stop(E)),
    p(try gen_event:sync_notify(E, x) catch exit:W -> W end).

init({{To, N}, T}) -> To ! {log, {swapped, N, T}}, {ok, {To, N}};
init({To, N}) -> {ok, {To, N}}.
handle_event(remove, _) -> remove_handler;
handle_event(X, {To, N} = S) -> To ! {log, {N, X}}, {ok, S}.
handle_call(get, {_, N} = S) -> {ok, N, S}.
handle_info(X, {To, N} = S) -> To ! {log, {N, info, X}}, {ok, S}.
terminate(swapping, {To, N}) -> To ! {log, {term, N, swapping}}, from_old;
terminate(R, {To, N}) -> To ! {log, {term, N, R}}, ended.

log() -> receive {log, X} -> [X | log()] after 10 -> [] end.
p(X) -> io:format("~p~n", [X]).
