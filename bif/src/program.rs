//! The main process of a program that runs without a boot, and what is said when it fails.
//!
//! The model is `erl -noshell -run Module Function Arguments -run erlang halt` of OTP 25: the program runs in a process
//! that traps exits, called from `init:start_em/1`, called from `init:do_boot/3`. When it returns, the machine ends with
//! status 0; if it fails, `init` shows the reason on standard output, and for people on standard error, and the status is 1.

use crate::logger;
use crate::stdio::device::{STDERR, STDIO};
use crate::util::atom;
use chime_vm::bif::BifResult;
use chime_vm::code::{Function, ModuleInfo, ReturnSite};
use chime_vm::heap::Alloc;
use chime_vm::instr::Op;
use chime_vm::print as show;
use chime_vm::process::{Class, Process, flag};
use chime_vm::spawn::{SpawnOpts, spawn};
use chime_vm::term::Term;
use chime_vm::{atoms, bifs, exits, exports, modules, release, sched};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU64, Ordering};

/// What the main process calls, and with what.
pub struct Start {
    pub module: Term,
    pub function: Term,
    /// Arguments as one list of strings; `None`: none at all.
    pub arguments: Option<Vec<String>>,
}

static MAIN: AtomicU64 = AtomicU64::new(0);
/// Its failure has been shown.
static SHOWN: AtomicBool = AtomicBool::new(false);

/// Starts the main process; `user` is its group leader. `None`: there is no room for a process.
pub fn start(start: &Start, user: Term) -> Option<Term> {
    sched::on_crash(crashed);
    exits::on_exit(exited);
    let mut area = chime_vm::literal::LiteralArea::new();
    let arguments = start.arguments.as_ref().map_or(Term::NIL, |all| {
        let all: Vec<Term> = all.iter().map(|s| area.string(s)).collect();
        let all = area.list(&all);
        area.list(&[all])
    });
    // The arguments stay for the life of the machine.
    std::mem::forget(area);
    let mut opts = SpawnOpts::default();
    opts.flags |= flag::TRAP_EXIT;
    opts.group_leader = Some(user);
    let run = exports::get(atom("chime_main"), atom("run"), 3);
    spawn(None, &opts, run, &[start.module, start.function, arguments])
}

/// Frames of the functions that call a program on OTP, so that stack traces look the same.
fn callers() -> &'static [ReturnSite] {
    struct Shared(Vec<ReturnSite>);
    // SAFETY: the sites are never written, and what they point to lives for ever.
    unsafe impl Sync for Shared {}
    // SAFETY: as above.
    unsafe impl Send for Shared {}
    static RETURN: [u64; 1] = [Op::Return as u64];
    static SITES: OnceLock<Shared> = OnceLock::new();
    let sites = SITES.get_or_init(|| {
        let module = atom("init");
        let code = Box::leak(Box::new(ModuleInfo { name: module, files: Vec::new() }));
        let site = |name: &str, arity: u32| {
            let function = Box::leak(Box::new(Function { module, function: atom(name), arity, code }));
            ReturnSite { native: AtomicPtr::default(), ip: RETURN.as_ptr(), function, line: 0, frame: 0 }
        };
        let mut all = vec![site("start_em", 1), site("do_boot", 3)];
        if release::since(26) {
            all.insert(0, site("start_it", 1));
        }
        Shared(all)
    });
    &sites.0
}

/// `run(Module, Function, Arguments)`: the first call of the main process.
fn run(p: &mut Process, a: &[Term]) -> BifResult {
    MAIN.store(p.pid.0, Ordering::Relaxed);
    sched::set_main(p.pid);
    p.initial = (atoms::ERLANG, atoms::APPLY, 2);
    for site in callers().iter().rev() {
        // SAFETY: a fresh process's stack has room for more than two words (`RED_ZONE`).
        unsafe {
            p.heap.stack = p.heap.stack.sub(1);
            *p.heap.stack = Term(site as *const ReturnSite as u64);
        }
    }
    let args = a[2].to_vec().unwrap_or_default();
    let main = exports::get(a[0], a[1], args.len() as u32);
    match modules::pending_on_load(a[0]) {
        Some(on_load) => {
            let main = modules::export_fun(p, main);
            let state = p.cons(main, a[2]);
            Err(p.call_then(on_load, &[], modules::on_load_then, state))
        }
        None => Err(p.trap_export(main, &args)),
    }
}

fn is_main(p: &Process) -> bool {
    MAIN.load(Ordering::Relaxed) == p.pid.0
}

/// An error or throw was not caught in `p`.
fn crashed(p: &mut Process, _class: Class, reason: Term) {
    if is_main(p) { show(reason) } else { logger::report_crash(p, reason) }
}

/// `p` ends: if it is the main process and nobody has said why, say it.
fn exited(p: &mut Process) {
    if is_main(p) {
        let reason = exits::reason_of(p);
        if reason != atoms::NORMAL {
            show(reason);
        }
    }
}

fn show(reason: Term) {
    if SHOWN.swap(true, Ordering::Relaxed) {
        return;
    }
    let text = show::to_string(reason);
    STDIO.put(format!("{{\"init terminating in do_boot\",{text}}}\r\n").as_bytes());
    STDERR.put(format!("init terminating in do_boot ({text})\n").as_bytes());
}

bifs! { SERVERS, "chime_main"; "run"/3 [] => run }
