%% Parsing records and lines out of a binary.
-module(binary_parse).
-export([size/0, run/1]).
size() -> 20000.
run(N) ->
    B = << <<I:16, (I rem 7):8, 3:8, "abc", (I * 3):32/little>> || I <- lists:seq(1, N) >>,
    Text = << <<"key", (integer_to_binary(I))/binary, "=", (integer_to_binary(I * I))/binary, "\n">> || I <- lists:seq(1, N) >>,
    {records(B, 0), lines(Text, 0)}.
records(<<I:16, T:8, L:8, S:L/binary, V:32/little, Rest/binary>>, Sum) ->
    records(Rest, Sum + I + T + V + byte_size(S));
records(<<>>, Sum) -> Sum.
lines(<<>>, Sum) -> Sum;
lines(<<"key", Rest/binary>>, Sum) -> number(Rest, 0, Sum).
number(<<C, Rest/binary>>, N, Sum) when C >= $0, C =< $9 -> number(Rest, N * 10 + C - $0, Sum);
number(<<"=", Rest/binary>>, N, Sum) -> number(Rest, 0, Sum + N);
number(<<"\n", Rest/binary>>, N, Sum) -> lines(Rest, Sum + N).
