//! `decode_packet/3`: packets at the front of a binary. Sockets use [`frame`] too.

use super::binaries::part;
use crate::util::{as_u64, text};
use chime_vm::bif::BifResult;
use chime_vm::heap::Alloc;
use chime_vm::process::Process;
use chime_vm::term::Term;
use chime_vm::{atoms, bifs, bin};

/// How packets are told apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Raw,
    /// A length of so many bytes in front, big-endian.
    Length(usize),
    Asn1,
    SunRpc,
    Cdr,
    Fcgi,
    Tpkt,
    Line,
    Http,
    HttpHeader,
    HttpBin,
    HttpHeaderBin,
    Tls,
}

impl Kind {
    pub fn from_term(t: Term) -> Option<Kind> {
        if let Some(n) = t.as_small() {
            return match n {
                0 => Some(Kind::Raw),
                1 | 2 | 4 => Some(Kind::Length(n as usize)),
                _ => None,
            };
        }
        Some(match text(t) {
            "raw" => Kind::Raw,
            "asn1" => Kind::Asn1,
            "sunrm" => Kind::SunRpc,
            "cdr" => Kind::Cdr,
            "fcgi" => Kind::Fcgi,
            "tpkt" => Kind::Tpkt,
            "line" => Kind::Line,
            "http" => Kind::Http,
            "httph" => Kind::HttpHeader,
            "http_bin" => Kind::HttpBin,
            "httph_bin" => Kind::HttpHeaderBin,
            "ssl_tls" => Kind::Tls,
            _ => return None,
        })
    }
}

#[derive(Clone, Copy)]
pub struct Options {
    /// Longest packet; 0: no limit.
    pub packet_size: usize,
    /// Longest line before it is cut; 0: no limit.
    pub line_length: usize,
    pub delimiter: u8,
}

impl Default for Options {
    fn default() -> Self {
        Options { packet_size: 0, line_length: 0, delimiter: b'\n' }
    }
}

/// The packet at the front of some bytes.
#[derive(Debug, PartialEq, Eq)]
pub enum Frame {
    /// It spans so many bytes.
    Whole(usize),
    /// Not all here; its length if that is known.
    More(Option<usize>),
    Invalid,
}

fn be(bytes: &[u8]) -> usize {
    bytes.iter().fold(0, |n, &b| n << 8 | b as usize)
}

/// Length of the packet at the front of `b`, header included.
pub fn frame(kind: Kind, b: &[u8], o: &Options) -> Frame {
    // Header, body.
    let sized = match kind {
        Kind::Raw => {
            return if b.is_empty() { Frame::More(None) } else { Frame::Whole(b.len()) };
        }
        Kind::Line => return line(b, o),
        Kind::Http | Kind::HttpBin => return http_line(b, o),
        Kind::HttpHeader | Kind::HttpHeaderBin => return http_header(b, o),
        Kind::Length(n) => (b.len() >= n).then(|| (n, be(&b[..n]))),
        Kind::SunRpc => (b.len() >= 4).then(|| (4, be(&b[..4]) & 0x7FFF_FFFF)),
        Kind::Tpkt if b.len() >= 4 => {
            if b[0] != 3 {
                return Frame::Invalid;
            }
            match be(&b[2..4]).checked_sub(4) {
                Some(n) => Some((4, n)),
                None => return Frame::Invalid,
            }
        }
        Kind::Fcgi if b.len() >= 8 => {
            if b[0] != 1 {
                return Frame::Invalid;
            }
            Some((8, be(&b[4..6]) + b[6] as usize))
        }
        Kind::Cdr if b.len() >= 12 => {
            if &b[..4] != b"GIOP" {
                return Frame::Invalid;
            }
            let little = b[6] & 1 == 1;
            let n = if little {
                b[8..12].iter().rev().fold(0, |n, &x| n << 8 | x as usize)
            } else {
                be(&b[8..12])
            };
            Some((12, n))
        }
        Kind::Tls if b.len() >= 5 => {
            // An SSL 2 client hello has its length in the first two bytes.
            if b[0] & 0x80 != 0 && b[2] == 1 {
                Some((2, be(&b[..2]) & 0x7FFF))
            } else {
                Some((5, be(&b[3..5])))
            }
        }
        Kind::Asn1 => match asn1(b) {
            Ok(s) => s,
            Err(()) => return Frame::Invalid,
        },
        Kind::Tpkt | Kind::Fcgi | Kind::Cdr | Kind::Tls => None,
    };
    let Some((header, body)) = sized else { return Frame::More(None) };
    let limit = if o.packet_size == 0 { (1 << 26) - 1 } else { o.packet_size };
    let limited = o.packet_size != 0 || kind == Kind::Length(4);
    if limited && body > limit {
        return Frame::Invalid;
    }
    let n = header + body;
    if b.len() >= n { Frame::Whole(n) } else { Frame::More(Some(n)) }
}

/// Header and body lengths of a BER value.
fn asn1(b: &[u8]) -> Result<Option<(usize, usize)>, ()> {
    let Some(&tag) = b.first() else { return Ok(None) };
    let mut at = 1;
    if tag & 0x1F == 0x1F {
        loop {
            let Some(&x) = b.get(at) else { return Ok(None) };
            at += 1;
            if x & 0x80 == 0 {
                break;
            }
        }
    }
    let Some(&len) = b.get(at) else { return Ok(None) };
    at += 1;
    if len & 0x80 == 0 {
        return Ok(Some((at, len as usize)));
    }
    let n = (len & 0x7F) as usize;
    if n > 4 {
        return Err(());
    }
    Ok(b.get(at..at + n).map(|l| (at + n, be(l))))
}

fn line(b: &[u8], o: &Options) -> Frame {
    let limit = o.line_length;
    match b.iter().position(|&x| x == o.delimiter) {
        Some(i) => {
            let n = i + 1;
            if o.packet_size != 0 && n > o.packet_size {
                Frame::Invalid
            } else if limit != 0 && n > limit {
                Frame::Whole(limit)
            } else {
                Frame::Whole(n)
            }
        }
        None if o.packet_size != 0 && b.len() > o.packet_size => Frame::Invalid,
        None if limit != 0 && b.len() >= limit => Frame::Whole(limit),
        None => Frame::More(None),
    }
}

fn too_long(n: usize, o: &Options) -> bool {
    o.packet_size != 0 && n > o.packet_size
}

fn http_line(b: &[u8], o: &Options) -> Frame {
    match b.iter().position(|&x| x == b'\n') {
        Some(i) if too_long(i + 1, o) => Frame::Invalid,
        Some(i) => Frame::Whole(i + 1),
        None if o.line_length != 0 && b.len() >= o.line_length => Frame::Whole(o.line_length),
        None if too_long(b.len(), o) => Frame::Invalid,
        None => Frame::More(None),
    }
}

/// A header goes on in the next line if that starts with a blank.
fn http_header(b: &[u8], o: &Options) -> Frame {
    let mut from = 0;
    loop {
        let Some(i) = b[from..].iter().position(|&x| x == b'\n') else {
            return if o.line_length != 0 && b.len() >= o.line_length {
                Frame::Whole(o.line_length)
            } else if too_long(b.len(), o) {
                Frame::Invalid
            } else {
                Frame::More(None)
            };
        };
        let n = from + i + 1;
        if too_long(n, o) {
            return Frame::Invalid;
        }
        // An empty line ends the headers.
        if from == 0 && (b[..n] == *b"\n" || b[..n] == *b"\r\n") {
            return Frame::Whole(n);
        }
        match b.get(n) {
            Some(b' ' | b'\t') => from = n,
            Some(_) => return Frame::Whole(n),
            None => return Frame::More(None),
        }
    }
}

// ---- what a packet is turned into

/// Text as the packet kind wants it: a binary, or a list of bytes.
fn string(p: &mut Process, s: &[u8], binary: bool) -> Term {
    if binary { p.binary(s) } else { p.byte_list(s, Term::NIL) }
}

const METHODS: [&str; 7] = ["OPTIONS", "GET", "HEAD", "POST", "PUT", "DELETE", "TRACE"];

/// Headers that become atoms, with their numbers from 1 on.
const HEADERS: [&str; 52] = [
    "Cache-Control",
    "Connection",
    "Date",
    "Pragma",
    "Transfer-Encoding",
    "Upgrade",
    "Via",
    "Accept",
    "Accept-Charset",
    "Accept-Encoding",
    "Accept-Language",
    "Authorization",
    "From",
    "Host",
    "If-Modified-Since",
    "If-Match",
    "If-None-Match",
    "If-Range",
    "If-Unmodified-Since",
    "Max-Forwards",
    "Proxy-Authorization",
    "Range",
    "Referer",
    "User-Agent",
    "Age",
    "Location",
    "Proxy-Authenticate",
    "Public",
    "Retry-After",
    "Server",
    "Vary",
    "Warning",
    "Www-Authenticate",
    "Allow",
    "Content-Base",
    "Content-Encoding",
    "Content-Language",
    "Content-Length",
    "Content-Location",
    "Content-Md5",
    "Content-Range",
    "Content-Type",
    "Etag",
    "Expires",
    "Last-Modified",
    "Accept-Ranges",
    "Set-Cookie",
    "Set-Cookie2",
    "X-Forwarded-For",
    "Cookie",
    "Keep-Alive",
    "Proxy-Connection",
];

/// `HTTP/1.0` as `{1, 0}`.
fn version(s: &[u8]) -> Option<(i64, i64)> {
    let s = std::str::from_utf8(s.strip_prefix(b"HTTP/")?).ok()?;
    let (x, y) = s.split_once('.')?;
    let number = |s: &str| -> Option<i64> {
        if s.is_empty() || s.len() > 9 || !s.bytes().all(|b| b.is_ascii_digit()) {
            None
        } else {
            s.parse().ok()
        }
    };
    Some((number(x)?, number(y)?))
}

fn version_term(p: &mut Process, (x, y): (i64, i64)) -> Term {
    p.tuple(&[Term::small(x), Term::small(y)])
}

fn trim_end(mut s: &[u8]) -> &[u8] {
    while let [rest @ .., b'\r' | b'\n'] = s {
        s = rest;
    }
    s
}

fn skip_blanks(s: &[u8]) -> &[u8] {
    let n = s.iter().take_while(|&&b| b == b' ' || b == b'\t').count();
    &s[n..]
}

fn http_error(p: &mut Process, s: &[u8], binary: bool) -> Term {
    let s = string(p, s, binary);
    p.tuple(&[crate::util::atom("http_error"), s])
}

fn http_first(p: &mut Process, whole: &[u8], binary: bool) -> Term {
    let s = trim_end(whole);
    request(p, s, binary).unwrap_or_else(|| http_error(p, whole, binary))
}

fn request(p: &mut Process, s: &[u8], binary: bool) -> Option<Term> {
    let blank = s.iter().position(|&b| b == b' ')?;
    let (first, rest) = (&s[..blank], skip_blanks(&s[blank..]));
    if let Some(v) = version(first) {
        let digits = rest.iter().take_while(|b| b.is_ascii_digit()).count();
        if digits > 9 || rest.get(digits).is_some_and(|&b| b != b' ') {
            return None;
        }
        let status = rest[..digits].iter().fold(0, |n, &d| n * 10 + (d - b'0') as i64);
        let v = version_term(p, v);
        let phrase = string(p, skip_blanks(&rest[digits..]), binary);
        return Some(p.tuple(&[crate::util::atom("http_response"), v, Term::small(status), phrase]));
    }
    if first.is_empty() {
        return None;
    }
    let method = match METHODS.iter().find(|m| m.as_bytes() == first) {
        Some(m) => crate::util::atom(m),
        None => string(p, first, binary),
    };
    let (uri, v) = match rest.iter().position(|&b| b == b' ') {
        Some(i) => (&rest[..i], version(skip_blanks(&rest[i..]).trim_ascii_end())?),
        None => (rest, (0, 9)),
    };
    if uri.is_empty() {
        return None;
    }
    let uri = uri_term(p, uri, binary);
    let v = version_term(p, v);
    Some(p.tuple(&[crate::util::atom("http_request"), method, uri, v]))
}

fn uri_term(p: &mut Process, s: &[u8], binary: bool) -> Term {
    if s == b"*" {
        return crate::util::atom("*");
    }
    if s[0] == b'/' {
        let path = string(p, s, binary);
        return p.tuple(&[crate::util::atom("abs_path"), path]);
    }
    for scheme in ["http", "https"] {
        let prefix = [scheme.as_bytes(), b"://"].concat();
        if s.len() < prefix.len() || !s[..prefix.len()].eq_ignore_ascii_case(&prefix) {
            continue;
        }
        let rest = &s[prefix.len()..];
        let end = rest.iter().position(|&b| b == b'/');
        let (authority, path) = match end {
            Some(i) => (&rest[..i], &rest[i..]),
            None => (rest, b"/".as_slice()),
        };
        let (host, port) = match authority.iter().position(|&b| b == b':') {
            Some(i) => (&authority[..i], &authority[i + 1..]),
            None => (authority, b"".as_slice()),
        };
        let digits = port.iter().take_while(|b| b.is_ascii_digit()).count();
        let number = |n: i32, &d: &u8| n.wrapping_mul(10).wrapping_add((d - b'0') as i32);
        let port = match digits {
            0 => atoms::UNDEFINED,
            _ => Term::small(port[..digits].iter().fold(0, number) as i64),
        };
        let (host, path) = (string(p, host, binary), string(p, path, binary));
        let scheme = crate::util::atom(scheme);
        return p.tuple(&[crate::util::atom("absoluteURI"), scheme, host, port, path]);
    }
    match s.iter().position(|&b| b == b':') {
        Some(i) => {
            let (x, y) = (string(p, &s[..i], binary), string(p, &s[i + 1..], binary));
            p.tuple(&[crate::util::atom("scheme"), x, y])
        }
        None => string(p, s, binary),
    }
}

/// Capital letters at the start of words, small ones elsewhere.
fn capitalise(name: &[u8]) -> Vec<u8> {
    let mut start = true;
    name.iter()
        .map(|&b| {
            let c = if start { b.to_ascii_uppercase() } else { b.to_ascii_lowercase() };
            start = b == b'-';
            c
        })
        .collect()
}

fn http_head(p: &mut Process, whole: &[u8], binary: bool) -> Term {
    let s = trim_end(whole);
    if s.is_empty() {
        return crate::util::atom("http_eoh");
    }
    let name_end = s.iter().position(|&b| b == b':' || b <= b' ' || b == 127).unwrap_or(s.len());
    let (name, rest) = (&s[..name_end], &s[name_end..]);
    if rest.first() != Some(&b':') {
        return http_error(p, whole, binary);
    }
    let value = string(p, skip_blanks(&rest[1..]), binary);
    let known = HEADERS.iter().position(|h| h.as_bytes().eq_ignore_ascii_case(name));
    let (number, field) = match known {
        Some(i) => (i as i64 + 1, crate::util::atom(HEADERS[i])),
        None => (0, string(p, &capitalise(name), binary)),
    };
    let given = string(p, name, binary);
    p.tuple(&[crate::util::atom("http_header"), Term::small(number), field, given, value])
}

fn tls(p: &mut Process, whole: &[u8]) -> Term {
    let (kind, version, body) = if whole[0] & 0x80 != 0 && whole.get(2) == Some(&1) && whole.len() >= 5 {
        (22, [whole[3], whole[4]], &whole[2..])
    } else {
        (whole[0], [whole[1], whole[2]], &whole[5..])
    };
    let v = p.tuple(&[Term::small(version[0] as i64), Term::small(version[1] as i64)]);
    let body = p.binary(body);
    p.tuple(&[crate::util::atom("ssl_tls"), Term::NIL, Term::small(kind as i64), v, body])
}

/// The term for a whole packet, `n` bytes at the front of binary `t`.
pub fn decode(p: &mut Process, kind: Kind, t: Term, n: usize) -> Option<Term> {
    let bytes = bin::bytes(t)?;
    let whole = &bytes[..n];
    match kind {
        Kind::Length(h) => part(p, t, h, n - h),
        Kind::Http | Kind::HttpBin => Some(http_first(p, whole, kind == Kind::HttpBin)),
        Kind::HttpHeader | Kind::HttpHeaderBin => Some(http_head(p, whole, kind == Kind::HttpHeaderBin)),
        Kind::Tls => Some(tls(p, whole)),
        _ => part(p, t, 0, n),
    }
}

fn options(list: Term) -> Option<Options> {
    let mut o = Options::default();
    for t in list.to_vec()? {
        let [key, value]: [Term; 2] = t.tuple_of(2)?.try_into().ok()?;
        let n = as_u64(value)?;
        match text(key) {
            "packet_size" => o.packet_size = usize::try_from(n).ok()?,
            "line_length" => o.line_length = usize::try_from(n).ok()?,
            "line_delimiter" => o.delimiter = u8::try_from(n).ok()?,
            _ => return None,
        }
    }
    Some(o)
}

fn decode_packet(p: &mut Process, a: &[Term]) -> BifResult {
    let Some(kind) = Kind::from_term(a[0]) else { return Err(p.badarg_cause(crate::util::atom("badopt"))) };
    let Some((bytes, o)) = bin::bytes(a[1]).zip(options(a[2])) else { return Err(p.badarg()) };
    match frame(kind, &bytes, &o) {
        Frame::Whole(n) => {
            let (packet, rest) = (decode(p, kind, a[1], n), part(p, a[1], n, bytes.len() - n));
            match packet.zip(rest) {
                Some((packet, rest)) => Ok(p.tuple(&[atoms::OK, packet, rest])),
                None => Err(p.badarg()),
            }
        }
        Frame::More(n) => {
            let n = n.map_or(atoms::UNDEFINED, |n| Term::small(n as i64));
            let more = crate::util::atom("more");
            Ok(p.tuple(&[more, n]))
        }
        Frame::Invalid => {
            let invalid = crate::util::atom("invalid");
            Ok(p.tuple(&[atoms::ERROR, invalid]))
        }
    }
}

bifs! { TABLE, "erlang"; "decode_packet"/3 [PURE] => decode_packet }

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames() {
        let o = Options::default();
        let f = |k, b: &[u8]| frame(k, b, &o);
        assert_eq!(f(Kind::Length(2), b"\0\x03abcd"), Frame::Whole(5));
        assert_eq!(f(Kind::Length(2), b"\0\x03ab"), Frame::More(Some(5)));
        assert_eq!(f(Kind::Length(4), b"\xff\0\0\x03"), Frame::Invalid);
        assert_eq!(f(Kind::Line, b"abc\ndef"), Frame::Whole(4));
        assert_eq!(f(Kind::Asn1, &[48, 130, 0, 3, 1, 2, 3, 4]), Frame::Whole(7));
        assert_eq!(f(Kind::HttpHeader, b"A: b\r\n c\r\nD"), Frame::Whole(10));
        assert_eq!(f(Kind::HttpHeader, b"A: b\r\n"), Frame::More(None));
        assert_eq!(f(Kind::HttpHeader, b"\r\nabc"), Frame::Whole(2));
        let o = Options { line_length: 3, ..o };
        assert_eq!(frame(Kind::Line, b"abcdef", &o), Frame::Whole(3));
    }
}
