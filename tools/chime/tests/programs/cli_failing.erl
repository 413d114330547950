-module(cli_failing).
-on_load(init/0).
-export([f/0]).
init() -> no.
f() -> ok.
