#!/usr/bin/env escript
%% Asks OTP what built-ins give: reads calls.txt (one call a line), adds random ones, and writes
%% answers.etf, a list of {Module, Function, Args, {ok, Value} | {Class, Reason}}.
%% Usage: escript make.escript, in this folder.

main(_) ->
    rand:seed(exsss, {7, 8, 9}),
    {ok, Text} = file:read_file("calls.txt"),
    Lines = [L || L <- string:split(binary_to_list(Text), "\n", all), L =/= "", hd(L) =/= $%],
    Calls = [parse(L) || L <- Lines] ++ random(),
    Answers = [{M, F, A, answer(M, F, A)} || {M, F, A} <- Calls],
    ok = file:write_file("answers.etf", term_to_binary(Answers, [{minor_version, 2}])),
    io:format("~b answers~n", [length(Answers)]).

parse(Line) ->
    {ok, Tokens, _} = erl_scan:string(Line ++ "."),
    {ok, [{call, _, {remote, _, {atom, _, M}, {atom, _, F}}, As}]} = erl_parse:parse_exprs(Tokens),
    {M, F, [begin {value, V, _} = erl_eval:expr(A, []), V end || A <- As]}.

answer(M, F, A) ->
    try {ok, apply(M, F, A)} catch Class:Reason -> {Class, Reason} end.

random() ->
    lists:append([one(N) || N <- lists:seq(1, 40)]).

one(N) ->
    Size = case N rem 20 of 0 -> 1000; 1 -> 100; _ -> rand:uniform(12) - 1 end,
    Keys = max(2, Size div (1 + N rem 3)),
    L1 = [element_(Keys) || _ <- lists:seq(1, Size)],
    L2 = [element_(Keys) || _ <- lists:seq(1, max(0, Size - N rem 5))],
    Pairs = [{element_(Keys), I} || I <- lists:seq(1, Size)],
    Io = iolist(4, Size div 4),
    Chars = chars(4),
    Bin = rand:bytes(Size),
    [{erlang, '++', [L1, L2]}, {erlang, '--', [L1, L2]}, {lists, reverse, [L1, L2]},
     {lists, member, [element_(Keys), L1]}, {lists, keyfind, [element_(Keys), 1, Pairs]},
     {erlang, iolist_to_binary, [Io]}, {erlang, iolist_size, [Io]}, {erlang, crc32, [Io]},
     {erlang, adler32, [Io]}, {erlang, md5, [Io]}, {erlang, binary_to_list, [Bin]},
     {erlang, list_to_bitstring, [[Io, <<5:3>>, Io, <<1:7>>]]},
     {unicode, characters_to_list, [Chars, utf8]}, {unicode, characters_to_binary, [Chars, utf8]},
     {unicode, characters_to_list, [Chars, latin1]}, {unicode, characters_to_binary, [Chars, latin1]},
     {erlang, phash, [{L1, Chars}, 1 bsl 32]},
     {erlang, float_to_list, [number(N), [{decimals, N rem 21}]]},
     {erlang, float_to_list, [number(N), [{scientific, N rem 21}]]},
     {erlang, trunc, [number(N)]}, {erlang, round, [number(N)]}, {erlang, ceil, [number(N)]},
     {erlang, floor, [number(N)]}].

number(N) ->
    (rand:uniform() - 0.5) * math:pow(10, N div 2).

element_(N) ->
    K = rand:uniform(N),
    case rand:uniform(8) of
        1 -> {K, "x"};
        2 -> K * 1.0;
        3 -> K bsl 61;
        4 -> list_to_binary(integer_to_list(K));
        5 -> [K];
        _ -> K
    end.

iolist(0, _) -> rand:uniform(256) - 1;
iolist(D, Size) ->
    Items = [case rand:uniform(5) of
                 1 -> iolist_part(D - 1, Size);
                 2 -> rand:bytes(rand:uniform(Size + 1) - 1);
                 _ -> rand:uniform(256) - 1
             end || _ <- lists:seq(1, rand:uniform(6))],
    case rand:uniform(4) of 1 -> Items ++ rand:bytes(3); _ -> Items end.

iolist_part(0, _) -> [];
iolist_part(D, Size) -> iolist(D, Size).

chars(0) -> [];
chars(D) ->
    [case rand:uniform(9) of
         1 -> chars(D - 1);
         2 -> part(unicode:characters_to_binary([char(), char(), char()]));
         3 -> char();
         4 -> rand:uniform(255);
         5 -> <<(char())/utf8>>;
         _ -> $a + rand:uniform(26)
     end || _ <- lists:seq(1, rand:uniform(7))].

part(B) ->
    %% Sometimes cut in the middle of a character.
    case rand:uniform(3) of
        1 -> N = rand:uniform(byte_size(B)), <<X:N/binary, Y/binary>> = B, [X, Y];
        2 -> N = rand:uniform(byte_size(B)), binary:part(B, 0, N);
        _ -> B
    end.

char() ->
    case rand:uniform(4) of
        1 -> rand:uniform(127);
        2 -> 128 + rand:uniform(1000);
        3 -> 16#4000 + rand:uniform(1000);
        4 -> 16#10000 + rand:uniform(1000)
    end.
