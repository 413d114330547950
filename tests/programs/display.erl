%% erlang:display of every kind of term: needs no group leader.
-module(display).
-export([main/0, id/1]).

main() ->
    D = fun erlang:display/1,
    D(0), D(-1), D(1 bsl 59), D(-(1 bsl 59) - 1), D(id(1) bsl 200), D(-(id(1) bsl 64)),
    D(a), D('with space'), D('Upper'), D(''), D('it\'s'), D([]),
    D([1, 2, 3]), D("text"), D([a | b]), D([[], [[]], {}]), D({}), D({a, {b, "c"}, [d]}),
    D(<<>>), D(<<1, 2, 3>>), D(<<"abc">>),
    D(1.0), D(-0.5), D(1.5e300), D(#{}), D(#{a => 1}),
    D(fun lists:map/2),
    D([X * X || X <- lists:seq(1, 10)]),
    D(lists:foldl(fun(X, A) -> X + A end, 0, lists:seq(1, 100))),
    true = erlang:display({deep, [{deep, [{deep, []}]}]}).

id(X) -> X.
