//! Nodes: this one alone, not part of a cluster.

use crate::util::{as_u64, text};
use chime_vm::atoms;
use chime_vm::bif::BifResult;
use chime_vm::bifs;
use chime_vm::heap::Alloc;
use chime_vm::process::Process;
use chime_vm::sched;
use chime_vm::term::Term;

fn node_0(_: &mut Process, _: &[Term]) -> BifResult {
    Ok(sched::node_name())
}

fn node_1(p: &mut Process, a: &[Term]) -> BifResult {
    let t = a[0];
    if !t.is_pid() && !t.is_port() && !t.is_ref() {
        return Err(p.badarg());
    }
    let foreign = t.is_boxed() && matches!(t.subtag(), Some(s) if (12..=14).contains(&s));
    Ok(if foreign { Term::atom(t.word(1).0 as u32) } else { sched::node_name() })
}

/// Which nodes a class names: this one, or none.
fn class(t: Term) -> Option<bool> {
    match text(t) {
        "this" | "known" => Some(true),
        "visible" | "hidden" | "connected" => Some(false),
        _ => None,
    }
}

fn nodes(p: &mut Process, classes: Term) -> BifResult {
    let this = if classes.is_list() {
        let v: Option<Vec<bool>> = classes.to_vec().and_then(|v| v.into_iter().map(class).collect());
        v.map(|v| v.contains(&true))
    } else {
        class(classes)
    };
    match this {
        Some(true) => Ok(p.list(&[sched::node_name()])),
        Some(false) => Ok(Term::NIL),
        None => Err(p.badarg()),
    }
}

fn nodes_0(_: &mut Process, _: &[Term]) -> BifResult {
    Ok(Term::NIL)
}
fn nodes_1(p: &mut Process, a: &[Term]) -> BifResult {
    nodes(p, a[0])
}
fn nodes_2(p: &mut Process, a: &[Term]) -> BifResult {
    let list = nodes(p, a[0])?;
    let items = list.to_vec().unwrap_or_default();
    let infos: Vec<Term> = items
        .iter()
        .map(|&n| {
            let map = super::map_of(p, &[]);
            p.tuple(&[n, map])
        })
        .collect();
    Ok(p.list(&infos))
}

fn monitor_node(p: &mut Process, node: Term, on: Term) -> BifResult {
    if !node.is_atom() || !on.is_boolean() {
        return Err(p.badarg());
    }
    if node == sched::node_name() { Ok(atoms::TRUE) } else { Err(p.error(crate::util::atom("notalive"))) }
}
fn monitor_node_2(p: &mut Process, a: &[Term]) -> BifResult {
    monitor_node(p, a[0], a[1])
}
fn monitor_node_3(p: &mut Process, a: &[Term]) -> BifResult {
    let mut it = a[2].iter();
    if !it.by_ref().all(|t| text(t) == "allow_passive_connect") || !it.rest.is_nil() {
        return Err(p.badarg());
    }
    monitor_node(p, a[0], a[1])
}

fn is_alive_0(_: &mut Process, _: &[Term]) -> BifResult {
    Ok(atoms::FALSE)
}

fn setnode_2(p: &mut Process, a: &[Term]) -> BifResult {
    if a[0].is_atom() && as_u64(a[1]).is_some() { Ok(atoms::TRUE) } else { Err(p.badarg()) }
}

bifs! { TABLE, "erlang";
    "node"/0 [GUARD] => node_0,
    "node"/1 [GUARD] => node_1,
    "nodes"/0 [] => nodes_0,
    "nodes"/1 [] => nodes_1,
    "nodes"/2 [] => nodes_2,
    "monitor_node"/2 [] => monitor_node_2,
    "monitor_node"/3 [] => monitor_node_3,
    "is_alive"/0 [] => is_alive_0,
    "setnode"/2 [] => setnode_2,
}
