//! `math`.

use chime_vm::bif::BifResult;
use chime_vm::bifs;
use chime_vm::heap::Alloc;
use chime_vm::num;
use chime_vm::process::Process;
use chime_vm::term::Term;

/// A number as float: `badarg` if it is none, `badarith` if it is too large.
macro_rules! float {
    ($p:ident, $t:expr) => {
        match num::to_float($t) {
            Ok(f) => f,
            Err(_) if $t.is_number() => return Err($p.badarith()),
            Err(_) => return Err($p.badarg()),
        }
    };
}

fn result(p: &mut Process, f: f64) -> BifResult {
    if f.is_finite() { Ok(p.float(f)) } else { Err(p.badarith()) }
}

macro_rules! unary {
    ($($name:ident = $f:expr;)*) => {
        $(fn $name(p: &mut Process, a: &[Term]) -> BifResult {
            let x = float!(p, a[0]);
            let f: fn(f64) -> f64 = $f;
            result(p, f(x))
        })*
    };
}

unsafe extern "C" {
    safe fn erf(x: f64) -> f64;
    safe fn erfc(x: f64) -> f64;
    #[link_name = "asinh"]
    safe fn c_asinh(x: f64) -> f64;
    #[link_name = "acosh"]
    safe fn c_acosh(x: f64) -> f64;
    #[link_name = "atanh"]
    safe fn c_atanh(x: f64) -> f64;
}

unary! {
    acos = f64::acos; asin = f64::asin; atan = f64::atan; cos = f64::cos; sin = f64::sin; tan = f64::tan;
    cosh = f64::cosh; sinh = f64::sinh; tanh = f64::tanh;
    acosh = |x| c_acosh(x); asinh = |x| c_asinh(x); atanh = |x| c_atanh(x);
    exp = f64::exp; log = f64::ln; log2 = f64::log2; log10 = f64::log10; sqrt = f64::sqrt;
    ceil = f64::ceil; floor = f64::floor;
    erf_ = |x| erf(x); erfc_ = |x| erfc(x);
}

fn atan2(p: &mut Process, a: &[Term]) -> BifResult {
    let (x, y) = (float!(p, a[0]), float!(p, a[1]));
    result(p, x.atan2(y))
}
fn pow(p: &mut Process, a: &[Term]) -> BifResult {
    let (x, y) = (float!(p, a[0]), float!(p, a[1]));
    result(p, x.powf(y))
}
fn fmod(p: &mut Process, a: &[Term]) -> BifResult {
    let (x, y) = (float!(p, a[0]), float!(p, a[1]));
    result(p, x % y)
}

bifs! { TABLE, "math";
    "acos"/1 [PURE] => acos, "acosh"/1 [PURE] => acosh, "asin"/1 [PURE] => asin, "asinh"/1 [PURE] => asinh,
    "atan"/1 [PURE] => atan, "atan2"/2 [PURE] => atan2, "atanh"/1 [PURE] => atanh, "ceil"/1 [PURE] => ceil,
    "cos"/1 [PURE] => cos, "cosh"/1 [PURE] => cosh, "erf"/1 [PURE] => erf_, "erfc"/1 [PURE] => erfc_,
    "exp"/1 [PURE] => exp, "floor"/1 [PURE] => floor, "fmod"/2 [PURE] => fmod, "log"/1 [PURE] => log,
    "log10"/1 [PURE] => log10, "log2"/1 [PURE] => log2, "pow"/2 [PURE] => pow, "sin"/1 [PURE] => sin,
    "sinh"/1 [PURE] => sinh, "sqrt"/1 [PURE] => sqrt, "tan"/1 [PURE] => tan, "tanh"/1 [PURE] => tanh,
}
