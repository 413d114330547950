-module(cli_made).
-export([version/0]).
version() -> ?VERSION.
