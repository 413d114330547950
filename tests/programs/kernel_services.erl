%% What needs processes of the application kernel: the timer server, the file server, the code server.
-module(kernel_services).
-export([main/0]).

main() ->
    S = self(),
    {ok, Cwd} = file:get_cwd(),
    p(is_list(Cwd)),
    p([filename:absname("/x"), filename:absname("x") =:= filename:join(Cwd, "x")]),
    p(file:read_file("/no/such/file")),
    p([is_list(code:which(lists)), code:which(no_such_module), code:is_loaded(no_such_module)]),
    p([is_pid(whereis(N)) || N <- [code_server, file_server_2, kernel_sup, user, logger, init, application_controller]]),
    p([lists:keymember(A, 1, application:which_applications()) || A <- [kernel, stdlib]]),
    {ok, T} = timer:send_interval(5, tick),
    [receive tick -> ok end || _ <- lists:seq(1, 4)],
    p(element(1, timer:cancel(T))),
    timer:apply_after(5, erlang, send, [S, applied]),
    receive applied -> p(applied) end.

p(X) -> io:format("~p~n", [X]).
