-module(cli_crashes).
-behaviour(gen_server).
-export([main/0, init/1, handle_call/3, handle_cast/2, fail/1]).

main() ->
    spawn(fun() -> fail({some, "text", 1.5}) end), pause(),
    spawn(fun() -> throw(ball) end), pause(),
    spawn(fun() -> exit(quietly) end), pause(),
    spawn(fun() -> no_such_module:f(x) end), pause(),
    proc_lib:spawn(fun() -> fail(in_proc_lib) end), pause(),
    proc_lib:spawn(fun() -> exit(shutdown) end), pause(),
    {ok, Server} = gen_server:start({local, cli_server}, ?MODULE, start, []),
    catch gen_server:call(Server, crash), pause(),
    {error, nothing} = gen_server:start(?MODULE, stop, []), pause(),
    logger:error("an error ~p", [1]), logger:notice("a notice"), logger:info("not shown"),
    logger:warning(#{a => map}), logger:error("not shown", #{domain => [elsewhere]}), pause(),
    error_logger:info_msg("~s~n", ["old"]), error_logger:warning_report([{key, value}]), pause(),
    io:format("~ts~n", [[955]]).

pause() -> timer:sleep(150).

fail(Reason) -> erlang:error(Reason).

init(start) -> {ok, state};
init(stop) -> {stop, nothing}.
handle_call(crash, _From, State) -> fail({crashed, State}).
handle_cast(_, State) -> {noreply, State}.
