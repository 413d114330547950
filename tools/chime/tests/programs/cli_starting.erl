-module(cli_starting).
-on_load(init/0).
-export([f/1]).
init() -> persistent_term:put(cli_starting, [begun]), ok.
f(X) -> {X, persistent_term:get(cli_starting)}.
