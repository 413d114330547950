%% Integers too large for the system, and conversions that fail.
-module(bignum_err).
-export([main/0, id/1]).

main() ->
    t(shift, fun() -> id(1) bsl id(100000000000) end),
    t(shift2, fun() -> id(1) bsl (1 bsl 70) end),
    t(float, fun() -> float(1 bsl 1024) end),
    t(float_ok, fun() -> float(1 bsl 1023) end),
    t(add, fun() -> (1 bsl 1024) + 1.0 end),
    t(cmp, fun() -> {(1 bsl 2000) > 1.0e308, -(1 bsl 2000) < -1.0e308} end),
    t(divide, fun() -> (1 bsl 2000) / 2 end),
    t(divide2, fun() -> (1 bsl 1000) / (1 bsl 999) end),
    t(l2i, fun() -> list_to_integer("12x") end),
    t(l2i_empty, fun() -> list_to_integer("") end),
    t(l2i_sign, fun() -> list_to_integer("-") end),
    t(l2i_base, fun() -> list_to_integer("12", 37) end),
    t(l2i_base1, fun() -> list_to_integer("12", 1) end),
    t(l2i_digit, fun() -> list_to_integer("9", 8) end),
    t(l2i_space, fun() -> list_to_integer(" 1") end),
    t(b2i, fun() -> binary_to_integer(<<"1_000">>) end),
    t(b2i_bits, fun() -> binary_to_integer(<<1:3>>) end),
    t(i2l, fun() -> integer_to_list(1.0) end),
    t(i2l_base, fun() -> integer_to_list(1, 99) end),
    t(i2b, fun() -> integer_to_binary(a) end),
    t(string_to, fun() -> [string:to_integer(S) || S <- ["12ab", "-7", "x", "", "+5 6"]] end).

t(L, F) -> io:format("~s: ~p~n", [L, try F() catch C:R -> {C, R} end]).
id(X) -> X.
