%% Facts about the system that are the same everywhere, time functions that only go forward, unique integers.
-module(system_facts).
-export([main/0, id/1]).

main() ->
    p([erlang:system_info(X) || X <- [wordsize, {wordsize, internal}, {wordsize, external}, endian, threads,
        smp_support]]),
    p([is_integer(erlang:system_info(X)) || X <- [process_count, process_limit, port_count, port_limit,
        atom_count, atom_limit, schedulers, schedulers_online, logical_processors_available, ets_count,
        dirty_cpu_schedulers]]),
    p([is_list(erlang:system_info(X)) || X <- [otp_release, version, system_version, system_architecture]]),
    p([is_integer(erlang:memory(X)) || X <- [total, processes, system, atom, binary, code, ets]]),
    p([is_tuple(erlang:statistics(X)) || X <- [context_switches, exact_reductions, reductions,
        garbage_collection, io, runtime, wall_clock]]),
    p(is_integer(erlang:statistics(run_queue))),
    T1 = erlang:monotonic_time(),
    T2 = erlang:monotonic_time(),
    p([T2 >= T1, erlang:monotonic_time(second) =< erlang:monotonic_time(millisecond) div 1000 + 1,
        is_integer(erlang:time_offset()), erlang:system_time(second) > 1700000000]),
    {Mg, Sg, Ug} = erlang:timestamp(),
    p([Mg > 1000, Sg < 1000000, Ug < 1000000]),
    N1 = erlang:now(),
    N2 = erlang:now(),
    p(N2 > N1),
    {{Y, Mo, Da}, {_, _, _}} = erlang:universaltime(),
    p([Y >= 2024, Mo =< 12, Da =< 31]),
    p([erlang:universaltime_to_posixtime({{1970, 1, 2}, {0, 0, 0}}), erlang:posixtime_to_universaltime(86400)]),
    p(tuple_size(erlang:localtime())),
    p(tuple_size(erlang:date())),
    Us = [erlang:unique_integer([monotonic]) || _ <- lists:seq(1, 100)],
    p([Us =:= lists:sort(Us), length(lists:usort(Us))]),
    p(lists:all(fun(X) -> X > 0 end, [erlang:unique_integer([positive]) || _ <- lists:seq(1, 100)])),
    S = self(),
    [spawn(fun() -> S ! {u, [erlang:unique_integer() || _ <- lists:seq(1, 500)]} end) || _ <- lists:seq(1, 10)],
    p(length(lists:usort(lists:append([receive {u, L} -> L end || _ <- lists:seq(1, 10)])))),
    p(length(lists:usort([make_ref() || _ <- lists:seq(1, 10000)]))),
    p([is_boolean(erlang:is_process_alive(self())), is_list(processes()), lists:member(self(), processes()),
        is_list(erlang:ports())]),
    p([erts_debug:flat_size(X) || X <- [a, 1, [1, 2, 3], {1, 2}, 1.5, 1 bsl 64, 1 bsl 128, <<"abc">>, "str",
        #{1 => 2}, {}, [], [[1], {2, 3.0}], #{}, maps:from_list([{I, I} || I <- lists:seq(1, 32)])]]),
    L2 = [1, 2, 3],
    p([erts_debug:size({L2, L2}), erts_debug:flat_size({L2, L2}), erts_debug:same(L2, L2)]),
    p([try erlang:system_info(X) catch error:R -> R end || X <- [nope, {a, b}]]),
    p([os:getenv("NO_SUCH_VARIABLE_X"), os:getenv("NO_SUCH_VARIABLE_X", "def"), os:putenv("CHIME_TEST_V",
        "val"), os:getenv("CHIME_TEST_V"), os:unsetenv("CHIME_TEST_V"), os:getenv("CHIME_TEST_V"), element(1,
        os:type()), is_list(os:getpid())]).

p(X) -> io:format("~p~n", [X]).
id(X) -> X.
