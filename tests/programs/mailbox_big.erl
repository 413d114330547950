%% timeout: 60
%% Selective receive in a mailbox of 200,000 messages: by tag, by reference, by position, with time-outs.
-module(mailbox_big).
-export([main/0]).

main() ->
    S = self(), N = 200000, [S ! {item, I rem 10, I} || I <- lists:seq(1, N)], S ! last, receive last -> p(last) end,
    p([receive {item, K, I} -> I end || K <- lists:seq(0, 9)]),
    p([begin R = make_ref(), S ! {R, I}, receive {R, X} -> X end end || I <- lists:seq(1, 50)]),
    p(receive {item, 5, 150005} -> found after 0 -> missing end),
    p(receive {item, 5, 150005} -> found after 0 -> gone end),
    p(receive {nothing, _} -> bad after 20 -> timeout end),
    {message_queue_len, Q} = process_info(S, message_queue_len),
    p(Q),
    p(drain(0, 0)),
    E = spawn(fun() -> server(0) end),
    [E ! {junk, I} || I <- lists:seq(1, 50000)],
    p([call(E, I) || I <- lists:seq(1, 30)]),
    exit(E, kill).

server(N) -> receive {call, F, R, X} -> F ! {R, X + N}, server(N + 1) end.
call(P, X) -> R = make_ref(), P ! {call, self(), R, X}, receive {R, Y} -> Y after 10000 -> timeout end.
drain(N, A) -> receive {item, _, I} -> drain(N + 1, A + I) after 0 -> {N, A} end.
p(X) -> io:format("~p~n", [X]).
