%% Who may do what with a table, giving it away, heirs, and what becomes of tables when processes exit.
-module(ets_owner).
-export([main/0]).

main() ->
    access(),
    give_away(),
    heirs(),
    exits(),
    fixing(),
    options().

%% Runs F in a process of its own and returns what it came to.
in_process(F) ->
    Self = self(),
    {P, M} = spawn_monitor(fun() -> Self ! {self(), result(F)} end),
    R = receive {P, X} -> X end,
    receive {'DOWN', M, process, P, _} -> R end.

%% A process that does what it is told.
helper() ->
    spawn(fun Loop() -> receive {From, F} -> From ! {self(), result(F)}, Loop(); stop -> ok end end).
ask(P, F) -> P ! {self(), F}, receive {P, R} -> R end.
stop(P) -> M = monitor(process, P), P ! stop, receive {'DOWN', M, process, P, R} -> R end.

access() ->
    [begin
         T = ets:new(t, [Access]),
         ets:insert(T, {a, 1}),
         [t({Access, N}, fun() -> in_process(F) end)
          || {N, F} <- [{lookup, fun() -> ets:lookup(T, a) end}, {member, fun() -> ets:member(T, a) end},
                        {first, fun() -> ets:first(T) end}, {insert, fun() -> ets:insert(T, {b, 1}) end},
                        {insert_new, fun() -> ets:insert_new(T, {a, 1}) end},
                        {counter, fun() -> ets:update_counter(T, a, 1) end},
                        {select, fun() -> ets:select(T, [{{a, '$1'}, [], ['$1']}]) end},
                        {match, fun() -> ets:match(T, {a, '$1'}) end},
                        {delete, fun() -> ets:delete(T, z) end}, {delete_object, fun() -> ets:delete_object(T, {z}) end},
                        {select_delete, fun() -> ets:select_delete(T, [{{z}, [], [true]}]) end},
                        {delete_all, fun() -> ets:delete_all_objects(T) end}, {take, fun() -> ets:take(T, z) end},
                        {rename, fun() -> ets:rename(T, u) =:= T end},
                        {setopts, fun() -> ets:setopts(T, {heir, none}) end},
                        {give_away, fun() -> ets:give_away(T, self(), x) end},
                        {fix, fun() -> ets:safe_fixtable(T, true) end},
                        {info, fun() -> [ets:info(T, I) || I <- [size, type, protection]] end},
                        {delete, fun() -> ets:delete(T) end}]],
         t(after_all, fun() -> ets:info(T, size) end)
     end || Access <- [private, protected, public]].

give_away() ->
    T = ets:new(t, []),
    N = ets:new(gift, [named_table]),
    H = helper(),
    t(to_self, fun() -> ets:give_away(T, self(), x) end),
    t(to_nobody, fun() -> ets:give_away(T, foo, x) end),
    {Dead, M} = spawn_monitor(fun() -> ok end),
    receive {'DOWN', M, process, Dead, _} -> ok end,
    t(to_the_dead, fun() -> ets:give_away(T, Dead, x) end),
    R = helper(),
    t(given, fun() -> [ets:give_away(T, R, {some, "data"}), ets:give_away(N, R, <<"data">>)] end),
    t(told, fun() -> ask(R, fun() -> [receive {'ETS-TRANSFER', X, F, D} -> {X =:= Y, is_pid(F), D} end || Y <- [T, N]] end) end),
    t(owner, fun() -> [ets:info(X, owner) =:= R || X <- [T, N]] end),
    t(not_mine, fun() -> ets:insert(T, {a}) end),
    t(gone, fun() -> stop(R), [ets:info(X) || X <- [T, N]] end),
    stop(H).

heirs() ->
    Self = self(),
    [begin
         P = helper(),
         {T, true} = ask(P, fun() -> T = ets:new(inherited, Options), {T, ets:insert(T, {a, 1})} end),
         t({heir, Name}, fun() -> ets:info(T, heir) =:= Heir end),
         stop(P),
         t({inherited, Name}, fun() -> receive {'ETS-TRANSFER', X, F, D} -> {X =:= T, F =:= P, D} after 0 -> none end end),
         t({inherited, Name}, fun() -> {ets:info(T, owner) =:= Self, ets:info(T, size), ets:info(T, heir) =:= Heir} end),
         catch ets:delete(T)
     end || {Name, Heir, Options} <- [{self, Self, [{heir, Self, {"heir", data}}]}, {none, none, []},
                                      {named, Self, [named_table, {heir, Self, []}]}]],
    {Dead, M} = spawn_monitor(fun() -> ok end),
    receive {'DOWN', M, process, Dead, _} -> ok end,
    t(dead_heir, fun() -> ets:info(ets:new(t, [{heir, Dead, x}]), heir) end),
    T = ets:new(t, []),
    [t({setopts, O}, fun() -> {ets:setopts(T, O), ets:info(T, protection)} end)
     || O <- [[{heir, none}], {heir, none}, [foo], {protection, public}, [], [{heir, none}, {heir, none}], {heir, foo, x},
              {protection, foo}, [{protection, private}, {heir, none}], foo]],
    t(setopts_heir, fun() -> {ets:setopts(T, {heir, Self, x}), ets:info(T, heir) =:= Self} end).

exits() ->
    t(tables_go, fun() -> T = in_process(fun() -> ets:new(exits, [named_table, public]) end), {T, ets:info(T), ets:whereis(T)} end),
    t(name_free, fun() -> ets:new(exits, [named_table]), ets:delete(exits) end),
    t(many, fun() ->
        {Ts, T} = in_process(fun() ->
            Ts = [ets:new(many, []) || _ <- lists:seq(1, 100)],
            T = hd(Ts),
            ets:insert(T, [{N, <<N:1000>>} || N <- lists:seq(1, 20000)]),
            {Ts, T}
        end),
        {[X || X <- Ts, ets:info(X) =/= undefined], ets:info(T), [X || X <- ets:all(), lists:member(X, Ts)]}
    end),
    t(killed, fun() ->
        P = helper(),
        T = ask(P, fun() -> ets:new(killed, [public]) end),
        M = monitor(process, P),
        exit(P, kill),
        receive {'DOWN', M, process, P, R} -> {R, ets:info(T)} end
    end).

fixing() ->
    T = ets:new(t, [public]),
    ets:insert(T, [{N} || N <- lists:seq(1, 10)]),
    P = helper(),
    Q = helper(),
    Fixed = fun() -> case ets:info(T, safe_fixed) of {_, L} -> lists:sort([N || {_, N} <- L]); X -> X end end,
    t(fixed, fun() -> [ask(P, fun() -> ets:safe_fixtable(T, true) end), ask(P, fun() -> ets:safe_fixtable(T, true) end),
                       ask(Q, fun() -> ets:safe_fixtable(T, true) end), Fixed()] end),
    t(unfixed, fun() -> [ask(P, fun() -> ets:safe_fixtable(T, false) end), ets:safe_fixtable(T, false), Fixed()] end),
    K = ets:first(T),
    t(deleted, fun() -> ets:delete(T, K), {ets:member(T, K), is_integer(ets:next(T, K)), ets:info(T, size)} end),
    t(back, fun() -> ets:insert(T, {K}), {ets:member(T, K), ets:info(T, size)} end),
    t(deleted, fun() -> ets:delete(T, K), ets:info(T, size) end),
    stop(P),
    t(one_left, Fixed),
    t(still, fun() -> is_integer(ets:next(T, K)) end),
    stop(Q),
    t(none_left, fun() -> {Fixed(), ets:info(T, fixed), ets:info(T, size)} end),
    t(no_more, fun() -> ets:next(T, K) end),
    t(bad, fun() -> ets:safe_fixtable(T, foo) end).

options() ->
    [t({options, O}, fun() -> T = ets:new(t, O), [ets:info(T, I) || I <- [type, decentralized_counters, read_concurrency,
                                                                          write_concurrency, compressed, protection]] end)
     || O <- [[], [{write_concurrency, true}], [ordered_set, {write_concurrency, true}], [{write_concurrency, auto}],
              [bag, public, compressed], [{decentralized_counters, true}], [set, bag, ordered_set],
              [{read_concurrency, true}, {decentralized_counters, false}, {write_concurrency, true}]]],
    [t({memory, O}, fun() -> T = ets:new(t, [O]), [begin ets:insert(T, X), ets:info(T, memory) end
                                                   || X <- [[], {1}, {2, "abc"}, {{a, b}, 1.5}]] end)
     || O <- [set, ordered_set, bag, duplicate_bag]],
    %% Many shards.
    T = ets:new(t, [public, {write_concurrency, true}]),
    Ps = [spawn_monitor(fun() -> [ets:update_counter(T, N rem 100, 1, {x, 0}) || N <- lists:seq(1, 10000)],
                                 [ets:insert(T, {{P, N}, N}) || N <- lists:seq(1, 1000)],
                                 [ets:delete(T, {P, N}) || N <- lists:seq(1, 1000, 2)] end) || P <- lists:seq(1, 8)],
    [receive {'DOWN', M, process, P, R} -> normal = R end || {P, M} <- Ps],
    t(shards, fun() -> {ets:info(T, size), lists:sum(ets:select(T, [{{'$1', '$2'}, [{is_integer, '$1'}], ['$2']}])),
                        length(ets:tab2list(T)), walk(T, ets:first(T), 0),
                        ets:select_delete(T, [{{{1, '_'}, '_'}, [], [true]}])} end),
    t(in_pieces, fun() -> pieces(ets:match_object(T, '_', 100), 0) end),
    t(empty, fun() -> ets:delete_all_objects(T), {ets:info(T, size), ets:first(T), ets:match_object(T, '_', 2)} end).

walk(_, '$end_of_table', N) -> N;
walk(T, K, N) -> walk(T, ets:next(T, K), N + 1).

pieces('$end_of_table', N) -> N;
pieces({L, C}, N) -> pieces(ets:match_object(C), N + length(L)).

result(F) ->
    try F()
    catch C:X:St ->
            case St of
                [{ets, Fn, A, I} | _] when is_list(A) -> {C, X, Fn, length(A), proplists:get_value(error_info, I)};
                _ -> {C, X}
            end
    end.

t(Name, F) -> io:format("~0p: ~0p~n", [Name, result(F)]).
