%% timeout: 60
%% Collector and binaries: many large ones dropped, sub-binaries that outlive their parents, sharing between processes.
-module(gc_binaries).
-export([main/0]).

main() ->
    io:format("~w~n", [drop(2000, 0)]),
    Subs = [binary:part(binary:copy(<<I>>, 100000), 10, 20) || I <- lists:seq(1, 200)],
    garbage_collect(),
    io:format("~w~n", [erlang:crc32(Subs)]),
    Copied = [binary:copy(X) || X <- Subs],
    io:format("~w~n", [lists:usort([binary:referenced_byte_size(X) || X <- Copied])]),
    S = self(),
    Big = binary:copy(<<"shared">>, 200000),
    Ps = [spawn(fun() -> receive {bin, B} -> S ! {self(), erlang:crc32(B), binary:part(B, N, 12)} end end)
        || N <- lists:seq(1, 50)],
    [P ! {bin, Big} || P <- Ps],
    Rs = [receive {P, C, X} -> {C, X} end || P <- Ps],
    io:format("~w ~w~n", [length(lists:usort([C || {C, _} <- Rs])), erlang:phash2(Rs)]),
    io:format("~w~n", [lines(binary:copy(<<"some line of text\n">>, 20000), 0, [])]),
    io:format("~w~n", [acc(3000, [])]),
    Mixed = [case I rem 3 of 0 -> binary:copy(<<I>>, 63 + I rem 4); 1 -> <<I:(I rem 500)>>; 2 -> {I,
        <<I:64>>} end || I <- lists:seq(1, 5000)],
    garbage_collect(),
    io:format("~w~n", [erlang:phash2(Mixed)]),
    io:format("~w~n", [iolist_size(lists:duplicate(1000, Big))]).

drop(0, A) -> A;
drop(N, A) -> B = binary:copy(<<N>>, 200000), drop(N - 1, A + binary:at(B, 777)).
lines(B, N, A) -> case binary:split(B, <<"\n">>) of [L, R] -> lines(R, N + byte_size(L), [L | lists:sublist(A,
        10)]); _ -> {N, length(A), hd(A)} end.
acc(0, L) -> erlang:md5(L);
acc(N, L) -> acc(N - 1, [<<N:32, (integer_to_binary(N))/binary>> | L]).
