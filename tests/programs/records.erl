%% Records: construction, defaults, update, matching, errors.
-module(records).
-export([main/0, id/1]).
-record(p, {x = 0, y = 0, name = "none", opts = #{}}).
-record(big, {a, b, c, d, e, f, g, h, i = 9, j}).
-record(empty, {}).
-record(nest, {p = #p{}, l = [] :: list()}).

main() ->
    P = #p{x = id(1)},
    io:format("~p ~p ~p~n", [P, #p{}, #empty{}]),
    io:format("~p~n", [P#p{y = 5, name = "n"}]),
    io:format("~p~n", [[P#p.x, P#p.opts, #p.y, record_info(size, p), record_info(fields, big)]]),
    N = #nest{p = P},
    io:format("~p~n", [(N#nest.p)#p.x]),
    N2 = N#nest{p = (N#nest.p)#p{x = 77}, l = [P, P]},
    io:format("~p~n", [N2]),
    io:format("~p~n", [[X || #p{x = X} <- [P, #empty{}, #p{x = 3}, x]]]),
    io:format("~p~n", [[kind(X) || X <- [P, N, #empty{}, #big{}, {p, 1}, p]]]),
    B = lists:foldl(fun upd/2, #big{}, lists:seq(1, 20)),
    io:format("~p~n", [B]),
    io:format("~p~n", [#big{_ = 1}]),
    t(badrecord, fun() -> (id({p, 1}))#p.x end),
    t(badrecord2, fun() -> (id(foo))#p{x = 1} end),
    t(badrecord3, fun() -> (id(#empty{}))#p.name end),
    t(badmatch, fun() -> #p{x = 9} = id(P) end),
    t(is_record, fun() -> [is_record(X, p) || X <- [P, N, {p}, {p, 1, 2, 3, 4}]] end),
    t(is_record3, fun() -> [is_record(id(X), p, 5) || X <- [P, N, {p}]] end),
    t(is_record_bad, fun() -> is_record(P, id(1), 5) end),
    t(set, fun() -> setelement(#p.name, P, new) end),
    t(big_update, fun() -> up9(id(B)) end),
    t(big_update_bad, fun() -> up9(id(P)) end).

upd(I, R) when I rem 3 =:= 0 -> R#big{a = I, j = R#big.a};
upd(I, R) when I rem 3 =:= 1 -> R#big{b = I, c = R#big.b, d = I * 2};
upd(I, R) -> R#big{e = I, f = I, g = I, h = {I, R#big.h =:= undefined}}.

up9(R) -> R#big{a = 1, b = 2, c = 3, d = 4, e = 5, f = 6, g = 7, h = 8, j = 10}.

kind(#p{x = 1}) -> p1;
kind(#p{}) -> p;
kind(#nest{p = #p{x = X}}) -> {nest, X};
kind(#empty{}) -> empty;
kind(#big{i = 9}) -> big;
kind(_) -> other.

t(L, F) -> io:format("~s: ~p~n", [L, try F() catch C:R -> {C, R} end]).
id(X) -> X.
