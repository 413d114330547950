%% N queens: comprehensions and guards.
-module(queens).
-export([size/0, run/1]).
size() -> 10.
run(N) -> length(place(N, N)).
place(0, _) -> [[]];
place(K, N) -> [[Q | B] || B <- place(K - 1, N), Q <- lists:seq(1, N), safe(Q, 1, B)].
safe(_, _, []) -> true;
safe(Q, D, [H | T]) when Q =/= H, Q =/= H + D, Q =/= H - D -> safe(Q, D + 1, T);
safe(_, _, _) -> false.
