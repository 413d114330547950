//! Module `code` without a code server: the functions that would ask it, as built-ins.

use crate::code::info::{PRELOADED, is_preloaded};
use crate::util::{atom, pair, text};
use chime_vm::bif::{BifFn, BifResult};
use chime_vm::heap::Alloc;
use chime_vm::modules::{self, Library, LibraryFolder};
use chime_vm::process::Process;
use chime_vm::term::Term;
use chime_vm::{atoms, bifs, bin, exports};
use std::path::{Path, PathBuf};

fn error(p: &mut Process, reason: &str) -> BifResult {
    Ok(pair(p, atoms::ERROR, atom(reason)))
}

fn path(p: &mut Process, path: &Path) -> Term {
    match path.to_str() {
        Some(s) => p.string(s),
        None => p.byte_list(std::os::unix::ffi::OsStrExt::as_bytes(path.as_os_str()), Term::NIL),
    }
}

/// A file name: characters, or an atom.
fn name(t: Term) -> Option<PathBuf> {
    if t.is_atom() {
        return Some(atoms::name(t).into());
    }
    if let Some(b) = bin::bytes(t) {
        return String::from_utf8(b.into_owned()).ok().map(PathBuf::from);
    }
    let chars = t.to_vec()?;
    chars
        .iter()
        .map(|c| char::from_u32(u32::try_from(c.as_index()?).ok()?))
        .collect::<Option<String>>()
        .map(PathBuf::from)
}

// ---- loading

/// The version that `module` names is loaded; `on_load` runs if it has one.
fn loaded(p: &mut Process, module: Term, on_load: bool) -> BifResult {
    if on_load && let Some(e) = modules::pending_on_load(module) {
        let then: BifFn = on_load_done;
        return Err(p.call_then(e, &[], then, module));
    }
    Ok(pair(p, atom("module"), module))
}

fn on_load_done(p: &mut Process, a: &[Term]) -> BifResult {
    let good = a[0] == atoms::OK && a[1] == atoms::OK;
    modules::on_load_ended(a[2], good);
    if good { Ok(pair(p, atom("module"), a[2])) } else { error(p, "on_load_failure") }
}

fn ensure_loaded(p: &mut Process, a: &[Term]) -> BifResult {
    if !a[0].is_atom() {
        return Err(p.error(atoms::FUNCTION_CLAUSE));
    }
    if is_preloaded(a[0]) {
        return Ok(pair(p, atom("module"), a[0]));
    }
    match modules::ensure(a[0]) {
        Ok(Some(_)) => loaded(p, a[0], true),
        Ok(None) => error(p, "nofile"),
        Err(_) => error(p, "badfile"),
    }
}

fn ensure_modules_loaded(p: &mut Process, a: &[Term]) -> BifResult {
    let Some(list) = a[0].to_vec() else { return Err(p.badarg()) };
    let mut bad = Vec::new();
    for m in list {
        let reason = match modules::ensure(m) {
            Ok(None) if !is_preloaded(m) => "nofile",
            Err(_) => "badfile",
            _ => continue,
        };
        bad.push(pair(p, m, atom(reason)));
    }
    if bad.is_empty() {
        return Ok(atoms::OK);
    }
    let bad = p.list(&bad);
    Ok(pair(p, atoms::ERROR, bad))
}

/// `purge`: old code gives way; else it is in the way.
fn load_bytes(
    p: &mut Process,
    module: Term,
    bytes: &[u8],
    file: Option<PathBuf>,
    name: Term,
    purge: bool,
) -> BifResult {
    p.bump(bytes.len() / 16);
    match modules::prepare(bytes, file) {
        Ok(m) if m.name == module => {
            if purge {
                modules::purge(module);
            } else if modules::old(module).is_some() {
                return load_failed(p, name, "not_purged");
            }
            modules::publish(m);
            loaded(p, module, true)
        }
        _ => load_failed(p, name, "badfile"),
    }
}

/// `{error, Reason}`, after a report in the log.
fn load_failed(p: &mut Process, file: Term, reason: &str) -> BifResult {
    let reason = atom(reason);
    let text = p.string("Loading of ~ts failed: ~p\n");
    let args = p.list(&[file, reason]);
    let log = exports::get(atom("error_logger"), atom("error_msg"), 2);
    let then: BifFn = reported;
    Err(p.call_then(log, &[text, args], then, reason))
}

fn reported(p: &mut Process, a: &[Term]) -> BifResult {
    Ok(pair(p, atoms::ERROR, a[2]))
}

fn load_file(p: &mut Process, a: &[Term]) -> BifResult {
    if !a[0].is_atom() {
        return Err(p.error(atoms::FUNCTION_CLAUSE));
    }
    match modules::find_file(atoms::name(a[0])) {
        Some(file) => load_from(p, a[0], file),
        None => error(p, "nofile"),
    }
}

fn load_from(p: &mut Process, module: Term, file: PathBuf) -> BifResult {
    match std::fs::read(&file) {
        Ok(bytes) => {
            let name = path(p, &file);
            load_bytes(p, module, &bytes, Some(file), name, false)
        }
        Err(_) => error(p, "nofile"),
    }
}

/// `load_abs(File)`, without its extension.
fn load_abs(p: &mut Process, a: &[Term]) -> BifResult {
    let Some(base) = name(a[0]) else { return Err(p.error(atoms::FUNCTION_CLAUSE)) };
    let Some(stem) = base.file_name().and_then(|s| s.to_str()).map(str::to_string) else {
        return error(p, "nofile");
    };
    let mut file = base.into_os_string();
    file.push(".beam");
    load_from(p, atom(&stem), file.into())
}

fn load_binary(p: &mut Process, a: &[Term]) -> BifResult {
    let (true, Some(bytes)) = (a[0].is_atom(), bin::bytes(a[2])) else {
        return Err(p.error(atoms::FUNCTION_CLAUSE));
    };
    let file = name(a[1]);
    load_bytes(p, a[0], &bytes, file, a[1], true)
}

fn delete(p: &mut Process, a: &[Term]) -> BifResult {
    if !a[0].is_atom() {
        return Err(p.error(atoms::FUNCTION_CLAUSE));
    }
    Ok(Term::bool(modules::delete(a[0]).unwrap_or(false)))
}

/// Nobody is killed, so nobody was.
fn purge(_: &mut Process, a: &[Term]) -> BifResult {
    modules::purge(a[0]);
    Ok(atoms::FALSE)
}

fn soft_purge(_: &mut Process, a: &[Term]) -> BifResult {
    modules::purge(a[0]);
    Ok(atoms::TRUE)
}

// ---- finding

fn which(p: &mut Process, a: &[Term]) -> BifResult {
    if !a[0].is_atom() {
        return Err(p.error(atoms::FUNCTION_CLAUSE));
    }
    if is_preloaded(a[0]) {
        return Ok(atom("preloaded"));
    }
    match modules::current(a[0]) {
        Some(m) => Ok(m.file.as_ref().map_or(Term::NIL, |f| path(p, f))),
        None => Ok(match modules::find_file(atoms::name(a[0])) {
            Some(f) => path(p, &f),
            None => atom("non_existing"),
        }),
    }
}

fn is_loaded(p: &mut Process, a: &[Term]) -> BifResult {
    if is_preloaded(a[0]) {
        return Ok(pair(p, atoms::FILE, atom("preloaded")));
    }
    Ok(match modules::current(a[0]) {
        Some(m) => {
            let file = m.file.as_ref().map_or(Term::NIL, |f| path(p, f));
            pair(p, atoms::FILE, file)
        }
        None => atoms::FALSE,
    })
}

fn all_loaded(p: &mut Process, _: &[Term]) -> BifResult {
    let mut all = Vec::new();
    for m in modules::all() {
        if !is_preloaded(m)
            && let Some(v) = modules::current(m)
        {
            let file = v.file.as_ref().map_or(Term::NIL, |f| path(p, f));
            all.push(pair(p, m, file));
        }
    }
    for m in PRELOADED {
        all.push(pair(p, atom(m), atom("preloaded")));
    }
    Ok(p.list(&all))
}

fn get_object_code(p: &mut Process, a: &[Term]) -> BifResult {
    let found = modules::find_file(text(a[0])).and_then(|f| Some((std::fs::read(&f).ok()?, f)));
    Ok(match found {
        Some((bytes, file)) => {
            let file = path(p, &file);
            let bytes = p.binary(&bytes);
            p.tuple(&[a[0], bytes, file])
        }
        None => atoms::ERROR,
    })
}

/// The folder of an application's newest version.
fn app<'a>(library: &'a Library, t: Term) -> Option<&'a LibraryFolder> {
    let name = name(t)?;
    let name = name.to_str()?;
    library.folders.iter().rev().find(|f| f.app == name || f.app_name() == name)
}

fn app_dir(p: &mut Process, t: Term, inner: Option<&str>) -> BifResult {
    match modules::library().and_then(|l| Some(l.root.join("lib").join(&app(l, t)?.app))) {
        Some(dir) => {
            let dir = inner.map_or(dir.clone(), |i| dir.join(i));
            Ok(path(p, &dir))
        }
        None => error(p, "bad_name"),
    }
}

fn root_dir(p: &mut Process, _: &[Term]) -> BifResult {
    Ok(modules::library().map_or(Term::NIL, |l| path(p, &l.root)))
}
fn lib_dir_0(p: &mut Process, _: &[Term]) -> BifResult {
    Ok(modules::library().map_or(Term::NIL, |l| path(p, &l.root.join("lib"))))
}
fn lib_dir_1(p: &mut Process, a: &[Term]) -> BifResult {
    app_dir(p, a[0], None)
}
fn lib_dir_2(p: &mut Process, a: &[Term]) -> BifResult {
    app_dir(p, a[0], Some(text(a[1])))
}
fn priv_dir(p: &mut Process, a: &[Term]) -> BifResult {
    app_dir(p, a[0], Some("priv"))
}

// ---- the search path

fn get_path(p: &mut Process, _: &[Term]) -> BifResult {
    let all: Vec<Term> = modules::paths().iter().map(|d| path(p, d)).collect();
    Ok(p.list(&all))
}

fn add(p: &mut Process, t: Term, front: bool) -> BifResult {
    match name(t) {
        Some(dir) if dir.is_dir() => {
            modules::change_paths(|paths| {
                paths.retain(|d| *d != dir);
                paths.insert(if front { 0 } else { paths.len() }, dir);
            });
            Ok(atoms::TRUE)
        }
        _ => error(p, "bad_directory"),
    }
}
fn add_path(p: &mut Process, a: &[Term]) -> BifResult {
    add(p, a[0], false)
}
fn add_patha(p: &mut Process, a: &[Term]) -> BifResult {
    add(p, a[0], true)
}
fn add_each(p: &mut Process, list: Term, front: bool) -> BifResult {
    for dir in list.iter() {
        add(p, dir, front)?;
    }
    Ok(atoms::OK)
}
fn add_paths(p: &mut Process, a: &[Term]) -> BifResult {
    add_each(p, a[0], false)
}
fn add_pathsa(p: &mut Process, a: &[Term]) -> BifResult {
    add_each(p, a[0], true)
}
fn del_path(_: &mut Process, a: &[Term]) -> BifResult {
    let dir = name(a[0]).unwrap_or_default();
    let had = modules::change_paths(|paths| {
        let n = paths.len();
        paths.retain(|d| *d != dir);
        paths.len() < n
    });
    Ok(Term::bool(had))
}

fn get_mode(_: &mut Process, _: &[Term]) -> BifResult {
    Ok(atom("interactive"))
}
fn is_sticky(_: &mut Process, _: &[Term]) -> BifResult {
    Ok(atoms::FALSE)
}

/// `'$handle_undefined_function'` and its like reach the machine directly; OTP's module asks the code server.
fn undefined_function(p: &mut Process, a: &[Term]) -> BifResult {
    let Some(args) = a[2].to_vec().filter(|v| v.len() < 256) else { return Err(p.badarg()) };
    if !a[0].is_atom() || !a[1].is_atom() {
        return Err(p.badarg());
    }
    Err(p.trap_export(exports::get(a[0], a[1], args.len() as u32), &args))
}

bifs! { TABLE, "code";
    "ensure_loaded"/1 [] => ensure_loaded,
    "ensure_modules_loaded"/1 [] => ensure_modules_loaded,
    "load_file"/1 [] => load_file,
    "load_abs"/1 [] => load_abs,
    "load_binary"/3 [] => load_binary,
    "delete"/1 [] => delete,
    "purge"/1 [] => purge,
    "soft_purge"/1 [] => soft_purge,
    "which"/1 [] => which,
    "is_loaded"/1 [] => is_loaded,
    "all_loaded"/0 [] => all_loaded,
    "get_object_code"/1 [] => get_object_code,
    "root_dir"/0 [] => root_dir,
    "lib_dir"/0 [] => lib_dir_0,
    "lib_dir"/1 [] => lib_dir_1,
    "lib_dir"/2 [] => lib_dir_2,
    "priv_dir"/1 [] => priv_dir,
    "get_path"/0 [] => get_path,
    "add_path"/1 [] => add_path,
    "add_pathz"/1 [] => add_path,
    "add_patha"/1 [] => add_patha,
    "add_paths"/1 [] => add_paths,
    "add_pathsz"/1 [] => add_paths,
    "add_pathsa"/1 [] => add_pathsa,
    "del_path"/1 [] => del_path,
    "get_mode"/0 [] => get_mode,
    "is_sticky"/1 [] => is_sticky,
}
bifs! { ERROR_HANDLER, "error_handler"; "undefined_function"/3 [] => undefined_function }
