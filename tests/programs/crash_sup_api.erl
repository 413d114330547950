%% The interface of supervisor, with the reports of what ends.
-module(crash_sup_api).
-behaviour(gen_server).
-export([main/0, start_link/1, init/1, handle_call/3, handle_cast/2, handle_info/2]).

main() ->
    process_flag(trap_exit, true),
    {ok, Sup} = supervisor:start_link(?MODULE, {sup, one_for_one}),
    p(kids(Sup)),
    gen_server:cast(a, {exit, shutdown}), wait_new(a), p(kids(Sup)), p(gen_server:call(a, count)),
    gen_server:cast(b, {exit, normal}), wait_gone(b), p(kids(Sup)),
    p(supervisor:restart_child(Sup, b) =/= x), p(kids(Sup)),
    p([supervisor:terminate_child(Sup, c), kids(Sup), supervisor:delete_child(Sup, c), kids(Sup),
        supervisor:terminate_child(Sup, zz), supervisor:delete_child(Sup, a), supervisor:restart_child(Sup, a)]),
    {ok, _} = supervisor:start_child(Sup, child(d, permanent)),
    p(kids(Sup)),
    {error, {already_started, _}} = supervisor:start_child(Sup, child(d, permanent)),
    p(lists:sort(supervisor:count_children(Sup))),
    {ok, Spec} = supervisor:get_childspec(Sup, a),
    p(lists:sort(maps:to_list(Spec))),
    p(supervisor:check_childspecs([child(x, permanent)])),
    p(supervisor:check_childspecs([#{id => q}])),
    p(supervisor:start_child(Sup, bad)),
    Ps = [whereis(N) || N <- [a, b, d]],
    unlink(Sup),
    exit(Sup, shutdown),
    Ms = [monitor(process, X) || X <- Ps],
    [receive {'DOWN', M, _, _, _} -> ok end || M <- Ms],
    p([whereis(N) || N <- [a, b, d]]),
    p(supervisor:start_link(?MODULE, ignore)), p(supervisor:start_link(?MODULE, bad)), flush(),
    {ok, S2} = supervisor:start_link(?MODULE, simple),
    L = [begin {ok, C} = supervisor:start_child(S2, [none]), C end || _ <- lists:seq(1, 50)],
    p(lists:sort(supervisor:count_children(S2))),
    [supervisor:terminate_child(S2, C) || C <- lists:sublist(L, 10)],
    p(lists:sort(supervisor:count_children(S2))),
    timer:sleep(500).

start_link(none) -> gen_server:start_link(?MODULE, {srv, none}, []);
start_link(N) -> gen_server:start_link({local, N}, ?MODULE, {srv, N}, []).
init({sup, St}) -> {ok, {#{strategy => St, intensity => 5, period => 10}, [child(a, permanent), child(b,
        transient), child(c, temporary)]}};
init(simple) -> {ok, {#{strategy => simple_one_for_one}, [#{id => k, start => {?MODULE, start_link, []},
        restart => temporary}]}};
init(ignore) -> ignore;
init(bad) -> {ok, nonsense};
init({srv, N}) -> {ok, {N, 0}}.
child(N, R) -> #{id => N, start => {?MODULE, start_link, [N]}, restart => R, shutdown => 1000}.
handle_call(count, _, {N, C}) -> {reply, C, {N, C + 1}}.
handle_cast({exit, R}, S) -> {stop, R, S}.
handle_info(_, S) -> {noreply, S}.

kids(S) -> lists:sort([{I, if is_pid(P) -> pid; true -> P end, T} || {I, P, T, _} <- supervisor:which_children(S)]).
wait_new(N) -> timer:sleep(50), is_pid(whereis(N)).
wait_gone(N) -> timer:sleep(50), undefined = whereis(N).
flush() -> receive _ -> flush() after 0 -> ok end.
p(X) -> timer:sleep(60), io:format("~p~n", [X]).
