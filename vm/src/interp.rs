//! The interpreter: one loop, one match. A receive happens at `LoopRec`; what a frame looks like, at `Call`.
//!
//! Frames: a call pushes the address of its [`ReturnSite`]; `allocate n` makes room for y0 … y(n-1) below it.
//! So y(i) is `sp[i]`, the continuation of a function with a frame of n slots is `sp[n]`, and `return`
//! pops it. Words with tag `00` on the stack are continuations, all others terms.
//!
//! The loop keeps the instruction pointer, the stack pointer and the heap's top in locals (`ip`, `sp`,
//! `htop`); `out!` writes them back before anything that may look, `inn!` reloads them.

use crate::atoms;
use crate::bif::BifFn;
use crate::code::{Export, FunEntry, Function, ReturnSite};
use crate::error;
use crate::exports;
use crate::gc;
use crate::heap::{Alloc, RED_ZONE};
use crate::instr::{KIND_CONST, KIND_Y, Op, X_REGS};
use crate::num;
use crate::process::{BailKind, Class, Process, flag};
use crate::term::{Term, header, header_arity, sub};
use crate::wide::{self, Flow};
use std::cmp::Ordering as Cmp;
use std::hint::select_unpredictable as select;
use std::sync::atomic::Ordering;

/// Registers of a scheduler; a process owns them while it runs.
#[repr(C, align(64))]
pub struct Regs {
    pub x: [Term; X_REGS],
    pub f: [f64; 1024],
}

impl Regs {
    pub fn new() -> Box<Regs> {
        Box::new(Regs { x: [Term::NIL; X_REGS], f: [0.0; 1024] })
    }
}

/// Why a process stopped running.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// Its turn is over.
    Yield,
    /// It waits for a signal.
    Wait,
    /// It is dead; `exc.reason` says why.
    Exited,
}

/// Code that is not any module's: where stacks end and where trapped built-ins go on.
static TRAPPED: [u64; 1] = [Op::Trapped as u64];
static NORMAL_EXIT: [u64; 1] = [Op::NormalExit as u64];

/// The continuation at the bottom of every stack: ends the process normally.
pub fn exit_site() -> *const ReturnSite {
    struct Shared(ReturnSite);
    // SAFETY: the site is never written.
    unsafe impl Sync for Shared {}
    static SITE: Shared = Shared(ReturnSite {
        native: std::sync::atomic::AtomicPtr::new(std::ptr::null_mut()),
        ip: NORMAL_EXIT.as_ptr(),
        function: std::ptr::null(),
        line: 0,
        frame: 0,
    });
    // Only read through the pointer's `native`, which stays null.
    &SITE.0
}

/// Where a call from a native process comes back: with a result, and with an exception.
static CALLED: [u64; 3] =
    [Op::Called as u64, Op::TryCase as u64 | 0 << 16 | (KIND_Y as u64) << 16, Op::Called as u64 | 1 << 16];

fn call_site() -> *const ReturnSite {
    static SITE: std::sync::OnceLock<usize> = std::sync::OnceLock::new();
    *SITE.get_or_init(|| {
        Box::into_raw(Box::new(ReturnSite {
            native: std::sync::atomic::AtomicPtr::default(),
            ip: CALLED.as_ptr(),
            function: std::ptr::null(),
            line: 0,
            frame: 2,
        })) as usize
    }) as *const ReturnSite
}

fn call_catch() -> Term {
    static TAG: std::sync::OnceLock<Term> = std::sync::OnceLock::new();
    *TAG.get_or_init(|| crate::modules::catch_at(CALLED[1..].as_ptr()))
}

/// Runs `p` until its turn ends, it waits, or it dies.
///
/// The process's code was checked when it was loaded: operands name existing registers, jumps stay inside
/// functions, frames are balanced. Every `unsafe` access below rests on that, and on the tags of the terms
/// tested by the instructions before.
// The macros reload all locals together; not every use reads each of them.
#[allow(unused_assignments)]
pub fn run(p: &mut Process, regs: &mut Regs) -> Outcome {
    let x: *mut Term = regs.x.as_mut_ptr();
    let f: *mut f64 = regs.f.as_mut_ptr();
    let mut ip: *const u64 = p.ip;
    let mut sp: *mut Term = p.heap.stack;
    let mut htop: *mut Term = p.heap.top;

    // SAFETY: as said above.
    unsafe {
        let n = p.nargs as usize;
        if n > 0 {
            let args: &[Term] = if p.spill.is_empty() { &p.args[..n] } else { &p.spill };
            std::ptr::copy_nonoverlapping(args.as_ptr(), x, n);
            p.nargs = 0;
            p.spill = Vec::new();
        }

        macro_rules! out {
            () => {
                p.heap.stack = sp;
                p.heap.top = htop;
            };
        }
        macro_rules! inn {
            () => {
                sp = p.heap.stack;
                htop = p.heap.top;
            };
        }
        macro_rules! reg {
            ($v:expr) => {{
                let v = $v as u16;
                let base = select(v & KIND_Y != 0, sp.cast::<u8>(), x.cast::<u8>());
                base.add((v & !7) as usize).cast::<Term>()
            }};
        }
        macro_rules! get {
            ($v:expr) => {
                *reg!($v)
            };
        }
        // A source that may be the constant behind the instruction.
        macro_rules! getc {
            ($v:expr) => {{
                let v = $v as u16;
                let base = select(v & KIND_Y != 0, sp.cast::<u8>() as *const u8, x.cast::<u8>() as *const u8);
                let base = select(v & KIND_CONST != 0, ip.cast::<u8>(), base);
                *base.add((v & !7) as usize).cast::<Term>()
            }};
        }
        macro_rules! set {
            ($v:expr, $t:expr) => {{
                let t: Term = $t;
                *reg!($v) = t
            }};
        }
        macro_rules! a {
            ($w:expr) => {
                ($w >> 16) as u16
            };
        }
        macro_rules! b {
            ($w:expr) => {
                ($w >> 32) as u16
            };
        }
        macro_rules! c {
            ($w:expr) => {
                ($w >> 48) as u16
            };
        }
        // The jump distance in the upper half of the first word.
        macro_rules! jump_hi {
            ($w:expr) => {
                ip = ip.offset(($w as i64 >> 32) as isize)
            };
        }
        // The distance in the low half of word `n`.
        macro_rules! jump_lo {
            ($n:expr) => {
                ip = ip.offset(*ip.add($n) as i32 as isize)
            };
        }
        macro_rules! next {
            ($n:expr) => {
                ip = ip.add($n)
            };
        }
        macro_rules! site {
            ($n:expr) => {
                *ip.add($n) as *const ReturnSite
            };
        }
        // Saves the first `n` x registers while the process does not run.
        macro_rules! save_args {
            ($n:expr) => {{
                let n = $n as usize;
                p.nargs = n as u32;
                if n <= p.args.len() {
                    std::ptr::copy_nonoverlapping(x, p.args.as_mut_ptr(), n);
                } else {
                    p.spill = std::slice::from_raw_parts(x, n).to_vec();
                }
            }};
        }
        macro_rules! collect {
            ($live:expr, $need:expr) => {{
                out!();
                let live = std::slice::from_raw_parts_mut(x, $live as usize);
                if !gc::ensure(p, live, $need) {
                    return killed(p);
                }
                inn!();
            }};
        }
        macro_rules! room {
            ($words:expr) => {
                (sp as usize).wrapping_sub(htop as usize) as isize >= (($words + RED_ZONE) * 8) as isize
            };
        }
        // At the entry of a function of `arity` arguments whose code starts at `ip`: counts the call.
        macro_rules! enter {
            ($arity:expr) => {{
                p.fcalls -= 1;
                if p.fcalls < 0 {
                    let arity: usize = $arity as usize;
                    out!();
                    let live = std::slice::from_raw_parts_mut(x, arity);
                    match slow_entry(p, live) {
                        Entry::Go => {
                            inn!();
                        }
                        Entry::Yield => {
                            p.ip = ip;
                            save_args!(arity);
                            return Outcome::Yield;
                        }
                        Entry::Die => return killed(p),
                    }
                }
                continue;
            }};
        }
        macro_rules! entry_arity {
            () => {
                (*(*ip.sub(1) as *const Function)).arity
            };
        }
        // Goes to the handler of the exception that is set up in p.exc, or ends the process.
        macro_rules! unwind {
            () => {{
                match error::unwind(p, x) {
                    Some(handler) => {
                        inn!();
                        ip = handler;
                        continue;
                    }
                    None => return Outcome::Exited,
                }
            }};
        }
        macro_rules! raise {
            ($class:expr, $reason:expr) => {{
                out!();
                let reason = $reason;
                let _ = p.raise($class, reason);
                error::trace_here(p, ip);
                unwind!()
            }};
        }
        macro_rules! error_pair {
            ($tag:expr, $value:expr) => {{
                out!();
                let value = $value;
                let _ = p.error_pair($tag, value);
                error::trace_here(p, ip);
                unwind!()
            }};
        }
        // A test with one operand and the distance in the first word.
        macro_rules! test {
            ($w:expr, $cond:expr) => {{
                let t: Term = get!(a!($w));
                #[allow(clippy::redundant_closure_call)]
                if $cond(t) { next!(1) } else { jump_hi!($w) }
            }};
        }
        macro_rules! compare {
            ($w:expr, $len:expr, $fast:expr, $slow:expr) => {{
                let (l, r): (Term, Term) = (getc!(a!($w)), getc!(b!($w)));
                let ok: bool =
                    if Term::both_small(l, r) { $fast(l.0 as i64, r.0 as i64) } else { $slow(l, r) };
                if ok { next!($len) } else { jump_lo!(1) }
            }};
        }
        macro_rules! arith_failed {
            ($name:expr, $err:expr, $args:expr) => {{
                if *ip.add(1) as i32 != 0 {
                    jump_lo!(1);
                } else {
                    let _ = error::arith(p, $err);
                    if error::is_increment($name, *ip, $args) {
                        error::trace_here(p, ip);
                    } else {
                        error::trace_bif(p, ip, atoms::ERLANG, $name, $args);
                    }
                    unwind!();
                }
            }};
        }
        // Words 1: fail | live << 32. `fast` gives Some(word) for two smalls.
        macro_rules! arith {
            ($w:expr, $len:expr, $name:expr, $fast:expr, $slow:path) => {
                arith!($w, $len, $name, $fast, $slow, {})
            };
            ($w:expr, $len:expr, $name:expr, $fast:expr, $slow:path, $then:block) => {{
                let (l, r): (Term, Term) = (getc!(a!($w)), getc!(b!($w)));
                let fast: Option<Term> = if Term::both_small(l, r) { $fast(l, r) } else { None };
                if let Some(t) = fast {
                    set!(c!($w), t);
                    next!($len);
                    $then
                } else {
                    out!();
                    match $slow(p, l, r) {
                        Ok(t) => {
                            htop = p.heap.top;
                            set!(c!($w), t);
                            if p.heap.frag_words > 64 {
                                out!();
                                p.overflowed();
                            }
                            next!($len);
                        }
                        Err(e) => arith_failed!($name, e, &[l, r]),
                    }
                }
            }};
        }
        // A built-in in a guard or as an expression: export in word 1, fail | live in word 2.
        macro_rules! guard_bif {
            ($args:expr, $dst:expr, $len:expr) => {{
                let args: &[Term] = $args;
                let e = &*(*ip.add(1) as *const Export);
                out!();
                match e.bif {
                    Some(call) => match call(p, args) {
                        Ok(t) => {
                            inn!();
                            set!($dst, t);
                            if p.heap.frag_words > 64 {
                                p.overflowed();
                            }
                            next!($len);
                        }
                        Err(_) => {
                            // Only guards have somewhere to go; a trap cannot happen here (kind::GUARD).
                            if *ip.add(2) as i32 != 0 {
                                p.bail = BailKind::None;
                                jump_lo!(2);
                            } else {
                                error::guard_bif_failed(p, ip, e, args);
                                unwind!();
                            }
                        }
                    },
                    None => {
                        raise!(Class::Error, atoms::UNDEF)
                    }
                }
            }};
        }
        // A float operation: a result that is not finite raises.
        macro_rules! fop {
            ($w:expr, $op:tt, $name:expr) => {{
                let r = *f.add(a!($w) as usize) $op *f.add(b!($w) as usize);
                if r.is_finite() {
                    *f.add(c!($w) as usize) = r;
                    next!(2);
                } else if *ip.add(1) as i32 != 0 {
                    jump_lo!(1);
                } else {
                    raise!(Class::Error, atoms::BADARITH)
                }
            }};
        }
        // What a call of a built-in ended in; `$resume` continues after success with the result in x0.
        macro_rules! bailed {
            ($e:expr, $args:expr) => {{
                inn!();
                match std::mem::replace(&mut p.bail, BailKind::None) {
                    BailKind::TrapBif(call) => {
                        p.trap_fn = Some(call);
                        ip = TRAPPED.as_ptr();
                        if p.exhausted() {
                            out!();
                            p.ip = ip;
                            return Outcome::Yield;
                        }
                        continue;
                    }
                    BailKind::Wait(call) => {
                        p.trap_fn = Some(call);
                        p.ip = TRAPPED.as_ptr();
                        return Outcome::Wait;
                    }
                    BailKind::TrapExport(e) => {
                        let n = p.trap_args.len();
                        std::ptr::copy_nonoverlapping(p.trap_args.as_ptr(), x, n);
                        p.trap_args.clear();
                        ip = e.entry.load(Ordering::Acquire);
                        enter!(n);
                    }
                    BailKind::CallThen(e, call) => {
                        // y0: the catch; y1: where to go on, and the state.
                        let call = Term::small(call as usize as i64);
                        let state = std::mem::replace(&mut p.call_state, Term::NIL);
                        let state = p.cons(call, state);
                        inn!();
                        sp = sp.sub(3);
                        *sp = Term(call_site() as u64);
                        *sp.add(1) = call_catch();
                        *sp.add(2) = state;
                        p.catches += 1;
                        let n = p.trap_args.len();
                        std::ptr::copy_nonoverlapping(p.trap_args.as_ptr(), x, n);
                        p.trap_args.clear();
                        ip = e.entry.load(Ordering::Acquire);
                        enter!(n);
                    }
                    BailKind::Hibernate(e) => {
                        hibernate(p);
                        inn!();
                        p.ip = e.entry.load(Ordering::Acquire);
                        let n = p.trap_args.len();
                        std::ptr::copy_nonoverlapping(p.trap_args.as_ptr(), x, n);
                        p.trap_args.clear();
                        save_args!(n);
                        gc::shrink_to_fit(p);
                        return Outcome::Wait;
                    }
                    BailKind::Yield(value) => {
                        // A value, but the turn ends here.
                        *x = value;
                        p.fcalls = 0;
                        let site = &*((*sp).0 as *const ReturnSite);
                        sp = sp.add(1);
                        out!();
                        p.ip = site.ip;
                        save_args!(1);
                        return Outcome::Yield;
                    }
                    BailKind::Die => {
                        return killed(p);
                    }
                    BailKind::Raise | BailKind::None => {
                        error::trace_called_bif(p, $e, $args);
                        unwind!();
                    }
                }
            }};
        }

        // Pairs that profiles show are entered without another dispatch: one well predicted comparison.
        macro_rules! follows {
            ($op:ident) => {
                *ip as u16 == Op::$op as u16
            };
        }
        macro_rules! call {
            ($w:expr) => {{
                sp = sp.sub(1);
                *sp = Term(*ip.add(1));
                jump_hi!($w);
                enter!(entry_arity!())
            }};
        }
        macro_rules! call_only {
            ($w:expr) => {{
                jump_hi!($w);
                enter!(entry_arity!())
            }};
        }
        macro_rules! ret {
            () => {{
                let site = &*((*sp).0 as *const ReturnSite);
                sp = sp.add(1);
                ip = site.ip;
                continue;
            }};
        }
        macro_rules! deallocate_return {
            ($w:expr) => {{
                sp = sp.add(a!($w) as usize);
                ret!()
            }};
        }
        macro_rules! put_list {
            ($w:expr) => {{
                *htop = get!(a!($w));
                *htop.add(1) = get!(b!($w));
                set!(c!($w), Term::list_ptr(htop));
                htop = htop.add(2);
                next!(1);
            }};
        }
        macro_rules! get_list {
            ($w:expr) => {{
                let cell = get!(a!($w)).ptr();
                let (h, t) = (*cell, *cell.add(1));
                set!(b!($w), h);
                set!(c!($w), t);
                next!(1);
            }};
        }
        macro_rules! allocate {
            ($w:expr) => {{
                let (slots, heap) = (a!($w) as usize, c!($w) as usize);
                if !room!(slots + heap) {
                    collect!(b!($w), slots + heap);
                }
                sp = sp.sub(slots);
                #[cfg(debug_assertions)]
                for i in 0..slots {
                    *sp.add(i) = Term::NIL;
                }
                next!(1);
            }};
        }
        // Saving arguments in a fresh frame, moving others into place, calling.
        macro_rules! move_xx {
            ($w:expr) => {{
                let w = $w;
                *x.byte_add(b!(w) as usize) = *x.byte_add(a!(w) as usize);
                next!(1);
                if follows!(Call) {
                    call!(*ip)
                }
            }};
        }
        macro_rules! move_xy {
            ($w:expr) => {{
                let w = $w;
                *sp.byte_add(b!(w) as usize) = *x.byte_add(a!(w) as usize);
                next!(1);
                if follows!(MoveXX) {
                    move_xx!(*ip)
                }
            }};
        }
        macro_rules! moves {
            ($w:expr) => {{
                let w = $w;
                let packed = ip.add(2).cast::<u16>();
                let mut i = 0;
                while i < a!(w) as usize {
                    let t: Term = getc!(*packed.add(i));
                    set!(*packed.add(i + 1), t);
                    i += 2;
                }
                next!(b!(w) as usize);
                if follows!(Call) {
                    call!(*ip)
                }
            }};
        }
        macro_rules! new_frame {
            ($w:expr) => {{
                allocate!($w);
                if follows!(MoveXY) {
                    move_xy!(*ip)
                } else if follows!(Moves) {
                    moves!(*ip)
                }
            }};
        }
        macro_rules! eq_imm {
            ($w:expr) => {
                if get!(a!($w)).0 == *ip.add(1) { next!(2) } else { jump_hi!($w) }
            };
        }

        loop {
            let w = *ip;
            #[cfg(feature = "opcode-stats")]
            crate::stats::count(std::mem::transmute::<u16, Op>(w as u16));
            // SAFETY: the translator writes only operations of the table.
            let op: Op = std::mem::transmute::<u16, Op>(w as u16);
            match op {
                // ---- control
                Op::FuncInfo => {
                    let function = &*(*ip.add(1) as *const Function);
                    out!();
                    let args = std::slice::from_raw_parts(x, function.arity as usize);
                    let _ = p.raise(Class::Error, atoms::FUNCTION_CLAUSE);
                    error::trace_function_clause(p, ip, function, args);
                    unwind!()
                }
                Op::Jump => jump_hi!(w),
                Op::Call => call!(w),
                Op::CallLast => {
                    sp = sp.add(a!(w) as usize);
                    jump_hi!(w);
                    enter!(entry_arity!())
                }
                Op::CallOnly => call_only!(w),
                Op::CallExt => {
                    sp = sp.sub(1);
                    *sp = Term(*ip.add(2));
                    ip = (*(*ip.add(1) as *const Export)).entry.load(Ordering::Acquire);
                    enter!(a!(w))
                }
                Op::CallExtLast => {
                    sp = sp.add(a!(w) as usize);
                    ip = (*(*ip.add(1) as *const Export)).entry.load(Ordering::Acquire);
                    enter!(b!(w))
                }
                Op::CallExtOnly => {
                    ip = (*(*ip.add(1) as *const Export)).entry.load(Ordering::Acquire);
                    enter!(a!(w))
                }
                Op::CallBif => {
                    let e = &*(*ip.add(1) as *const Export);
                    // Pushed for traps and traces; popped on return.
                    sp = sp.sub(1);
                    *sp = Term(*ip.add(2));
                    p.fcalls -= 1;
                    out!();
                    let args = std::slice::from_raw_parts(x, a!(w) as usize);
                    match (e.bif.unwrap_unchecked())(p, args) {
                        Ok(t) => {
                            *x = t;
                            inn!();
                            sp = sp.add(1);
                            next!(3);
                            {
                                if p.heap.frag_words > 64
                                    || p.flags & flag::NEED_GC != 0
                                    || p.heap.off_heap.bytes > p.vheap_limit
                                {
                                    collect!(1, 0);
                                }
                            }
                        }
                        Err(_) => bailed!(e, args),
                    }
                }
                Op::BifStub => {
                    let e = &*(*ip.add(1) as *const Export);
                    out!();
                    let args = std::slice::from_raw_parts(x, a!(w) as usize);
                    match (e.bif.unwrap_unchecked())(p, args) {
                        Ok(t) => {
                            *x = t;
                            inn!();
                            if p.heap.frag_words > 64
                                || p.flags & flag::NEED_GC != 0
                                || p.heap.off_heap.bytes > p.vheap_limit
                            {
                                collect!(1, 0);
                            }
                            let site = &*((*sp).0 as *const ReturnSite);
                            sp = sp.add(1);
                            ip = site.ip;
                        }
                        Err(_) => bailed!(e, args),
                    }
                }
                Op::Trapped => {
                    let call: BifFn = match p.trap_fn {
                        Some(call) => call,
                        None => return killed(p),
                    };
                    let args = std::mem::take(&mut p.trap_args);
                    p.fcalls -= 1;
                    out!();
                    match call(p, &args) {
                        Ok(t) => {
                            *x = t;
                            inn!();
                            if p.heap.frag_words > 64
                                || p.flags & flag::NEED_GC != 0
                                || p.heap.off_heap.bytes > p.vheap_limit
                            {
                                collect!(1, 0);
                            }
                            let site = &*((*sp).0 as *const ReturnSite);
                            sp = sp.add(1);
                            ip = site.ip;
                        }
                        Err(_) => {
                            if matches!(p.bail, BailKind::TrapBif(_)) && p.heap.frag_words > 4096 {
                                // The state so far is in trap_args, which are roots.
                                if !gc::ensure(p, &mut [], 0) {
                                    return killed(p);
                                }
                                inn!();
                            }
                            let none: Option<&Export> = None;
                            bailed!(none, &args)
                        }
                    }
                }
                Op::Apply | Op::ApplyLast => {
                    let arity = a!(w) as usize;
                    let (module, function) = (*x.add(arity), *x.add(arity + 1));
                    if !module.is_atom() || !function.is_atom() {
                        let args = std::slice::from_raw_parts(x, arity);
                        out!();
                        error::bad_apply(p, ip, module, function, args);
                        unwind!();
                    }
                    let e = exports::get(module, function, arity as u32);
                    if op == Op::ApplyLast
                        && let Some(call) = e.bif
                    {
                        // As a call and a return, so that stack traces show who called.
                        p.fcalls -= 1;
                        out!();
                        let args = std::slice::from_raw_parts(x, arity);
                        match call(p, args) {
                            Ok(t) => {
                                *x = t;
                                inn!();
                                sp = sp.add(b!(w) as usize);
                                if p.heap.frag_words > 64
                                    || p.flags & flag::NEED_GC != 0
                                    || p.heap.off_heap.bytes > p.vheap_limit
                                {
                                    collect!(1, 0);
                                }
                                let site = &*((*sp).0 as *const ReturnSite);
                                sp = sp.add(1);
                                ip = site.ip;
                                continue;
                            }
                            Err(_) if matches!(p.bail, BailKind::Raise) && !p.exc.complete => {
                                error::apply_last_failed(p, ip, e, args);
                                unwind!();
                            }
                            Err(_) => {
                                p.heap.stack = p.heap.stack.add(b!(w) as usize);
                                bailed!(e, args)
                            }
                        }
                    }
                    if op == Op::Apply {
                        sp = sp.sub(1);
                        *sp = Term(*ip.add(1));
                    } else {
                        sp = sp.add(b!(w) as usize);
                    }
                    ip = e.entry.load(Ordering::Acquire);
                    enter!(arity)
                }
                Op::ApplyMfa | Op::ApplyMfaLast => {
                    let (module, function, list) = (*x, *x.add(1), *x.add(2));
                    let n = list.list_len();
                    match n {
                        Some(n) if module.is_atom() && function.is_atom() && n <= 255 => {
                            for (i, t) in list.iter().enumerate() {
                                *x.add(i) = t;
                            }
                            if op == Op::ApplyMfa {
                                sp = sp.sub(1);
                                *sp = Term(*ip.add(1));
                            }
                            ip = exports::get(module, function, n as u32).entry.load(Ordering::Acquire);
                            enter!(n)
                        }
                        _ => {
                            out!();
                            let args = [module, function, list];
                            if n.is_some_and(|n| n > 255) {
                                let _ = p.system_limit();
                            } else {
                                let _ = p.badarg();
                            }
                            error::trace_bif(p, ip, atoms::ERLANG, atoms::APPLY, &args);
                            unwind!();
                        }
                    }
                }
                Op::ApplyFun | Op::ApplyFunLast => {
                    let (fun, list) = (*x, *x.add(1));
                    let n = match list.list_len() {
                        Some(n) if n <= 255 => n,
                        _ => {
                            out!();
                            let _ = p.badarg();
                            error::trace_bif(p, ip, atoms::ERLANG, atoms::APPLY, &[fun, list]);
                            unwind!();
                        }
                    };
                    for (i, t) in list.iter().enumerate() {
                        *x.add(i) = t;
                    }
                    match fun_target(fun, n, x) {
                        Some((target, arity)) => {
                            if op == Op::ApplyFun {
                                sp = sp.sub(1);
                                *sp = Term(*ip.add(1));
                            }
                            ip = target;
                            enter!(arity)
                        }
                        None => {
                            if op == Op::ApplyFun {
                                sp = sp.sub(1);
                                *sp = Term(*ip.add(1));
                            }
                            out!();
                            error::bad_fun(p, ip, fun, std::slice::from_raw_parts(x, n));
                            unwind!()
                        }
                    }
                }
                Op::CallFun | Op::CallFun2 => {
                    let n = a!(w) as usize;
                    let (fun, at) = if op == Op::CallFun { (*x.add(n), 1) } else { (get!(b!(w)), 1) };
                    match fun_target(fun, n, x) {
                        Some((target, arity)) => {
                            // There is no opcode for the last call of a fun: what follows tells.
                            let after = *ip.add(at + 1);
                            if after as u16 == Op::DeallocateReturn as u16 {
                                sp = sp.add(a!(after) as usize);
                            } else if after as u16 != Op::Return as u16 {
                                sp = sp.sub(1);
                                *sp = Term(site!(at) as u64);
                            }
                            ip = target;
                            enter!(arity)
                        }
                        None => {
                            // As on OTP, a call that is not the last one shows twice in the trace: where it failed, and where
                            // it would have returned.
                            if !matches!(*ip.add(at + 1) as u16, w if w == Op::Return as u16 || w == Op::DeallocateReturn as u16)
                            {
                                sp = sp.sub(1);
                                *sp = Term(site!(at) as u64);
                            }
                            out!();
                            error::bad_fun(p, ip, fun, std::slice::from_raw_parts(x, n));
                            unwind!()
                        }
                    }
                }
                Op::Return => ret!(),
                Op::DeallocateReturn => deallocate_return!(w),
                // ---- frames and heap
                Op::Allocate => new_frame!(w),
                Op::TestHeap => {
                    let need = (w >> 32) as usize;
                    if !room!(need) {
                        collect!(a!(w), need);
                    }
                    next!(1);
                    if follows!(PutList) {
                        put_list!(*ip);
                        if follows!(DeallocateReturn) {
                            deallocate_return!(*ip)
                        }
                    }
                }
                Op::Deallocate | Op::Trim => {
                    sp = sp.add(a!(w) as usize);
                    next!(1);
                }
                Op::InitY1 => {
                    set!(a!(w), Term::NIL);
                    next!(1);
                }
                // ---- moves
                Op::Moves => moves!(w),
                Op::MoveXX => move_xx!(w),
                Op::MoveXY => move_xy!(w),
                Op::MoveYX => {
                    *x.byte_add(b!(w) as usize) = *sp.byte_add(a!(w) as usize);
                    next!(1);
                }
                Op::MoveYY => {
                    *sp.byte_add(b!(w) as usize) = *sp.byte_add(a!(w) as usize);
                    next!(1);
                }
                Op::MoveCX => {
                    *x.byte_add(b!(w) as usize) = Term(*ip.add(1));
                    next!(2);
                    if follows!(Return) {
                        ret!()
                    }
                }
                Op::MoveCY => {
                    *sp.byte_add(b!(w) as usize) = Term(*ip.add(1));
                    next!(2);
                }
                Op::Swap => {
                    let (l, r) = (reg!(a!(w)), reg!(b!(w)));
                    std::mem::swap(&mut *l, &mut *r);
                    next!(1);
                    if follows!(Call) {
                        call!(*ip)
                    }
                }
                Op::GetList => get_list!(w),
                Op::GetHd => {
                    set!(b!(w), get!(a!(w)).head());
                    next!(1);
                }
                Op::GetTl => {
                    set!(b!(w), get!(a!(w)).tail());
                    next!(1);
                }
                Op::GetTupleElement => {
                    set!(c!(w), *get!(a!(w)).ptr().byte_add(b!(w) as usize));
                    next!(1);
                }
                Op::GetListU => {
                    let t = get!(a!(w));
                    if !t.is_cons() {
                        raise!(Class::Error, atoms::BADARG)
                    }
                    set!(b!(w), t.head());
                    set!(c!(w), t.tail());
                    next!(1);
                }
                Op::GetHdU => {
                    let t = get!(a!(w));
                    if !t.is_cons() {
                        raise!(Class::Error, atoms::BADARG)
                    }
                    set!(b!(w), t.head());
                    next!(1);
                }
                Op::GetTlU => {
                    let t = get!(a!(w));
                    if !t.is_cons() {
                        raise!(Class::Error, atoms::BADARG)
                    }
                    set!(b!(w), t.tail());
                    next!(1);
                }
                Op::GetTupleElementU => {
                    let t = get!(a!(w));
                    let offset = b!(w) as usize;
                    if !t.is_tuple() || header_arity(t.header()) * 8 < offset {
                        raise!(Class::Error, atoms::BADARG)
                    }
                    set!(c!(w), *t.ptr().byte_add(offset));
                    next!(1);
                }
                Op::GetTupleElement2 => {
                    let tuple = get!(a!(w)).ptr();
                    let second = *ip.add(1);
                    let (one, two) =
                        (*tuple.byte_add(b!(w) as usize), *tuple.byte_add((second & 0xFFFF) as usize));
                    set!(c!(w), one);
                    set!((second >> 16) as u16, two);
                    next!(2);
                }
                Op::SetTupleElement => {
                    let t = get!(b!(w));
                    if !t.is_tuple() || header_arity(t.header()) * 8 < c!(w) as usize {
                        raise!(Class::Error, atoms::BADARG)
                    }
                    *t.ptr().byte_add(c!(w) as usize) = get!(a!(w));
                    next!(1);
                }
                Op::PutList => {
                    put_list!(w);
                    if follows!(DeallocateReturn) {
                        deallocate_return!(*ip)
                    }
                }
                Op::PutListC => {
                    *htop = getc!(a!(w));
                    *htop.add(1) = getc!(b!(w));
                    set!(c!(w), Term::list_ptr(htop));
                    htop = htop.add(2);
                    next!(2);
                }
                Op::PutTuple2 => {
                    *htop = Term(header(sub::TUPLE, 2));
                    *htop.add(1) = get!(a!(w));
                    *htop.add(2) = get!(b!(w));
                    set!(c!(w), Term::boxed_ptr(htop));
                    htop = htop.add(3);
                    next!(1);
                }
                Op::PutTuple2C => {
                    *htop = Term(header(sub::TUPLE, 2));
                    *htop.add(1) = getc!(a!(w));
                    *htop.add(2) = getc!(b!(w));
                    set!(c!(w), Term::boxed_ptr(htop));
                    htop = htop.add(3);
                    next!(2);
                }
                Op::PutTuple => {
                    let n = a!(w) as usize - 1;
                    let packed = ip.add(2).cast::<u16>();
                    let t = htop;
                    *t = Term(header(sub::TUPLE, n));
                    for i in 0..n {
                        *t.add(1 + i) = getc!(*packed.add(1 + i));
                    }
                    htop = t.add(n + 1);
                    set!(*packed, Term::boxed_ptr(t));
                    next!(b!(w) as usize);
                }
                // dst, entry, environment…
                Op::MakeFun => {
                    let n = a!(w) as usize - 2;
                    let packed = ip.add(2).cast::<u16>();
                    // Old compilers reserve nothing for funs.
                    let t = if room!(n + 3) {
                        let t = htop;
                        htop = t.add(n + 3);
                        t
                    } else {
                        out!();
                        let t = p.alloc(n + 3);
                        inn!();
                        t
                    };
                    *t = Term(header(sub::FUN, 2 + n));
                    *t.add(1) = getc!(*packed.add(1));
                    *t.add(2) = p.pid;
                    for i in 0..n {
                        *t.add(3 + i) = getc!(*packed.add(2 + i));
                    }
                    set!(*packed, Term::boxed_ptr(t));
                    next!(b!(w) as usize);
                }
                // ---- tests
                Op::IsInteger => test!(w, |t: Term| t.is_small() || t.is_big()),
                Op::IsFloat => test!(w, |t: Term| t.is_float()),
                Op::IsNumber => test!(w, |t: Term| t.is_number()),
                Op::IsAtom => test!(w, |t: Term| t.is_atom()),
                Op::IsPid => test!(w, |t: Term| t.is_pid()),
                Op::IsReference => test!(w, |t: Term| t.is_ref()),
                Op::IsPort => test!(w, |t: Term| t.is_port()),
                Op::IsNil => test!(w, |t: Term| t.is_nil()),
                Op::IsBinary => test!(w, |t: Term| t.is_binary()),
                Op::IsBitstr => test!(w, |t: Term| t.is_bitstring()),
                Op::IsList => test!(w, |t: Term| t.is_list()),
                Op::IsNonemptyList => {
                    if get!(a!(w)).is_cons() {
                        next!(1);
                        if follows!(Allocate) {
                            allocate!(*ip);
                            if follows!(GetList) {
                                get_list!(*ip);
                            }
                        }
                    } else {
                        jump_hi!(w)
                    }
                }
                Op::IsTuple => test!(w, |t: Term| t.is_tuple()),
                Op::IsMap => test!(w, |t: Term| t.is_map()),
                Op::IsBoolean => test!(w, |t: Term| t.is_boolean()),
                Op::IsFunction => test!(w, |t: Term| t.is_fun()),
                Op::GetListOr => {
                    let t = get!(a!(w));
                    if t.is_cons() {
                        let cell = t.ptr();
                        let (h, tl) = (*cell, *cell.add(1));
                        set!(b!(w), h);
                        set!(c!(w), tl);
                        next!(2);
                    } else {
                        jump_lo!(1);
                    }
                }
                Op::TestArity => {
                    let t = get!(a!(w));
                    if t.is_boxed() && t.header() == *ip.add(1) { next!(2) } else { jump_hi!(w) }
                }
                Op::IsTupleOfArity => {
                    let t = get!(a!(w));
                    if t.is_boxed() && t.header() == *ip.add(1) { next!(2) } else { jump_hi!(w) }
                }
                Op::IsTaggedTuple => {
                    let t = get!(a!(w));
                    if t.is_boxed() && t.header() == *ip.add(1) && t.word(1).0 == *ip.add(2) {
                        next!(3)
                    } else {
                        jump_hi!(w)
                    }
                }
                Op::IsEqImm => eq_imm!(w),
                Op::IsNeImm => {
                    if get!(a!(w)).0 != *ip.add(1) {
                        next!(2)
                    } else {
                        jump_hi!(w)
                    }
                }
                Op::IsFunction2 => {
                    if error::is_function_of(get!(a!(w)), get!(b!(w))) {
                        next!(2)
                    } else {
                        jump_lo!(1)
                    }
                }
                // ---- comparisons
                Op::IsLt => compare!(w, 2, |l, r| l < r, |l, r| less(l, r)),
                Op::IsLtC => compare!(w, 3, |l, r| l < r, |l, r| less(l, r)),
                Op::IsGe => compare!(w, 2, |l, r| l >= r, |l, r| !less(l, r)),
                Op::IsGeC => compare!(w, 3, |l, r| l >= r, |l, r| !less(l, r)),
                Op::IsEq => compare!(w, 2, |l, r| l == r, |l, r| equal(l, r)),
                Op::IsEqC => compare!(w, 3, |l, r| l == r, |l, r| equal(l, r)),
                Op::IsNe => compare!(w, 2, |l, r| l != r, |l, r| !equal(l, r)),
                Op::IsNeC => compare!(w, 3, |l, r| l != r, |l, r| !equal(l, r)),
                Op::IsEqExact => compare!(w, 2, |l, r| l == r, |l, r| same(l, r)),
                Op::IsEqExactC => compare!(w, 3, |l, r| l == r, |l, r| same(l, r)),
                Op::IsNeExact => compare!(w, 2, |l, r| l != r, |l, r| !same(l, r)),
                Op::IsNeExactC => compare!(w, 3, |l, r| l != r, |l, r| !same(l, r)),
                // ---- selects
                Op::SelectVal | Op::SelectArity => {
                    let t = get!(a!(w));
                    let n = b!(w) as usize;
                    let key = if op == Op::SelectVal {
                        t.0
                    } else if t.is_tuple() {
                        t.header()
                    } else {
                        0
                    };
                    let values = std::slice::from_raw_parts(ip.add(2), n);
                    let found = if n <= 8 {
                        values.iter().position(|&v| v == key)
                    } else {
                        values.binary_search_by(|&v| (v as i64).cmp(&(key as i64))).ok()
                    };
                    let distance = match found {
                        Some(i) => *ip.add(2 + n).cast::<i32>().add(i),
                        None => *ip.add(1) as i32,
                    };
                    ip = ip.offset(distance as isize);
                }
                Op::JumpTable => {
                    let t = get!(a!(w));
                    let index = ((t.0 as i64).wrapping_sub(*ip.add(2) as i64)) as u64 >> 4;
                    let distance = if t.is_small() && index < b!(w) as u64 {
                        *ip.add(3).cast::<i32>().add(index as usize)
                    } else {
                        *ip.add(1) as i32
                    };
                    ip = ip.offset(distance as isize);
                }
                // ---- built-ins
                Op::SelfPid => {
                    set!(a!(w), p.pid);
                    next!(1);
                }
                Op::Bif0 => {
                    let e = &*(*ip.add(1) as *const Export);
                    out!();
                    match e.bif {
                        Some(call) => match call(p, &[]) {
                            Ok(t) => {
                                inn!();
                                set!(a!(w), t);
                                next!(2);
                            }
                            Err(_) => {
                                error::guard_bif_failed(p, ip, e, &[]);
                                unwind!();
                            }
                        },
                        None => raise!(Class::Error, atoms::UNDEF),
                    }
                }
                Op::Bif1 => guard_bif!(&[get!(a!(w))], b!(w), 3),
                Op::Bif2 => guard_bif!(&[get!(a!(w)), get!(b!(w))], c!(w), 3),
                Op::Bif2C => guard_bif!(&[getc!(a!(w)), getc!(b!(w))], c!(w), 4),
                Op::Bif3 => {
                    guard_bif!(&[get!(a!(w)), get!(b!(w)), get!(c!(w))], *ip.add(3) as u16, 4)
                }
                Op::Element | Op::ElementC => {
                    let (i, t) = (getc!(a!(w)), getc!(b!(w)));
                    let len = if op == Op::Element { 3 } else { 4 };
                    if i.is_small() && t.is_tuple() {
                        let i = i.small_value() as u64;
                        if i.wrapping_sub(1) < header_arity(t.header()) as u64 {
                            set!(c!(w), t.word(i as usize));
                            next!(len);
                            continue;
                        }
                    }
                    guard_bif!(&[i, t], c!(w), len)
                }
                Op::TupleSize => {
                    let t = get!(a!(w));
                    if t.is_tuple() {
                        set!(b!(w), Term::small(header_arity(t.header()) as i64));
                        next!(3);
                    } else {
                        guard_bif!(&[t], b!(w), 3)
                    }
                }
                Op::Hd => {
                    let t = get!(a!(w));
                    if t.is_cons() {
                        set!(b!(w), t.head());
                        next!(3);
                    } else {
                        guard_bif!(&[t], b!(w), 3)
                    }
                }
                Op::Tl => {
                    let t = get!(a!(w));
                    if t.is_cons() {
                        set!(b!(w), t.tail());
                        next!(3);
                    } else {
                        guard_bif!(&[t], b!(w), 3)
                    }
                }
                Op::MapGet | Op::MapGetC => {
                    let (k, m) = (getc!(a!(w)), getc!(b!(w)));
                    let len = if op == Op::MapGet { 3 } else { 4 };
                    match if m.is_map() { crate::map::get(m, k) } else { None } {
                        Some(v) => {
                            set!(c!(w), v);
                            next!(len);
                        }
                        None => guard_bif!(&[k, m], c!(w), len),
                    }
                }
                // ---- arithmetic
                Op::Add => arith!(w, 2, atoms::PLUS, fast_add, num::add, {
                    if follows!(DeallocateReturn) {
                        deallocate_return!(*ip)
                    }
                }),
                Op::AddC => arith!(w, 3, atoms::PLUS, fast_add, num::add, {
                    if follows!(CallOnly) {
                        call_only!(*ip)
                    }
                }),
                Op::Sub => arith!(w, 2, atoms::MINUS, fast_sub, num::sub),
                Op::SubC => arith!(w, 3, atoms::MINUS, fast_sub, num::sub, {
                    if follows!(Call) {
                        call!(*ip)
                    }
                    if follows!(Allocate) {
                        new_frame!(*ip)
                    }
                }),
                Op::Mul => arith!(w, 2, atoms::TIMES, fast_mul, num::mul),
                Op::MulC => arith!(w, 3, atoms::TIMES, fast_mul, num::mul),
                Op::IntDiv => arith!(w, 2, atoms::DIV, fast_div, num::int_div),
                Op::IntDivC => arith!(w, 3, atoms::DIV, fast_div, num::int_div),
                Op::Rem => arith!(w, 2, atoms::REM, fast_rem, num::rem),
                Op::RemC => arith!(w, 3, atoms::REM, fast_rem, num::rem, {
                    if follows!(IsEqImm) {
                        eq_imm!(*ip)
                    }
                }),
                Op::Band => arith!(w, 2, atoms::BAND, fast_band, num::band),
                Op::BandC => arith!(w, 3, atoms::BAND, fast_band, num::band),
                Op::Bor => arith!(w, 2, atoms::BOR, fast_bor, num::bor),
                Op::BorC => arith!(w, 3, atoms::BOR, fast_bor, num::bor),
                Op::Bxor => arith!(w, 2, atoms::BXOR, fast_bxor, num::bxor),
                Op::BxorC => arith!(w, 3, atoms::BXOR, fast_bxor, num::bxor),
                Op::Bsl => arith!(w, 2, atoms::BSL, fast_bsl, num::bsl),
                Op::BslC => arith!(w, 3, atoms::BSL, fast_bsl, num::bsl),
                Op::Bsr => arith!(w, 2, atoms::BSR, fast_bsr, num::bsr),
                Op::BsrC => arith!(w, 3, atoms::BSR, fast_bsr, num::bsr),
                // ---- floats
                Op::FLoad => {
                    let t = get!(a!(w));
                    if !t.is_float() {
                        raise!(Class::Error, atoms::BADARITH)
                    }
                    *f.add(b!(w) as usize) = t.float_value();
                    next!(1);
                }
                Op::FStore => {
                    *htop = Term(header(sub::FLOAT, 1));
                    *htop.add(1) = Term((*f.add(a!(w) as usize)).to_bits());
                    set!(b!(w), Term::boxed_ptr(htop));
                    htop = htop.add(2);
                    next!(1);
                }
                Op::FConv => {
                    let t = get!(a!(w));
                    let v = if t.is_small() {
                        Some(t.small_value() as f64)
                    } else if t.is_float() {
                        Some(t.float_value())
                    } else {
                        num::to_float(t).ok()
                    };
                    match v {
                        Some(v) => {
                            *f.add(b!(w) as usize) = v;
                            next!(1);
                        }
                        None => raise!(Class::Error, atoms::BADARITH),
                    }
                }
                Op::FAdd => fop!(w, +, atoms::PLUS),
                Op::FSub => fop!(w, -, atoms::MINUS),
                Op::FMul => fop!(w, *, atoms::TIMES),
                Op::FDiv => fop!(w, /, atoms::DIV_SLASH),
                Op::FNegate => {
                    // A subtraction before OTP 27: the negation of 0.0 is 0.0 there.
                    let zero = if crate::release::since(27) { -0.0 } else { 0.0 };
                    *f.add(b!(w) as usize) = zero - *f.add(a!(w) as usize);
                    next!(2);
                }
                // ---- exceptions
                Op::Catch => {
                    p.catches += 1;
                    set!(a!(w), Term(*ip.add(1)));
                    next!(2);
                }
                Op::CatchEnd => {
                    p.catches -= 1;
                    set!(a!(w), Term::NIL);
                    if (*x).is_none() {
                        let (class, reason, trace) = (*x.add(1), *x.add(2), *x.add(3));
                        out!();
                        *x = match Class::from_atom(class) {
                            Some(Class::Throw) => reason,
                            Some(Class::Error) => {
                                let stack = error::stacktrace(p, trace);
                                let pair = p.tuple(&[reason, stack]);
                                p.tuple(&[atoms::EXIT_UP, pair])
                            }
                            _ => p.tuple(&[atoms::EXIT_UP, reason]),
                        };
                        inn!();
                        if p.heap.frag_words != 0 {
                            collect!(1, 0);
                        }
                    }
                    next!(1);
                }
                Op::TryEnd => {
                    p.catches -= 1;
                    set!(a!(w), Term::NIL);
                    next!(1);
                }
                Op::TryCase => {
                    p.catches -= 1;
                    set!(a!(w), Term::NIL);
                    *x = *x.add(1);
                    *x.add(1) = *x.add(2);
                    *x.add(2) = *x.add(3);
                    next!(1);
                }
                Op::TryCaseEnd => error_pair!(atoms::TRY_CLAUSE, get!(a!(w))),
                Op::Badmatch => error_pair!(atoms::BADMATCH, get!(a!(w))),
                Op::CaseEnd => error_pair!(atoms::CASE_CLAUSE, get!(a!(w))),
                Op::Badrecord => error_pair!(atoms::BADRECORD, get!(a!(w))),
                Op::IfEnd => raise!(Class::Error, atoms::IF_CLAUSE),
                Op::Raise => {
                    let (trace, value) = (get!(a!(w)), get!(b!(w)));
                    out!();
                    error::reraise(p, ip, trace, value);
                    unwind!()
                }
                Op::RawRaise => {
                    let (class, value, trace) = (*x, *x.add(1), *x.add(2));
                    match Class::from_atom(class) {
                        Some(class) => {
                            out!();
                            error::raw_raise(p, ip, class, value, trace);
                            unwind!()
                        }
                        None => {
                            *x = atoms::BADARG;
                            next!(1);
                        }
                    }
                }
                Op::BuildStacktrace => {
                    out!();
                    *x = error::stacktrace(p, *x);
                    inn!();
                    next!(1);
                }
                // ---- messages
                Op::Send => {
                    sp = sp.sub(1);
                    *sp = Term(*ip.add(1));
                    out!();
                    p.fcalls -= 1;
                    let (to, msg) = (*x, *x.add(1));
                    match crate::signal::send(p, to, msg) {
                        Ok(()) => {
                            inn!();
                            sp = sp.add(1);
                            *x = msg;
                            next!(2);
                        }
                        Err(_) => {
                            p.bail = BailKind::None;
                            error::trace_bif_called(p, atoms::ERLANG, atoms::SEND, &[to, msg]);
                            unwind!();
                        }
                    }
                }
                Op::LoopRec => match p.mailbox.current() {
                    Some(m) => {
                        set!(a!(w), m.term);
                        next!(1);
                    }
                    None => {
                        out!();
                        let die = p.fetch_signals();
                        inn!();
                        if die {
                            return killed(p);
                        }
                        match p.mailbox.current() {
                            Some(m) => {
                                set!(a!(w), m.term);
                                next!(1);
                            }
                            None => jump_hi!(w),
                        }
                    }
                },
                Op::LoopRecEnd => {
                    p.mailbox.advance();
                    p.fcalls -= 1;
                    jump_hi!(w);
                    if p.fcalls < 0 {
                        out!();
                        p.ip = ip;
                        return Outcome::Yield;
                    }
                }
                Op::RemoveMessage => {
                    out!();
                    p.take_message();
                    next!(1);
                }
                Op::Wait => {
                    out!();
                    jump_hi!(w);
                    p.ip = ip;
                    return Outcome::Wait;
                }
                Op::WaitTimeout => {
                    if p.has(flag::TIMED_OUT) {
                        next!(1);
                        continue;
                    }
                    out!();
                    // While the timer runs the operand is not to be read: its register may be gone.
                    if p.timer.is_armed() {
                        jump_hi!(w);
                        p.ip = ip;
                        return Outcome::Wait;
                    }
                    let t = get!(a!(w));
                    if t == atoms::INFINITY {
                        jump_hi!(w);
                        p.ip = ip;
                        return Outcome::Wait;
                    }
                    if t == Term::small(0) {
                        next!(1);
                        continue;
                    }
                    match t.as_small() {
                        Some(ms) if (0..=0xFFFF_FFFF).contains(&ms) => {
                            crate::timers::arm_receive(p, ms as u64);
                            jump_hi!(w);
                            p.ip = ip;
                            return Outcome::Wait;
                        }
                        _ => raise!(Class::Error, atoms::TIMEOUT_VALUE),
                    }
                }
                Op::Timeout => {
                    p.set(flag::TIMED_OUT, false);
                    crate::timers::disarm_receive(p);
                    p.mailbox.rewind();
                    next!(1);
                }
                Op::RecvMarkerReserve => {
                    out!();
                    let m = p.recv_marker_reserve();
                    inn!();
                    set!(a!(w), m);
                    next!(1);
                }
                Op::RecvMarkerBind => {
                    p.recv_marker_bind(get!(a!(w)), get!(b!(w)));
                    next!(1);
                }
                Op::RecvMarkerClear => {
                    p.recv_marker_clear(get!(a!(w)));
                    next!(1);
                }
                Op::RecvMarkerUse => {
                    p.recv_marker_use(get!(a!(w)));
                    next!(1);
                }
                // ---- maps
                Op::GetMapElement | Op::GetMapElementC => {
                    let (m, k) = (getc!(a!(w)), getc!(b!(w)));
                    match if m.is_map() { crate::map::get(m, k) } else { None } {
                        Some(v) => {
                            set!(c!(w), v);
                            if op == Op::GetMapElement { next!(2) } else { next!(3) }
                        }
                        None => jump_lo!(1),
                    }
                }
                // ---- wide instructions whose common case is short
                Op::BsGetPosition if get!(*ip.add(2).cast::<u16>()).is_sub(sub::MATCH) => {
                    let packed = ip.add(2).cast::<u16>();
                    let at = get!(*packed).word(1).0;
                    set!(*packed.add(1), Term::small(at as i64));
                    next!(b!(w) as usize);
                }
                // ctx, size, dst, unit << 8 | flags: whole bytes on a byte boundary, big-endian and unsigned.
                Op::BsGetInteger
                    if {
                        let packed = ip.add(2).cast::<u16>();
                        let (ctx, size): (Term, Term) = (get!(*packed), getc!(*packed.add(1)));
                        let how = getc!(*packed.add(3)).0;
                        ctx.is_sub(sub::MATCH)
                            && size.is_small()
                            && how & 0x16 == 0
                            && ctx.word(1).0 % 8 == 0
                            && matches!((size.small_value() as u64).wrapping_mul(how >> 8), 8 | 16 | 32)
                    } =>
                {
                    let packed = ip.add(2).cast::<u16>();
                    let ctx = get!(*packed);
                    let n = getc!(*packed.add(1)).small_value() as u64 * (getc!(*packed.add(3)).0 >> 8);
                    let (at, end) = (ctx.word(1).0, ctx.word(2).0);
                    if end - at < n {
                        jump_lo!(1);
                        continue;
                    }
                    let bytes = crate::bin::whole_bytes(ctx.word(3)).add((at / 8) as usize);
                    let v = match n {
                        8 => *bytes as u32,
                        16 => u16::from_be_bytes(*bytes.cast()) as u32,
                        _ => u32::from_be_bytes(*bytes.cast()),
                    };
                    *ctx.ptr().add(1) = Term(at + n);
                    set!(*packed.add(2), Term::small(v as i64));
                    next!(b!(w) as usize);
                }
                // ---- wide instructions, in `wide`
                Op::BsGetPosition
                | Op::BsGetInteger
                | Op::InitY
                | Op::UpdateRecord
                | Op::PutMapAssoc
                | Op::PutMapExact
                | Op::GetMapElements
                | Op::HasMapFields
                | Op::BsStartMatch
                | Op::BsSetPosition
                | Op::BsGetTail
                | Op::BsGetFloat
                | Op::BsGetBinary
                | Op::BsSkipBits
                | Op::BsTestTail
                | Op::BsTestUnit
                | Op::BsMatchString
                | Op::BsGetUtf
                | Op::BsSkipUtf
                | Op::BsMatch
                | Op::BsCreateBin
                | Op::BsAdd
                | Op::BsInit
                | Op::BsUtfSize
                | Op::BsAppend
                | Op::BsPutInteger
                | Op::BsPutFloat
                | Op::BsPutBinary
                | Op::BsPutString
                | Op::BsPutUtf
                | Op::IsNativeRecord
                | Op::GetRecordField
                | Op::GetRecordElements
                | Op::PutRecord => {
                    out!();
                    let flow = wide::run(op, &mut wide::Cx::new(p, x, ip));
                    inn!();
                    match flow {
                        Flow::Next => next!(b!(w) as usize),
                        Flow::Fail => {
                            if *ip.add(1) as i32 != 0 {
                                jump_lo!(1);
                            } else {
                                // A match that cannot fail did: only damaged code gets here.
                                raise!(Class::Error, atoms::BADARG)
                            }
                        }
                        Flow::Raise => {
                            if *ip.add(1) as i32 != 0 {
                                jump_lo!(1);
                            } else {
                                error::trace_here(p, ip);
                                unwind!();
                            }
                        }
                        Flow::Die => return killed(p),
                    }
                }
                Op::BsInitWritable => {
                    out!();
                    *x = wide::init_writable(p, *x);
                    inn!();
                    next!(1);
                }
                Op::Called => {
                    // Back in a native process: x0 is the result, or x0 to x2 the exception.
                    let state = *sp.add(1);
                    // SAFETY: the head is the address that `CallThen` put there.
                    p.trap_fn =
                        Some(std::mem::transmute::<usize, BifFn>(state.head().small_value() as usize));
                    let args = if a!(w) == 0 {
                        [atoms::OK, *x, state.tail()]
                    } else {
                        [*x, *x.add(1), state.tail()]
                    };
                    p.catches -= a!(w) as u32 ^ 1;
                    sp = sp.add(2);
                    out!();
                    p.trap_args.clear();
                    p.trap_args.extend_from_slice(&args);
                    ip = TRAPPED.as_ptr();
                }
                // ---- entries that are not compiled code
                Op::LoadModule => {
                    let e = &*(*ip.add(1) as *const Export);
                    out!();
                    let args = std::slice::from_raw_parts(x, e.arity as usize);
                    match crate::modules::resolve(p, e) {
                        Some(entry) => match crate::modules::pending_on_load(e.module) {
                            None => ip = entry,
                            Some(on_load) => {
                                let (fun, list) = (crate::modules::export_fun(p, e), p.list(args));
                                let state = p.cons(fun, list);
                                let _ = p.call_then(on_load, &[], crate::modules::on_load_then, state);
                                bailed!(e, args)
                            }
                        },
                        None => match crate::modules::undefined_handler(e) {
                            Some(handler) => {
                                let list = p.list(args);
                                *x = e.function;
                                *x.add(1) = list;
                                ip = handler.entry.load(Ordering::Acquire);
                                inn!();
                            }
                            None => {
                                let _ = p.raise(Class::Error, atoms::UNDEF);
                                error::trace_undef(p, e.module, e.function, args);
                                unwind!();
                            }
                        },
                    }
                }
                Op::NormalExit => {
                    // The continuation was popped; keep the stack empty.
                    out!();
                    let _ = p.raise(Class::Exit, atoms::NORMAL);
                    p.bail = BailKind::None;
                    return Outcome::Exited;
                }
                Op::CodeEnd => {
                    // Code that its compiler said is never reached.
                    out!();
                    let _ = p.raise(Class::Exit, atoms::KILLED);
                    p.bail = BailKind::None;
                    return Outcome::Exited;
                }
            }
        }
    }
}

/// What to do at a function's entry when the reductions are used up.
enum Entry {
    Go,
    Yield,
    Die,
}

#[cold]
fn slow_entry(p: &mut Process, live: &mut [Term]) -> Entry {
    if p.flags & flag::NEED_GC != 0 {
        p.fcalls += std::mem::take(&mut p.borrowed);
        if !gc::ensure(p, live, 0) {
            return Entry::Die;
        }
        if p.fcalls >= 0 {
            return Entry::Go;
        }
    }
    Entry::Yield
}

/// The process was ended from outside (an exit signal, its heap limit): `exc` holds the reason.
#[cold]
fn killed(_p: &mut Process) -> Outcome {
    Outcome::Exited
}

/// Drops the whole stack, as `erlang:hibernate/3` does.
#[cold]
fn hibernate(p: &mut Process) {
    p.catches = 0;
    // SAFETY: the block always has room for one word below its end.
    unsafe {
        p.heap.stack = p.heap.end.sub(1);
        *p.heap.stack = Term(exit_site() as u64);
    }
}

/// Where a call of `fun` with `n` arguments goes; its environment is put behind the arguments.
///
/// # Safety
/// `x` has room for arguments and environment.
#[inline]
unsafe fn fun_target(fun: Term, n: usize, x: *mut Term) -> Option<(*const u64, usize)> {
    match fun.subtag()? {
        sub::FUN => {
            // SAFETY: word 1 of a fun is its entry, which lives for ever.
            let entry = unsafe { &*(fun.word(1).0 as *const FunEntry) };
            if entry.arity as usize != n {
                return None;
            }
            let env = entry.num_free as usize;
            for i in 0..env {
                // SAFETY: arguments and environment are at most 255 + 255.
                unsafe { *x.add(n + i) = fun.word(3 + i) };
            }
            Some((entry.entry.load(Ordering::Acquire), n + env))
        }
        sub::EXPORT => {
            // SAFETY: word 1 of an external fun is its export, which lives for ever.
            let e = unsafe { &*(fun.word(1).0 as *const Export) };
            (e.arity as usize == n).then(|| (e.entry.load(Ordering::Acquire) as *const u64, n))
        }
        _ => None,
    }
}

#[inline(always)]
fn fast_add(l: Term, r: Term) -> Option<Term> {
    let (v, o) = (l.0 as i64).overflowing_add((r.0 & !0xF) as i64);
    (!o).then_some(Term(v as u64))
}
#[inline(always)]
fn fast_sub(l: Term, r: Term) -> Option<Term> {
    let (v, o) = (l.0 as i64).overflowing_sub((r.0 & !0xF) as i64);
    (!o).then_some(Term(v as u64))
}
#[inline(always)]
fn fast_mul(l: Term, r: Term) -> Option<Term> {
    let (v, o) = l.small_value().overflowing_mul((r.0 & !0xF) as i64);
    (!o).then_some(Term(v as u64 | 0xF))
}
#[inline(always)]
fn fast_div(l: Term, r: Term) -> Option<Term> {
    let (l, r) = (l.small_value(), r.small_value());
    // The one quotient that is no small is MIN / -1.
    if r == 0 || r == -1 {
        return None;
    }
    Some(Term::small(l / r))
}
#[inline(always)]
fn fast_rem(l: Term, r: Term) -> Option<Term> {
    let (l, r) = (l.small_value(), r.small_value());
    if r == 0 { None } else { Some(Term::small(l % r)) }
}
#[inline(always)]
fn fast_band(l: Term, r: Term) -> Option<Term> {
    Some(Term(l.0 & r.0))
}
#[inline(always)]
fn fast_bor(l: Term, r: Term) -> Option<Term> {
    Some(Term(l.0 | r.0))
}
#[inline(always)]
fn fast_bxor(l: Term, r: Term) -> Option<Term> {
    Some(Term((l.0 ^ r.0) | 0xF))
}
#[inline(always)]
fn fast_bsl(l: Term, r: Term) -> Option<Term> {
    let (v, s) = (l.small_value(), r.small_value());
    if (0..60).contains(&s) {
        let shifted = v << s;
        if shifted >> s == v && Term::fits_small(shifted) {
            return Some(Term::small(shifted));
        }
        return None;
    }
    if (-63..0).contains(&s) { Some(Term::small(v >> -s)) } else { None }
}
#[inline(always)]
fn fast_bsr(l: Term, r: Term) -> Option<Term> {
    let (v, s) = (l.small_value(), r.small_value());
    if s >= 0 { Some(Term::small(v >> s.min(63))) } else { None }
}

#[inline]
fn less(l: Term, r: Term) -> bool {
    crate::cmp::compare(l, r) == Cmp::Less
}
#[inline]
fn equal(l: Term, r: Term) -> bool {
    l == r || crate::cmp::eq(l, r)
}
#[inline]
fn same(l: Term, r: Term) -> bool {
    if l == r {
        return true;
    }
    if l.is_immed() || r.is_immed() {
        return false;
    }
    crate::cmp::exact_eq(l, r)
}
