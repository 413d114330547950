//! The process behind `user` and `standard_error`.
//!
//! It is a native process: a built-in that takes a message, does what it asks, and traps to itself. What it needs across
//! that is in its arguments: the device, and the request that waits for input, if any. While one waits, requests that
//! only write are served; others that read stay in the mailbox.

use crate::stdio::chars::{self, Encoding, End, NoText, decode, encode_all};
use crate::stdio::device::{self, Device, STDERR, STDIO};
use crate::util::{atom, budget, text};
use chime_vm::bif::{BifFn, BifResult};
use chime_vm::code::Export;
use chime_vm::heap::Alloc;
use chime_vm::process::{Process, flag};
use chime_vm::spawn::{SpawnOpts, spawn};
use chime_vm::term::Term;
use chime_vm::{atoms, bifs, exports, gc, refs, registry, sched, signal};
use parking_lot::Mutex;
use std::sync::Arc;

/// Words of used messages after which the process collects.
const GARBAGE: usize = 2048;
/// The same for bytes of binaries.
const GARBAGE_BYTES: usize = 4 << 20;
/// Elements of character data in a reduction.
const PER_REDUCTION: usize = 8;

fn device(t: Term) -> &'static Device {
    if t == Term::small(2) { &STDERR } else { &STDIO }
}

/// Starts `user` and `standard_error`; returns the former's pid.
pub fn start() -> Option<Term> {
    sched::at_halt(device::flush_all);
    let server = exports::get(atom("chime_io"), atom("server"), 2);
    let mut opts = SpawnOpts::default();
    opts.flags |= flag::TRAP_EXIT;
    let user = spawn(None, &opts, server, &[Term::small(1), Term::NIL])?;
    STDIO.serve(user);
    registry::register(atoms::USER, user).ok()?;
    opts.group_leader = Some(user);
    let errors = spawn(None, &opts, server, &[Term::small(2), Term::NIL])?;
    STDERR.serve(errors);
    registry::register(atoms::STANDARD_ERROR, errors).ok()?;
    Some(user)
}

bifs! { SERVERS, "chime_io";
    "server"/2 [] => server,
}

/// A request that is being served.
#[derive(Clone, Copy)]
struct Task {
    device: Term,
    from: Term,
    reply_as: Term,
    /// What is still to be done, the current request first.
    requests: Term,
    /// Another request that waits for input, or `[]`: `{From, ReplyAs, Requests, Continuation}`.
    pending: Term,
    /// What the step at hand needs besides.
    extra: Term,
}

impl Task {
    fn pack(&self, p: &mut Process) -> Term {
        p.tuple(&[self.device, self.from, self.reply_as, self.requests, self.pending, self.extra])
    }
    fn unpack(t: Term) -> Option<Task> {
        let &[device, from, reply_as, requests, pending, extra] = t.tuple_of(6)? else { return None };
        Some(Task { device, from, reply_as, requests, pending, extra })
    }
    fn request(&self) -> Term {
        self.requests.head()
    }
    fn device(&self) -> &'static Device {
        device(self.device)
    }
}

/// `server(Device, Pending)`: looks for something to do.
fn server(p: &mut Process, a: &[Term]) -> BifResult {
    let (dev, pending) = (a[0], a[1]);
    if p.fetch_signals() {
        return Err(p.die(atoms::KILLED));
    }
    if let Some(&[from, reply_as, requests, continuation]) = pending.tuple_of(4) {
        let task = Task { device: dev, from, reply_as, requests, pending: Term::NIL, extra: continuation };
        if let Some(result) = read(p, task) {
            return result;
        }
    }
    if device(dev).is_full() {
        return Err(p.wait(server, a));
    }
    loop {
        let Some(message) = p.mailbox.current() else { return Err(p.wait(server, a)) };
        let message = message.term;
        match message.tuple_of(4) {
            Some(&[tag, from, reply_as, request]) if tag == atoms::IO_REQUEST && from.is_pid() => {
                if !pending.is_nil() && reads(device(dev), request) {
                    p.mailbox.advance();
                    continue;
                }
                p.take_message();
                let requests = match request.tuple_of(2) {
                    Some(&[tag, list]) if tag == atoms::REQUESTS && list.list_len().is_some() => list,
                    _ => p.list(&[request]),
                };
                let task = Task { device: dev, from, reply_as, requests, pending, extra: Term::NIL };
                if requests.is_nil() {
                    return reply(p, task, atoms::OK);
                }
                return begin(p, task);
            }
            _ => p.take_message(),
        }
    }
}

/// Looks for the next message, after a collection if there is much to collect.
fn next(p: &mut Process, dev: Term, pending: Term) -> BifResult {
    p.mailbox.rewind();
    let mut live = [pending];
    if (p.heap.frag_words > GARBAGE || p.heap.off_heap.bytes > GARBAGE_BYTES) && !gc::ensure(p, &mut live, 0)
    {
        return Err(p.die(atoms::KILLED));
    }
    Err(p.trap(server, &[dev, live[0]]))
}

fn reply(p: &mut Process, task: Task, result: Term) -> BifResult {
    let message = p.tuple(&[atoms::IO_REPLY, task.reply_as, result]);
    let _ = signal::send(p, task.from, message);
    next(p, task.device, task.pending)
}

/// The current request has this result: on to the next of the list, or the end.
fn done(p: &mut Process, task: Task, result: Term) -> BifResult {
    let rest = task.requests.tail();
    if rest.is_nil() {
        return reply(p, task, result);
    }
    let state = Task { requests: rest, extra: Term::NIL, ..task }.pack(p);
    Err(p.trap(go_on, &[state]))
}

fn go_on(p: &mut Process, a: &[Term]) -> BifResult {
    match Task::unpack(a[0]) {
        Some(task) => begin(p, task),
        None => Err(p.badarg()),
    }
}

fn failed(p: &mut Process, task: Task, reason: Term) -> BifResult {
    let result = p.tuple(&[atoms::ERROR, reason]);
    reply(p, task, result)
}

/// `{error, {request, Request}}`
fn unknown(p: &mut Process, task: Task) -> BifResult {
    let reason = p.tuple(&[atoms::REQUEST, task.request()]);
    failed(p, task, reason)
}

fn is_encoding(t: Term) -> bool {
    t == atoms::UNICODE || t == atoms::LATIN1
}

/// Starts with the current request of a task.
fn begin(p: &mut Process, task: Task) -> BifResult {
    let request = task.request();
    let dev = task.device();
    let elements = request.tuple().unwrap_or(std::slice::from_ref(&request));
    let Some((&tag, args)) = elements.split_first() else { return unknown(p, task) };
    match (text(tag), args) {
        ("put_chars", &[chars]) => put(p, task, atoms::LATIN1, chars),
        ("put_chars", &[enc, chars]) if is_encoding(enc) => put(p, task, enc, chars),
        ("put_chars", &[m, f, args]) => apply(p, task, m, f, args, atoms::LATIN1),
        ("put_chars", &[enc, m, f, args]) if is_encoding(enc) => apply(p, task, m, f, args, enc),
        ("getopts", &[]) => {
            let enc = if dev.is_unicode() { atoms::UNICODE } else { atoms::LATIN1 };
            let mut list = vec![p.tuple(&[atom("encoding"), enc])];
            if dev.reads() {
                list.insert(0, p.tuple(&[atoms::BINARY, Term::bool(dev.is_binary())]));
            }
            let list = p.list(&list);
            done(p, task, list)
        }
        ("setopts", &[opts]) if opts.list_len().is_some() => match set_options(dev, opts) {
            true => done(p, task, atoms::OK),
            false => failed(p, task, atoms::ENOTSUP),
        },
        ("get_geometry", &[what]) if matches!(text(what), "columns" | "rows") => match dev.geometry() {
            Some((columns, rows)) => {
                let n = if text(what) == "rows" { rows } else { columns };
                done(p, task, Term::small(n.into()))
            }
            None => failed(p, task, atoms::ENOTSUP),
        },
        _ if dev.reads() && Read::parse(request).is_some() => prompt(p, task),
        _ => unknown(p, task),
    }
}

/// Sets all options, or none.
fn set_options(dev: &Device, opts: Term) -> bool {
    let (mut binary, mut unicode) = (None, None);
    for o in opts.iter() {
        match (text(o), o.tuple_of(2)) {
            ("binary", _) => binary = Some(true),
            ("list", _) => binary = Some(false),
            (_, Some(&[key, value])) => match (text(key), text(value)) {
                ("binary", "true" | "false") => binary = Some(value == atoms::TRUE),
                ("encoding", "unicode" | "utf8") => unicode = Some(true),
                ("encoding", "latin1") => unicode = Some(false),
                _ => return false,
            },
            _ => return false,
        }
    }
    if binary.is_some() && !dev.reads() {
        return false;
    }
    if let Some(on) = binary {
        dev.set_binary(on);
    }
    if let Some(on) = unicode {
        dev.set_unicode(on);
    }
    true
}

// ---- writing

fn encoding(dev: &Device, from: Term) -> Encoding {
    Encoding { from_latin1: from == atoms::LATIN1, to_unicode: dev.is_unicode() }
}

fn put(p: &mut Process, task: Task, enc: Term, chars: Term) -> BifResult {
    if !chars.is_list() && !chars.is_bitstring() {
        return failed(p, task, atoms::PUT_CHARS);
    }
    put_rest(p, task, enc, vec![chars], Vec::new())
}

/// Encodes a turn's worth. What is done so far waits behind a magic reference: all is written, or nothing.
fn put_rest(p: &mut Process, task: Task, enc: Term, mut stack: Vec<Term>, mut out: Vec<u8>) -> BifResult {
    let mut left = budget(p, PER_REDUCTION);
    let all = left;
    let end = chars::encode(&mut stack, &mut out, encoding(task.device(), enc), &mut left);
    p.bump((all - left) / PER_REDUCTION);
    match end {
        Ok(End::Done) => {
            if task.device().put(&out) {
                done(p, task, atoms::OK)
            } else {
                failed(p, task, atoms::TERMINATED)
            }
        }
        Ok(End::Pause) => {
            let so_far = refs::make_magic(p, Arc::new(Mutex::new(out)));
            let rest = p.list(&stack);
            let state = task.pack(p);
            Err(p.trap(put_more, &[state, enc, rest, so_far]))
        }
        Err(NoText) => failed(p, task, atoms::PUT_CHARS),
    }
}

fn put_more(p: &mut Process, a: &[Term]) -> BifResult {
    let so_far = refs::magic(a[3]).and_then(|m| m.downcast::<Mutex<Vec<u8>>>().ok());
    match (Task::unpack(a[0]), a[2].to_vec(), so_far) {
        (Some(task), Some(stack), Some(out)) => {
            let out = std::mem::take(&mut *out.lock());
            put_rest(p, task, a[1], stack, out)
        }
        _ => Err(p.badarg()),
    }
}

fn callable(m: Term, f: Term, args: Term) -> Option<(&'static Export, Vec<Term>)> {
    let args = args.to_vec().filter(|v| v.len() < 256)?;
    (m.is_atom() && f.is_atom()).then(|| (exports::get(m, f, args.len() as u32), args))
}

/// Writes what a function returns.
fn apply(p: &mut Process, task: Task, m: Term, f: Term, args: Term, enc: Term) -> BifResult {
    let Some((export, args)) = callable(m, f, args) else { return failed(p, task, atoms::PUT_CHARS) };
    let state = Task { extra: enc, ..task }.pack(p);
    Err(p.call_then(export, &args, applied, state))
}

fn applied(p: &mut Process, a: &[Term]) -> BifResult {
    let Some(task) = Task::unpack(a[2]) else { return Err(p.badarg()) };
    if a[0] == atoms::OK { put(p, task, task.extra, a[1]) } else { failed(p, task, atoms::PUT_CHARS) }
}

// ---- reading

/// A request for input.
struct Read {
    prompt: Term,
    unicode: bool,
    what: What,
}

enum What {
    Line,
    Chars(usize),
    /// Module, function and further arguments of what decides.
    Until(Term, Term, Term),
}

impl Read {
    fn parse(request: Term) -> Option<Read> {
        let (&tag, args) = request.tuple()?.split_first()?;
        // Older requests name no encoding.
        let (unicode, args) = match (text(tag), args.len()) {
            ("get_line", 1) | ("get_chars", 2) | ("get_until", 4) => (false, args),
            ("get_line", 2) | ("get_chars", 3) | ("get_until", 5) => (args[0] == atoms::UNICODE, &args[1..]),
            _ => return None,
        };
        let what = match *args {
            [_] => What::Line,
            [_, n] => What::Chars(n.as_small()?.max(0) as usize),
            [_, m, f, more] => What::Until(m, f, more),
            _ => return None,
        };
        Some(Read { prompt: args[0], unicode, what })
    }
}

/// Whether a request needs input.
fn reads(dev: &Device, request: Term) -> bool {
    let one = |r: Term| Read::parse(r).is_some();
    dev.reads()
        && match request.tuple_of(2) {
            Some(&[tag, list]) if tag == atoms::REQUESTS => list.iter().any(one),
            _ => one(request),
        }
}

/// What is shown for a prompt that cannot be.
const NO_PROMPT: &[u8] = b"???";

fn prompt(p: &mut Process, task: Task) -> BifResult {
    let Some(read) = Read::parse(task.request()) else { return unknown(p, task) };
    let t = read.prompt;
    if t.is_list() || t.is_bitstring() {
        show_prompt(task.device(), t);
    } else if t.is_atom() {
        let name = p.string(atoms::name(t));
        show_prompt(task.device(), name);
    } else {
        let format = exports::get(atom("io_lib"), atom("format_prompt"), 2);
        let enc = if task.device().is_unicode() { atoms::UNICODE } else { atoms::LATIN1 };
        let state = task.pack(p);
        return Err(p.call_then(format, &[t, enc], prompted, state));
    }
    await_input(p, task)
}

fn prompted(p: &mut Process, a: &[Term]) -> BifResult {
    let Some(task) = Task::unpack(a[2]) else { return Err(p.badarg()) };
    show_prompt(task.device(), if a[0] == atoms::OK { a[1] } else { atoms::ERROR });
    await_input(p, task)
}

fn show_prompt(dev: &'static Device, prompt: Term) {
    let unicode = Encoding { from_latin1: false, to_unicode: true };
    let bytes = encode_all(prompt, unicode).ok().and_then(|b| match dev.is_unicode() {
        true => Some(b),
        false => String::from_utf8(b).ok()?.chars().map(|c| u8::try_from(c as u32).ok()).collect(),
    });
    dev.put(bytes.as_deref().unwrap_or(NO_PROMPT));
}

/// The current request waits for input from here on.
fn await_input(p: &mut Process, task: Task) -> BifResult {
    let pending = p.tuple(&[task.from, task.reply_as, task.requests, Term::NIL]);
    next(p, task.device, pending)
}

/// Input for a request.
enum Taken {
    Bytes(Vec<u8>),
    Eof,
    /// Not enough yet; more is on its way.
    Wait,
}

fn take(dev: &'static Device, what: &What) -> Taken {
    let mut input = dev.input();
    let unicode = dev.is_unicode();
    let bytes = input.bytes();
    let len = bytes.len();
    let line_end = |from: usize| bytes[from..].iter().position(|&b| b == b'\n').map(|i| from + i + 1);
    let n = match what {
        What::Line => line_end(input.searched.min(len)),
        What::Chars(n) => chars::prefix(bytes, *n, unicode),
        // A line, or what there is of it.
        What::Until(..) => line_end(0)
            .or_else(|| Some(len - if input.eof { 0 } else { chars::incomplete(bytes, unicode) }))
            .filter(|&n| n > 0),
    };
    match n {
        Some(n) if n > 0 || !(input.eof && len == 0) => {
            let taken = bytes[..n].to_vec();
            input.consume(n);
            Taken::Bytes(taken)
        }
        _ if input.eof && len == 0 => Taken::Eof,
        _ if input.eof => {
            let taken = bytes.to_vec();
            input.consume(len);
            Taken::Bytes(taken)
        }
        _ => {
            input.searched = len;
            dev.demand(&mut input);
            Taken::Wait
        }
    }
}

/// Serves a request for input as far as there is some; `None`: it goes on waiting.
fn read(p: &mut Process, task: Task) -> Option<BifResult> {
    let dev = task.device();
    let Some(read) = Read::parse(task.request()) else { return Some(unknown(p, task)) };
    let taken = take(dev, &read.what);
    let unicode = dev.is_unicode();
    let What::Until(m, f, args) = read.what else {
        return Some(match taken {
            Taken::Wait => return None,
            Taken::Eof => done(p, task, atoms::EOF),
            Taken::Bytes(bytes) => match decode(p, &bytes, unicode, read.unicode, dev.is_binary()) {
                Ok(t) => done(p, task, t),
                Err(NoText) => no_translation(p, task, &bytes),
            },
        });
    };
    let data = match taken {
        Taken::Wait => return None,
        // Nothing at all came.
        Taken::Eof if task.extra.is_nil() => return Some(done(p, task, atoms::EOF)),
        Taken::Eof => atoms::EOF,
        Taken::Bytes(bytes) => match decode(p, &bytes, unicode, true, false) {
            Ok(t) => t,
            Err(NoText) => return Some(no_translation(p, task, &bytes)),
        },
    };
    let continuation = task.extra.tuple_of(1).map_or(Term::NIL, |t| t[0]);
    let args = p.list_with_tail(&[continuation, data], args);
    Some(match callable(m, f, args) {
        Some((export, args)) => {
            let state = task.pack(p);
            let then: BifFn = decided;
            Err(p.call_then(export, &args, then, state))
        }
        None => failed(p, task, f),
    })
}

fn no_translation(p: &mut Process, task: Task, bytes: &[u8]) -> BifResult {
    let (from, to) =
        if std::str::from_utf8(bytes).is_ok() { ("unicode", "latin1") } else { ("utf8", "unicode") };
    let reason = p.tuple(&[atom("no_translation"), atom(from), atom(to)]);
    failed(p, task, reason)
}

/// What the function of `get_until` has decided.
fn decided(p: &mut Process, a: &[Term]) -> BifResult {
    let Some(task) = Task::unpack(a[2]) else { return Err(p.badarg()) };
    let dev = task.device();
    let verdict = if a[0] == atoms::OK { a[1].tuple().unwrap_or(&[]) } else { &[] };
    match *verdict {
        [tag, result, rest] if text(tag) == "done" => {
            let utf8 = Encoding { from_latin1: false, to_unicode: true };
            if rest != atoms::EOF
                && let Ok(bytes) = encode_all(rest, utf8)
            {
                let bytes = match (dev.is_unicode(), std::str::from_utf8(&bytes)) {
                    (false, Ok(s)) => s.chars().map(|c| c as u32 as u8).collect(),
                    _ => bytes,
                };
                dev.input().unread(&bytes);
            }
            let mut result = result;
            if dev.is_binary()
                && result.is_cons()
                && let Ok(bytes) = encode_all(result, utf8)
            {
                result = p.binary(&bytes);
            }
            done(p, task, result)
        }
        [tag, continuation] if text(tag) == "more" => {
            let continuation = p.tuple(&[continuation]);
            let pending = p.tuple(&[task.from, task.reply_as, task.requests, continuation]);
            next(p, task.device, pending)
        }
        _ => {
            // What is left of the input belongs to a request that nobody understood.
            let mut input = dev.input();
            let n = input.bytes().len();
            input.consume(n);
            drop(input);
            let name = match Read::parse(task.request()).map(|r| r.what) {
                Some(What::Until(_, f, _)) => f,
                _ => atoms::ERROR,
            };
            failed(p, task, name)
        }
    }
}
