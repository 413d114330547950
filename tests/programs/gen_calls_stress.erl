%% timeout: 60
%% A pool of gen_servers called by many clients at once; sums must agree.
-module(gen_calls_stress).
-behaviour(gen_server).
-export([main/0, init/1, handle_call/3, handle_cast/2]).

main() ->
    Ss = [begin {ok, P} = gen_server:start_link(?MODULE, 0, []), P end || _ <- lists:seq(1, 20)],
    T = list_to_tuple(Ss),
    Me = self(),
    [spawn_link(fun() -> [gen_server:call(element((I * J) rem 20 + 1, T), {add, J}) || J <- lists:seq(1, 200)],
        [gen_server:cast(S, {add, 1}) || S <- Ss], Me ! done end) || I <- lists:seq(1, 50)],
    [receive done -> ok end || _ <- lists:seq(1, 50)],
    io:format("~w~n", [lists:sum([gen_server:call(S, get) || S <- Ss])]),
    io:format("~w~n", [50 * (200 * 201 div 2) + 50 * 20]),
    {_, M} = spawn_monitor(fun() -> exit({got, [catch gen_server:call(S, get) || S <- lists:sublist(Ss,
        2)] =/= []}) end),
    receive {'DOWN', M, _, _, R} -> io:format("~w~n", [R]) end,
    [ok = gen_server:stop(S) || S <- Ss],
    io:format("~w~n", [lists:usort([is_process_alive(S) || S <- Ss])]).

init(N) -> {ok, N}.
handle_call({add, K}, _, N) -> {reply, ok, N + K};
handle_call(get, _, N) -> {reply, N, N}.
handle_cast({add, K}, N) -> {noreply, N + K}.
