//! How much the checks prove about real code: the shares are the point, so they are asserted.

mod common;

#[test]
fn most_shapes_are_proven() {
    let (mut unproven, mut shaped, mut dead_ends) = (0, 0, 0);
    for path in common::system_beams() {
        let m = chime_loader::load(&std::fs::read(path).unwrap()).unwrap();
        unproven += m.unproven.len();
        dead_ends += m.dead_ends.len();
        let takes_apart = |op: &str| op.starts_with("get_") || op.starts_with("bs_get") || op == "test_arity";
        shaped += m.instrs.iter().filter(|i| takes_apart(i.op.name())).count();
    }
    println!("{unproven} unproven, of about {shaped} that rely on a shape; {dead_ends} dead ends");
    assert!(unproven * 3 <= shaped, "{unproven} of {shaped} unproven");
}
