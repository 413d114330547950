%% Errors of built-ins with the text that erl_erts_errors and its kin find for them.
-module(error_info).
-export([main/0, id/1]).

main() ->
    Cases = [
        {erlang, atom_to_list, [1]}, {erlang, list_to_atom, [[a]]}, {erlang, list_to_atom, [lists:duplicate(256, $x)]}, {erlang, binary_to_atom, [<<255>>]},
        {erlang, list_to_existing_atom, ["no_such_atom_here_xyz"]}, {erlang, element, [3, {a}]}, {erlang, element, [a, {a}]}, {erlang, setelement, [1, {}, x]},
        {erlang, hd, [[]]}, {erlang, length, [a]}, {erlang, list_to_integer, ["x"]}, {erlang, list_to_integer, ["1", 99]}, {erlang, integer_to_list, [a]},
        {erlang, binary_to_integer, [<<"z">>]}, {erlang, list_to_float, ["1"]}, {erlang, float_to_list, [1]}, {erlang, list_to_binary, [[256]]},
        {erlang, list_to_tuple, [a]}, {erlang, tuple_to_list, [[]]}, {erlang, binary_to_term, [<<1, 2>>]}, {erlang, binary_part, [<<1>>, 5, 1]},
        {erlang, split_binary, [<<1>>, 2]}, {erlang, make_tuple, [-1, a]}, {erlang, abs, [a]}, {erlang, float, [a]}, {erlang, round, [a]},
        {erlang, register, [undefined, self()]}, {erlang, unregister, [no_such_name]}, {erlang, whereis, ["x"]}, {erlang, send, [no_such_name, hi]},
        {erlang, exit, [a, b]}, {erlang, link, [a]}, {erlang, monitor, [process, "x"]}, {erlang, monitor, [foo, self()]}, {erlang, demonitor, [a]},
        {erlang, process_flag, [trap_exit, maybe_]}, {erlang, process_flag, [foo, 1]}, {erlang, process_info, [self(), foo]}, {erlang, spawn, [a]},
        {erlang, spawn, [1, b, []]}, {erlang, spawn_opt, [lists, reverse, [[]], [foo]]}, {erlang, send_after, [a, self(), m]}, {erlang, send_after, [-1, self(), m]},
        {erlang, start_timer, [1, "x", m]}, {erlang, cancel_timer, [a]}, {erlang, system_info, [foo]}, {erlang, system_flag, [foo, 1]}, {erlang, md5, [a]},
        {erlang, phash2, [a, 0]}, {erlang, crc32, [a]}, {erlang, adler32, [[a]]}, {erlang, iolist_size, [a]}, {erlang, iolist_to_binary, [[a]]},
        {erlang, '+', [a, 1]}, {erlang, 'div', [1, 0]}, {erlang, 'bsl', [1, a]}, {erlang, '++', [a, b]}, {erlang, '--', [[1], b]}, {erlang, 'and', [a, true]},
        {erlang, map_get, [a, #{}]}, {erlang, map_size, [a]}, {erlang, is_map_key, [a, b]}, {erlang, tuple_size, [a]}, {erlang, byte_size, [a]}, {erlang, bit_size, [a]},
        {erlang, group_leader, [a, self()]}, {erlang, convert_time_unit, [1, foo, second]}, {erlang, monotonic_time, [foo]}, {erlang, term_to_binary, [a, [foo]]},
        {erlang, unique_integer, [[foo]]}, {erlang, fun_info, [a, module]}, {erlang, apply, [a, b, c]}, {erlang, error, [a, b, [foo]]}, {erlang, display_string, [a]},
        {lists, keyfind, [a, 0, []]}, {lists, member, [a, b]}, {lists, reverse, [a, b]}, {maps, get, [a, #{}]}, {maps, find, [a, b]}, {maps, merge, [a, #{}]},
        {maps, from_list, [[a]]}, {binary, part, [<<1>>, 2, 3]}, {binary, match, [a, b]}, {binary, copy, [a, 1]}, {binary, at, [<<>>, 0]}, {math, sqrt, [-1]}, {math, sin, [a]},
        {unicode, characters_to_binary, [a]}, {persistent_term, get, [no_such_key_here]}, {ets, new, [a, [foo]]}, {ets, lookup, [no_such_table, a]}, {ets, insert, [no_such_table, {a}]},
        {atomics, new, [0, []]}, {counters, new, [a, []]}, {io, format, ["~p", a]}, {io, format, ["~z", []]}, {re, run, [a, b]}, {string, slice, [a, 1]}],
    lists:foreach(fun({M, F, A}) -> show(M, F, A) end, Cases).

show(M, F, A) ->
    try apply(M, F, A) of
        V -> io:format("~w:~w: no error: ~p~n", [M, F, V])
    catch
        C:R:S ->
            [{M1, F1, A1, Info} | _] = S,
            Text = case proplists:get_value(error_info, Info) of
                       undefined -> none;
                       EI ->
                           Mod = maps:get(module, EI, M1), Fn = maps:get(function, EI, format_error),
                           lists:sort(maps:to_list(Mod:Fn(R, S)))
                   end,
            Args = if is_list(A1) -> length(A1); true -> A1 end,
            io:format("~w:~w: ~w ~p in ~w:~w/~w ~tp~n", [M, F, C, R, M1, F1, Args, Text])
    end.

id(X) -> X.
