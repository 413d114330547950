%% max-otp: 25
%% Other instructions that compilers before OTP 25 wrote, by hand.
{module, asm_old_misc}.
{exports, [{main,0},{module_info,0},{module_info,1}]}.
{attributes, []}.
{labels, 40}.

%% A tuple with a slot of a zeroed frame.
{function, tuple, 2, 2}.
  {label,1}.
    {line,[]}.
    {func_info,{atom,asm_old_misc},{atom,tuple},2}.
  {label,2}.
    {allocate_heap_zero,2,4,2}.
    {init,{y,0}}.
    {put_tuple2,{y,1},{list,[{x,0},{atom,mid},{x,1}]}}.
    {move,{y,1},{x,0}}.
    {deallocate,2}.
    return.

%% A float with the explicit checks.
{function, half, 1, 4}.
  {label,3}.
    {line,[]}.
    {func_info,{atom,asm_old_misc},{atom,half},1}.
  {label,4}.
    {fconv,{x,0},{fr,0}}.
    {fmove,{literal,0.5},{fr,1}}.
    fclearerror.
    {fmul,{f,0},{fr,0},{fr,1},{fr,0}}.
    {fcheckerror,{f,0}}.
    {test_heap,{alloc,[{words,0},{floats,1}]},1}.
    {fmove,{fr,0},{x,0}}.
    return.

%% A receive with the marks of OTP 14 to 23.
{function, marked, 0, 6}.
  {label,5}.
    {line,[]}.
    {func_info,{atom,asm_old_misc},{atom,marked},0}.
  {label,6}.
    {allocate_zero,1,0}.
    {recv_mark,{f,7}}.
    {call_ext,0,{extfunc,erlang,make_ref,0}}.
    {move,{x,0},{y,0}}.
    {call_ext,0,{extfunc,erlang,self,0}}.
    {move,{y,0},{x,1}}.
    send.
    {recv_set,{f,7}}.
  {label,7}.
    {loop_rec,{f,9},{x,0}}.
    {test,is_eq_exact,{f,8},[{x,0},{y,0}]}.
    remove_message.
    {move,{atom,received},{x,0}}.
    {deallocate,1}.
    return.
  {label,8}.
    {loop_rec_end,{f,7}}.
  {label,9}.
    {wait,{f,7}}.

{function, main, 0, 11}.
  {label,10}.
    {line,[]}.
    {func_info,{atom,asm_old_misc},{atom,main},0}.
  {label,11}.
    {allocate,0,0}.
    {move,{integer,1},{x,0}}.
    {move,{literal,"two"},{x,1}}.
    {call,2,{f,2}}.
    {call_ext,1,{extfunc,erlang,display,1}}.
    {move,{integer,7},{x,0}}.
    {call,1,{f,4}}.
    {call_ext,1,{extfunc,erlang,display,1}}.
    {call,0,{f,6}}.
    {call_ext,1,{extfunc,erlang,display,1}}.
    {deallocate,0}.
    return.

{function, module_info, 0, 13}.
  {label,12}.
    {line,[]}.
    {func_info,{atom,asm_old_misc},{atom,module_info},0}.
  {label,13}.
    {move,{atom,asm_old_misc},{x,0}}.
    {call_ext_only,1,{extfunc,erlang,get_module_info,1}}.

{function, module_info, 1, 15}.
  {label,14}.
    {line,[]}.
    {func_info,{atom,asm_old_misc},{atom,module_info},1}.
  {label,15}.
    {move,{x,0},{x,1}}.
    {move,{atom,asm_old_misc},{x,0}}.
    {call_ext_only,2,{extfunc,erlang,get_module_info,2}}.
