%% Floats.
-module(mandelbrot).
-export([size/0, run/1]).
size() -> 120.
run(N) -> lists:sum([point(X * 3.0 / N - 2.0, Y * 2.0 / N - 1.0, 0.0, 0.0, 50) || X <- lists:seq(1, N), Y <- lists:seq(1, N)]).
point(_, _, _, _, 0) -> 0;
point(Cx, Cy, X, Y, I) ->
    X2 = X * X,
    Y2 = Y * Y,
    if
        X2 + Y2 > 4.0 -> I;
        true -> point(Cx, Cy, X2 - Y2 + Cx, 2.0 * X * Y + Cy, I - 1)
    end.
