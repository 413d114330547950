%% throw, error and exit, caught near and far.
-module(exceptions).
-export([size/0, run/1]).
size() -> 100000.
run(N) -> loop(N, 0).
loop(0, S) -> S;
loop(N, S) ->
    A = try near(N) catch throw:{v, V} -> V end,
    B = try far(N rem 5 + 1) catch error:_ -> 1 end,
    C = case catch exit(N) of {'EXIT', N} -> 2 end,
    loop(N - 1, S + A + B + C).
near(N) -> throw({v, N rem 3}).
far(0) -> error(done);
far(N) -> 1 + far(N - 1).
