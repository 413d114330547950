%% Processes that end with errors: the reports of the emulator itself.
-module(crash_error).
-export([main/0, bad/1]).

main() ->
    [begin {_, M} = spawn_monitor(F), receive {'DOWN', M, _, _, _} -> timer:sleep(50) end end || F <- [
        fun() -> error(boom) end,
        fun() -> bad(id(a)) end,
        fun() -> throw(ball) end,
        fun() -> {ok, _} = id(no) end,
        fun() -> exit(quiet) end,
        fun() -> apply(no_mod, no_fun, [1, 2]) end, fun() -> error({big, lists:seq(1, 30), "text",
            <<"bin">>}) end, fun() -> hd(id([])) end]],
    spawn(?MODULE, bad, [x]), timer:sleep(100),
    io:format("end~n").

bad(X) -> Y = X + 1, {Y, Y}.
id(X) -> X.
