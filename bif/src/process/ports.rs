//! Ports and channels to other nodes: there are none.

use chime_vm::atoms;
use chime_vm::bif::BifResult;
use chime_vm::bifs;
use chime_vm::process::Process;
use chime_vm::registry;
use chime_vm::term::Term;

fn ports_0(_: &mut Process, _: &[Term]) -> BifResult {
    Ok(Term::NIL)
}

/// For what takes a port, or a name of one, and finds none.
fn badarg(p: &mut Process, _: &[Term]) -> BifResult {
    Err(p.badarg())
}

/// The same, for what answers with an atom that its Erlang side turns into an error.
fn say_badarg(_: &mut Process, _: &[Term]) -> BifResult {
    Ok(atoms::BADARG)
}

fn port_info(p: &mut Process, a: &[Term]) -> BifResult {
    if a[0].is_port() || (a[0].is_atom() && registry::whereis(a[0]).is_none()) {
        return Ok(atoms::UNDEFINED);
    }
    Err(p.badarg())
}

fn nothing(_: &mut Process, _: &[Term]) -> BifResult {
    Ok(Term::NIL)
}
fn no(_: &mut Process, _: &[Term]) -> BifResult {
    Ok(atoms::FALSE)
}

bifs! { TABLE, "erlang";
    "ports"/0 [] => ports_0,
    "port_get_data"/1 [] => badarg,
    "port_set_data"/2 [] => badarg,
    "dist_ctrl_get_data"/1 [] => badarg,
    "dist_ctrl_get_data_notification"/1 [] => badarg,
    "dist_ctrl_get_opt"/2 [] => badarg,
    "dist_ctrl_input_handler"/2 [] => badarg,
    "dist_ctrl_put_data"/2 [] => badarg,
    "dist_ctrl_set_opt"/3 [] => badarg,
    "dist_get_stat"/1 [] => badarg,
}
bifs! { INTERNAL, "erts_internal";
    "port_call"/3 [] => say_badarg,
    "port_close"/1 [] => say_badarg,
    "port_command"/3 [] => say_badarg,
    "port_connect"/2 [] => say_badarg,
    "port_control"/3 [] => say_badarg,
    "port_info"/1 [] => port_info,
    "port_info"/2 [] => port_info,
    "abort_pending_connection"/2 [] => no,
    "create_dist_channel"/3 [] => say_badarg,
    "new_connection"/1 [] => badarg,
    "gather_alloc_histograms"/1 [] => nothing,
    "gather_carrier_info"/1 [] => nothing,
}
