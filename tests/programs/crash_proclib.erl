%% Crash reports of proc_lib: neighbours, ancestors, dictionary, messages.
-module(crash_proclib).
-export([main/0, init/1]).

main() ->
    process_flag(trap_exit, true),
    P = proc_lib:spawn_link(?MODULE, init, [arg]), P ! waiting_message, timer:sleep(10), P ! crash,
    receive {'EXIT', P, {R, _}} -> io:format("~p~n", [R]) end, timer:sleep(200),
    Q = proc_lib:spawn(fun() -> exit(odd_reason) end), timer:sleep(200), io:format("~p~n", [is_process_alive(Q)]),
    proc_lib:spawn(fun() -> throw(thrown) end), timer:sleep(200),
    proc_lib:spawn(fun() -> exit(shutdown) end),
    timer:sleep(100),
    proc_lib:spawn(fun() -> exit({shutdown, x}) end),
    timer:sleep(100).

init(A) -> put(my_key, A), receive crash -> error({deliberate, A}) end.
