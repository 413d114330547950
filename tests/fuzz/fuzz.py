#!/usr/bin/env python3
"""Random Erlang programs, run on OTP and on Chime, and compared.

    tests/fuzz/fuzz.py --programs 100 --seed 1 --chime target/release/chime --dir FOLDER

Each program has fifty runs of random functions: arithmetic, lists, tuples, maps, binaries, funs, comprehensions,
exceptions with their traces, guards, receives, processes. A program that erlc refuses is left out. Lines that differ
are printed; the exit status is 1 if there are any.
"""
import argparse
import os
import random
import re
import subprocess
import sys

class G:
    def __init__(s,seed): s.r=random.Random(seed); s.n=0; s.vars=[]; s.rec=0
    def v(s): s.n+=1; return "V%d"%s.n
    def i(s):
        r=s.r
        return str(r.choice([0,1,2,-1,7,-13,255,256,65535,-32768,2**31,2**59-1,-2**59,2**59,2**60,2**63-1,-2**63,2**64,2**64-1,2**100,-2**128+3,r.randrange(-100,100),r.randrange(-100,100),r.randrange(-10**6,10**6),r.randrange(-2**80,2**80)]))
    def lit(s):
        r=s.r;k=r.randrange(12)
        if k<4: return s.i()
        if k==4: return r.choice(['0.0','-0.0','1.0','-1.5','3.14e10','1.0e308','2.0e-5','4611686018427387904.0','18446744073709551616.0'])
        if k==5: return r.choice(['a','b','ok','true','false','undefined',"'A b'",'[]'])
        if k==6: return r.choice(['<<>>','<<"abc">>','<<1,2,3:4>>','<<"h\\x{e9}llo"/utf8>>','<<255,0,7:3>>','"str"','<<1:1>>'])
        if k==7: return '[]'
        if k==8: return '{}'
        if k==9: return '#{}'
        if k==10: return r.choice(['#{a=>1,b=>2}','{a,1}','[1,2,3]','[a|b]','#{1=>x,1.0=>y}','[{a,1},{b,2}]'])
        return s.i()
    def e(s,d):
        r=s.r
        if d<=0 or r.random()<.08:
            if s.vars and r.random()<.65: return r.choice(s.vars)
            return s.lit()
        k=r.randrange(34); E=lambda: s.e(d-1)
        if k<5: return "(%s %s %s)"%(E(),r.choice(['+','-','*','div','rem','band','bor','bxor','+','-','*','/']),E())
        if k==5: return "(%s %s %s)"%(E(),r.choice(['bsl','bsr']),r.choice(['0','1','3','59','60','64','65','-1','-3','100','-70']))
        if k==6: return "(%s %s %s)"%(E(),r.choice(['<','>','=<','>=','==','=:=','/=','=/=']),E())
        if k==7: return "(%s %s)"%(r.choice(['-','bnot ','not ','+']),E())
        if k==8: return "{%s}"%",".join(E() for _ in range(r.randrange(5)))
        if k==9: return "[%s]"%",".join(E() for _ in range(r.randrange(5)))
        if k==10: return "[%s|%s]"%(E(),E())
        if k==11: return "#{%s}"%",".join("%s=>%s"%(E(),E()) for _ in range(r.randrange(4)))
        if k==12: return "(%s)#{%s%s%s}"%(E(),E(),r.choice(['=>','=>',':=']),E())
        if k==13:
            segs=[]
            for _ in range(r.randrange(1,4)):
                t=r.randrange(7)
                if t==0: segs.append("(%s):%s"%(E(),r.choice(['8','3','16','17','64/little','33/little-signed','0','100','7/little','128','(%s)'%s.i() if r.random()<.1 else '12'])))
                elif t==1: segs.append("(%s)/binary"%E())
                elif t==2: segs.append("(%s)/bitstring"%E())
                elif t==3: segs.append("(%s)/%s"%(E(),r.choice(['float','float-little','utf8','utf16','utf32','utf16-little'])))
                elif t==4: segs.append("(%s):%s/float"%(E(),r.choice(['16','32','64'])))
                elif t==5: segs.append('"ab%d"'%r.randrange(10))
                else: segs.append("(%s):(%s)/binary"%(E(),r.choice(['0','1','2','3'])))
            return "<<%s>>"%",".join(segs)
        if k==14: return "(%s %s %s)"%(E(),r.choice(['++','--','++']),E())
        if k==15: return "(%s %s %s)"%(E(),r.choice(['andalso','orelse','and','or','xor']),E())
        if k in(16,17):
            f=r.choice(['length/1','hd/1','tl/1','tuple_size/1','abs/1','trunc/1','round/1','float/1','floor/1','ceil/1','byte_size/1','bit_size/1','map_size/1','element/2','setelement/3','tuple_to_list/1','list_to_tuple/1','integer_to_list/1','list_to_integer/1','integer_to_binary/1','binary_to_list/1','list_to_binary/1','iolist_size/1','iolist_to_binary/1','atom_to_list/1','max/2','min/2','is_list/1','is_function/2','is_map_key/2','lists:reverse/1','lists:member/2','lists:keyfind/3','lists:sort/1','lists:seq/2!','maps:get/2','maps:get/3','maps:put/3','maps:remove/2','maps:keys/1','maps:values/1','maps:merge/2','maps:find/2','maps:take/2','maps:update/3','maps:from_list/1','lists:usort/1','lists:flatten/1','lists:last/1','lists:nth/2','binary_part/3','split_binary/2','erlang:phash2/1','erlang:phash2/2','term_to_binary/1','integer_to_list/2','float_to_list/1','list_to_float/1','bitstring_to_list/1','list_to_bitstring/1','append_element/2','delete_element/2','insert_element/3','binary:split/2','binary:copy/2!','binary:at/2','binary:part/3','lists:zip/2','lists:sum/1','lists:append/1','lists:keysort/2','lists:delete/2','lists:duplicate/2!','string:length/1','unicode:characters_to_list/1','unicode:characters_to_binary/1','erlang:crc32/1','erlang:adler32/1','erlang:md5/1','binary:decode_unsigned/1','binary:encode_unsigned/1','binary_to_term/1','binary_to_atom/1!x','maps:to_list/1','erlang:external_size/1','is_record/3','binary:matches/2','math:sqrt/1','math:log2/1','math:fmod/2','binary:longest_common_prefix/1','erts_debug:flat_size/1','lists:keydelete/3','lists:keyreplace/4','lists:keytake/3','lists:reverse/2','lists:ukeysort/2','lists:umerge/1','string:uppercase/1','binary:bin_to_list/1','binary:first/1','binary:last/1','integer_to_binary/2','binary_to_integer/1','float_to_binary/1','size/1','is_map/1','is_tuple/1','is_float/1','is_bitstring/1','lists:join/2','lists:max/1','maps:with/2','maps:without/2','maps:fold/3','lists:map/2','lists:foldl/3','lists:filter/2','apply/2','apply/3','maps:filter/2','maps:map/2','error/1','throw/1','exit/1'])
            raw='!' in f
            f=f.split('!')[0]; nm,ar=f.split('/')
            if nm in('append_element','delete_element','insert_element'): nm='erlang:'+nm
            if nm=='binary_to_atom': nm='is_atom';
            if raw and nm!='is_atom': return {'lists:seq':"lists:seq(%d,%d)"%(r.randrange(-5,5),r.randrange(-2,20)),'binary:copy':"binary:copy(%s,%d)"%(E(),r.randrange(5)),'lists:duplicate':"lists:duplicate(%d,%s)"%(r.randrange(40),E())}[nm]
            return "%s(%s)"%(nm,",".join(E() for _ in range(int(ar))))
        if k==18:
            sv=list(s.vars); n=[s.v() for _ in range(r.randrange(3))]; s.vars+=n; b=s.e(d-1); s.vars=sv
            return "(fun(%s) -> %s end)"%(",".join(n),b)
        if k==19:
            return "(id(%s))(%s)"%(E(),",".join(E() for _ in range(r.randrange(3))))
        if k in(20,21,22):
            cl=[]
            x=E()
            for _ in range(r.randrange(1,4)):
                sv=list(s.vars); p,nv=s.pat(2); s.vars=sv+nv
                g=" when %s"%s.guard(2) if r.random()<.4 else ""
                cl.append("%s%s -> %s"%(p,g,s.e(d-1))); s.vars=sv
            if r.random()<.7: cl.append("_ -> %s"%E())
            return "case %s of %s end"%(x,"; ".join(cl))
        if k in(23,24):
            sv=list(s.vars); b=s.e(d-1); s.vars=sv
            c=s.v(); x=s.v(); s.vars=sv+[c,x]; h=s.e(d-1); s.vars=sv
            a=" after (catch %s)"%E() if r.random()<.2 else ""
            return "try %s catch %s:%s -> {%s,%s}%s end"%(b,c,x,c,h if r.random()<.5 else x,a)
        if k==25: return "(catch %s(%s))"%(r.choice(['throw','exit']),E())
        if k==26:
            sv=list(s.vars); x=s.v(); l=E(); s.vars=sv+[x]; b=s.e(d-1); g=s.guard(1); s.vars=sv
            return "[%s || %s <- %s, %s]"%(b,x,l,g)
        if k==27:
            sv=list(s.vars); x=s.v(); l=E(); s.vars=sv+[x]; b=s.e(d-1); s.vars=sv
            return "<< <<(%s):%s>> || <<%s:%s>> <= %s >>"%(b,r.choice(['8','5','16']),x,r.choice(['8','4','3/signed','16/little']),l)
        if k==28:
            sv=list(s.vars); p,nv=s.pat(2); s.vars=sv+nv; b=s.e(d-1); s.vars=sv
            pre="self() ! %s, "%E()
            return "begin %sreceive %s -> %s after 0 -> flush(%s) end end"%(pre,p,b,s.lit())
        if k==29: return "begin P%d = spawn_monitor(fun() -> exit(%s) end), element(4, (fun({_,R_}) -> receive {'DOWN',R_,process,_,W_} -> {x,x,x,W_} end end)(P%d)) end"%(lambda n:(n,E(),n))(s.nn())
        if k==30: return "f%d(%s)"%(r.randrange(3),",".join(E() for _ in range(2)))
        if k==31: return "if %s -> %s; true -> %s end"%(s.guard(2),E(),E())
        if k==32:
            return "lists:%s(fun(X_%d) -> %s end, %s)"%(r.choice(['map','filter','foreach','all','any']),s.nn(),E(),E())
        return s.lit()
    def plit(s):
        while True:
            x=s.lit()
            if '#' not in x: return x
    def nn(s): s.n+=1; return s.n
    def guard(s,d):
        r=s.r
        def ge(d):
            if d<=0 or r.random()<.3: return r.choice(s.vars) if s.vars and r.random()<.8 else s.lit()
            k=r.randrange(5)
            if k==0: return "(%s %s %s)"%(ge(d-1),r.choice(['+','-','*','div','rem','band','bsl 3 bor']),ge(d-1))
            if k==1: return "%s(%s)"%(r.choice(['length','hd','tl','tuple_size','abs','byte_size','bit_size','map_size','size','round','float','trunc']),ge(d-1))
            if k==2: return "element(%s,%s)"%(r.choice(['1','2']),ge(d-1))
            if k==3: return "map_get(%s,%s)"%(ge(d-1),ge(d-1))
            return ge(d-1)
        k=r.randrange(5)
        if k<2: return "%s %s %s"%(ge(d),r.choice(['<','>','=<','>=','==','=:=','/=','=/=']),ge(d))
        if k==2: return "%s(%s)"%(r.choice(['is_integer','is_list','is_tuple','is_map','is_binary','is_bitstring','is_atom','is_float','is_number','is_boolean','is_function','is_pid']),ge(d))
        if k==3: return "(%s) %s (%s)"%(s.guard(d-1) if d>0 else 'true',r.choice(['andalso','orelse','and','or']),s.guard(d-1) if d>0 else 'true')
        return "not (%s)"%(s.guard(d-1) if d>0 else 'false')
    def pat(s,d):
        r=s.r; nv=[]
        def p(d):
            k=r.randrange(10)
            if d<=0 or k<3:
                if r.random()<.5: x=s.v(); nv.append(x); return x
                if r.random()<.3: return '_'
                return s.plit() if r.random()<.8 else (r.choice(s.vars) if s.vars else '_')
            if k<5: return "{%s}"%",".join(p(d-1) for _ in range(r.randrange(4)))
            if k==5: return "[%s|%s]"%(p(d-1),p(d-1))
            if k==6: return "[%s]"%",".join(p(d-1) for _ in range(r.randrange(3)))
            if k==7: return "#{%s:=%s}"%(r.choice(['a','b','1','1.0',"[]"]+s.vars),p(d-1))
            segs=[]
            for _ in range(r.randrange(1,4)):
                x=s.v(); nv.append(x)
                segs.append("%s:%s"%(x,r.choice(['8','3','16','4/signed','16/little','24/signed-little','5','64','1/binary','7/bitstring','32/float','64/float','65','13/little']))if r.random()<.85 else "%s/%s"%(x,r.choice(['utf8','utf16','float'])))
            t=r.randrange(3)
            if t==0: x=s.v(); nv.append(x); segs.append(x+"/binary")
            if t==1: x=s.v(); nv.append(x); segs.append(x+"/bitstring")
            return "<<%s>>"%",".join(segs)
        return p(d),nv
def prog(seed,name):
    g=G(seed); out=["-module(%s)."%name,"-export([main/0]).","-compile([nowarn_unused_vars,nowarn_nomatch,nowarn_shadow_vars,nowarn_deprecated_catch]).",
     "flush(D) -> receive X -> X after 0 -> D end.",
     "id(X) -> X.",
     "s(T) when is_function(T) -> 'FUN'; s(T) when is_pid(T) -> 'PID'; s(T) when is_reference(T) -> 'REF'; s([H|T]) -> [s(H)|s(T)]; s(T) when is_tuple(T) -> list_to_tuple(s(tuple_to_list(T))); s(M) when is_map(M) -> {m, lists:sort([{s(K),s(V)} || {K,V} <- maps:to_list(M)])}; s(T) -> T.",
     "st([]) -> []; st([{M,F,A,I}|T]) when M =:= ?MODULE -> [{F, if is_list(A) -> s(A); true -> A end, proplists:get_value(line,I), s(proplists:get_value(error_info,I))}|st(T)]; st([{M,F,A,_}|T]) -> [{M,F,if is_list(A) -> length(A); true -> A end}|st(T)].",
     "run(N,F) -> R = try F() of X -> {ok,X} catch C:E:S -> {C,E,try st(S) catch _:_ -> S end} end, flush(a), flush(a),flush(a), flush(a), io:format(\"~p ~w~n\",[N,s(R)])."]
    for f in range(3):
        cl=[]
        for _ in range(g.r.randrange(1,4)):
            g.vars=[]; p1,n1=g.pat(2); g.vars=[]; p2,n2=g.pat(1); g.vars=n1+n2
            gd=" when %s"%g.guard(2) if g.r.random()<.5 else ""
            R=g.r.random
            b=g.e(3)
            while "f0(" in b or "f1(" in b or "f2(" in b: b=g.e(3)
            cl.append("f%d(%s,%s)%s -> %s"%(f,p1,p2,gd,b))
        out.append(";\n".join(cl)+".")
    N=25
    for i in range(N):
        g.vars=['A','B','C']; 
        out.append("t%d(A,B,C) -> %s."%(i,g.e(5)))
    g.vars=[]
    out.append("main() -> "+",\n ".join("run(%d, fun() -> t%d(id(%s),id(%s),id(%s)) end)"%(i,i,g.lit(),g.lit(),g.lit()) for i in range(N) for _ in range(2))+", ok.")
    return "\n".join(out)

COMPILE = """
    ok = file:set_cwd("%s"),
    [compile:file(F, []) || F <- filelib:wildcard("fz*.erl")], halt().
"""
RUN = """
    Run = fun(M) ->
        {ok, F} = file:open(M ++ ".otp", [write]),
        {P, R} = spawn_monitor(fun() -> group_leader(F, self()), (list_to_atom(M)):main() end),
        receive {_, R, _, _, W} -> io:format(F, "end ~p~n", [W])
        after 20000 -> exit(P, kill), io:format(F, "timeout~n", []) end,
        file:close(F)
    end,
    ok = file:set_cwd("%s"),
    [Run(filename:rootname(F)) || F <- lists:sort(filelib:wildcard("fz*.beam"))], halt().
"""
# Below main/0 OTP's and Chime's first processes have frames of their own.
BOTTOM = re.compile(r",?\{init,start_em,1(,\[\])?\},\{init,do_boot,3(,\[\])?\}")


def erl(script, folder):
    subprocess.run(["erl", "-noshell", "-eval", script % folder], stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL, timeout=1800)


def results(data):
    lines = BOTTOM.sub("", data.decode("latin1")).splitlines()
    return [l for l in lines if re.match(r"\d+ \{", l)]


def main():
    args = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    args.add_argument("--programs", type=int, default=50)
    args.add_argument("--seed", type=int, default=1)
    args.add_argument("--chime", default="target/release/chime")
    args.add_argument("--schedulers", default="2")
    args.add_argument("--dir", required=True)
    args = args.parse_args()
    folder = os.path.abspath(args.dir)
    os.makedirs(folder, exist_ok=True)
    names = ["fz%d" % (args.seed * 100000 + k) for k in range(args.programs)]
    for name in names:
        with open("%s/%s.erl" % (folder, name), "w") as f:
            f.write(prog(int(name[2:]), name))
    erl(COMPILE, folder)
    erl(RUN, folder)
    compared = differences = 0
    for name in names:
        beam = "%s/%s.beam" % (folder, name)
        if not os.path.exists(beam):
            continue
        otp = results(open("%s/%s.otp" % (folder, name), "rb").read())
        run = [args.chime, "run", "--schedulers", args.schedulers, beam]
        try:
            done = subprocess.run(run, stdin=subprocess.DEVNULL, capture_output=True, timeout=60)
            chime, status = results(done.stdout), done.returncode
        except subprocess.TimeoutExpired:
            chime, status = [], "timeout"
        compared += 1
        if status != 0:
            print(name, "status", status)
        pairs = [(a, b) for a, b in zip(otp, chime) if a != b]
        for a, b in pairs:
            print("%s\n  OTP   %s\n  Chime %s" % (name, a[:600], b[:600]))
        differences += len(pairs) + (len(otp) != len(chime)) + (status != 0)
    print("%d programs compared, %d differences" % (compared, differences))
    sys.exit(differences != 0)


if __name__ == "__main__":
    main()
