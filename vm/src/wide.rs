//! The interpreter's wide instructions (see `instr`): those whose work outweighs their dispatch.
//!
//! Each is a function of the decoded operands. The tiers call [`run`]; stack and heap pointers are in the
//! process while it runs.

use crate::atoms;
use crate::gc;
use crate::heap::Alloc;
use crate::instr::{KIND_CONST, KIND_Y, Op};
use crate::map;
use crate::process::{BailKind, Process};
use crate::term::{Term, header, sub};

/// How a wide instruction ended.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Flow {
    Next,
    /// A match failed.
    Fail,
    /// An exception, in `p.exc`; a guard fails instead.
    Raise,
    /// The process was ended by its heap limit.
    Die,
}

/// A wide instruction with the machine state it works on.
pub struct Cx<'p> {
    pub p: &'p mut Process,
    x: *mut Term,
    ip: *const u64,
}

impl<'p> Cx<'p> {
    /// # Safety
    /// (by convention of the tiers) `ip` is a wide instruction, `x` the scheduler's registers.
    pub fn new(p: &'p mut Process, x: *mut Term, ip: *const u64) -> Cx<'p> {
        Cx { p, x, ip }
    }
    /// How many operands there are.
    pub fn len(&self) -> usize {
        // SAFETY: `ip` is a live instruction.
        unsafe { (*self.ip >> 16) as u16 as usize }
    }
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
    pub fn live(&self) -> usize {
        // SAFETY: the second word of a wide instruction.
        unsafe { (*self.ip.add(1) >> 48) as usize }
    }
    #[inline(always)]
    fn slot(&self, i: usize) -> *mut Term {
        debug_assert!(i < self.len());
        // SAFETY: operand `i` is one of the packed; the loader has checked its register.
        unsafe {
            let v = *self.ip.add(2).cast::<u16>().add(i);
            let base: *mut u8 = if v & KIND_CONST != 0 {
                self.ip as *mut u8
            } else if v & KIND_Y != 0 {
                self.p.heap.stack.cast()
            } else {
                self.x.cast()
            };
            base.add((v & !7) as usize).cast()
        }
    }
    /// The value of operand `i`.
    #[inline(always)]
    pub fn get(&self, i: usize) -> Term {
        // SAFETY: see `slot`.
        unsafe { *self.slot(i) }
    }
    /// The raw number in operand `i`.
    #[inline(always)]
    pub fn raw(&self, i: usize) -> u64 {
        self.get(i).0
    }
    /// Writes the destination in operand `i`.
    #[inline(always)]
    pub fn set(&mut self, i: usize, t: Term) {
        // SAFETY: destinations are registers.
        unsafe { *self.slot(i) = t }
    }
    /// Makes room; the live registers are roots. `false`: the process has outgrown its limit.
    pub fn room(&mut self, words: usize) -> bool {
        let live = self.live();
        self.room_live(words, live)
    }
    /// As [`Cx::room`], for a part of an instruction that has a number of live registers of its own.
    pub fn room_live(&mut self, words: usize, live: usize) -> bool {
        if self.p.heap.free_words() >= words {
            return true;
        }
        // SAFETY: live registers are registers.
        let live = unsafe { std::slice::from_raw_parts_mut(self.x, live) };
        gc::ensure(self.p, live, words)
    }
    fn badarg(&mut self) -> Flow {
        let _ = self.p.badarg();
        Flow::Raise
    }
}

/// Runs a wide instruction.
pub fn run(op: Op, cx: &mut Cx) -> Flow {
    let flow = match op {
        Op::InitY => {
            for i in 0..cx.len() {
                cx.set(i, Term::NIL);
            }
            Flow::Next
        }
        Op::UpdateRecord => update_record(cx),
        Op::PutMapAssoc => put_map_assoc(cx),
        Op::PutMapExact => put_map_exact(cx),
        Op::GetMapElements => get_map_elements(cx),
        Op::HasMapFields => {
            let m = cx.get(0);
            if m.is_map() && (1..cx.len()).all(|i| map::get(m, cx.get(i)).is_some()) {
                Flow::Next
            } else {
                Flow::Fail
            }
        }
        Op::IsNativeRecord | Op::GetRecordField | Op::GetRecordElements | Op::PutRecord => {
            crate::records::run(op, cx)
        }
        _ => crate::bitops::run(op, cx),
    };
    if cx.p.heap.frag_words > 64 || cx.p.heap.off_heap.bytes > cx.p.vheap_limit {
        cx.p.overflowed();
    }
    if flow != Flow::Raise {
        cx.p.bail = BailKind::None;
    }
    flow
}

/// src, dst, size, reuse, then position and value pairs.
fn update_record(cx: &mut Cx) -> Flow {
    let (src, size) = (cx.get(0), cx.raw(2) as usize);
    if !src.is_boxed() || src.header() != header(sub::TUPLE, size) {
        let _ = cx.p.error_pair(atoms::BADRECORD, src);
        return Flow::Raise;
    }
    if cx.raw(3) != 0 && (4..cx.len()).step_by(2).all(|i| src.word(cx.raw(i) as usize) == cx.get(i + 1)) {
        cx.set(1, src);
        return Flow::Next;
    }
    let t = cx.p.boxed(sub::TUPLE, size);
    let old: &[Term] = src.body();
    cx.p.fill(t, old);
    for i in (4..cx.len()).step_by(2) {
        let (at, value) = (cx.raw(i) as usize, cx.get(i + 1));
        if at <= size {
            // SAFETY: position inside the tuple.
            unsafe { *t.ptr().add(at) = value };
        }
    }
    cx.set(1, t);
    Flow::Next
}

fn pairs(cx: &Cx, from: usize) -> Vec<(Term, Term)> {
    (from..cx.len()).step_by(2).map(|i| (cx.get(i), cx.get(i + 1))).collect()
}

/// dst, map, key and value pairs.
fn put_map_assoc(cx: &mut Cx) -> Flow {
    let m = cx.get(1);
    if !m.is_map() {
        let _ = cx.p.error_pair(atoms::BADMAP, m);
        return Flow::Raise;
    }
    let t = if cx.len() == 4 {
        let (k, v) = (cx.get(2), cx.get(3));
        map::put(cx.p, m, k, v)
    } else {
        let kvs = pairs(cx, 2);
        map::put_many(cx.p, m, &kvs)
    };
    cx.set(0, t);
    Flow::Next
}

fn put_map_exact(cx: &mut Cx) -> Flow {
    let m = cx.get(1);
    if !m.is_map() {
        let _ = cx.p.error_pair(atoms::BADMAP, m);
        return Flow::Raise;
    }
    let kvs = pairs(cx, 2);
    match map::put_many_exact(cx.p, m, &kvs) {
        Ok(t) => {
            cx.set(0, t);
            Flow::Next
        }
        Err(key) => {
            let _ = cx.p.error_pair(atoms::BADKEY, key);
            Flow::Raise
        }
    }
}

/// map, key and destination pairs. Destinations are written only when every key is there.
fn get_map_elements(cx: &mut Cx) -> Flow {
    let m = cx.get(0);
    if !m.is_map() {
        return Flow::Fail;
    }
    let n = (cx.len() - 1) / 2;
    let mut found = [Term::NONE; 32];
    if n > found.len() {
        let mut all = Vec::with_capacity(n);
        for i in 0..n {
            match map::get(m, cx.get(1 + 2 * i)) {
                Some(v) => all.push(v),
                None => return Flow::Fail,
            }
        }
        for (i, v) in all.into_iter().enumerate() {
            cx.set(2 + 2 * i, v);
        }
        return Flow::Next;
    }
    for (i, slot) in found[..n].iter_mut().enumerate() {
        match map::get(m, cx.get(1 + 2 * i)) {
            Some(v) => *slot = v,
            None => return Flow::Fail,
        }
    }
    for (i, &v) in found[..n].iter().enumerate() {
        cx.set(2 + 2 * i, v);
    }
    Flow::Next
}

/// `bs_init_writable`: an empty binary that grows in place; x0 says how much room to start with.
pub fn init_writable(p: &mut Process, size: Term) -> Term {
    crate::bitops::init_writable(p, size)
}

impl Cx<'_> {
    /// Raises `badarg` from a wide instruction.
    pub fn fail_badarg(&mut self) -> Flow {
        self.badarg()
    }
}
