%% module_info, attributes, exports, loaded code, functions of the code server's built-ins.
-module(module_info).
-vsn("1.2").
-author(someone).
-custom({a, [1, 2]}).
-export([main/0, exported/2]).

main() ->
    p(?MODULE:module_info(module)),
    p(lists:sort(?MODULE:module_info(exports))),
    p(lists:keysort(1, ?MODULE:module_info(attributes))),
    p([K || {K, _} <- ?MODULE:module_info(), K =/= md5]),
    p(lists:member({local, 1}, ?MODULE:module_info(functions))),
    p(byte_size(?MODULE:module_info(md5))),
    p([?MODULE, ?LINE, ?FUNCTION_NAME, ?FUNCTION_ARITY]),
    p(try ?MODULE:module_info(bad) catch error:R -> R end),
    p([erlang:function_exported(?MODULE, F, A) || {F, A} <- [{main, 0}, {local, 1}, {exported, 2}, {nope,
        0}]]), p([erlang:module_loaded(M) || M <- [?MODULE, lists, no_such_module]]),
        p([erlang:is_builtin(erlang, length, 1), erlang:is_builtin(lists, map, 2), erlang:is_builtin(lists,
        reverse, 2)]), p([erlang:check_old_code(?MODULE), erlang:get_module_info(lists, module)]), p(local(1)),
        p([is_list(erlang:loaded()), lists:member(?MODULE, erlang:loaded())]),
        p([erlang:check_process_code(self(), ?MODULE)]), p([is_atom(node()), node(), nodes(), is_alive(),
        erlang:get_cookie()]).

local(X) -> {local, X}.
exported(A, B) -> {A, B}.
p(X) -> io:format("~p~n", [X]).
