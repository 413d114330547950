%% Type tests as conditions of clauses that return something else than booleans; guard functions of three arguments.
-module(guard_clauses).
-export([main/0, id/1]).

main() ->
    Port = try hd(erlang:ports()) catch error:_ -> none end,
    Ts = [1, 1 bsl 65, 2.0, a, true, [], [1], {}, {1}, #{}, <<1>>, <<1:3>>, self(), make_ref(), fun() ->
        ok end, fun lists:map/2, fun(_, _, _) -> ok end],
    p([kind(T) || T <- Ts]),
    p([fn(T) || T <- Ts]),
    p([bits(T) || T <- Ts]),
    p([num(T) || T <- Ts]),
    p([opq(T) || T <- Ts ++ [Port]] =/= x),
    p([ne(A, B) || A <- [1, 1.0, 2, a], B <- [1, 1.0, 2, a]]),
    p([part(B, S, L) || B <- [<<"abcdef">>, <<1:4>>, x], {S, L} <- [{0, 3}, {4, 2}, {6, -2}, {5, 9}, {a, 1}]]),
    p([part2(B, P) || B <- [<<"abcdef">>, x], P <- [{0, 3}, {4, 9}, z]]),
    p([port(X) || X <- [Port, 1]] =/= x), p(port(self())).

kind(X) when is_pid(X) -> pid;
kind(X) when is_reference(X) -> ref;
kind(X) when is_function(X) -> 'fun';
kind(X) when is_binary(X) -> bin;
kind(X) when is_bitstring(X) -> bits;
kind(X) when is_boolean(X) -> bool;
kind(X) when is_float(X) -> float;
kind(X) when is_map(X) -> map;
kind(X) when is_list(X) -> list;
kind(X) when is_tuple(X) -> tuple;
kind(X) when is_atom(X) -> atom;
kind(X) when is_integer(X) -> int.

fn(X) when is_function(X, 0) -> zero;
fn(X) when is_function(X, 2) -> two;
fn(X) when is_function(X) -> other;
fn(_) -> none.

bits(X) when is_bitstring(X) -> {bits, bit_size(X)};
bits(_) -> none.

num(X) when is_number(X) -> num;
num(X) when not is_atom(X) -> notatom;
num(_) -> none.

opq(X) when is_port(X) -> port;
opq(X) when is_pid(X); is_reference(X) -> opaque;
opq(_) -> none.

port(X) when is_port(X) -> is_port;
port(_) -> no_port.

ne(A, B) when A /= B, A /= a -> ne;
ne(A, B) when A =/= B -> exactly;
ne(_, _) -> same.

part(B, S, L) when binary_part(B, S, L) =:= <<"abc">> -> abc;
part(B, S, L) when byte_size(binary_part(B, S, L)) =:= 2 -> two;
part(_, _, _) -> none.

part2(B, P) when binary_part(B, P) =:= <<"abc">> -> abc;
part2(_, _) -> none.

p(X) -> io:format("~p~n", [X]).
id(X) -> X.
