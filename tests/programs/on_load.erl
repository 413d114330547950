%% A module with an on_load function and functions declared as nifs.
-module(on_load).
-on_load(init/0).
-nifs([native/1]).
-export([main/0, native/1]).

init() ->
    persistent_term:put(on_load_ran, [yes | persistent_term:get(on_load_ran, [])]),
    ok.

main() ->
    io:format("~p~n", [persistent_term:get(on_load_ran)]),
    io:format("~p~n", [try native(1) catch C:R -> {C, R} end]),
    io:format("~p~n", [try erlang:load_nif("./no_such_library", 0) of {error, {Why, Text}} -> {error, Why,
        is_list(Text)} catch C2:R2 -> {C2, R2} end]).

native(_) -> erlang:nif_error(not_loaded).
