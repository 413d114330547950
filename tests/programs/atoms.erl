%% Atoms: conversions, unicode, quoting, length limits, order, existing atoms.
-module(atoms).
-export([main/0, id/1]).

main() ->
    As = [a, abc, 'A', '', 'a b', 'a.b', 'a@b_1', 'if', 'andalso', 'é', 'Ünï', '日本', 'λ', '\n', '\\', 'don\'t',
        node(), '1a', '_a', 'aé', 'αβγ'],
    [io:format("~w ~p ~tw ~tp ~ts ~w~n", [A, A, A, A, A, length(atom_to_list(A))]) || A <- As],
    io:format("~w~n", [[atom_to_binary(A) || A <- As]]),
    io:format("~w~n", [[atom_to_list(A) || A <- As]]),
    io:format("~tw~n", [lists:sort(As)]),
    io:format("~w~n", [[list_to_atom(atom_to_list(A)) =:= A andalso binary_to_atom(atom_to_binary(A)) =:= A
        || A <- As]]),
    Long = list_to_atom(lists:duplicate(255, $z)), LongU = list_to_atom(lists:duplicate(255, 16#10348)),
    io:format("~w ~w ~w~n", [Long, length(atom_to_list(LongU)), byte_size(atom_to_binary(LongU))]),
    [t(L, F) || {L, F} <- [
        {toolong, fun() -> list_to_atom(lists:duplicate(256, $z)) end},
        {toolong_bin, fun() -> binary_to_atom(binary:copy(<<"z">>, 256)) end},
        {notlist, fun() -> list_to_atom(id(x)) end},
        {badchar, fun() -> list_to_atom([-1]) end},
        {surrogate, fun() -> list_to_atom([16#d800]) end},
        {improper, fun() -> list_to_atom([$a | b]) end},
        {badutf8, fun() -> binary_to_atom(<<255, 1>>, utf8) end},
        {latin1, fun() -> binary_to_atom(<<233>>, latin1) =:= 'é' end},
        {to_latin1, fun() -> atom_to_binary('é', latin1) end},
        {to_latin1_bad, fun() -> atom_to_binary('日本', latin1) end},
        {enc, fun() -> atom_to_binary(a, foo) end},
        {existing, fun() -> list_to_existing_atom("existing_atom_x") =:= existing_atom_x end},
        {not_existing, fun() -> list_to_existing_atom("no_such_" ++ "atom_qqq") end},
        {not_existing_b, fun() -> binary_to_existing_atom(<<"no_such_atom_rrr">>, utf8) end}, {atom_to,
            fun() -> atom_to_list(id("x")) end}]],
    Made = [list_to_atom("gen_" ++ integer_to_list(I)) || I <- lists:seq(1, 20000)],
    io:format("~w ~w~n", [length(lists:usort(Made)), lists:last(Made)]),
    io:format("~w~n", [[a < b, a < aa, 'B' < a, a < 'é', 'é' < '日本', '' < a, true > false, undefined < ok]]).

t(L, F) -> io:format("~s: ~p~n", [L, try F() catch C:R -> {C, R} end]).
id(X) -> X.
