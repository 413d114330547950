%% max-otp: 25
%% Instructions for binaries that compilers before OTP 25 wrote, by hand.
{module, asm_old_bits}.
{exports, [{main,0},{module_info,0},{module_info,1}]}.
{attributes, []}.
{labels, 40}.

%% <<X:16, B/binary, "end">>
{function, build, 2, 2}.
  {label,1}.
    {line,[]}.
    {func_info,{atom,asm_old_bits},{atom,build},2}.
  {label,2}.
    {bif,byte_size,{f,0},[{x,1}],{x,2}}.
    {bs_add,{f,0},[{integer,5},{x,2},1],{x,2}}.
    {bs_init2,{f,0},{x,2},0,3,{field_flags,[]},{x,2}}.
    {bs_put_integer,{f,0},{integer,16},1,{field_flags,[unsigned,big]},{x,0}}.
    {bs_put_binary,{f,0},{atom,all},8,{field_flags,[unsigned,big]},{x,1}}.
    {bs_put_string,3,{string,<<"end">>}}.
    {move,{x,2},{x,0}}.
    return.

{function, main, 0, 7}.
  {label,6}.
    {line,[]}.
    {func_info,{atom,asm_old_bits},{atom,main},0}.
  {label,7}.
    {allocate,0,0}.
    {move,{integer,4660},{x,0}}.
    {move,{literal,<<"body">>},{x,1}}.
    {call,2,{f,2}}.
    {call_ext,1,{extfunc,erlang,display,1}}.
    {deallocate,0}.
    return.

{function, module_info, 0, 9}.
  {label,8}.
    {line,[]}.
    {func_info,{atom,asm_old_bits},{atom,module_info},0}.
  {label,9}.
    {move,{atom,asm_old_bits},{x,0}}.
    {call_ext_only,1,{extfunc,erlang,get_module_info,1}}.

{function, module_info, 1, 11}.
  {label,10}.
    {line,[]}.
    {func_info,{atom,asm_old_bits},{atom,module_info},1}.
  {label,11}.
    {move,{x,0},{x,1}}.
    {move,{atom,asm_old_bits},{x,0}}.
    {call_ext_only,2,{extfunc,erlang,get_module_info,2}}.
