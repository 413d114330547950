-module(cli_code).
-export([main/0]).
-vsn(here).

main() ->
    show([K || {K, _} <- ?MODULE:module_info()]),
    show(lists:sort(?MODULE:module_info(exports))),
    show(lists:sort([F || {F, _} <- ?MODULE:module_info(functions)])),
    show(?MODULE:module_info(attributes)),
    show(byte_size(?MODULE:module_info(md5))),
    show({?MODULE:module_info(native), ?MODULE:module_info(nifs)}),
    show(catch_class(fun() -> ?MODULE:module_info(nothing) end)),
    show(catch_class(fun() -> erlang:get_module_info(no_such_module) end)),
    show([erlang:function_exported(M, F, A) || {M, F, A} <- [{?MODULE, main, 0}, {?MODULE, show, 1}, {erlang, self, 0},
                                                             {lists, member, 2}, {no_such_module, f, 0}]]),
    show([erlang:module_loaded(M) || M <- [?MODULE, erlang, lists, no_such_module]]),
    show([erlang:is_builtin(erlang, F, A) || {F, A} <- [{self, 0}, {apply, 3}, {no_such, 1}]]),
    show([code:ensure_loaded(M) || M <- [?MODULE, erlang, orddict, no_such_module]]),
    show([code:which(M) || M <- [erlang, no_such_module]]),
    show(filename:basename(code:which(orddict))),
    show({code:is_loaded(no_such_module), element(1, code:is_loaded(orddict))}),
    show({element(1, code:get_object_code(orddict)), code:get_object_code(no_such_module)}),
    show({code:load_file(no_such_module), code:delete(no_such_module), code:purge(no_such_module)}),
    show({code:lib_dir(no_such_app), code:priv_dir(no_such_app), filename:basename(code:lib_dir())}),
    show({code:add_path("/no/such/folder"), code:root_dir() =:= filename:dirname(code:lib_dir())}),
    show([init:get_argument(no_such), init:get_plain_arguments()]),
    versions().

%% One module in three versions.
versions() ->
    show(load("1")), show(cli_made:version()),
    Old = fun cli_made:version/0,
    show(load("2")), show({cli_made:version(), Old()}),
    show(erlang:check_old_code(cli_made)),
    show(code:soft_purge(cli_made)), show(load("3")), show(cli_made:version()),
    show(code:purge(cli_made)), show(load("3")), show(cli_made:version()),
    show(code:purge(cli_made)), show(code:delete(cli_made)), show(erlang:module_loaded(cli_made)),
    true = code:del_path("3"),
    show(catch_class(fun() -> cli_made:no_such() end)),
    show(cli_starting:f(1)), show(code:load_file(cli_starting)), show(cli_starting:f(2)),
    show(code:ensure_loaded(cli_failing)),
    show(erlang:module_loaded(cli_failing)),
    show(catch_class(fun() -> cli_failing:f() end)).

load(Dir) ->
    true = code:add_patha(Dir),
    code:load_file(cli_made).

catch_class(Fun) ->
    try Fun() catch Class:Reason -> {Class, Reason} end.

show(T) -> io:format("~p~n", [T]).
