%% Calls with three arguments.
-module(tak).
-export([size/0, run/1]).
size() -> 24.
run(N) -> tak(N, 16, 8).
tak(X, Y, Z) when Y >= X -> Z;
tak(X, Y, Z) -> tak(tak(X - 1, Y, Z), tak(Y - 1, Z, X), tak(Z - 1, X, Y)).
