%% base64, calendar, filename, rand with seeds, sofs, timer, uri_string, erl_anno, lib functions that need only data.
-module(stdlib_misc).
-export([main/0]).

main() ->
    p([base64:encode(X) || X <- ["", "a", "ab", "abc", <<0, 255, 128>>]]),
    p([base64:decode(X) || X <- ["", "YQ==", <<"YWI=">>, "YW Jj"]]),
    p([base64:encode_to_string("xyz"), base64:mime_decode("YQ==!!"), base64:decode_to_string("eHl6")]),
    p([try base64:decode(X), ok catch error:_ -> bad end || X <- ["Y", "Y===", "Y*=="]]),
    B = binary:copy(<<"payload">>, 5000),
    p(base64:decode(base64:encode(B)) =:= B),
    p([calendar:date_to_gregorian_days(2026, 12, 1), calendar:day_of_the_week(2026, 12, 1),
        calendar:is_leap_year(2000), calendar:last_day_of_the_month(2024, 2),
        calendar:gregorian_seconds_to_datetime(63900000000), calendar:datetime_to_gregorian_seconds({{2026, 1,
        1}, {0, 0, 0}}), calendar:iso_week_number({2026, 1, 1}), calendar:seconds_to_daystime(100000),
        calendar:time_difference({{2026, 1, 1}, {0, 0, 0}}, {{2026, 1, 2}, {1, 1, 1}}),
        calendar:valid_date(2026, 2, 29), calendar:system_time_to_rfc3339(0, [{offset, "Z"}]),
        calendar:rfc3339_to_system_time("2026-12-01T00:00:00Z")]),
    p([filename:join(["a", "b", "/c", "d"]), filename:basename("/a/b.erl", ".erl"), filename:dirname("/a/b/c"),
        filename:extension("x.tar.gz"), filename:rootname("a.b.c"), filename:split("/a/b"),
        filename:pathtype("a/b"), filename:nativename("a"), filename:flatten(["a", b]),
        filename:join(<<"a">>, "b")]),
    S = rand:seed_s(exsss, {1, 2, 3}),
    {L, S2} = lists:mapfoldl(fun(_, A) -> rand:uniform_s(1000, A) end, S, lists:seq(1, 20)),
    p(L),
    {F, _} = rand:uniform_s(S2),
    p(F),
    [begin Sx = rand:seed_s(A, {7, 8, 9}), {V, Sy} = rand:uniform_s(1 bsl 70, Sx), {N, Sz} = rand:normal_s(Sy),
        {Bs, _} = rand:bytes_s(5, Sz), p({A, V, N, Bs}) end || A <- [exsss, exro928ss, exrop, exsp, exs1024s]],
    rand:seed(exsss, 42),
    p([rand:uniform(100) || _ <- lists:seq(1, 10)]),
    p(lists:sort([X || {_, X} <- lists:sort([{rand:uniform(), N} || N <- [1, 2, 3, 4]])])),
    p(rand:jump(rand:seed_s(exsss, 5)) =/= x),
    p(random_old()),
    p([uri_string:parse("http://u@host:80/p/a?q=1#f") =/= x, uri_string:normalize("http://a/b/../c"),
        uri_string:quote("a b/ü"), uri_string:unquote("a%20b"), uri_string:compose_query([{"a", "1 2"}, {"b",
        "&"}]), uri_string:dissect_query("a=1&b=2")]),
    p([lists:flatten(io_lib:format("~p", [erl_scan:string("a.")])), erl_internal:bif(length, 1),
        erl_internal:guard_bif(hd, 1), erl_internal:op_type('+', 2)]),
    p(sofs:to_external(sofs:composite(sofs:relation([{a, 1}]), sofs:relation([{1, x}])))),
    p(sofs:to_external(sofs:domain(sofs:relation([{a, 1}, {b, 2}])))),
    p([math:floor(2.5), math:ceil(2.1)]),
    p([erlang:convert_time_unit(X, A, C) || {X, A, C} <- [{1, second, millisecond}, {1500, millisecond,
        second}, {-1, millisecond, second}, {5, 3, 10}]]),
    p([zlib:uncompress(zlib:compress(<<"abcabcabc">>)), zlib:gunzip(zlib:gzip("xyz")), zlib:unzip(zlib:zip(B)) =:= B]).

random_old() -> {X, _} = rand:uniform_real_s(rand:seed_s(exsss, 9)), X.
p(X) -> io:format("~p~n", [X]).
