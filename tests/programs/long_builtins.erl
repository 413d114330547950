%% timeout: 60
%% Built-ins on large inputs while other processes must go on: results, and that a timer is not held up for long.
-module(long_builtins).
-export([main/0]).

main() ->
    S = self(), L = lists:seq(1, 1000000), T = spawn(fun() -> ticker(S, erlang:monotonic_time(millisecond), 0) end),
    p(length(L)),
    p(erlang:phash2(L)),
    p(hd(lists:reverse(L))),
    p(lists:member(1000000, L)),
    B = list_to_binary([X band 255 || X <- L]),
    p(byte_size(B)),
    p(erlang:crc32(B)),
    p(erlang:md5(B)),
    p(byte_size(term_to_binary(L))),
    p(binary_to_term(term_to_binary(L)) =:= L),
    p(tuple_size(list_to_tuple(L))),
    p(length(L ++ [x])),
    p(length(lists:sublist(L, 200000) -- lists:seq(1, 200000, 2))),
    p(length(binary_to_list(B))),
    p(iolist_size([<<"a">>, [B, B]])),
    p(length(integer_to_list(1 bsl 50000))),
    p(map_size(maps:from_list([{X, X} || X <- L]))),
    p(erlang:phash2(lists:sort(fun(X, Y) -> X >= Y end, lists:sublist(L, 100000)))),
    p(length(lists:keysort(1, [{X rem 100, X} || X <- lists:sublist(L, 200000)]))),
    p(length(binary:matches(B, <<1, 2>>))),
    p(byte_size(binary:copy(B, 20))),
    p(length(string:split(binary_to_list(binary:part(B, 0, 100000)), [10], all))),
    p(byte_size(unicode:characters_to_binary(lists:seq(256, 50000)))),
    T ! {stop, S}, receive {worst, W} -> p(W < 5000) end.

ticker(S, Last, Worst) -> receive {stop, S} -> S ! {worst, Worst} after 5 ->
        Now = erlang:monotonic_time(millisecond), ticker(S, Now, max(Worst, Now - Last)) end.
p(X) -> io:format("~w~n", [X]).
