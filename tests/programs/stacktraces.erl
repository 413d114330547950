%% Stack traces in full: modules, functions, arity or arguments, files and lines.
-module(stacktraces).
-export([main/0, id/1, ext/1, applied/1]).

main() ->
    [show(L, F) || {L, F} <- [
        {badarith, fun() -> arith(id(a)) end},
        {badarith2, fun() -> 1 + arith(id(a)) end},
        {function_clause, fun() -> only_one(id(2)) end},
        {case_clause, fun() -> cases(id(3)) end},
        {if_clause, fun() -> ifs(id(3)) end},
        {badmatch, fun() -> match(id(3)) end},
        {try_clause, fun() -> tries(id(3)) end},
        {undef, fun() -> no_module:no_function(1, b, "c") end},
        {undef_local, fun() -> ?MODULE:missing(x) end},
        {bif, fun() -> bif(id(notalist)) end},
        {bif_tail, fun() -> atom_to_list(id(1)) end},
        {guard_bif, fun() -> hd(id([])) end},
        {element, fun() -> {element(id(5), {a}), x} end},
        {lists, fun() -> lists:map(fun(X) -> X + 1 end, [1, a]) end},
        {lists_clause, fun() -> lists:nth(id(0), [a]) end},
        {badfun, fun() -> (id(7))(1) end},
        {badarity, fun() -> (id(fun ?MODULE:ext/1))(1, 2) end},
        {error2, fun() -> error(custom, [my, args]) end},
        {error1, fun() -> nested_error(3) end},
        {throw, fun() -> thrower(id(ball)) end},
        {exit, fun() -> exit(id(bye)) end},
        {applied, fun() -> apply(?MODULE, applied, [id(x)]) end},
        {apply_undef, fun() -> apply(?MODULE, nope, [1]) end},
        {badrecord, fun() -> rec(id(x)) end},
        {map, fun() -> (id(#{}))#{k := 1} end},
        {badmap, fun() -> (id(nomap))#{k => 1} end},
        {bin, fun() -> <<(id(a)):8>> end},
        {comp, fun() -> [X || X <- id(nolist)] end},
        {bad_generator, fun() -> << <<X>> || <<X>> <= id(1) >> end},
        {raise, fun() -> erlang:raise(error, raised, [{mod, fn, 2, [{file, "f.erl"}, {line, 7}]}, {mod, fn, [a,
            b], []}]) end},
        {send, fun() -> id(noname) ! hello end},
        {deep, fun() -> deep(12) end}]],
    io:format("~p~n", [catch_trace()]).

-record(r, {a}).
rec(X) -> X#r.a.

arith(X) ->
    Y = X + 1,
    {Y, Y}.

only_one(1) -> ok.

cases(X) ->
    case X of
        1 -> one;
        2 -> two
    end.

ifs(X) -> if X > 5 -> big; X < 2 -> small end.

match(X) -> {ok, Y} = X, Y.

tries(X) -> try id(X) of 1 -> one catch throw:_ -> none end.

bif(X) -> R = list_to_atom(X), {R}.

thrower(X) -> throw(X).

nested_error(0) -> error(bottom);
nested_error(N) -> R = nested_error(N - 1), [R].

applied(X) -> {list_to_integer(X), 1}.

ext(X) -> X.

deep(0) -> error(deep);
deep(N) -> 1 + deep(N - 1).

catch_trace() ->
    {'EXIT', {badarith, [{M, F, A, I} | _]}} = (catch id(1) / id(0)),
    {M, F, A, I}.

show(L, F) ->
    try F(), io:format("~w: no exception~n", [L])
    catch
        C:R:S ->
            %% The last frames belong to the system that runs main.
            Mine = lists:takewhile(fun({M, Fn, _, _}) -> {M, Fn} =/= {?MODULE, main} andalso M =/= init end, S),
            io:format("~w: ~w ~p~n", [L, C, R]),
            [io:format("    ~p~n", [frame(Fr)]) || Fr <- Mine]
    end.

%% Lines inside OTP's own modules are left out.
frame({M, F, A, I}) when M =:= ?MODULE -> {M, F, A, norm(I)};
frame({M, F, A, I}) -> {M, F, A, norm(lists:keydelete(line, 1, lists:keydelete(file, 1, I)))}.

norm(I) -> [{K, if is_map(V) -> lists:sort(maps:to_list(V)); true -> V end} || {K, V} <- I].

id(X) -> X.
