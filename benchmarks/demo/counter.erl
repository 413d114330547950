%% A counter under a name; it tells the process it was started for when it is up.
-module(counter).
-behaviour(gen_server).
-export([start_link/1, init/1, handle_call/3, handle_cast/2]).

start_link(Owner) -> gen_server:start_link({local, counter}, counter, Owner, []).

init(Owner) ->
    Owner ! {up, self()},
    {ok, 0}.

handle_call(add, _From, N) -> {reply, N + 1, N + 1};
handle_call(crash, _From, N) -> error({crash_at, N}).

handle_cast(_, N) -> {noreply, N}.
