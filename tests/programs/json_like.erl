%% A parser and printer of JSON over binaries, with errors; round trips over generated data.
-module(json_like).
-export([main/0]).

main() ->
    Ts = [<<"null">>, <<" [1, 2.5, -3e2, true, false, null] ">>,
        <<"{\"a\": {\"b\": []}, \"c\": \"text \\n \\u00e9 \\\" end\"}">>, <<"\"\\ud83d\\ude00\"">>, <<"[]">>,
        <<"{}">>, <<"[1,]">>, <<"{\"a\" 1}">>, <<"tru">>, <<"\"open">>, <<"[1 2]">>, <<"">>, <<"1 x">>,
        <<"-">>, <<"[[[[[[]]]]]]">>],
    [io:format("~ts -> ~w~n", [T, try norm(decode(T)) catch throw:E -> {error, E} end]) || T <- Ts],
    D = gen(6),
    J = iolist_to_binary(encode(D)),
    io:format("~w ~w~n", [byte_size(J), erlang:crc32(J)]),
    io:format("~w~n", [decode(J) =:= D]),
    Big = iolist_to_binary(encode([D || _ <- lists:seq(1, 20)])),
    io:format("~w~n", [length(decode(Big))]).

gen(0) -> 1;
gen(N) -> #{<<"n">> => N, <<"list">> => [gen(N - 1), gen(N - 1)], <<"s">> => <<"str\n\"q\" ü"/utf8>>,
        <<"f">> => N / 4, <<"z">> => null}.
norm(M) when is_map(M) -> {lists:sort([{K, norm(V)} || {K, V} <- maps:to_list(M)])};
norm(L) when is_list(L) -> [norm(X) || X <- L];
norm(X) -> X.
decode(B) -> {V, R} = value(ws(B)), case ws(R) of <<>> -> V; X -> throw({trailing, X}) end.
value(<<"null", R/binary>>) -> {null, R};
value(<<"true", R/binary>>) -> {true, R};
value(<<"false", R/binary>>) -> {false, R};
value(<<$", R/binary>>) -> str(R, <<>>);
value(<<$[, R/binary>>) -> case ws(R) of <<$], R2/binary>> -> {[], R2}; R2 -> arr(R2, []) end;
value(<<${, R/binary>>) -> case ws(R) of <<$}, R2/binary>> -> {#{}, R2}; R2 -> obj(R2, #{}) end;
value(<<C, _/binary>> = B) when C =:= $-; C >= $0, C =< $9 -> num(B, 0);
value(<<>>) -> throw(eof);
value(<<C, _/binary>>) -> throw({bad, C}).
arr(B, A) -> {V, R} = value(ws(B)), case ws(R) of <<$,, R2/binary>> -> arr(R2, [V | A]); <<$], R2/binary>> ->
        {lists:reverse([V | A]), R2}; _ -> throw(array) end.
obj(B, M) -> case ws(B) of <<$", R/binary>> -> {K, R2} = str(R, <<>>), case ws(R2) of <<$:, R3/binary>> -> {V,
        R4} = value(ws(R3)), case ws(R4) of <<$,, R5/binary>> -> obj(R5, M#{K => V}); <<$}, R5/binary>> ->
        {M#{K => V}, R5}; _ -> throw(object) end; _ -> throw(colon) end; _ -> throw(key) end.
str(<<$", R/binary>>, A) -> {A, R};
str(<<"\\u", H:4/binary, R/binary>>, A) -> case binary_to_integer(H, 16) of X when X >= 16#d800, X < 16#dc00 ->
        <<"\\u", L:4/binary, R2/binary>> = R, Y = binary_to_integer(L, 16), str(R2, <<A/binary,
        (((X - 16#d800) bsl 10) + (Y - 16#dc00) + 16#10000)/utf8>>); X -> str(R, <<A/binary, X/utf8>>) end;
str(<<$\\, C, R/binary>>, A) -> E = case C of $n -> $\n; $t -> $\t; $r -> $\r; X -> X end, str(R, <<A/binary, E>>);
str(<<C, R/binary>>, A) -> str(R, <<A/binary, C>>);
str(<<>>, _) -> throw(unterminated).
num(B, N) -> case B of <<_:N/binary, C, _/binary>> when C >= $0, C =< $9; C =:= $-; C =:= $+; C =:= $.;
        C =:= $e; C =:= $E -> num(B, N + 1); <<S:N/binary, R/binary>> -> {tonum(S), R} end.
tonum(S) -> try binary_to_integer(S) catch error:_ -> try binary_to_float(S) catch error:_ ->
        case binary:split(S, <<"e">>) of [M, E] -> try binary_to_float(<<M/binary, ".0e",
        E/binary>>) catch error:_ -> throw({number, S}) end; _ -> throw({number, S}) end end end.
ws(<<C, R/binary>>) when C =:= $\s; C =:= $\n; C =:= $\t; C =:= $\r -> ws(R);
ws(B) -> B.
encode(null) -> <<"null">>;
encode(B) when is_boolean(B) -> atom_to_binary(B);
encode(I) when is_integer(I) -> integer_to_binary(I);
encode(F) when is_float(F) -> float_to_binary(F, [short]);
encode(S) when is_binary(S) -> [$", << <<(esc(C))/binary>> || <<C>> <= S >>, $"];
encode(L) when is_list(L) -> [$[, lists:join($,, [encode(X) || X <- L]), $]];
encode(M) when is_map(M) -> [${, lists:join($,, [[encode(K), $:, encode(V)] || {K,
        V} <- lists:sort(maps:to_list(M))]), $}].
esc($") -> <<"\\\"">>;
esc($\n) -> <<"\\n">>;
esc($\\) -> <<"\\\\">>;
esc(C) -> <<C>>.
