//! Loaded modules: placing translated code, finding what an address belongs to, loading on first use.
//!
//! A module has a current and an old version. Loading makes the current one old; both stay runnable.
//! Readers never lock to call (exports hold entry pointers); a lock is taken to load, to look a module up by
//! name, and to find the function of an address (only when an exception or a stack trace needs it).

use crate::atoms;
use crate::bif::BifResult;
use crate::code::{Export, FunEntry, Function, ModuleInfo, ReturnSite};
use crate::error::Location;
use crate::etf;
use crate::exports;
use crate::heap::Alloc;
use crate::instr::Op;
use crate::literal::LiteralArea;
use crate::process::Process;
use crate::term::{Term, header, sub};
use crate::translate::{self, Translated};
use hashbrown::HashMap;
use parking_lot::{Mutex, RwLock};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicPtr, AtomicU32, Ordering};

/// One version of a module.
pub struct Loaded {
    pub name: Term,
    pub code: &'static [u64],
    pub functions: &'static [Function],
    pub sites: &'static [ReturnSite],
    /// Word offset at which each function starts, in order.
    pub starts: Vec<u32>,
    /// Word offset from which a line holds.
    pub lines: Vec<(u32, u32)>,
    pub exports: Vec<(Term, u32)>,
    /// Attributes and compile information, as literals.
    pub attributes: Term,
    pub compile_info: Term,
    pub md5: [u8; 16],
    pub file: Option<PathBuf>,
    pub on_load: Option<*const u64>,
    pub labels: Vec<u32>,
    pub funs: Vec<*const FunEntry>,
    pub literals: LiteralArea,
}

// SAFETY: everything a version points to is immutable once published, but for atomics.
unsafe impl Sync for Loaded {}
// SAFETY: as above.
unsafe impl Send for Loaded {}

#[derive(Clone, Copy, Default)]
struct Versions {
    current: Option<&'static Loaded>,
    old: Option<&'static Loaded>,
}

static MODULES: RwLock<Option<HashMap<Term, Versions>>> = RwLock::new(None);
/// First word of code -> version, for `locate`.
static RANGES: RwLock<BTreeMap<usize, &'static Loaded>> = RwLock::new(BTreeMap::new());
/// Serialises loading.
static LOADING: Mutex<()> = Mutex::new(());

/// Why a module could not be loaded; one line for people.
pub type LoadResult<T> = Result<T, String>;

// ---- catch tags: an index into a table of handlers that only grows

const CATCH_CHUNK: usize = 4096;
/// Where a handler starts, and the function it belongs to (null: any).
#[derive(Default)]
pub struct Handler {
    pub ip: AtomicPtr<u64>,
    pub function: AtomicPtr<Function>,
}
const CATCH_CHUNKS: usize = 1 << 16;
static HANDLERS: [OnceLock<Box<[Handler]>>; CATCH_CHUNKS] = [const { OnceLock::new() }; CATCH_CHUNKS];
static CATCHES: AtomicU32 = AtomicU32::new(0);

fn new_catch() -> Term {
    let i = CATCHES.fetch_add(1, Ordering::Relaxed);
    let chunk = i as usize / CATCH_CHUNK;
    HANDLERS[chunk % HANDLERS.len()].get_or_init(|| (0..CATCH_CHUNK).map(|_| Handler::default()).collect());
    Term::catch_tag(i)
}
fn handler_slot(tag: Term) -> Option<&'static Handler> {
    let i = tag.catch_index() as usize;
    Some(&HANDLERS.get(i / CATCH_CHUNK)?.get()?[i % CATCH_CHUNK])
}
/// A catch tag for a handler outside any module.
pub fn catch_at(handler: *const u64) -> Term {
    let tag = new_catch();
    if let Some(slot) = handler_slot(tag) {
        slot.ip.store(handler as *mut u64, Ordering::Release);
    }
    tag
}
/// The handler of a catch tag. Memory that no frame has initialised yet may hold anything that looks like a
/// tag: `None` for one that was never given out.
pub fn catch_handler(tag: Term) -> Option<&'static Handler> {
    handler_slot(tag)
}

// ---- addresses

/// Function and line of an instruction's address. Logarithmic in the number of modules and lines.
pub fn locate(ip: *const u64) -> Location {
    let none = Location { function: std::ptr::null(), line: 0 };
    let ranges = RANGES.read();
    let Some((_, m)) = ranges.range(..=ip as usize).next_back() else { return none };
    let offset = (ip as usize - m.code.as_ptr() as usize) / 8;
    if offset >= m.code.len() {
        return none;
    }
    let offset = offset as u32;
    let f = m.starts.partition_point(|&s| s <= offset);
    if f == 0 {
        return none;
    }
    // The line in front of a function's func_info belongs to it, though it stands before its start.
    let l = m.lines.partition_point(|l| l.0 <= offset);
    let line = if l == 0 { 0 } else { m.lines[l - 1].1 };
    Location { function: &m.functions[f - 1], line }
}

// ---- placing

struct Cx<'a> {
    m: &'a chime_loader::Module,
    atoms: Vec<Term>,
    area: LiteralArea,
    literals: Vec<Option<Term>>,
    strings: &'static [u8],
    funs: Vec<*const FunEntry>,
}

impl translate::Context for Cx<'_> {
    fn atom(&self, index: u32) -> Term {
        self.atoms[index as usize]
    }
    fn literal(&mut self, index: u32) -> Result<Term, String> {
        if let Some(t) = self.literals[index as usize] {
            return Ok(t);
        }
        let t = decode(self.m.literal(index), &mut self.area)?;
        self.literals[index as usize] = Some(t);
        Ok(t)
    }
    fn integer(&mut self, value: i64) -> Term {
        self.area.int(value)
    }
    fn big(&mut self, index: u32) -> Term {
        let b = &self.m.bigints[index as usize];
        let digits: Vec<u64> = b
            .magnitude
            .chunks(8)
            .map(|c| c.iter().rev().fold(0u64, |d, &byte| d << 8 | byte as u64))
            .collect();
        self.area.big(b.negative, &digits)
    }
    fn export(&mut self, module: Term, function: Term, arity: u32) -> &'static Export {
        exports::get(module, function, arity)
    }
    fn fun_entry(&mut self, index: u32) -> *const FunEntry {
        self.funs[index as usize]
    }
    fn string(&self) -> *const u8 {
        self.strings.as_ptr()
    }
    fn catch_tag(&mut self) -> Term {
        new_catch()
    }
}

fn decode(bytes: &[u8], area: &mut LiteralArea) -> Result<Term, String> {
    etf::decode(bytes, area, Default::default())
        .map(|d| d.0)
        .map_err(|e| format!("chunk LitT: a literal cannot be decoded: {e:?}"))
}

/// Checks and translates a .beam file without making it callable yet.
pub fn prepare(bytes: &[u8], file: Option<PathBuf>) -> LoadResult<Loaded> {
    let m = chime_loader::load(bytes).map_err(|e| e.to_string())?;
    let atoms: Vec<Term> = m.atoms.iter().map(atoms::intern).collect();
    let name = atoms[0];
    let funs: Vec<*const FunEntry> = m
        .funs
        .iter()
        .map(|f| {
            fun_entry(
                name,
                FunKey { index: f.index, old_uniq: f.old_uniq, uniq: m.md5 },
                atoms[f.function as usize],
                f.call_arity() as u32,
                f.num_free as u32,
            )
        })
        .collect();
    let strings: &'static [u8] = Box::leak(m.strings.clone().into_boxed_slice());
    let literals = vec![None; m.literal_count()];
    let mut cx = Cx { m: &m, atoms, area: LiteralArea::new(), literals, strings, funs };
    let t = translate::translate(&m, &mut cx)?;
    place(&m, cx, t, file)
}

fn place(m: &chime_loader::Module, mut cx: Cx, t: Translated, file: Option<PathBuf>) -> LoadResult<Loaded> {
    let name = cx.atoms[0];
    let files = m.line.files.iter().map(|f| cx.area.string(f)).collect();
    let info: &'static ModuleInfo = Box::leak(Box::new(ModuleInfo { name, files }));
    let functions: &'static [Function] = Box::leak(
        m.functions
            .iter()
            .map(|f| Function {
                module: name,
                function: cx.atoms[f.name as usize],
                arity: f.arity as u32,
                code: info,
            })
            .collect(),
    );
    let mut words = t.words;
    for &(w, f) in &t.function_refs {
        words[w as usize] = &functions[f as usize] as *const Function as u64;
    }
    let code: &'static mut [u64] = Box::leak(words.into_boxed_slice());
    let base = code.as_ptr();
    let at = |offset: u32| base.wrapping_add(offset as usize);
    let sites: &'static [ReturnSite] = Box::leak(
        t.sites
            .iter()
            .map(|s| ReturnSite {
                native: AtomicPtr::default(),
                ip: at(s.word),
                function: &functions[s.function as usize],
                line: s.line,
                frame: s.frame,
            })
            .collect(),
    );
    for &(w, s) in &t.site_refs {
        code[w as usize] = &sites[s as usize] as *const ReturnSite as u64;
    }
    for &(tag, label, function) in &t.catches {
        if let Some(slot) = handler_slot(tag) {
            let f = &functions[function as usize] as *const Function;
            slot.function.store(f as *mut Function, Ordering::Release);
            slot.ip.store(at(t.labels[label as usize]) as *mut u64, Ordering::Release);
        }
    }
    let entry = |label: u32| at(t.labels[label as usize]);
    let mut exported: Vec<(Term, u32)> = Vec::with_capacity(m.exports.len());
    let mut labels = Vec::with_capacity(m.exports.len());
    for e in &m.exports {
        exported.push((cx.atoms[e.function as usize], e.arity as u32));
        labels.push(t.labels[e.label as usize]);
    }
    for (f, &ptr) in m.funs.iter().zip(&cx.funs) {
        // SAFETY: fun entries live for ever; their entry pointer is atomic.
        unsafe { (*ptr).entry.store(entry(f.label) as *mut u64, Ordering::Release) };
    }
    let attributes = term_chunk(&m.attributes, &mut cx.area)?;
    let compile_info = term_chunk(&m.compile_info, &mut cx.area)?;
    let on_load = m.on_load.map(entry);
    Ok(Loaded {
        name,
        code,
        functions,
        sites,
        starts: t.functions,
        lines: t.lines,
        exports: exported,
        attributes,
        compile_info,
        md5: m.md5,
        file,
        on_load,
        labels,
        funs: cx.funs,
        literals: cx.area,
    })
}

fn term_chunk(bytes: &Option<Vec<u8>>, area: &mut LiteralArea) -> LoadResult<Term> {
    match bytes {
        Some(b) => decode(b, area),
        None => Ok(Term::NIL),
    }
}

/// Makes a prepared version the current one; the current one becomes old.
pub fn publish(version: Loaded) -> &'static Loaded {
    let v: &'static Loaded = Box::leak(Box::new(version));
    RANGES.write().insert(v.code.as_ptr() as usize, v);
    {
        let mut modules = MODULES.write();
        let entry = modules.get_or_insert_with(HashMap::new).entry(v.name).or_default();
        if let Some(previous) = entry.current.replace(v) {
            for &(f, a) in &previous.exports {
                if !v.exports.contains(&(f, a)) {
                    exports::get(v.name, f, a).undefine();
                }
            }
            entry.old = Some(previous);
        }
    }
    for (&(f, a), &label) in v.exports.iter().zip(&v.labels) {
        exports::get(v.name, f, a).define(v.code.as_ptr().wrapping_add(label as usize));
    }
    if let Some(absent) = ABSENT.lock().as_mut() {
        absent.remove(&v.name);
    }
    if v.on_load.is_some() {
        TO_RUN.lock().push(v.name);
    }
    v
}

/// Modules whose `on_load` function has not been called yet.
static TO_RUN: Mutex<Vec<Term>> = Mutex::new(Vec::new());

/// If the module's `on_load` function is still to be run: an export to call, this once. The caller reports how it went
/// to [`on_load_ended`].
pub fn pending_on_load(name: Term) -> Option<&'static Export> {
    let mut to_run = TO_RUN.lock();
    let i = to_run.iter().position(|&n| n == name)?;
    to_run.swap_remove(i);
    drop(to_run);
    let entry = current(name)?.on_load?;
    Some(Box::leak(Box::new(Export {
        entry: AtomicPtr::new(entry as *mut u64),
        module: name,
        function: atoms::ON_LOAD,
        arity: 0,
        defined: AtomicU32::new(1),
        bif: None,
        kind: 0,
        stub: [0; 2],
    })))
}

/// A module whose `on_load` function does not return `ok` is unloaded.
pub fn on_load_ended(name: Term, good: bool) {
    if !good {
        purge(name);
        let _ = delete(name);
        purge(name);
        ABSENT.lock().get_or_insert_default().insert(name);
    }
}

/// Goes on with the call that made the machine load a module, `[Fun | Args]`.
pub fn on_load_then(p: &mut Process, a: &[Term]) -> BifResult {
    let (fun, args) = (a[2].head(), a[2].tail());
    // SAFETY: word 1 of an external fun is its export, which lives for ever.
    let e = unsafe { &*(fun.word(1).0 as *const Export) };
    on_load_ended(e.module, a[0] == atoms::OK && a[1] == atoms::OK);
    let args = args.to_vec().unwrap_or_default();
    Err(p.trap_export(e, &args))
}

/// The current version of a module.
pub fn current(name: Term) -> Option<&'static Loaded> {
    MODULES.read().as_ref()?.get(&name)?.current
}
/// The old version of a module.
pub fn old(name: Term) -> Option<&'static Loaded> {
    MODULES.read().as_ref()?.get(&name)?.old
}
/// Names of all modules with a current version.
pub fn all() -> Vec<Term> {
    let modules = MODULES.read();
    modules.iter().flatten().filter(|m| m.1.current.is_some()).map(|m| *m.0).collect()
}
/// Makes the current version old; false if there is an old one already.
pub fn delete(name: Term) -> Result<bool, ()> {
    let mut modules = MODULES.write();
    let Some(v) = modules.as_mut().and_then(|m| m.get_mut(&name)) else { return Ok(false) };
    let Some(current) = v.current else { return Ok(false) };
    if v.old.is_some() {
        return Err(());
    }
    v.old = v.current.take();
    for &(f, a) in &current.exports {
        exports::get(name, f, a).undefine();
    }
    Ok(true)
}
/// Forgets the old version; its memory stays until processes can no longer refer to it.
pub fn purge(name: Term) -> bool {
    let mut modules = MODULES.write();
    let Some(v) = modules.as_mut().and_then(|m| m.get_mut(&name)) else { return false };
    v.old.take().is_some()
}

impl Loaded {
    pub fn contains(&self, ip: *const u64) -> bool {
        self.code.as_ptr_range().contains(&ip)
    }
}

// ---- funs

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct FunKey {
    pub index: u32,
    pub old_uniq: u32,
    pub uniq: [u8; 16],
}

static FUNS: Mutex<Option<HashMap<(Term, FunKey), usize>>> = Mutex::new(None);

/// The entry shared by all funs of that identity; made on first mention, by code or by a decoded fun.
pub fn fun_entry(module: Term, key: FunKey, function: Term, arity: u32, num_free: u32) -> *const FunEntry {
    let mut funs = FUNS.lock();
    let at = *funs.get_or_insert_with(HashMap::new).entry((module, key)).or_insert_with(|| {
        Box::into_raw(Box::new(FunEntry {
            entry: AtomicPtr::new(exports::get(module, atoms::UNDEFINED_LAMBDA, 0).stub.as_ptr() as *mut u64),
            module,
            function,
            arity,
            num_free,
            index: key.index,
            old_uniq: key.old_uniq,
            old_index: key.index,
            uniq: key.uniq,
        })) as usize
    });
    at as *const FunEntry
}

/// `fun M:F/A` as a term.
pub fn export_fun<A: Alloc + ?Sized>(a: &mut A, e: &'static Export) -> Term {
    let p = a.alloc(2);
    // SAFETY: two fresh words.
    unsafe {
        *p = Term(header(sub::EXPORT, 1));
        *p.add(1) = Term(e as *const Export as u64);
    }
    Term::boxed_ptr(p)
}

// ---- finding files

/// Folders that are asked for each file, in order, before the library.
static PATHS: RwLock<Vec<PathBuf>> = RwLock::new(Vec::new());
/// Modules that no folder has, until the path changes.
static ABSENT: Mutex<Option<hashbrown::HashSet<Term>>> = Mutex::new(None);

/// A folder of the library. It does not change while the machine runs, so its names are read once, when first asked for.
pub struct LibraryFolder {
    /// Name of the application, with its version.
    pub app: String,
    /// Where its .beam files are.
    pub dir: PathBuf,
    files: OnceLock<hashbrown::HashSet<Box<str>>>,
}

impl LibraryFolder {
    fn has(&self, name: &str) -> bool {
        let files = self.files.get_or_init(|| {
            let list = std::fs::read_dir(&self.dir).into_iter().flatten().flatten();
            list.filter_map(|e| Some(e.file_name().to_str()?.strip_suffix(".beam")?.into())).collect()
        });
        files.contains(name)
    }
    /// The application's name, without its version.
    pub fn app_name(&self) -> &str {
        self.app.rsplit_once('-').map_or(&self.app, |(name, _)| name)
    }
}

/// OTP's library: its root, and the folders of its applications.
pub struct Library {
    pub root: PathBuf,
    pub folders: Vec<LibraryFolder>,
}

/// Finds the library's root when it is first needed; an error says how to get one.
pub type LibraryFinder = fn() -> Result<PathBuf, String>;
static FINDER: OnceLock<LibraryFinder> = OnceLock::new();
static LIBRARY: OnceLock<Option<Library>> = OnceLock::new();

/// Says how to find the library.
pub fn set_library(finder: LibraryFinder) {
    let _ = FINDER.set(finder);
}

/// The library, if there is one; if not, the first call says so on standard error.
pub fn library() -> Option<&'static Library> {
    LIBRARY
        .get_or_init(|| match open_library(FINDER.get()?()) {
            Ok(library) => Some(library),
            Err(fault) => {
                eprintln!("chime: {fault}");
                None
            }
        })
        .as_ref()
}

fn open_library(root: Result<PathBuf, String>) -> Result<Library, String> {
    let root = root?;
    let lib = root.join("lib");
    let list = std::fs::read_dir(&lib).map_err(|e| format!("{}: {e}", lib.display()))?;
    let mut apps: Vec<String> = list.flatten().filter_map(|e| e.file_name().into_string().ok()).collect();
    // Those that hold most of what programs use come first.
    let rank = |app: &str| match app.rsplit_once('-').map_or(app, |a| a.0) {
        "stdlib" => 0,
        "kernel" => 1,
        "erts" => 2,
        _ => 3,
    };
    apps.sort_by(|a, b| rank(a).cmp(&rank(b)).then_with(|| a.cmp(b)));
    let folder = |app: String| {
        let dir = lib.join(&app).join("ebin");
        LibraryFolder { app, dir, files: OnceLock::new() }
    };
    Ok(Library { folders: apps.into_iter().map(folder).collect(), root })
}

/// Appends folders to the search path.
pub fn add_paths(dirs: impl IntoIterator<Item = PathBuf>) {
    change_paths(|paths| paths.extend(dirs));
}
/// Changes the search path in front of the library.
pub fn change_paths<R>(f: impl FnOnce(&mut Vec<PathBuf>) -> R) -> R {
    let r = f(&mut PATHS.write());
    *ABSENT.lock() = None;
    r
}
/// The whole search path.
pub fn paths() -> Vec<PathBuf> {
    let mut all = PATHS.read().clone();
    all.extend(library().into_iter().flat_map(|l| &l.folders).map(|f| f.dir.clone()));
    all
}

/// The file of a module on the search path.
pub fn find_file(name: &str) -> Option<PathBuf> {
    let file = format!("{name}.beam");
    let found = PATHS.read().iter().map(|dir| dir.join(&file)).find(|f| f.is_file());
    found.or_else(|| library()?.folders.iter().find(|f| f.has(name)).map(|f| f.dir.join(&file)))
}

/// Loads a file; one line naming file, chunk and fault if it cannot be.
pub fn load_file(path: &Path) -> LoadResult<&'static Loaded> {
    let bytes = std::fs::read(path).map_err(|e| format!("{}: {e}", path.display()))?;
    let version =
        prepare(&bytes, Some(path.to_path_buf())).map_err(|e| format!("{}: {e}", path.display()))?;
    Ok(publish(version))
}

/// Makes sure a module is loaded if some file on the path has it.
pub fn ensure(name: Term) -> LoadResult<Option<&'static Loaded>> {
    if let Some(m) = current(name) {
        return Ok(Some(m));
    }
    let _one = LOADING.lock();
    if let Some(m) = current(name) {
        return Ok(Some(m));
    }
    if ABSENT.lock().as_ref().is_some_and(|a| a.contains(&name)) {
        return Ok(None);
    }
    match find_file(atoms::name(name)) {
        Some(path) => load_file(&path).map(Some),
        None => {
            ABSENT.lock().get_or_insert_default().insert(name);
            Ok(None)
        }
    }
}

/// Called through the stub of an export that has no code: loads its module. `Some(entry)` if it has code now.
pub fn resolve(_p: &mut Process, e: &Export) -> Option<*const u64> {
    if !e.is_defined()
        && let Err(fault) = ensure(e.module)
    {
        eprintln!("chime: {fault}");
    }
    e.is_defined().then(|| e.entry.load(Ordering::Acquire) as *const u64)
}

/// The module's own `'$handle_undefined_function'/2`, if it has one.
pub fn undefined_handler(e: &Export) -> Option<&'static Export> {
    let h = exports::find(e.module, atoms::HANDLE_UNDEFINED_FUNCTION, 2)?;
    h.is_defined().then_some(h)
}

/// The entry of `M:F/A` in an instruction stream, for starting processes and stubs.
pub fn is_stub(ip: *const u64) -> bool {
    // SAFETY: entries always point at a live instruction.
    unsafe { *ip as u16 == Op::LoadModule as u16 }
}
