//! Type tests.

use crate::util::as_i64;
use chime_vm::bif::BifResult;
use chime_vm::bifs;
use chime_vm::code::{Export, FunEntry};
use chime_vm::process::Process;
use chime_vm::term::{Term, sub};

macro_rules! tests {
    ($($name:ident => $test:expr;)*) => {
        $(fn $name(_: &mut Process, a: &[Term]) -> BifResult {
            let test: fn(Term) -> bool = $test;
            Ok(Term::bool(test(a[0])))
        })*
    };
}

tests! {
    is_atom => |t| t.is_atom();
    is_binary => |t| t.is_binary();
    is_bitstring => |t| t.is_bitstring();
    is_boolean => |t| t.is_boolean();
    is_float => |t| t.is_float();
    is_function => |t| t.is_fun();
    is_integer => |t| t.is_integer();
    is_list => |t| t.is_list();
    is_map => |t| t.is_map();
    is_number => |t| t.is_number();
    is_pid => |t| t.is_pid();
    is_port => |t| t.is_port();
    is_reference => |t| t.is_ref();
    is_tuple => |t| t.is_tuple();
}

/// The arity of a fun.
pub fn fun_arity(t: Term) -> Option<u32> {
    match t.subtag()? {
        // SAFETY: entries and exports live as long as the machine.
        sub::FUN => Some(unsafe { (*(t.word(1).0 as *const FunEntry)).arity }),
        sub::EXPORT => Some(unsafe { (*(t.word(1).0 as *const Export)).arity }),
        _ => None,
    }
}

fn is_function_2(p: &mut Process, a: &[Term]) -> BifResult {
    match a[1].as_small() {
        Some(n) if n >= 0 => Ok(Term::bool(fun_arity(a[0]).is_some_and(|x| x as i64 == n))),
        None if a[1].is_big() && !a[1].big_digits().0 => Ok(Term::bool(false)),
        _ => Err(p.badarg()),
    }
}

fn is_record_2(p: &mut Process, a: &[Term]) -> BifResult {
    if !a[1].is_atom() {
        return Err(p.badarg());
    }
    Ok(Term::bool(a[0].tuple().is_some_and(|t| t.first() == Some(&a[1]))))
}

fn is_record_3(p: &mut Process, a: &[Term]) -> BifResult {
    if !a[1].is_atom() || !a[2].is_small() {
        return Err(p.badarg());
    }
    let size = a[2].as_index();
    let tagged = a[0].tuple().is_some_and(|t| Some(t.len()) == size && t.first() == Some(&a[1]));
    Ok(Term::bool(tagged))
}

/// OTP 29: an integer between two others.
fn is_integer_3(p: &mut Process, a: &[Term]) -> BifResult {
    if !a[1].is_integer() || !a[2].is_integer() {
        return Err(p.badarg());
    }
    let within = || match (as_i64(a[0]), as_i64(a[1]), as_i64(a[2])) {
        (Some(x), Some(lo), Some(hi)) => lo <= x && x <= hi,
        _ => chime_vm::cmp::compare(a[1], a[0]).is_le() && chime_vm::cmp::compare(a[0], a[2]).is_le(),
    };
    Ok(Term::bool(a[0].is_integer() && within()))
}

bifs! { TABLE, "erlang";
    "is_atom"/1 [GUARD PURE] => is_atom,
    "is_binary"/1 [GUARD PURE] => is_binary,
    "is_bitstring"/1 [GUARD PURE] => is_bitstring,
    "is_boolean"/1 [GUARD PURE] => is_boolean,
    "is_float"/1 [GUARD PURE] => is_float,
    "is_function"/1 [GUARD PURE] => is_function,
    "is_function"/2 [GUARD PURE] => is_function_2,
    "is_integer"/1 [GUARD PURE] => is_integer,
    "is_integer"/3 [GUARD PURE] => is_integer_3,
    "is_list"/1 [GUARD PURE] => is_list,
    "is_map"/1 [GUARD PURE] => is_map,
    "is_number"/1 [GUARD PURE] => is_number,
    "is_pid"/1 [GUARD PURE] => is_pid,
    "is_port"/1 [GUARD PURE] => is_port,
    "is_record"/2 [GUARD PURE] => is_record_2,
    "is_record"/3 [GUARD PURE] => is_record_3,
    "is_reference"/1 [GUARD PURE] => is_reference,
    "is_tuple"/1 [GUARD PURE] => is_tuple,
}
