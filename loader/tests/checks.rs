//! Every rule of the checks, shown by a module that breaks just this rule.

#[path = "common/build.rs"]
mod build;

use build::module;
use chime_loader::{ErrorKind, Operand, load};

/// The error that the module gives, without the name of the chunk.
fn refused(text: &str) -> String {
    match load(&module(text).bytes()) {
        Ok(_) => panic!("accepted:\n{text}"),
        Err(e) => e.to_string(),
    }
}

#[track_caller]
fn breaks(rule: &str, body: &str) {
    let error = refused(&format!("fun f 1 1\n{body}"));
    assert!(error.contains(rule), "{error}\nshould be about: {rule}");
    assert_eq!(error.lines().count(), 1);
}

#[track_caller]
fn fine(body: &str) -> chime_loader::Module {
    match load(&module(&format!("fun f 1 1\n{body}")).bytes()) {
        Ok(m) => m,
        Err(e) => panic!("{e}"),
    }
}

#[test]
fn a_module_decodes() {
    let mut b = module(
        "fun f 1 1\nallocate 1 1\nmove x0 y0\nmove #-300 x0\ncall 1 f2\nmove y0 x0\ndeallocate 1\nreturn",
    );
    b.exports.push(("f".into(), 1, 2));
    let m = load(&b.bytes()).unwrap();
    assert_eq!((m.name(), m.functions.len(), m.exports[0].label), ("m", 1, 2));
    let f = m.functions[0];
    assert_eq!((&m.atoms[f.name], f.arity, f.info_label, f.entry), ("f", 1, 1, 2));
    let shown: Vec<String> = m.body(&f).iter().map(|&i| m.show(i).to_string()).collect();
    assert_eq!(shown[0], "{label,1}");
    assert_eq!(shown[1], "{func_info,{atom,m},{atom,f},1}");
    assert_eq!(shown[5], "{move,{integer,-300},{x,0}}");
    assert_eq!(shown[9], "return");
    assert!(m.unproven.is_empty());
}

#[test]
fn messages_name_function_and_instruction() {
    let error = refused("fun f 1 1\nallocate 4 1\nmove x0 y5\nreturn");
    assert_eq!(
        error,
        "chunk Code: function f/1: instruction 4 ({move,{x,0},{y,5}}): y register 5 outside a frame of 4"
    );
}

#[test]
fn operands_must_fit() {
    breaks("where a register is expected", "move x0 'ok\nreturn");
    breaks("where a value is expected", "move f1 x0\nreturn");
    breaks("label 9 is beyond the 3 labels", "jump f9");
    breaks("an import 7 is not below 3", "call_ext_only 1 7");
    breaks("passes 1 arguments to an import of arity 0", "call_ext_only 1 2");
    breaks("a fun 0 is not below 0", "make_fun3 0 x0 [ ]\nreturn");
    breaks("literal 0 of a table of 0", "move lit0 x0\nreturn");
    breaks("a line 5 is not below 1", "line 5\nreturn");
    breaks("does not come in groups of 2", "select_val x0 f1 [ 'a ]");
    breaks("selects on X(0)", "select_val x0 f1 [ x0 f1 ]");
    breaks("bytes 8..11 of a string table of 10", "bs_match_string f1 x0 24 8\nreturn");
    breaks("an arity 300 is not below 256", "call_only 300 f2");
    breaks("x register 1023 does not exist", "move x1023 x0\nreturn");
    breaks("needs a label", "is_tuple f0 x0\nreturn");
    breaks("instruction bs_save is obsolete", "bs_save 1\nreturn");
}

#[test]
fn labels_and_functions_must_be_in_order() {
    breaks("label 2 is defined twice", "label 2\nreturn");
    breaks("label 3 is not the entry", "label 3\ncall_only 1 f3");
    breaks("entry of a function of another arity", "call_only 0 f2");
    breaks("control runs on behind the function's end", "move x0 x1");
    assert!(refused("fun f 1 1\nreturn\nfun g 0 3\njump f2").contains("label 2 is in another function"));
    assert!(refused("label 1\nreturn").contains("in front of the first function"));
    assert!(
        refused("fun f 1 1\nreturn\nfunc_info 'm 'g 0\nlabel 3\nreturn")
            .contains("no label in front of func_info")
    );
    let mut b = module("fun f 1 1\nreturn");
    b.exports.push(("f".into(), 2, 2));
    assert_eq!(load(&b.bytes()).unwrap_err().to_string(), "chunk ExpT: label 2 is not the entry of f/2");
    b.exports.clear();
    b.functions = 2;
    assert!(load(&b.bytes()).unwrap_err().to_string().contains("declares 2 functions but has 1"));
    b.functions = 1;
    b.labels = 6;
    b.code.truncate(b.code.len() - 2);
    b.line("jump f5");
    b.line("int_code_end");
    let error = load(&b.bytes()).unwrap_err().to_string();
    assert!(error.contains("label 5 is not defined"), "{error}");
}

#[test]
fn frames_must_agree() {
    breaks("needs a frame but there is none", "move x0 y0\nreturn");
    breaks("allocates a frame but there is one", "allocate 0 1\nallocate 0 1\nreturn");
    breaks("removes a frame of 1 but it has 2", "allocate 2 1\ndeallocate 1\nreturn");
    breaks("returns but the frame is still there", "allocate 0 1\nreturn");
    breaks("trims a frame of 2 to 2 by 1", "allocate 2 1\ninit_yregs [ y0 y1 ]\ntrim 1 2\nreturn");
    breaks("needs a frame", "call 1 f2\nreturn");
    breaks(
        "ways with different frames",
        "is_tuple f3 x0\nallocate 1 1\nmove x0 y0\nlabel 3\ndeallocate 1\nreturn",
    );
    breaks("y register 0 is not set", "allocate 1 1\ncall 1 f2\ndeallocate 1\nreturn");
    breaks("y register 0 is read before it is set", "allocate 1 1\nmove y0 x0\ndeallocate 1\nreturn");
    breaks("frame is still there", "allocate 0 1\njump f1");
    fine("allocate 2 1\nmove x0 y1\ninit_yregs [ y0 ]\ntrim 1 1\nmove y0 x0\ncall_last 1 f2 1");
}

#[test]
fn registers_must_be_set() {
    breaks("x register 1 is read before it is set", "move x1 x0\nreturn");
    breaks("x register 1 is said to be live but is not set", "test_heap 2 2\nreturn");
    breaks("x register 1 is read", "allocate 0 1\nmove x0 x1\ncall 1 f2\nmove x1 x0\ndeallocate 0\nreturn");
    breaks("x register 1 is read", "is_tuple f3 x0\nmove x0 x1\nlabel 3\nmove x1 x0\nreturn");
    breaks("floating-point register 0 is read before", "fadd f0 fr0 fr0 fr1\nreturn");
    // On failure the destination is not written.
    breaks("x register 1 is read", "gc_bif1 f3 1 1 x0 x1\nmove x1 x0\nreturn\nlabel 3\nmove x1 x0\nreturn");
    fine("gc_bif1 f3 1 1 x0 x1\nmove x1 x0\nreturn\nlabel 3\nreturn");
}

#[test]
fn loops_are_followed_until_nothing_changes() {
    breaks("x register 1 is read", "allocate 0 1\nmove x0 x1\nlabel 3\nmove x1 x0\ncall 1 f2\njump f3");
}

#[test]
fn heap_must_be_reserved() {
    breaks("takes 2 words of the heap but only 0 are reserved", "put_list x0 nil x0\nreturn");
    breaks(
        "takes 3 words of the heap but only 2",
        "test_heap 4 1\nput_list x0 nil x0\nput_tuple2 x0 [ x0 x0 ]\nreturn",
    );
    breaks("takes 1 floats", "test_heap 4 1\nfconv x0 fr0\nfmove fr0 x0\nreturn");
    breaks("takes 2 words", "test_heap 2 1\nallocate 0 1\nput_list x0 nil x0\ndeallocate 0\nreturn");
    fine("test_heap {2,1,0} 1\nfconv x0 fr0\nfmove fr0 x0\nput_list x0 nil x0\nreturn");
}

#[test]
fn handlers_see_what_holds_wherever_the_exception_happens() {
    fine(
        "allocate 1 1\ntry y0 f3\ncall 1 f2\ntry_end y0\ndeallocate 1\nreturn\nlabel 3\ntry_case y0\nmove x2 x0\ndeallocate 1\nreturn",
    );
    fine("allocate 1 1\ncatch y0 f3\ncall 1 f2\nlabel 3\ncatch_end y0\ndeallocate 1\nreturn");
    breaks(
        "y register 0 is read but holds a catch tag",
        "allocate 1 1\ncatch y0 f3\nmove y0 x0\nlabel 3\ncatch_end y0\ndeallocate 1\nreturn",
    );
    breaks(
        "removes y register 0, which holds a try tag",
        "allocate 1 1\ntry y0 f3\ndeallocate 1\nreturn\nlabel 3\ntry_case y0\nreturn",
    );
    breaks(
        "is overwritten while it holds",
        "allocate 1 1\ntry y0 f3\nmove x0 y0\nlabel 3\ntry_case y0\nreturn",
    );
    breaks(
        "y register 0 holds a try tag",
        "allocate 1 1\ntry y0 f3\ncatch_end y0\nlabel 3\ntry_case y0\nreturn",
    );
    breaks(
        "y register 0 already holds",
        "allocate 2 1\ntry y0 f3\ntry y1 f3\nreturn\nlabel 3\ntry_case y0\nreturn",
    );
    // y1 is set only after the call that may raise.
    breaks(
        "y register 1 is read before",
        "allocate 2 1\ntry y0 f3\nbadmatch x0\nlabel 3\ntry_case y0\nmove y1 x0\ntrim 2 0\ndeallocate 0\nreturn",
    );
    // A tag on one way only.
    breaks(
        "perhaps a catch tag",
        "allocate 1 1\ninit_yregs [ y0 ]\nis_tuple f4 x0\ntry y0 f3\nlabel 4\nbadmatch x0\nlabel 3\ntry_case y0\ndeallocate 1\nreturn",
    );
}

#[test]
fn code_behind_a_call_that_cannot_return_may_be_a_handler() {
    let m = fine("allocate 1 1\ntry y0 f3\ncall 1 f2\nlabel 3\ntry_case y0\ndeallocate 1\nreturn");
    assert_eq!(m.dead_ends.len(), 1);
    assert!(m.dead_ends.contains(5));
}

#[test]
fn receive_loops_pass() {
    fine(
        "allocate 0 1\nlabel 3\nloop_rec f5 x0\nis_tuple f4 x0\nremove_message\ndeallocate 0\nreturn\n\
         label 4\nloop_rec_end f3\nlabel 5\nwait f3",
    );
    fine("allocate 0 1\nlabel 3\nwait_timeout f3 x0\ntimeout\nmove 'ok x0\ndeallocate 0\nreturn");
    breaks(
        "x register 0 is read before",
        "allocate 0 1\nlabel 3\nmove x0 x1\nwait_timeout f3 x0\ntimeout\nif_end",
    );
}

#[test]
fn only_fresh_tuples_may_be_changed() {
    breaks("that setelement/3 has not just made", "set_tuple_element nil x0 0\nreturn");
    let build = |between: &str| {
        let mut b = module("");
        b.code.clear();
        b.import("erlang", "setelement", 3);
        b.functions = 0;
        let text = format!(
            "fun f 1 1\nallocate 0 1\nmove x0 x1\nmove #1 x0\nmove nil x2\ncall_ext 3 3\nmove x0 x3\n{between}\n\
             set_tuple_element nil x3 1\nmove x3 x0\ndeallocate 0\nreturn\nint_code_end"
        );
        text.lines().filter(|l| !l.is_empty()).for_each(|l| b.line(l));
        chime_loader::load(&b.bytes()).map(|_| ()).map_err(|e| e.to_string())
    };
    assert_eq!(build(""), Ok(()));
    assert!(build("fclearerror").unwrap_err().contains("has not just made"));
}

#[test]
fn binaries_are_built_between_init_and_the_next_collection() {
    fine("bs_init2 f0 2 0 1 0 x1\nbs_put_integer f0 #8 1 0 x0\nbs_put_string 1 0\nmove x1 x0\nreturn");
    breaks("no binary is being built", "bs_put_integer f0 #8 1 0 x0\nreturn");
    breaks("no binary is being built", "bs_init2 f0 1 0 1 0 x0\ntest_heap 2 1\nbs_put_string 1 0\nreturn");
}

#[test]
fn unproven_shapes_are_flagged_not_refused() {
    let flagged = |body: &str| fine(body).unproven.len();
    assert_eq!(flagged("get_list x0 x0 x1\nreturn"), 1);
    assert_eq!(flagged("is_nonempty_list f1 x0\nget_list x0 x0 x1\nreturn"), 0);
    assert_eq!(flagged("is_tagged_tuple f1 x0 3 'a\nget_tuple_element x0 2 x0\nreturn"), 0);
    assert_eq!(flagged("is_tagged_tuple f1 x0 3 'a\nget_tuple_element x0 3 x0\nreturn"), 1);
    assert_eq!(flagged("is_tuple f1 x0\ntest_arity f1 x0 2\nget_tuple_element x0 1 x0\nreturn"), 0);
    assert_eq!(flagged("test_arity f1 x0 2\nget_tuple_element x0 1 x0\nreturn"), 1);
    assert_eq!(
        flagged("bs_start_match3 f1 x0 1 x0\nbs_get_integer2 f1 x0 1 #8 1 0 x1\nmove x1 x0\nreturn"),
        0
    );
    assert_eq!(flagged("bs_get_integer2 f1 x0 1 #8 1 0 x1\nmove x1 x0\nreturn"), 1);
    // Proven on one way only.
    assert_eq!(flagged("is_atom f3 x0\nis_nonempty_list f1 x0\nlabel 3\nget_hd x0 x0\nreturn"), 1);
    assert_eq!(
        flagged(
            "is_tuple f1 x0\nselect_tuple_arity x0 f1 [ 2 f3 3 f4 ]\nlabel 3\nget_tuple_element x0 1 x0\nreturn\nlabel 4\nget_tuple_element x0 2 x0\nreturn"
        ),
        0
    );
}

#[test]
fn newer_instructions_pass_the_checks() {
    let m = fine(
        "bs_start_match4 'no_fail 1 x0 x0\n\
         bs_match f1 x0 [ 'ensure_at_least 16 8 'integer 1 nil 8 1 x1 'integer 2 nil 8 1 x2 'get_tail 3 8 x3 ]\n\
         test_heap 8 4\nput_tuple2 x0 [ x1 x2 x3 ]\nupdate_record 'copy 3 x0 x0 [ 2 x1 ]\nreturn",
    );
    // bs_start_match4 without a fail label does need a bit string.
    assert_eq!(m.unproven.len(), 1);
    breaks("only 0 are reserved", "is_tagged_tuple f1 x0 2 'a\nupdate_record 'copy 2 x0 x0 [ 2 'b ]\nreturn");
    breaks(
        "is not a position in a tuple of 2",
        "test_heap 3 1\nupdate_record 'copy 2 x0 x0 [ 3 'b ]\nreturn",
    );
    breaks("unknown match command", "bs_match f1 x0 [ 'jump 3 ]\nreturn");
    breaks("do not include the match context", "bs_match f1 x0 [ 'integer 0 nil 8 1 x1 ]\nreturn");
    assert_eq!(
        fine("bs_start_match3 f1 x0 1 x0\nbs_match f1 x0 [ 'integer 1 nil 8 1 x1 ]\nreturn").unproven.len(),
        1
    );
}

#[test]
fn what_is_too_new_is_called_so() {
    let mut b = module("fun f 1 1\nreturn");
    b.max_opcode = 200;
    let e = load(&b.bytes()).unwrap_err();
    assert_eq!(e.kind, ErrorKind::TooNew);
    assert_eq!(e.to_string(), "chunk Code: uses opcode 200, newer than the newest known one (191)");
    b.max_opcode = 191;
    b.code.insert(0, 200);
    assert_eq!(load(&b.bytes()).unwrap_err().kind, ErrorKind::TooNew);
}

#[test]
fn integers_of_all_sizes() {
    let mut b = module("");
    b.code.clear();
    b.line("fun f 0 1");
    // -2^64 in nine bytes.
    b.code.extend([64, 0xf9, 0x00, 0xff, 0, 0, 0, 0, 0, 0, 0, 0, 0x03]);
    b.line("return");
    b.line("int_code_end");
    b.functions = 1;
    let m = load(&b.bytes()).unwrap();
    assert_eq!(m.args(&m.instrs[3])[0], Operand::Big(0));
    assert!(m.bigints[0].negative);
    assert_eq!(&*m.bigints[0].magnitude, &[0, 0, 0, 0, 0, 0, 0, 0, 1]);
    assert_eq!(m.show(m.instrs[3]).to_string(), "{move,{integer,-16#10000000000000000},{x,0}}");
}
