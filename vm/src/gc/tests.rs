use super::testing::{Digest, digest, each_slot, free, held, process, refs};
use super::*;
use crate::bin::Bin;
use crate::heap::{Alloc, FragBuilder};
use crate::literal::LiteralArea;
use crate::mailbox::Message;
use crate::process::DictEntry;
use crate::refs as references;
use crate::term::{header_extra, sub};
use std::sync::Arc;

/// xorshift64*
struct Random(u64);
impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 32) as usize % n
    }
}

/// A process with registers, and what its terms share with others.
struct World {
    p: Process,
    live: Vec<Term>,
    r: Random,
    bins: Vec<*mut Bin>,
    magic: Vec<Arc<references::Magic>>,
    literals: Vec<Term>,
}

impl World {
    fn new(seed: u64) -> World {
        let mut area = LiteralArea::new();
        let list = area.list(&[Term::small(1), Term::small(2)]);
        let map_keys = area.tuple(&[Term::small(3), list]);
        World {
            p: process(MIN_BLOCK),
            live: vec![Term::NIL; 10],
            r: Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1),
            bins: (0..5).map(|i| Bin::from_bytes(&[i; 300])).collect(),
            magic: (0..3).map(|i: i32| Arc::new(i) as Arc<references::Magic>).collect(),
            literals: vec![list, map_keys, area.binary(&[1; 20])],
        }
    }
    fn state(&mut self) -> Digest {
        digest(&held(&mut self.p, &mut self.live))
    }
    /// A term of a random kind from some of `pool`.
    fn object<A: Alloc>(
        r: &mut Random,
        a: &mut A,
        pool: &[Term],
        w: (&[*mut Bin], &[Arc<references::Magic>]),
    ) -> Term {
        let any = |r: &mut Random| if pool.is_empty() { Term::NIL } else { pool[r.below(pool.len())] };
        let (n, pid) = (r.below(6), Term::pid(77));
        let mut some: Vec<Term> = (0..n).map(|_| any(r)).collect();
        let boxed = |a: &mut A, tag: u64, body: &[Term]| {
            let t = a.boxed(tag, body.len());
            a.fill(t, body)
        };
        match r.below(18) {
            0 => a.float(n as f64),
            1 => a.big(n % 2 == 0, &[5, 6, 1 << (n + 2)]),
            2 | 3 => a.cons(any(r), any(r)),
            4 => a.list_with_tail(&some, any(r)),
            5 => a.tuple(&some),
            6 => {
                let keys = a.tuple(&some);
                some.splice(0..0, [Term(n as u64), keys]);
                boxed(a, sub::MAP, &some)
            }
            7 => {
                let node = boxed(a, sub::HAMT_NODE, &some);
                // SAFETY: the header of a fresh object; the extra bits do not change its size.
                unsafe { *node.ptr() = Term(header_extra(sub::HAMT_NODE, n, 0xFFFF)) };
                boxed(a, sub::MAP, &[Term(99), node, any(r)])
            }
            8 => {
                some.splice(0..0, [Term(0x1234_5678), pid]);
                boxed(a, sub::FUN, &some)
            }
            9 => boxed(a, sub::EXPORT, &[Term(0x1234)]),
            10 | 11 => {
                let b = w.0[r.below(w.0.len())];
                // SAFETY: the test holds a count.
                unsafe { Bin::retain(b) };
                a.refc_binary(b)
            }
            12 => a.heap_binary(&[9; 61][..n * 10]),
            13 => {
                let whole = pool.iter().copied().find(|t| t.is_sub(sub::REFC_BIN) || t.is_sub(sub::HEAP_BIN));
                let whole = whole.unwrap_or_else(|| a.heap_binary(&[1; 30]));
                a.raw_sub_binary(whole, n, 3)
            }
            14 => {
                let whole = a.heap_binary(&[3; 30]);
                boxed(a, sub::MATCH, &[Term(n as u64), Term(100), whole])
            }
            15 => references::make_ref(a),
            16 => references::make_alias(a, pid),
            _ => {
                let m = w.1[r.below(w.1.len())].clone();
                references::make_magic(a, m)
            }
        }
    }
    fn build(&mut self) {
        let mut pool = held(&mut self.p, &mut self.live);
        // Terms of messages belong to the messages, but for those that were adopted.
        pool.truncate(pool.len() - self.p.mailbox.len());
        pool.retain(|t| !t.is_none() && !t.is_sub(sub::MATCH));
        pool.extend(&self.literals);
        for _ in 0..1 + self.r.below(30) {
            let t = Self::object(&mut self.r, &mut self.p, &pool, (&self.bins, &self.magic));
            if t.is_sub(sub::MATCH) {
                let i = self.r.below(self.live.len());
                self.live[i] = t;
            } else {
                pool.push(t);
            }
        }
        // Where some of the new terms are held, in place of others.
        for _ in 0..1 + self.r.below(4) {
            let t = pool[pool.len() - 1 - self.r.below(pool.len().min(6))];
            let (i, n) = (self.r.below(8), self.r.below(20));
            let p = &mut self.p;
            match n {
                0 => p.exc.reason = t,
                1 => p.exc.info = t,
                2 => p.call_state = t,
                3 => {
                    p.trap_args.truncate(3);
                    p.trap_args.push(t);
                }
                4 => {
                    p.nargs = 4;
                    (p.args, p.spill) = ([Term::NIL; 6], Vec::new());
                    p.args[i % 4] = t;
                }
                5 => {
                    // The register file in the record is stale now.
                    p.args = [Term::list_ptr(8 as *const Term); 6];
                    p.spill = vec![t; 9];
                    p.nargs = 9;
                }
                6 => p.rare().extra_roots = vec![t],
                7 => p.rare().label.0 = t,
                8 => {
                    let dict = &mut p.rare().dict;
                    if dict.len() > 5 {
                        dict.clear();
                    }
                    dict.insert_unique(i as u64, DictEntry { hash: i as u32, key: t, value: t }, |e| {
                        e.hash as u64
                    });
                }
                9 | 10 => {
                    // It may collect: the pool is stale then.
                    self.push_frame(t, i);
                    return;
                }
                11 | 12 => self.pop_frame(),
                _ => self.live[i] = t,
            }
        }
    }
    /// Much at once, all alive, in a block or in a fragment.
    fn large(&mut self) {
        let held = self.live[0];
        let items = vec![if held.is_sub(sub::MATCH) { Term::NIL } else { held }; self.r.below(2000)];
        self.live[0] = self.p.list(&items);
        self.live[1] = self.p.tuple(&items);
    }
    fn push_frame(&mut self, t: Term, n: usize) {
        self.live[9] = t;
        if self.p.heap.free_words() < n + 1 {
            self.collect(n + 1, false);
        }
        // SAFETY: there is room.
        unsafe {
            self.p.heap.stack = self.p.heap.stack.sub(n + 1);
            let s = self.p.heap.stack;
            *s = Term(0x7FFF_0000_1000);
            for i in 0..n {
                *s.add(1 + i) = if i % 2 == 0 { self.live[9] } else { Term::catch_tag(4) };
            }
        }
    }
    fn pop_frame(&mut self) {
        let h = &mut self.p.heap;
        while h.stack < h.end {
            h.stack = h.stack.wrapping_add(1);
            // SAFETY: inside the stack.
            if h.stack == h.end || unsafe { (*h.stack).is_header() } {
                break;
            }
        }
    }
    fn message(&mut self) {
        let mut b = FragBuilder::new(self.r.below(40));
        let mut pool = Vec::new();
        for _ in 0..3 {
            let t = Self::object(&mut self.r, &mut b, &pool, (&self.bins, &self.magic));
            if !t.is_sub(sub::MATCH) {
                pool.push(t);
            }
        }
        let t = b.tuple(&pool);
        self.p.mailbox.push(Message::new(t, b.finish()));
    }
    fn receive(&mut self) {
        if let Some(m) = self.p.mailbox.current() {
            self.live[2] = m.term;
            self.p.mailbox.take_current(&mut self.p.heap);
        }
    }
    fn collect(&mut self, need: usize, full: bool) {
        verify(&mut self.p, &self.live);
        self.collect_unverified(need, full);
    }
    fn collect_unverified(&mut self, need: usize, full: bool) {
        let before = self.state();
        assert!(collect(&mut self.p, &mut self.live, need, full));
        verify(&mut self.p, &self.live);
        assert!(self.p.heap.has_room(need) && self.p.heap.frags.is_null());
        assert_eq!(before, self.state());
        self.check_counts(&before, full);
    }
    /// Young collections may keep what is dead, full ones must not.
    fn check_counts(&self, d: &Digest, exact: bool) {
        for &b in &self.bins {
            let n = d.bins.get(&(b as u64)).copied().unwrap_or(0);
            assert!(if exact { refs(b) == n } else { refs(b) >= n }, "{} references, {n} objects", refs(b));
        }
        let magic: usize = self.magic.iter().map(|m| Arc::strong_count(m) - 1).sum();
        assert!(if exact { magic == d.magic } else { magic >= d.magic });
    }
    fn step(&mut self) {
        match self.r.below(28) {
            0..=1 => self.message(),
            2 => self.receive(),
            3 if self.p.mailbox.current().is_some() => self.p.mailbox.advance(),
            4 => self.p.mailbox.rewind(),
            5..=9 => {
                let need = if self.r.below(10) == 0 { 3000 } else { self.r.below(100) };
                self.collect(need, false);
            }
            10 => self.collect(0, true),
            11 => {
                self.live.fill(Term::NIL);
                let before = self.state();
                shrink_to_fit(&mut self.p);
                assert_eq!(before, self.state());
                self.check_counts(&before, true);
            }
            12 => {
                let before = self.state();
                // `relocate` is for heaps without fragments.
                let size = self.p.heap.used_words() + self.p.heap.stack_words() + self.r.below(50);
                if self.p.heap.frags.is_null() {
                    relocate::young(&mut self.p, &mut self.live, size);
                    assert_eq!(before, self.state());
                }
            }
            13 => {
                let before = self.state();
                let h = &self.p.heap;
                let (used, size) = (h.old_words(), words(&old_range(h)));
                if !h.old_start.is_null() && h.frags.is_null() {
                    // A collection counts on room for what is mature.
                    let room = (size - used).min(words(&mature(h)));
                    relocate::old(&mut self.p, &mut self.live, used + room);
                    assert_eq!(before, self.state());
                    verify(&mut self.p, &self.live);
                }
            }
            14 => self.large(),
            15 => {
                // A receive looks at a message while the process collects.
                if let Some(m) = self.p.mailbox.current() {
                    self.live[3] = m.term;
                    self.collect_unverified(3, false);
                }
            }
            16 => each_slot(&mut self.p, &mut self.live, &mut |t| {
                // Forget about half of everything.
                self.r.0 = self.r.0.rotate_left(7).wrapping_mul(5) | 1;
                if self.r.0 >> 40 & 1 == 0 && !t.is_none() && !t.is_catch() {
                    *t = Term::NIL;
                }
            }),
            _ => self.build(),
        }
    }
    fn end(mut self) {
        self.p.mailbox = Default::default();
        free(self.p);
        for b in self.bins {
            assert_eq!(refs(b), 0);
            // SAFETY: the test's own count.
            unsafe { Bin::release(b) };
        }
        assert!(self.magic.iter().all(|m| Arc::strong_count(m) == 1));
    }
}

#[test]
fn random_terms_survive_and_the_dead_are_released() {
    for seed in 0..150 {
        let mut w = World::new(seed);
        for _ in 0..250 {
            w.step();
        }
        w.end();
    }
}

/// Builds a list of `n` elements, as a loop in Erlang would; returns the words that were copied on the way.
fn build_list(p: &mut Process, list: &mut [Term; 1], n: i64) -> i64 {
    let before = p.fcalls;
    for i in 0..n {
        assert!(ensure(p, list, 2));
        list[0] = p.cons(Term::small(i), list[0]);
    }
    (before - p.fcalls) * 16
}

#[test]
fn growing_data_is_copied_a_few_times_only_and_memory_returns() {
    let mut p = process(MIN_BLOCK);
    let mut list = [Term::NIL];
    let n = 300_000;
    let copied = build_list(&mut p, &mut list, n);
    assert_eq!(list[0].list_len(), Some(n as usize));
    assert!(copied < 8 * 2 * n, "{copied} words copied for {}", 2 * n);
    collect(&mut p, &mut list, 0, true);
    let words = p.heap.block_words() + (p.heap.old_end as usize - p.heap.old_start as usize) / 8;
    assert!(words < 2 * n as usize * 2, "{words}");
    list = [Term::NIL];
    collect(&mut p, &mut list, 0, true);
    assert!(p.heap.old_start.is_null());
    shrink_to_fit(&mut p);
    assert_eq!((p.heap.block_words(), p.heap.old_words()), (MIN_BLOCK, 0));
    free(p);
}

/// A deep stack: each collection scans it, so there must be few.
#[test]
fn a_deep_stack_grows_geometrically() {
    let mut p = process(MIN_BLOCK);
    let mut collections = 0;
    for _ in 0..200_000 {
        if p.heap.free_words() < 3 {
            assert!(ensure(&mut p, &mut [], 3));
            collections += 1;
        }
        // SAFETY: there is room.
        unsafe {
            p.heap.stack = p.heap.stack.sub(2);
            *p.heap.stack = Term(0x1000);
            *p.heap.stack.add(1) = Term::small(1);
        }
    }
    assert!(collections < 30, "{collections}");
    p.heap.stack = p.heap.end;
    collect(&mut p, &mut [], 0, true);
    assert!(p.heap.block_words() < 2048, "{}", p.heap.block_words());
    free(p);
}

/// Calls push into the red zone unasked; a check for nothing restores it.
#[test]
fn the_red_zone_is_restored() {
    let mut p = process(MIN_BLOCK);
    p.heap.alloc(p.heap.free_words());
    // SAFETY: what was just allocated.
    unsafe { std::slice::from_raw_parts_mut(p.heap.start, MIN_BLOCK - RED_ZONE).fill(Term::NIL) };
    for _ in 0..1000 {
        assert!(ensure(&mut p, &mut [], 0));
        assert!(p.heap.has_room(0));
        // SAFETY: the red zone.
        unsafe {
            p.heap.stack = p.heap.stack.sub(1);
            *p.heap.stack = Term(0x1000);
        }
    }
    free(p);
}

/// Much garbage and nothing alive: the block grows while the process runs on, but stays in the cache.
#[test]
fn garbage_costs_little() {
    let mut p = process(MIN_BLOCK);
    let mut list = [Term::NIL];
    let before = p.minor_gcs;
    for i in 0..200_000 {
        assert!(ensure(&mut p, &mut list, 2));
        p.cons(Term::small(i), Term::NIL);
        p.bump(1);
    }
    assert!(p.minor_gcs - before < 600, "{}", p.minor_gcs - before);
    assert!(p.heap.block_words() <= 2 * sizes::NURSERY);
    free(p);
}

/// Blocks that are dead, in the young or in the old generation, do not pile up.
#[test]
fn dead_binaries_are_found_through_the_virtual_heap() {
    let mut p = process(MIN_BLOCK);
    let b = Bin::new(100_000, 0);
    let mut most = 0;
    // Each binary lives for some rounds, long enough to be promoted.
    let mut live = [Term::NIL; 16];
    for i in 0..3000 {
        assert!(ensure(&mut p, &mut live, 6));
        // SAFETY: the test holds a count.
        unsafe { Bin::retain(b) };
        live[i % 16] = p.refc_binary(b);
        most = most.max(refs(b));
    }
    assert!(most < 100, "{most}");
    free(p);
    assert_eq!(refs(b), 0);
    // SAFETY: the test's own.
    unsafe { Bin::release(b) };
}

/// The same when the old generation has room for many of the small terms that hold them.
#[test]
fn dead_binaries_are_found_in_a_large_old_generation() {
    let mut p = process(MIN_BLOCK);
    let mut live = [Term::NIL; 17];
    let mut list = [Term::NIL];
    build_list(&mut p, &mut list, 50_000);
    live[16] = list[0];
    assert!(collect(&mut p, &mut live, 0, true));
    assert!(words(&old_range(&p.heap)) - p.heap.old_words() > 20_000);
    let b = Bin::new(100_000, 0);
    let mut most = 0;
    for i in 0..3000 {
        // So often that each binary is promoted before it is dropped.
        let due = i % 4 == 0;
        assert!(if due { collect(&mut p, &mut live, 6, false) } else { ensure(&mut p, &mut live, 6) });
        // SAFETY: the test holds a count.
        unsafe { Bin::retain(b) };
        live[i % 16] = p.refc_binary(b);
        most = most.max(refs(b));
    }
    assert!(most < 100, "{most}");
    free(p);
    // SAFETY: the test's own.
    unsafe { Bin::release(b) };
}

/// A process that does little at a time keeps a small block, whatever it did once.
#[test]
fn blocks_do_not_creep_up() {
    let mut p = process(MIN_BLOCK);
    let mut live = [Term::NIL; 3];
    for i in 0..100_000usize {
        // A turn: a message of a few words, an answer.
        p.reductions += 30;
        let f = crate::copy::copy_to_fragment(live[0]).1;
        // SAFETY: a fragment of the test's own.
        unsafe { p.heap.adopt(f) };
        for _ in 0..4 {
            assert!(ensure(&mut p, &mut live, 10));
            live[i % 3] = p.tuple(&[Term::NIL; 9]);
        }
        if i == 1000 {
            assert!(ensure(&mut p, &mut live, 3000));
        }
        p.fcalls = crate::process::TURN;
    }
    assert!(p.heap.block_words() < 1500, "{}", p.heap.block_words());
    free(p);
}

#[test]
fn the_greatest_heap_size_is_kept() {
    for (flags, dies) in [(flag::KILL_ON_MAX_HEAP, true), (0, false)] {
        let mut p = process(MIN_BLOCK);
        (p.max_heap, p.flags) = (5000, flags);
        let mut list = [Term::NIL];
        let mut alive = true;
        for i in 0..20_000 {
            alive = ensure(&mut p, &mut list, 2);
            if !alive {
                assert!(i > 1000);
                assert_eq!(p.exc.reason, atoms::KILLED);
                break;
            }
            list[0] = p.cons(Term::small(i), list[0]);
        }
        assert_eq!(alive, !dies);
        free(p);
    }
}
