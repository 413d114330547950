%% Building and taking apart text.
-module(strings).
-export([size/0, run/1]).
size() -> 3000.
run(N) ->
    Words = [integer_to_list(I * 7919) || I <- lists:seq(1, N)],
    Text = lists:flatten(lists:join(" ", Words)),
    Parts = string:tokens(Text, " "),
    Formatted = [io_lib:format("~w:~s", [length(P), lists:reverse(P)]) || P <- Parts],
    erlang:phash2(iolist_to_binary(Formatted)).
