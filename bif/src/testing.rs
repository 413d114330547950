//! A process without a scheduler, for tests of built-ins.

use chime_vm::atoms;
use chime_vm::bif::BifFn;
use chime_vm::heap::{Heap, OffHeap, alloc_block};
use chime_vm::mailbox::Mailbox;
use chime_vm::process::{BailKind, Class, Exception, INLINE_ARGS, Process, TURN};
use chime_vm::term::Term;
use chime_vm::timers::ReceiveTimer;
use std::ptr;

/// Words of the heap; what does not fit goes into fragments.
const WORDS: usize = 4096;

pub fn process() -> Box<Process> {
    let start = alloc_block(WORDS);
    let end = start.wrapping_add(WORDS);
    let heap = Heap {
        top: start,
        stack: end,
        start,
        end,
        mature: start,
        old_start: ptr::null_mut(),
        old_top: ptr::null_mut(),
        old_end: ptr::null_mut(),
        frags: ptr::null_mut(),
        frag_words: 0,
        off_heap: OffHeap::default(),
        collected_at: 0,
        old_binary_budget: 0,
    };
    let exc = Exception {
        class: Class::Error,
        reason: Term::NIL,
        trace: Term::NIL,
        args: Term::NONE,
        cause: Term::NONE,
        info: Term::NONE,
        complete: false,
        at: std::ptr::null(),
    };
    Box::new(Process {
        heap,
        fcalls: TURN,
        ip: ptr::null(),
        catches: 0,
        flags: 0,
        nargs: 0,
        fullsweep_after: 65_535,
        args: [Term::NIL; INLINE_ARGS],
        spill: Vec::new(),
        mailbox: Mailbox::new(),
        exc,
        bail: BailKind::None,
        trap_args: Vec::new(),
        trap_fn: None,
        call_state: Term::NIL,
        borrowed: 0,
        pid: Term::pid(1),
        group_leader: Term::pid(1),
        parent: Term::NONE,
        initial: (atoms::ERLANG, atoms::APPLY, 2),
        relations: None,
        rare: None,
        reductions: 0,
        min_heap: 233,
        minor_gcs: 0,
        max_heap: 0,
        priority: 2,
        vheap_limit: usize::MAX,
        timer: ReceiveTimer::default(),
        record: ptr::null(),
    })
}

/// What a call came to: the value, or class and reason; and how often it stopped part-way.
pub struct Called {
    pub result: Result<Term, (Class, Term)>,
    pub stops: usize,
    /// It goes on in Erlang, which runs only in a whole machine; there is no result to speak of.
    pub in_erlang: bool,
}

/// Calls a built-in to its end; each part gets `turn` reductions.
pub fn call(p: &mut Process, f: BifFn, args: &[Term], turn: i64) -> Called {
    let (mut f, mut args, mut stops) = (f, args.to_vec(), 0);
    loop {
        p.fcalls = turn;
        let result = match f(p, &args) {
            Ok(t) => Ok(t),
            Err(_) => match std::mem::replace(&mut p.bail, BailKind::None) {
                BailKind::TrapBif(next) => {
                    f = next;
                    args = p.trap_args.clone();
                    stops += 1;
                    continue;
                }
                BailKind::TrapExport(_) => {
                    return Called { result: Ok(Term::NIL), stops, in_erlang: true };
                }
                _ => Err((p.exc.class, p.exc.reason)),
            },
        };
        return Called { result, stops, in_erlang: false };
    }
}

/// The built-in of that name.
pub fn find(module: &str, name: &str, arity: u8) -> Option<BifFn> {
    let all = crate::tables().into_iter().flatten();
    all.filter(|b| b.module == module && b.name == name && b.arity == arity).map(|b| b.call).next()
}

#[cfg(test)]
mod oracle {
    use super::*;
    use chime_vm::cmp::exact_eq;
    use chime_vm::heap::FragBuilder;
    use chime_vm::{etf, print};

    /// Every call of `tests/oracle/answers.etf` gives what it gave on OTP, in one go and in small pieces.
    #[test]
    fn agrees_with_otp() {
        let bytes = include_bytes!("../tests/oracle/answers.etf");
        let mut area = FragBuilder::new(1 << 16);
        let Ok((all, _)) = etf::decode(bytes, &mut area, Default::default()) else { panic!("answers.etf") };
        let (mut asked, mut wrong, mut stopped) = (0, 0, 0);
        for row in all.iter() {
            let row = row.tuple_of(4).expect("a row");
            let (m, name) = (atoms::name(row[0]), atoms::name(row[1]));
            let args = row[2].to_vec().expect("arguments");
            let Some(f) = find(m, name, args.len() as u8) else { continue };
            let want = row[3].tuple_of(2).expect("an answer");
            for turn in [TURN, 1] {
                let mut p = process();
                let got = call(&mut p, f, &args, turn);
                if got.in_erlang {
                    continue;
                }
                asked += 1;
                stopped += got.stops;
                let (tag, value) = match got.result {
                    Ok(t) => (atoms::OK, t),
                    Err((class, reason)) => (class.atom(), reason),
                };
                if tag != want[0] || !exact_eq(value, want[1]) {
                    wrong += 1;
                    if wrong <= 40 {
                        let show = |t| print::to_string_limited(t, 300);
                        println!("{m}:{name}({}) gave {} {}", show(row[2]), show(tag), show(value));
                        println!("    instead of {} (turn {turn})", show(row[3]));
                    }
                }
            }
        }
        println!("{asked} calls, {stopped} stops");
        assert_eq!(wrong, 0, "of {asked}");
        assert!(asked > 3000 && stopped > 50);
    }
}

#[cfg(test)]
mod robust {
    use super::*;
    use chime_vm::heap::Alloc;
    use chime_vm::{bin, refs};
    use std::collections::HashSet;

    #[test]
    fn no_built_in_is_listed_twice() {
        let mut seen = HashSet::new();
        for b in crate::tables().into_iter().flatten() {
            assert!(seen.insert((b.module, b.name, b.arity)), "{}:{}/{}", b.module, b.name, b.arity);
        }
    }

    /// Terms of all kinds, at the edges of what functions accept.
    fn pool(p: &mut Process) -> Vec<Term> {
        let small = Term::small;
        let mut v = vec![small(0), small(1), small(-1), small(3), small(255), small(256), small(0xD800)];
        v.extend([small(i32::MAX as i64), small(1 << 32), small(chime_vm::term::SMALL_MAX)]);
        v.extend([small(chime_vm::term::SMALL_MIN), Term::NIL, atoms::TRUE, atoms::UTF8, atoms::LATIN1]);
        v.extend([Term::pid(5), Term::port(6), atoms::UNDEFINED, atoms::ERROR, atoms::SECOND]);
        v.push(p.big(false, &[0, 1]));
        v.push(p.big(true, &[u64::MAX]));
        v.push(p.big(false, &[u64::MAX]));
        v.push(p.float(1.5));
        v.push(p.float(-1e300));
        v.push(p.float(-0.0));
        let bytes: Vec<u8> = (0..200).collect();
        for n in [0, 1, 5, 88, 200] {
            v.push(p.binary(&bytes[..n]));
        }
        v.push(p.binary(b"12"));
        v.push(p.binary("\u{20ac}1.5e300".as_bytes()));
        let last = v[v.len() - 3];
        v.extend(bin::sub_binary(p, last, 3, 800));
        v.extend(bin::sub_binary(p, last, 3, 13));
        v.extend(bin::sub_binary(p, last, 8, 0));
        v.push(p.string("123"));
        v.push(p.string("-1.5"));
        v.push(p.string("<0.1.0>"));
        v.push(p.string("#Ref<0.1.2.3>"));
        let (x, y) = (v[3], v[27]);
        v.push(p.cons(x, y));
        v.push(p.cons(x, atoms::OK));
        v.push(p.tuple(&[]));
        v.push(p.tuple(&[x]));
        v.push(p.tuple(&[x, y]));
        let t = p.tuple(&[atoms::UTF8, x, Term::NIL]);
        v.push(t);
        v.push(p.list(&[t, x, y]));
        let date = p.tuple(&[small(2020), small(2), small(29)]);
        v.push(p.tuple(&[date, date]));
        v.push(refs::make_ref(p));
        v.push(chime_vm::map::empty(p));
        v.push(p.list(&[atoms::COMPACT, t]));
        let option = p.tuple(&[atoms::DECIMALS, small(3)]);
        v.push(p.list(&[option]));
        v
    }

    /// Built-ins about data survive whatever they are given.
    #[test]
    fn nothing_panics() {
        const ABOUT_DATA: [&str; 11] = [
            "erlang",
            "lists",
            "math",
            "unicode",
            "string",
            "os",
            "atomics",
            "persistent_term",
            "erts_debug",
            "io",
            "erts_internal",
        ];
        let mut state = 12345u64;
        let mut random = |n: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % n
        };
        let tables = [
            crate::atomics::INTERNAL,
            crate::atomics::TABLE,
            crate::erlang::atoms::TABLE,
            crate::erlang::binaries::TABLE,
            crate::erlang::dictionary::TABLE,
            crate::erlang::exceptions::TABLE,
            crate::erlang::guards::TABLE,
            crate::erlang::hashes::TABLE,
            crate::erlang::numbers::TABLE,
            crate::erlang::packet::TABLE,
            crate::erlang::text::INTERNAL,
            crate::erlang::text::STRING,
            crate::erlang::text::TABLE,
            crate::erlang::time::TABLE,
            crate::erlang::tuples::TABLE,
            crate::lists::ERLANG,
            crate::lists::TABLE,
            crate::math::TABLE,
            crate::os::TABLE,
            crate::unicode::TABLE,
        ];
        let data = |b: &&chime_vm::bif::Bif| ABOUT_DATA.contains(&b.module) && b.name != "set_signal";
        for b in tables.into_iter().flatten().filter(data) {
            // Tuples of sixteen million elements take their time.
            let rounds = if b.name.starts_with("make_tuple") { 5 } else { 100 };
            for _ in 0..rounds {
                let mut p = process();
                let pool = pool(&mut p);
                let args: Vec<Term> = (0..b.arity).map(|_| pool[random(pool.len())]).collect();
                call(&mut p, b.call, &args, 1);
            }
        }
    }
}
