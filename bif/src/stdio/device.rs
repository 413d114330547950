//! The descriptors behind the standard I/O processes: a thread writes what is queued, another reads on demand.
//!
//! Nothing here ever makes a scheduler wait for the kernel. What is put goes into a buffer that the writer takes as a
//! whole, so order is kept and many small pieces become one `write`. The reader reads one piece whenever the process has
//! used up what it had, and not before.

use chime_vm::term::Term;
use chime_vm::{sched, table};
use parking_lot::{Condvar, Mutex};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// More than this waiting to be written: the process takes no further requests.
const FULL: usize = 1 << 20;
/// Bytes read at a time.
const PIECE: usize = 1 << 16;
const STACK: usize = 128 << 10;

/// One of the standard descriptors.
pub struct Device {
    fd: i32,
    out: Mutex<Out>,
    work: Condvar,
    written: Condvar,
    input: Mutex<In>,
    wanted: Condvar,
    /// Text is UTF-8 instead of Latin-1.
    unicode: AtomicBool,
    /// What is read is given as binaries.
    binary: AtomicBool,
    /// The process that serves it.
    pid: AtomicU64,
}

struct Out {
    buffer: Vec<u8>,
    /// The writer is busy with what it took.
    busy: bool,
    started: bool,
    /// The process wants to know when there is room again.
    notify: bool,
    /// The other end is gone.
    broken: bool,
}

/// What has been read and not been used.
pub struct In {
    buffer: Vec<u8>,
    start: usize,
    /// Bytes behind `start` that were searched for a line's end.
    pub searched: usize,
    pub eof: bool,
    demand: bool,
    started: bool,
}

impl In {
    pub fn bytes(&self) -> &[u8] {
        &self.buffer[self.start..]
    }
    /// Drops the first `n` bytes.
    pub fn consume(&mut self, n: usize) {
        self.start += n;
        self.searched = 0;
        if self.start == self.buffer.len() {
            self.buffer.clear();
            self.start = 0;
        }
    }
    /// Puts bytes back in front.
    pub fn unread(&mut self, bytes: &[u8]) {
        self.searched = 0;
        if bytes.len() <= self.start {
            self.start -= bytes.len();
            self.buffer[self.start..self.start + bytes.len()].copy_from_slice(bytes);
        } else {
            self.buffer.splice(..self.start, bytes.iter().copied());
            self.start = 0;
        }
    }
    fn append(&mut self, bytes: &[u8]) {
        if self.start > 0 {
            self.buffer.drain(..self.start);
            self.start = 0;
        }
        self.buffer.extend_from_slice(bytes);
    }
}

/// Standard output (and input), and standard error.
pub static STDIO: Device = Device::new(1);
pub static STDERR: Device = Device::new(2);

impl Device {
    const fn new(fd: i32) -> Device {
        Device {
            fd,
            out: Mutex::new(Out {
                buffer: Vec::new(),
                busy: false,
                started: false,
                notify: false,
                broken: false,
            }),
            work: Condvar::new(),
            written: Condvar::new(),
            input: Mutex::new(In {
                buffer: Vec::new(),
                start: 0,
                searched: 0,
                eof: false,
                demand: false,
                started: false,
            }),
            wanted: Condvar::new(),
            unicode: AtomicBool::new(false),
            binary: AtomicBool::new(false),
            pid: AtomicU64::new(0),
        }
    }
    pub fn reads(&self) -> bool {
        self.fd == 1
    }
    pub fn is_unicode(&self) -> bool {
        self.unicode.load(Ordering::Relaxed)
    }
    pub fn set_unicode(&self, on: bool) {
        self.unicode.store(on, Ordering::Relaxed);
    }
    pub fn is_binary(&self) -> bool {
        self.binary.load(Ordering::Relaxed)
    }
    pub fn set_binary(&self, on: bool) {
        self.binary.store(on, Ordering::Relaxed);
    }
    pub fn serve(&self, pid: Term) {
        self.pid.store(pid.0, Ordering::Relaxed);
    }
    fn wake(&self) {
        if let Some(rec) = table::lookup(Term(self.pid.load(Ordering::Relaxed))) {
            sched::wake(rec);
        }
    }

    // ---- output

    /// Queues bytes for writing. `false`: nobody reads them any more.
    pub fn put(&'static self, bytes: &[u8]) -> bool {
        let mut out = self.out.lock();
        if out.broken {
            return false;
        }
        if bytes.is_empty() {
            return true;
        }
        let idle = out.buffer.is_empty() && !out.busy;
        out.buffer.extend_from_slice(bytes);
        if !out.started {
            out.started = true;
            if let Err(e) = self.spawn("write", Device::writer) {
                eprintln!("chime: cannot start a thread: {e}");
                std::process::exit(1);
            }
        } else if idle {
            self.work.notify_one();
        }
        true
    }
    /// Whether so much waits that the process should, too; it is woken when there is room.
    pub fn is_full(&self) -> bool {
        let mut out = self.out.lock();
        out.notify = out.buffer.len() > FULL;
        out.notify
    }
    /// Waits until all that was put is written.
    pub fn flush(&self) {
        let mut out = self.out.lock();
        while (out.busy || !out.buffer.is_empty()) && !out.broken {
            self.written.wait(&mut out);
        }
    }
    fn spawn(&'static self, what: &str, run: fn(&'static Device)) -> std::io::Result<()> {
        let name = format!("chime-{what}-{}", self.fd);
        std::thread::Builder::new().name(name).stack_size(STACK).spawn(move || run(self)).map(|_| ())
    }
    fn writer(&'static self) {
        let mut taken = Vec::new();
        let mut out = self.out.lock();
        loop {
            while out.buffer.is_empty() {
                self.work.wait(&mut out);
            }
            std::mem::swap(&mut taken, &mut out.buffer);
            out.busy = true;
            let notify = std::mem::take(&mut out.notify);
            drop(out);
            if notify {
                self.wake();
            }
            let result = self.write_all(&taken);
            taken.clear();
            taken.shrink_to(PIECE);
            out = self.out.lock();
            out.busy = false;
            if result.is_err() {
                out.broken = true;
                out.buffer = Vec::new();
                self.written.notify_all();
                drop(out);
                if self.fd == 1 && result == Err(libc::EPIPE) {
                    // Whoever read the output has seen enough.
                    sched::halt(0, false);
                }
                self.wake();
                return;
            }
            if out.buffer.is_empty() {
                self.written.notify_all();
            }
        }
    }
    fn write_all(&self, mut bytes: &[u8]) -> Result<(), i32> {
        while !bytes.is_empty() {
            // SAFETY: the bytes are alive for the call.
            let n = unsafe { libc::write(self.fd, bytes.as_ptr().cast(), bytes.len()) };
            match usize::try_from(n) {
                Ok(n) => bytes = &bytes[n..],
                Err(_) => retry(self.fd, libc::POLLOUT)?,
            }
        }
        Ok(())
    }

    // ---- input

    pub fn input(&self) -> parking_lot::MutexGuard<'_, In> {
        self.input.lock()
    }
    /// More input is needed; the process is woken when some has come, or there is no more.
    pub fn demand(&'static self, input: &mut In) {
        input.demand = true;
        if !input.started {
            input.started = true;
            if self.spawn("read", Device::reader).is_err() {
                input.eof = true;
                self.wake();
            }
        } else {
            self.wanted.notify_one();
        }
    }
    fn reader(&'static self) {
        let mut piece = vec![0; PIECE];
        let mut input = self.input.lock();
        loop {
            while !input.demand {
                self.wanted.wait(&mut input);
            }
            drop(input);
            let n = read(&mut piece);
            input = self.input.lock();
            input.demand = false;
            match n {
                0 => input.eof = true,
                n => input.append(&piece[..n]),
            }
            self.wake();
            if input.eof {
                return;
            }
        }
    }

    /// Columns and rows of the terminal, if it is one.
    pub fn geometry(&self) -> Option<(u16, u16)> {
        // SAFETY: plain bytes that the call fills.
        let mut size: libc::winsize = unsafe { std::mem::zeroed() };
        // SAFETY: as above.
        let ok = unsafe { libc::ioctl(self.fd, libc::TIOCGWINSZ, &mut size) } == 0;
        (ok && size.ws_col > 0).then_some((size.ws_col, size.ws_row))
    }
}

/// One piece of standard input; 0 bytes at its end, or if it cannot be read.
fn read(piece: &mut [u8]) -> usize {
    loop {
        // SAFETY: the buffer is alive for the call.
        let n = unsafe { libc::read(0, piece.as_mut_ptr().cast(), piece.len()) };
        match usize::try_from(n) {
            Ok(n) => return n,
            Err(_) if retry(0, libc::POLLIN).is_ok() => {}
            Err(_) => return 0,
        }
    }
}

/// After a failed call: whether to try again. Sleeps until the descriptor is ready if it does not block by itself.
fn retry(fd: i32, events: libc::c_short) -> Result<(), i32> {
    match std::io::Error::last_os_error().raw_os_error().unwrap_or(0) {
        libc::EINTR => Ok(()),
        libc::EAGAIN => {
            let mut pfd = libc::pollfd { fd, events, revents: 0 };
            // SAFETY: one descriptor.
            unsafe { libc::poll(&mut pfd, 1, -1) };
            Ok(())
        }
        e => Err(e),
    }
}

/// Waits until everything is written: for the end of the machine.
pub fn flush_all() {
    STDIO.flush();
    STDERR.flush();
}
