//! Where a process's terms are held besides its stack and registers.

use crate::process::Process;
use crate::term::Term;

/// Calls `f` for every slot of the process that holds a term.
pub fn each_root(p: &mut Process, f: &mut dyn FnMut(&mut Term)) {
    let e = &mut p.exc;
    for t in [&mut e.reason, &mut e.trace, &mut e.args, &mut e.cause, &mut e.info, &mut p.call_state] {
        f(t);
    }
    p.trap_args.iter_mut().for_each(&mut *f);
    // More arguments than fit lie in `spill`, all of them; `args` is stale then.
    if p.spill.is_empty() {
        let n = (p.nargs as usize).min(p.args.len());
        p.args[..n].iter_mut().for_each(&mut *f);
    } else {
        p.spill.iter_mut().for_each(&mut *f);
    }
    f(&mut p.group_leader);
    f(&mut p.parent);
    if let Some(rare) = &mut p.rare {
        for entry in rare.dict.iter_mut() {
            f(&mut entry.key);
            f(&mut entry.value);
        }
        rare.extra_roots.iter_mut().for_each(&mut *f);
        f(&mut rare.label.0);
        for s in &mut rare.suspending {
            f(&mut s.0);
        }
    }
    p.mailbox.roots(f);
    // Links and monitors hold local pids and fragments of their own: nothing on this heap.
}
