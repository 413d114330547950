%% Binary trees: allocation and collection.
-module(trees).
-export([size/0, run/1]).
size() -> 16.
run(N) ->
    Long = make(N),
    Sum = lists:sum([count(make(D)) || D <- lists:seq(4, N, 2), _ <- lists:seq(1, 1 bsl (N - D))]),
    {count(Long), Sum}.
make(0) -> {nil, nil};
make(D) -> {make(D - 1), make(D - 1)}.
count({nil, nil}) -> 1;
count({L, R}) -> 1 + count(L) + count(R).
