%% gen_statem with state functions: a turnstile and a code lock.
-module(statem_fun).
-behaviour(gen_statem).
-export([main/0, init/1, callback_mode/0, locked/3, open/3]).

main() ->
    {ok, P} = gen_statem:start_link({local, lock}, ?MODULE, [1, 2, 3], []),
    [gen_statem:cast(lock, {button, B}) || B <- [9, 1, 2, 3]],
    p(gen_statem:call(P, state)), gen_statem:cast(P, {button, 5}), p(gen_statem:call(P, count)),
    timer:sleep(80),
    p(gen_statem:call(P, state)),
    p(gen_statem:call(P, count)),
    p(gen_statem:call(P, count)),
    gen_statem:stop(lock),
    p(whereis(lock)).

callback_mode() -> state_functions.
init(Code) -> {ok, locked, #{code => Code, left => Code, n => 0}}.

locked(cast, {button, B}, #{left := [B], code := C} = D) -> {next_state, open, D#{left := C}, [{state_timeout,
        40, lock}]};
locked(cast, {button, B}, #{left := [B | L]} = D) -> {keep_state, D#{left := L}};
locked(cast, {button, _}, #{code := C} = D) -> {keep_state, D#{left := C}};
locked(T, E, D) -> common(T, E, locked, D).
open(state_timeout, lock, D) -> {next_state, locked, D};
open(cast, {button, _}, _) -> {keep_state_and_data, postpone};
open(T, E, D) -> common(T, E, open, D).

common({call, F}, state, S, _) -> {keep_state_and_data, [{reply, F, S}]};
common({call, F}, count, _, #{n := N} = D) -> {keep_state, D#{n := N + 1}, [{reply, F, N}]}.
p(X) -> io:format("~p~n", [X]).
