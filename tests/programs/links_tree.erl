%% Trees and rings of linked processes that fall together; monitors see every reason.
-module(links_tree).
-export([main/0]).

main() ->
    process_flag(trap_exit, true), S = self(),
    Root = spawn(fun() -> tree(6, S), receive never -> ok end end),
    Ps = [receive {node, P} -> P end || _ <- lists:seq(1, 126)],
    Ms = [monitor(process, P) || P <- Ps],
    exit(Root, crash),
    p(lists:usort([receive {'DOWN', M, _, _, R} -> R end || M <- Ms])),
    Ring = [spawn(fun() -> receive {link, P} -> link(P), S ! linked, receive {die, R} -> exit(R); never ->
        ok end end end) || _ <- lists:seq(1, 100)],
    [A ! {link, B} || {A, B} <- lists:zip(Ring, tl(Ring) ++ [hd(Ring)])],
    [receive linked -> ok end || _ <- Ring],
    Mr = [monitor(process, P) || P <- Ring],
    lists:nth(50, Ring) ! {die, ring_broken},
    p(lists:usort([receive {'DOWN', M, _, _, R} -> R end || M <- Mr])),
    Norm = [spawn_link(fun() -> receive {die, R} -> exit(R) end end) || _ <- lists:seq(1, 10)],
    [P ! {die, normal} || P <- Norm],
    p([receive {'EXIT', P, R} -> R end || P <- Norm]),
    Star = spawn(fun() -> Ks = [spawn_link(fun() -> S ! {kid, self()}, receive never -> ok end end)
        || _ <- lists:seq(1, 200)], receive go -> exit({star, length(Ks)}) end end),
    Kids = [receive {kid, P} -> P end || _ <- lists:seq(1, 200)],
    Mk = [monitor(process, P) || P <- Kids],
    Star ! go,
    p(lists:usort([receive {'DOWN', M, _, _, R} -> R end || M <- Mk])),
    p([P || P <- Ps ++ Ring ++ Kids, is_process_alive(P)]).

tree(0, _) -> ok;
tree(N, S) -> [spawn_link(fun() -> S ! {node, self()}, tree(N - 1, S), receive never -> ok end end) || _ <- [l, r]].
p(X) -> io:format("~p~n", [X]).
