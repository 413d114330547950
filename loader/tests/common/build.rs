//! Makes .beam files from a line of text per instruction, for tests of the loader's checks.
//!
//! Operands: `3` unsigned, `#-3` integer, `'ok` atom, `nil`, `x0`, `y0`, `fr0`, `f3` label, `lit0` literal,
//! `tx0:1` typed register, `[ … ]` list, `{w,f,u}` allocation of words, floats and funs.

use chime_loader::Op;

/// What goes into the file besides code.
#[derive(Clone)]
pub struct Build {
    pub atoms: Vec<String>,
    pub imports: Vec<(String, String, u32)>,
    pub exports: Vec<(String, u32, u32)>,
    /// Function, arity, label, free variables.
    pub funs: Vec<(String, u32, u32, u32)>,
    pub literals: Vec<Vec<u8>>,
    pub strings: Vec<u8>,
    pub code: Vec<u8>,
    pub labels: u32,
    pub functions: u32,
    pub max_opcode: u32,
    pub long_atoms: bool,
    pub extra: Vec<([u8; 4], Vec<u8>)>,
}

/// A module with the given code. `fun name arity label` stands for `label n`, `func_info`, `label n+1`.
pub fn module(text: &str) -> Build {
    let mut b = Build {
        atoms: vec!["m".into()],
        imports: vec![],
        exports: vec![],
        funs: vec![],
        literals: vec![],
        strings: b"0123456789".to_vec(),
        code: vec![],
        labels: 1,
        functions: 0,
        max_opcode: 169,
        long_atoms: false,
        extra: vec![],
    };
    b.import("erlang", "error", 1);
    b.import("erlang", "length", 1);
    b.import("erlang", "self", 0);
    for line in text.lines().map(str::trim).filter(|l| !l.is_empty()) {
        b.line(line);
    }
    b.line("int_code_end");
    b
}

impl Build {
    pub fn atom(&mut self, name: &str) -> u32 {
        let at = self.atoms.iter().position(|a| a == name).unwrap_or_else(|| {
            self.atoms.push(name.into());
            self.atoms.len() - 1
        });
        at as u32 + 1
    }

    pub fn import(&mut self, module: &str, function: &str, arity: u32) {
        self.atom(module);
        self.atom(function);
        self.imports.push((module.into(), function.into(), arity));
    }

    pub fn line(&mut self, line: &str) {
        if let Some(rest) = line.strip_prefix("fun ") {
            let words: Vec<&str> = rest.split(' ').collect();
            let label: u32 = words[2].parse().unwrap();
            self.functions += 1;
            self.line(&format!("label {label}"));
            self.line(&format!("func_info 'm '{} {}", words[0], words[1]));
            self.line(&format!("label {}", label + 1));
            return;
        }
        let mut words = line.split_whitespace();
        let name = words.next().unwrap();
        let op = (1..=191)
            .filter_map(Op::from_number)
            .find(|info| info.name == name)
            .unwrap_or_else(|| panic!("{name}"));
        self.code.push(op.op as u8);
        if name == "label" {
            let n: u32 = line[6..].parse().unwrap();
            self.labels = self.labels.max(n + 1);
        }
        let words: Vec<&str> = words.collect();
        let mut at = 0;
        while at < words.len() {
            if words[at] == "[" {
                let end = at + words[at..].iter().position(|&w| w == "]").unwrap();
                self.code.push(0x17);
                number(&mut self.code, 0, (end - at - 1) as i64);
                for word in &words[at + 1..end] {
                    self.operand(word);
                }
                at = end + 1;
            } else {
                self.operand(words[at]);
                at += 1;
            }
        }
    }

    fn operand(&mut self, word: &str) {
        let n = |s: &str| s.parse::<i64>().unwrap_or_else(|_| panic!("operand {word}"));
        if let Some(name) = word.strip_prefix('\'') {
            let atom = self.atom(name);
            number(&mut self.code, 2, atom as i64);
        } else if word == "nil" {
            number(&mut self.code, 2, 0);
        } else if let Some(i) = word.strip_prefix('#') {
            number(&mut self.code, 1, n(i));
        } else if let Some((r, ty)) = word.strip_prefix('t').and_then(|w| w.split_once(':')) {
            self.code.push(0x57);
            self.operand(r);
            number(&mut self.code, 0, n(ty));
        } else if let Some(r) = word.strip_prefix("fr") {
            self.code.push(0x27);
            number(&mut self.code, 0, n(r));
        } else if let Some(l) = word.strip_prefix("lit") {
            self.code.push(0x47);
            number(&mut self.code, 0, n(l));
        } else if let Some(words) = word.strip_prefix('{') {
            self.code.push(0x37);
            number(&mut self.code, 0, 3);
            for (kind, size) in words.trim_end_matches('}').split(',').enumerate() {
                number(&mut self.code, 0, kind as i64);
                number(&mut self.code, 0, n(size));
            }
        } else if let Some(r) = word.strip_prefix('x') {
            number(&mut self.code, 3, n(r));
        } else if let Some(r) = word.strip_prefix('y') {
            number(&mut self.code, 4, n(r));
        } else if let Some(l) = word.strip_prefix('f') {
            number(&mut self.code, 5, n(l));
        } else {
            number(&mut self.code, 0, n(word));
        }
    }

    /// The file.
    pub fn bytes(&self) -> Vec<u8> {
        let mut b = self.clone();
        let mut chunks: Vec<([u8; 4], Vec<u8>)> = Vec::new();

        let mut code = Vec::new();
        for word in [16, 0, b.max_opcode, b.labels, b.functions] {
            code.extend(u32::to_be_bytes(word));
        }
        code.extend(&b.code);

        let mut table = |name: &[u8; 4], rows: Vec<Vec<u32>>| {
            let mut bytes = (rows.len() as u32).to_be_bytes().to_vec();
            bytes.extend(rows.into_iter().flatten().flat_map(u32::to_be_bytes));
            chunks.push((*name, bytes));
        };
        let imports = self.imports.iter().map(|(m, f, a)| vec![b.atom(m), b.atom(f), *a]).collect();
        let exports = self.exports.iter().map(|(f, a, l)| vec![b.atom(f), *a, *l]).collect();
        let funs = self.funs.iter().enumerate();
        let funs = funs.map(|(i, (f, a, l, n))| vec![b.atom(f), *a, *l, i as u32, *n, 0]).collect();
        table(b"ImpT", imports);
        table(b"ExpT", exports);
        table(b"FunT", funs);

        let count = if b.long_atoms { -(b.atoms.len() as i32) } else { b.atoms.len() as i32 };
        let mut atoms = count.to_be_bytes().to_vec();
        for atom in &b.atoms {
            if b.long_atoms {
                number(&mut atoms, 0, atom.len() as i64)
            } else {
                atoms.push(atom.len() as u8)
            }
            atoms.extend(atom.as_bytes());
        }
        let mut literals = vec![0; 4];
        literals.extend((b.literals.len() as u32).to_be_bytes());
        for literal in &b.literals {
            literals.extend((literal.len() as u32).to_be_bytes());
            literals.extend(literal);
        }
        chunks.extend([
            (*b"AtU8", atoms),
            (*b"Code", code),
            (*b"StrT", b.strings.clone()),
            (*b"LitT", literals),
        ]);
        chunks.extend(b.extra.clone());
        container(&chunks)
    }
}

/// The file made of these chunks.
pub fn container(chunks: &[([u8; 4], Vec<u8>)]) -> Vec<u8> {
    let mut body = b"BEAM".to_vec();
    for (name, bytes) in chunks {
        body.extend(name);
        body.extend((bytes.len() as u32).to_be_bytes());
        body.extend(bytes);
        body.resize(body.len().next_multiple_of(4), 0);
    }
    let mut file = b"FOR1".to_vec();
    file.extend((body.len() as u32).to_be_bytes());
    file.extend(body);
    file
}

/// The compact encoding of a tagged number.
pub fn number(out: &mut Vec<u8>, tag: u8, n: i64) {
    if (0..16).contains(&n) {
        out.push((n as u8) << 4 | tag);
    } else if (0..2048).contains(&n) {
        out.extend([(n >> 3) as u8 & 0xe0 | 8 | tag, n as u8]);
    } else {
        let bytes = n.to_be_bytes();
        let skip = (0..6).take_while(|&i| {
            let sign = if bytes[i + 1] >= 0x80 { 0xff } else { 0 };
            bytes[i] == sign
        });
        let bytes = &bytes[skip.count()..];
        out.push((bytes.len() as u8 - 2) << 5 | 0x18 | tag);
        out.extend(bytes);
    }
}
