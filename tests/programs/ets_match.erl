%% Match specifications: heads, guards, bodies, errors; match, select and their kin on all types of tables.
-module(ets_match).
-export([main/0]).

main() ->
    [t({body, E}, fun() -> body(E) end) || E <- expressions()],
    [t({head, Head, X}, fun() -> test(X, [{Head, [], ['$$']}]) end) || {Head, X} <- heads()],
    [t({spec, S}, fun() -> test({1}, S) end) || S <- specs()],
    [t({trace, S}, fun() -> erlang:match_spec_test([1, 2], S, trace) end) || S <- traces()],
    t(bad_dialect, fun() -> erlang:match_spec_test({1}, [], foo) end),
    t(bad_arguments, fun() -> erlang:match_spec_test(1, [{'_', [], []}], trace) end),
    [tables(Type) || Type <- [set, ordered_set, bag, duplicate_bag]],
    ordered(),
    bags(),
    replace(),
    compiled(),
    limits(),
    large().

test(X, Spec) -> erlang:match_spec_test(X, Spec, table).

body(E) ->
    Vars = {'$1', '$2', '$3', '$4', '$5'},
    case test({1, 2.5, [a, b], #{k => v}, <<"abc">>}, [{Vars, [], [E]}]) of
        {ok, V, [], []} -> V;
        {error, Errors} -> [M || {error, M} <- Errors]
    end.

expressions() ->
    [{is_atom, '$1'}, {is_record, '$_', foo, 3}, {is_record, '$_', '$1', 3}, {byte_size, '$5'}, {bit_size, '$5'},
     {size, '$5'}, {size, '$_'}, {map_size, '$4'}, {map_get, k, '$4'}, {map_get, z, '$4'}, {is_map_key, k, '$4'},
     {binary_part, '$5', 0, 1}, {binary_part, '$5', {{1, 2}}}, {trunc, '$2'}, {round, '$2'}, {float, '$1'}, {abs, -3},
     {element, 1, '$_'}, {element, 9, '$_'}, {hd, '$3'}, {tl, '$3'}, {length, '$3'}, {length, '$1'}, {'+', '$1'},
     {'-', '$1'}, {'+', '$1', 2}, {'-', '$1', 2.5}, {'*', '$1', 1 bsl 70}, {'/', '$1', 2}, {'div', 7, 2},
     {'rem', 7, 2}, {'band', 7, 2}, {'bor', 5, 2}, {'bxor', 7, 2}, {'bnot', 7}, {'bsl', 7, 2}, {'bsr', 7, 2},
     {'and', true, false}, {'and', true}, {'and', true, true, true}, {'and'}, {'and', true, foo}, {'or', false, foo},
     {'or'}, {'or', true, foo}, {'xor', true, false}, {'xor', true, true, true}, {'not', true}, {'not', foo},
     {'andalso', true, foo}, {'andalso', foo, true}, {'andalso', false, foo}, {'andalso'}, {'andalso', true, false, foo},
     {'orelse', false, foo}, {'orelse', foo, true}, {'orelse', true, foo}, {'orelse'}, {'=:=', 1, 1.0}, {'==', 1, 1.0},
     {'=/=', 1, 1.0}, {'/=', 1, 1.0}, {'<', 1, 2}, {'>=', 1, 2}, {'>', 1, 2}, {'=<', 1, 2}, {{'$1', '$2'}}, {{}}, {},
     [], ['$1' | '$2'], ['$1', {{'$2'}}], #{a => '$1'}, #{'$1' => {'+', '$1', 1}}, {const, '$1'}, {const, {a, b}},
     {const}, {const, 1, 2}, {a, b}, {foo}, '$$', '$_', '$7', "abc", <<"x">>, {1, 2}, {{1, {{2}}}}, {hd, []},
     {'+', {hd, []}, 1}, [{hd, []}], {{{hd, []}}}, '_', '$', '$x', {{'_'}}, {is_atom}, {element, 1}, {message, 1},
     {return_trace}, {node}, {{{{}}, [{{}}]}}, {is_function, '$1'}, {is_port, a}, {is_reference, a}, {is_pid, {self}}].

heads() ->
    [{{'$1', '$1'}, {1, 1}}, {{'$1', '$1'}, {1, 1.0}}, {{'$2', '$0'}, {a, b}}, {{'$01', '$1'}, {a, a}},
     {{#{a => '$1'}}, {#{a => 1, b => 2}}}, {{#{a => 1}}, {#{a => 2, b => 2}}}, {{#{}}, {#{a => 1}}},
     {{#{'$1' => 1}}, {#{a => 1}}}, {{#{'_' => 1}}, {#{a => 1}}}, {{['$1' | '$2']}, {[1, 2]}},
     {{['$1', a | '_']}, {[1, a]}}, {{'$99999999'}, {1}}, {{1}, {1.0}}, {{"abc"}, {"abc"}}, {foo, foo}, {[a], [a]},
     {'$1', [a]}, {'_', 5}, {{a, '_'}, {a}}, {{}, {}}, {{'$1', {'$2', ['$3' | '$1']}}, {x, {y, [z | x]}}},
     {{<<"b">>, 1.5, 1 bsl 70}, {<<"b">>, 1.5, 1 bsl 70}}, {{[], '$1'}, {[], []}}, {{'$10', '$9'}, {ten, nine}}].

specs() ->
    [[], [{'_', [], []}], [{'_', [], ['$_']} | x], [{'_', [], ['$_'], 3}], [foo], foo, [{'_', foo, [1]}],
     [{'_', [], foo}], [{'_', [foo | a], [1]}], [{{a}, [], [b]}, {{'$1'}, [{'==', '$1', 1}], [yes]}],
     [{{a}, [], [b]}, {{1}, [{hd, '$1'}], [yes]}], [{'_', [{hd, 1}], [1]}, {'_', [], [2]}], [{'_', [1], [1]}],
     [{'_', [true, true], [1, 2]}], [{'_', ['$1'], [{foo}]}], [{'_', [{a, b}, {c, d}], ['$4']}],
     [{'_', [{hd, {foo}}], [1]}]].

traces() ->
    [[], [{'_', [], []}], [{['$1' | '_'], [], ['$1']}], [{'_', [{'==', 1, 2}], []}], [{'_', [], [{message, false}]}],
     [{'_', [], [{message, {{'$1'}}}]}], [{['$1', '_'], [], [{message, {{'$1'}}}, {silent, true}, {exception_trace}]}],
     [{{a}, [], []}], [{'_', [], [{hd, 1}, {return_trace}]}], [{'_', [{return_trace}], []}],
     [{'_', [], [{message, '$_'}, {message, x}]}], [{['$1', '$2'], [], [{'$1'}]}], [{['$1', '$1'], [], []}]].

%% The same objects in each type of table.
tables(Type) ->
    T = ets:new(t, [Type]),
    ets:insert(T, [{N, N rem 3, {N rem 5, [N]}} || N <- lists:seq(1, 30)]),
    ets:insert(T, [{{a, N}, x} || N <- lists:seq(1, 5)]),
    ets:insert(T, [{{b, N}, x, y} || N <- lists:seq(1, 5)]),
    S = fun(Name, F) -> t({Type, Name}, fun() -> lists:sort(F()) end) end,
    C = fun(Name, F) -> t({Type, Name}, F) end,
    S(select, fun() -> ets:select(T, [{{'$1', 1, '_'}, [], ['$1']}]) end),
    S(select_guard, fun() -> ets:select(T, [{{'$1', '_', {'$2', '$3'}}, [{'>', '$1', '$2'}, {'<', '$1', 9}], [{{'$3', '$1'}}]}]) end),
    S(select_two, fun() -> ets:select(T, [{{{a, '$1'}, '_'}, [], ['$1']}, {{'_', x, y}, [], ['$_']}]) end),
    S(select_key, fun() -> ets:select(T, [{{7, '_', '$1'}, [], ['$$']}]) end),
    S(select_keys, fun() -> ets:select(T, [{{7, '_', '$1'}, [], ['$1']}, {{3, '$1', '_'}, [], ['$1']}, {{7, '$1', '_'}, [], ['$1']}]) end),
    S(select_prefix, fun() -> ets:select(T, [{{{a, '$1'}, '_'}, [], ['$1']}]) end),
    S(select_map, fun() -> ets:select(T, [{{'$1', 2, '_'}, [], [#{key => '$1'}]}]) end),
    S(select_none, fun() -> ets:select(T, [{{z, '_'}, [], ['$_']}]) end),
    S(select_atom, fun() -> ets:select(T, [{z, [], ['$_']}]) end),
    S(select_empty, fun() -> ets:select(T, []) end),
    S(match, fun() -> ets:match(T, {'$1', 0, {'$0', '_'}}) end),
    S(match_object, fun() -> ets:match_object(T, {{b, '_'}, '_', '_'}) end),
    S(match_all, fun() -> ets:match(T, '_') end),
    S(tab2list, fun() -> ets:tab2list(T) end),
    S(foldl, fun() -> [ets:foldl(fun(O, A) -> A + tuple_size(O) end, 0, T)] end),
    C(count, fun() -> ets:select_count(T, [{{'$1', '_', '_'}, [{is_integer, '$1'}], [{'>', '$1', 20}]}]) end),
    C(count_all, fun() -> ets:select_count(T, [{'_', [], [true]}]) end),
    C(limits, fun() -> chunks(fun() -> ets:select(T, [{'$1', [], ['$1']}], 7) end, fun ets:select/1) end),
    C(limits_match, fun() -> chunks(fun() -> ets:match(T, {'$1', x}, 2) end, fun ets:match/1) end),
    C(limits_object, fun() -> chunks(fun() -> ets:match_object(T, {'_', '_', '_'}, 10) end, fun ets:match_object/1) end),
    C(limit_key, fun() -> ets:match(T, {7, '$1', '_'}, 1) end),
    C(limit_none, fun() -> ets:match(T, {z, '$1', '_'}, 1) end),
    C(limit_zero, fun() -> ets:select(T, [{'_', [], ['$_']}], 0) end),
    C(delete, fun() -> {ets:select_delete(T, [{{'$1', 1, '_'}, [], [{'<', '$1', 15}]}]), ets:info(T, size)} end),
    C(delete_key, fun() -> {ets:select_delete(T, [{{15, '_', '_'}, [], [true]}]), ets:info(T, size)} end),
    C(delete_prefix, fun() -> {ets:select_delete(T, [{{{a, '_'}, '_'}, [], [true]}]), ets:info(T, size)} end),
    C(match_delete, fun() -> {ets:match_delete(T, {'_', x, '_'}), ets:info(T, size)} end),
    C(delete_all, fun() -> {ets:select_delete(T, [{'_', [], [true]}]), ets:info(T, size)} end),
    [t({Type, bad, B}, fun() -> ets:select(T, B) end)
     || B <- [foo, [foo], [{'_', [], ['$1']}], [{'_', [], []}], [{'_', foo, [1]}], [{'_', [{foo}], [1]}]]],
    t({Type, bad_match}, fun() -> ets:match(T, #{'$1' => a}) end),
    ets:delete(T).

chunks(First, Next) -> chunks(First(), Next, []).
chunks('$end_of_table', _, Acc) -> lists:sort(lists:append(Acc));
chunks({L, C}, Next, Acc) -> chunks(Next(C), Next, [L | Acc]).

ordered() ->
    T = ets:new(o, [ordered_set]),
    ets:insert(T, [{1.0, a}, {2, b}, {{a, 1}, x}, {{a, 2}, y}, {{b, 1}, z}, {{a, 1, 2}, w}, {"l", 1}]),
    t(exact, fun() -> [ets:match_object(T, {1, '_'}), ets:match_object(T, {1.0, '_'}), ets:lookup(T, 1)] end),
    t(up, fun() -> ets:select(T, [{'_', [], ['$_']}]) end),
    t(down, fun() -> ets:select_reverse(T, [{'_', [], ['$_']}]) end),
    t(prefix, fun() -> [ets:match(T, {{a, '$1'}, '_'}), ets:select_reverse(T, [{{{a, '$1'}, '_'}, [], ['$1']}])] end),
    t(up_by_two, fun() -> all(ets:select(T, [{'_', [], ['$_']}], 2), fun ets:select/1) end),
    t(down_by_two, fun() -> all(ets:select_reverse(T, [{'_', [], ['$_']}], 2), fun ets:select_reverse/1) end),
    t(prefix_by_one, fun() -> all(ets:match(T, {{a, '$1'}, '_'}, 1), fun ets:match/1) end),
    t(keys, fun() -> ets:select(T, [{{2, '$1'}, [], ['$1']}, {{1.0, '$1'}, [], ['$1']}]) end).

all({L, C}, F) -> [L | all(F(C), F)];
all(End, _) -> [End].

bags() ->
    [begin
         T = ets:new(b, [Type]),
         [ets:insert(T, {a, N}) || N <- [1, 2, 3, 1]],
         ets:insert(T, [{b, N} || N <- [1, 2, 3, 1]]),
         t(Type, fun() -> [ets:lookup(T, a), ets:lookup(T, b), ets:match(T, {a, '$1'})] end),
         t(Type, fun() -> all(ets:match(T, {a, '$1'}, 2), fun ets:match/1) end),
         t(Type, fun() -> all(ets:match(T, {a, '$1'}, 3), fun ets:match/1) end),
         t(Type, fun() -> ets:select_delete(T, [{{'_', '$1'}, [], [{'==', '$1', 1}]}]) end),
         t(Type, fun() -> [ets:lookup(T, a), ets:lookup(T, b)] end)
     end || Type <- [bag, duplicate_bag]].

%% A continuation as it prints depends on the machine.
replace() ->
    [begin
         T = ets:new(r, [Type]),
         ets:insert(T, [{N, N} || N <- lists:seq(1, 5)]),
         [t({Type, replace, S}, fun() -> {ets:select_replace(T, S), lists:sort(ets:tab2list(T))} end)
          || S <- [[{{'$1', '$2'}, [{'>', '$1', 2}], [{{'$1', {'*', '$2', 10}}}]}],
                   [{{'$1', '_'}, [], [{{'$1', {const, {a, b}}, "new"}}]}],
                   [{{3, '_', '_'}, [], [{{3, x}}]}],
                   [{{3, '_'}, [], ['$_']}], [{{4, '_', '_'}, [], [{{{const, 4}, [x]}}]}],
                   [{{5, '_', '_'}, [], [{{{element, 1, '$_'}, [x]}}]}],
                   [{{k, '_'}, [], [{{b, 1}}]}], [{'$1', [], ['$1']}], [{{'$1', '$2'}, [], [foo]}],
                   [{{'$1', '$2'}, [], [{{'$2', '$1'}}]}], []]]
     end || Type <- [set, ordered_set, bag]].

compiled() ->
    C = ets:match_spec_compile([{{'$1', '_'}, [], ['$1']}]),
    t(compiled, fun() -> [ets:is_compiled_ms(X) || X <- [C, foo, make_ref()]] end),
    t(run, fun() -> ets:match_spec_run([{1, a}, b, {2, c}, {3}, {4, d}], C) end),
    t(run_long, fun() -> lists:sum(ets:match_spec_run([{N, a} || N <- lists:seq(1, 50000)], C)) end),
    t(run_improper, fun() -> ets:match_spec_run([{1, a} | b], C) end),
    t(run_bad, fun() -> ets:match_spec_run([{1, a}], foo) end),
    t(compile_bad, fun() -> ets:match_spec_compile(foo) end),
    t(compile_empty, fun() -> ets:match_spec_compile([]) end),
    t(test_ms, fun() -> [ets:test_ms({1, 2}, [{{'$1', '$2'}, [{'<', '$1', '$2'}], [{{'$2', '$1'}}]}]),
                         ets:test_ms({1, 2}, [{{'$1', '$2'}, [], ['$3']}])] end).

limits() ->
    T = ets:new(t, []),
    ets:insert(T, [{N} || N <- lists:seq(1, 100)]),
    t(end_of_table, fun() -> [ets:select('$end_of_table'), ets:match('$end_of_table')] end),
    t(no_continuation, fun() -> ets:select(foo) end),
    t(no_continuation, fun() -> ets:match({a, b, c}) end),
    {L, C} = ets:select(T, [{{'$1'}, [], ['$1']}], 10),
    t(chunk, fun() -> {length(L), tuple_size(C)} end),
    t(again, fun() -> {L1, _} = ets:select(C), {L2, _} = ets:select(C), {L1 =:= L2, L1 -- L =:= L1} end),
    t(repaired, fun() -> {L1, _} = ets:select(C),
                         {L2, _} = ets:select(ets:repair_continuation(C, [{{'$1'}, [], ['$1']}])), L1 =:= L2 end),
    ets:delete(T),
    t(table_gone, fun() -> ets:select(C) end).

%% Long enough to stop part-way, while other processes change the table.
large() ->
    [begin
         T = ets:new(large, [Type, public]),
         N = 100000,
         ets:insert(T, [{K, K rem 10} || K <- lists:seq(1, N)]),
         Other = spawn_monitor(fun() -> [ets:insert(T, {N + K, none}) || K <- lists:seq(1, N div 2)] end),
         t({Type, select}, fun() -> lists:sum(ets:select(T, [{{'$1', '$2'}, [{'==', '$2', 3}], ['$1']}])) end),
         t({Type, count}, fun() -> ets:select_count(T, [{{'_', '$1'}, [{'==', '$1', 3}], [true]}]) end),
         t({Type, replace}, fun() -> ets:select_replace(T, [{{'$1', 5}, [], [{{'$1', 3}}]}]) end),
         t({Type, delete}, fun() -> ets:select_delete(T, [{{'_', 3}, [], [true]}]) end),
         {P, M} = Other,
         receive {'DOWN', M, process, P, R} -> io:format("~p~n", [R]) end,
         t({Type, size}, fun() -> {ets:info(T, size), length(ets:tab2list(T))} end),
         t({Type, order}, fun() -> [length(ets:match(T, {'_', X})) || X <- [0, 3, 5, none]] end),
         ets:delete(T)
     end || Type <- [set, ordered_set]].

t(Name, F) ->
    R = try F()
        catch C:X:St ->
                case St of
                    [{M, Fn, A, I} | _] when M =:= ets; M =:= erlang ->
                        {C, X, Fn, if is_list(A) -> length(A); true -> A end, proplists:get_value(error_info, I)};
                    _ -> {C, X}
                end
        end,
    io:format("~0p: ~0p~n", [Name, R]).
