#!/usr/bin/env escript
%% Asks OTP what the built-ins of maps and binary give, for the calls of containers.txt (one a line) and
%% random ones, and writes containers.etf, a list of {Module, Function, Args, {ok, Value} | {Class, Reason}}.
%% Usage: escript containers.escript, in this folder.

main(_) ->
    rand:seed(exsss, {4, 5, 6}),
    {ok, Text} = file:read_file("containers.txt"),
    Lines = [L || L <- string:split(binary_to_list(Text), "\n", all), L =/= "", hd(L) =/= $%],
    Random = [[maps(N), binaries(N), searches(N)] || N <- lists:seq(1, 120)],
    Calls = [parse(L) || L <- Lines] ++ lists:append(lists:append(Random)),
    Answers = [{M, F, A, answer(M, F, A)} || {M, F, A} <- Calls],
    ok = file:write_file("containers.etf", term_to_binary(Answers, [{minor_version, 2}, compressed])),
    io:format("~b answers~n", [length(Answers)]).

parse(Line) ->
    {ok, Tokens, _} = erl_scan:string(Line ++ "."),
    {ok, [{call, _, {remote, _, {atom, _, M}, {atom, _, F}}, As}]} = erl_parse:parse_exprs(Tokens),
    {M, F, [begin {value, V, _} = erl_eval:expr(A, []), V end || A <- As]}.

answer(M, F, A) ->
    try {ok, apply(M, F, A)} catch Class:Reason -> {Class, Reason} end.

maps(N) ->
    Size = case N rem 20 of 0 -> 700; 1 -> 100; 2 -> 34; 3 -> 33; 4 -> 32; 5 -> 31; _ -> rand:uniform(14) - 1 end,
    Range = max(2, 3 * Size div (1 + N rem 3)),
    L1 = [{key(Range), rand:uniform(9)} || _ <- lists:seq(1, Size)],
    L2 = [{key(Range), rand:uniform(9)} || _ <- lists:seq(1, max(1, rand:uniform(Size + 1)))],
    {M1, M2} = {maps:from_list(L1), maps:from_list(L2)},
    K = case Size > 0 andalso rand:uniform(3) of 1 -> element(1, hd(L1)); _ -> key(Range) end,
    V = rand:uniform(9),
    [{maps, from_list, [L1]}, {maps, from_keys, [[X || {X, _} <- L1], V]}, {maps, merge, [M1, M2]},
     {maps, merge, [M2, M1]}, {maps, put, [K, V, M1]}, {maps, update, [K, V, M1]}, {maps, get, [K, M1]},
     {maps, find, [K, M1]}, {maps, is_key, [K, M1]}, {maps, remove, [K, M1]}, {maps, take, [K, M1]},
     {maps, keys, [M1]}, {maps, values, [M1]}, {erlang, map_size, [M1]}, {erlang, map_get, [K, M1]},
     {erlang, is_map_key, [K, M1]}] ++
        [C || map_size(M1) =< 32, C <- [{erts_internal, map_next, [0, M1, iterator]},
                                        {erts_internal, map_next, [0, M1, L2]},
                                        {erts_internal, map_to_tuple_keys, [M1]}]].

key(N) ->
    K = rand:uniform(N),
    case rand:uniform(9) of
        1 -> {K, "x"};
        2 -> K * 1.0;
        3 -> K bsl 61;
        4 -> integer_to_binary(K);
        5 -> [K];
        6 -> list_to_atom([$a + K rem 26]);
        7 -> #{K => K};
        _ -> K
    end.

binaries(N) ->
    B = rand:bytes(rand:uniform(1 + N) - 1),
    Size = byte_size(B),
    {S, L} = {rand:uniform(Size + 2) - 1, rand:uniform(Size + 2) - 1},
    Bs = [<<(binary:part(B, 0, rand:uniform(Size + 1) - 1))/binary, 7>> || _ <- lists:seq(1, 3)],
    Es = [<<7, (binary:part(B, Size, -(rand:uniform(Size + 1) - 1)))/binary>> || _ <- lists:seq(1, 3)],
    [{binary, at, [B, S]}, {binary, part, [B, S, L]}, {binary, part, [B, S, -L]}, {binary, part, [B, {L, -S}]},
     {binary, first, [B]}, {binary, last, [B]}, {binary, copy, [B]}, {binary, copy, [B, S]},
     {binary, decode_unsigned, [B]}, {binary, decode_unsigned, [B, little]},
     {binary, encode_unsigned, [binary:decode_unsigned(B)]},
     {binary, encode_unsigned, [binary:decode_unsigned(B), little]},
     {binary, longest_common_prefix, [Bs]}, {binary, longest_common_suffix, [Es]},
     {binary, list_to_bin, [[B, [S rem 256 | B], Es]]}].

searches(N) ->
    Alphabet = 1 + N rem 4,
    B = word(Alphabet, case N rem 30 of 0 -> 3000; _ -> rand:uniform(60) end),
    P = case rand:uniform(3) of
            1 -> word(Alphabet, rand:uniform(4));
            2 -> [word(Alphabet, rand:uniform(5)) || _ <- lists:seq(1, rand:uniform(5))];
            3 -> [word(Alphabet, 1) || _ <- lists:seq(1, rand:uniform(5))]
        end,
    {S, L} = {rand:uniform(byte_size(B)), rand:uniform(byte_size(B))},
    Scope = case rand:uniform(3) of
                1 -> [];
                2 -> [{scope, {S, byte_size(B) - S}}];
                3 -> [{scope, {S, -min(S, L)}}]
            end,
    [{binary, match, [B, P]}, {binary, matches, [B, P]}, {binary, split, [B, P]},
     {binary, split, [B, P, [global]]}, {binary, split, [B, P, [global, trim]]},
     {binary, split, [B, P, [global, trim_all]]}, {binary, split, [B, P, [trim]]},
     {binary, match, [B, P, Scope]}, {binary, matches, [B, P, Scope]},
     {binary, split, [B, P, Scope]}, {binary, split, [B, P, [global | Scope]]}].

word(Alphabet, N) -> list_to_binary([$a + rand:uniform(Alphabet) - 1 || _ <- lists:seq(1, N)]).
