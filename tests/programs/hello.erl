-module(hello).
-export([main/0]).
main() -> io:format("hello ~p~n",[erlang:system_info(otp_release)]), lists:foreach(fun(I)->io:format("~p~n",[I]) end, lists:seq(1,5)), erlang:display(foo).
