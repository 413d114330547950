//! Chunks other than code, in their old and new forms.

#[path = "common/build.rs"]
mod build;

use std::io::Write;

use build::{container, module, number};
use chime_loader::{ErrorKind, Field, Line, Operand, TypeInfo, TypeSet, load};

fn with(name: &[u8; 4], bytes: Vec<u8>) -> chime_loader::Module {
    let mut b = module("fun f 1 1\nreturn");
    b.extra.push((*name, bytes));
    load(&b.bytes()).unwrap_or_else(|e| panic!("{e}"))
}

fn words(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|w| w.to_be_bytes()).collect()
}

#[test]
fn what_is_no_beam_file_is_called_so() {
    for bytes in [&b""[..], b"FOR1", b"#!/bin/sh\n", b"FOR1\0\0\0\x04BEAN"] {
        let e = load(bytes).unwrap_err();
        assert_eq!(
            (e.kind, e.to_string().as_str()),
            (ErrorKind::NotBeam, "not a BEAM file (no FOR1 … BEAM header)")
        );
    }
    assert_eq!(load(&container(&[])).unwrap_err().to_string(), "chunk AtU8 is missing");
}

#[test]
fn compressed_files_load() {
    let plain = module("fun f 1 1\nreturn").bytes();
    let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    gz.write_all(&plain).unwrap();
    let gz = gz.finish().unwrap();
    assert_eq!(load(&gz).unwrap().name(), "m");
    assert_eq!(load(&gz[..gz.len() / 2]).unwrap_err().kind, ErrorKind::NotBeam);
}

#[test]
fn atoms_of_both_forms_and_latin1() {
    let mut b = module("fun f 1 1\nmove 'häßlich x0\nreturn");
    b.atom(&"ß".repeat(255));
    b.long_atoms = true;
    let m = load(&b.bytes()).unwrap();
    assert!(m.atoms.iter().any(|a| a.chars().count() == 255));
    b.atom(&"x".repeat(256));
    assert!(load(&b.bytes()).unwrap_err().to_string().contains("longer than 255 characters"));

    let mut chunks: Vec<_> = Vec::new();
    let b = module("fun f 1 1\nreturn").bytes();
    for (name, range) in chime_loader::chunks(&b).unwrap() {
        if &name != b"AtU8" {
            chunks.push((name, b[range].to_vec()));
        }
    }
    let mut atoms = words(&[5]);
    for name in [&b"m"[..], b"erlang", b"f\xe4", b"length", b"self"] {
        atoms.push(name.len() as u8);
        atoms.extend(name);
    }
    // The code mentions `f` as a later atom; with five atoms it is out of range.
    chunks.push((*b"Atom", atoms));
    assert!(load(&container(&chunks)).unwrap_err().to_string().contains("atom"));
}

#[test]
fn literals_packed_and_plain() {
    let mut b = module("fun f 1 1\nmove lit1 x0\nreturn");
    b.literals = vec![vec![131, 106], vec![131, 104, 0]];
    let m = load(&b.bytes()).unwrap();
    assert_eq!((m.literal_count(), m.literal(1)), (2, &[131, 104, 0][..]));

    let mut chunks = Vec::new();
    let bytes = b.bytes();
    for (name, range) in chime_loader::chunks(&bytes).unwrap() {
        let mut content = bytes[range].to_vec();
        if &name == b"LitT" {
            let table = content.split_off(4);
            let mut zip = flate2::write::ZlibEncoder::new(words(&[table.len() as u32]), Default::default());
            zip.write_all(&table).unwrap();
            content = zip.finish().unwrap();
        }
        chunks.push((name, content));
    }
    assert_eq!(load(&container(&chunks)).unwrap().literal(1), &[131, 104, 0]);
    let literals = chunks.iter_mut().find(|c| &c.0 == b"LitT").unwrap();
    literals.1[3] += 1;
    assert!(load(&container(&chunks)).unwrap_err().to_string().contains("claims to unpack to"));
}

#[test]
fn types_of_all_versions() {
    let any = |bits: u16| bits.to_be_bytes().to_vec();
    let small = TypeInfo { set: TypeSet(TypeSet::INTEGER), min: Some(-1), max: Some(7), unit: 1 };

    let mut v1 = words(&[1, 3]);
    for (bits, min, max) in [(0x1fffu16, 0i64, -1i64), (1 << 6, -1, 7), (1 << 2, 0, -1)] {
        v1.extend(bits.to_be_bytes());
        v1.extend(min.to_be_bytes());
        v1.extend(max.to_be_bytes());
    }
    let m = with(b"Type", v1);
    assert_eq!((m.types[0], m.types[1]), (TypeInfo::ANY, small));
    assert_eq!(m.types[2].set, TypeSet(TypeSet::BITSTRING));

    let entry = |version: u32, all: u16, integer: u16, string: u16, unit_bit: u16| {
        let mut bytes = words(&[version, 3]);
        bytes.extend(any(all));
        bytes.extend(integer.to_be_bytes());
        bytes.extend((-1i64).to_be_bytes());
        bytes.extend(7i64.to_be_bytes());
        bytes.extend((string | unit_bit).to_be_bytes());
        bytes.push(7);
        let m = with(b"Type", bytes);
        assert_eq!((m.types[0], m.types[1]), (TypeInfo::ANY, small), "version {version}");
        assert_eq!((m.types[2].set, m.types[2].unit), (TypeSet(TypeSet::BITSTRING), 8), "version {version}");
    };
    entry(2, 0x1fff, 1 << 6 | 3 << 13, 1 << 1, 1 << 15);
    entry(3, 0x0fff, 1 << 5 | 3 << 12, 1 << 1, 1 << 14);
    entry(4, 0x1fff, 1 << 5 | 3 << 13, 1 << 1, 1 << 15);
    // Unknown versions mean "no types", and then type indexes are ignored.
    assert_eq!(with(b"Type", words(&[9])).types, [TypeInfo::ANY]);
    load(&module("fun f 1 1\nmove tx0:77 x1\nreturn").bytes()).unwrap();
}

#[test]
fn typed_registers_keep_their_type() {
    let mut b = module("fun f 1 1\nmove tx0:1 x1\nreturn");
    let mut types = words(&[3, 2]);
    types.extend([0x0f, 0xff, 0, 1]);
    b.extra.push((*b"Type", types));
    let m = load(&b.bytes()).unwrap();
    let at = m.instrs[3].args as usize;
    assert_eq!((m.operands[at], m.operand_type(at).set), (Operand::X(0), TypeSet(TypeSet::ATOM)));
    assert_eq!(m.show(m.instrs[3]).to_string(), "{move,{tr,{x,0},1},{x,1}}");
    let mut b = module("fun f 1 1\nmove tx0:2 x1\nreturn");
    b.extra.push((*b"Type", b"\0\0\0\x03\0\0\0\x01\x0f\xff".to_vec()));
    assert!(load(&b.bytes()).unwrap_err().to_string().contains("type 2 of a table of 1"));
}

#[test]
fn lines_know_their_file() {
    let mut line = words(&[0, 1, 3, 3, 1]);
    number(&mut line, 1, 12);
    number(&mut line, 2, 1);
    number(&mut line, 1, 3000);
    number(&mut line, 2, 0);
    number(&mut line, 1, 13);
    line.extend(b"\0\x05a.hrl");
    let m = with(b"Line", line);
    assert_eq!(m.line.files.iter().collect::<Vec<_>>(), ["m.erl", "a.hrl"]);
    let at = |file, line| Line { file, line };
    assert_eq!(m.line.items, [at(0, 0), at(0, 12), at(1, 3000), at(0, 13)]);
    assert!(m.line.executable_lines);
}

#[test]
fn native_records() {
    let mut b = module("fun f 1 1\nreturn");
    let [name, yes, field, other] = ["point", "true", "x", "y"].map(|a| b.atom(a));
    let mut recs = words(&[0, 1, 2]);
    recs.push(5);
    number(&mut recs, 2, name as i64);
    number(&mut recs, 2, yes as i64);
    recs.push(0x17);
    number(&mut recs, 0, 4);
    for (name, tag, value) in [(field, 0, 0), (other, 1, 7)] {
        number(&mut recs, 2, name as i64);
        number(&mut recs, tag, value);
    }
    b.extra.push((*b"Recs", recs));
    let m = load(&b.bytes()).unwrap();
    let record = &m.records[0];
    assert_eq!((&m.atoms[record.name], record.exported), ("point", true));
    let name = |n: u32| n - 1;
    let fields = [
        Field { name: name(field), default: None },
        Field { name: name(other), default: Some(Operand::Int(7)) },
    ];
    assert_eq!(record.fields, fields);
}
