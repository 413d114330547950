%% Flat and hashed maps: updates, look-ups, folding.
-module(maps_mix).
-export([size/0, run/1]).
size() -> 20000.
run(N) ->
    M = lists:foldl(fun(I, A) -> A#{I => I * 2} end, #{}, lists:seq(1, N)),
    S = lists:foldl(fun(I, A) -> #{I := V} = M, A + V end, 0, lists:seq(1, N)),
    small(#{a => 1, b => 2, c => 3, count => 0}, N) + S + maps:fold(fun(_, V, A) -> V + A end, 0, M).
small(#{count := C}, 0) -> C;
small(#{a := A, b := B, count := C} = M, N) -> small(M#{a := B, b := A, count := C + A}, N - 1).
