//! A loaded module, and the loading itself.

use std::ops::Range;

use md5::{Digest, Md5};

use crate::atoms::{self, Strings};
use crate::code::{self, BigInt, Instr, Limits, Operand};
use crate::container::{self, ChunkName};
use crate::disasm::Show;
use crate::error::{ErrorKind, LoadError, Result};
use crate::functions::{self, Function, Label};
use crate::line::{self, LineTable};
use crate::ops::Op;
use crate::records::{self, Record};
use crate::tables::{self, Export, Fun, Import};
use crate::types::{self, TypeInfo};
use crate::validate::{self, InstrSet};

/// A decoded and checked module. Every index in it is in range of the table it refers to.
#[derive(Clone, Debug)]
pub struct Module {
    /// All atoms; index 0 is the module's name.
    pub atoms: Strings,
    /// External functions, in the order of the file; operands refer to them.
    pub imports: Vec<Import>,
    /// What the module exports.
    pub exports: Vec<Export>,
    /// Its other functions, as far as the file names them.
    pub locals: Vec<Export>,
    /// Its fun expressions.
    pub funs: Vec<Fun>,
    /// The string table.
    pub strings: Vec<u8>,
    /// Raw external term of the attributes.
    pub attributes: Option<Vec<u8>>,
    /// Raw external term of the compilation information.
    pub compile_info: Option<Vec<u8>>,
    /// Inferred types; [`Module::operand_type`] refers to them. Entry 0 is "any"; never empty.
    pub types: Vec<TypeInfo>,
    /// Where `line` instructions stand in the source.
    pub line: LineTable,
    /// Functions in the order of the code.
    pub functions: Vec<Function>,
    /// Where each label stands; index 0 is unused.
    pub labels: Vec<Label>,
    /// All instructions; the last one is `int_code_end` and belongs to no function.
    pub instrs: Vec<Instr>,
    /// All operands.
    pub operands: Vec<Operand>,
    /// For every operand the index of its type; empty if the module has no types.
    pub operand_types: Vec<u16>,
    /// Integers beyond 64 bits.
    pub bigints: Vec<BigInt>,
    /// Entry label of the function to run when the module is loaded.
    pub on_load: Option<u32>,
    /// Native records.
    pub records: Vec<Record>,
    /// The module's MD5 as `beam_lib:md5` gives it.
    pub md5: [u8; 16],
    /// Names and places of the chunks in the unpacked file ([`unpack`](crate::unpack)).
    pub chunks: Vec<(ChunkName, Range<usize>)>,
    /// Instructions that rely on a shape (cons, tuple of a size, map, match context, …) that the code around
    /// them does not prove. Compilers leave out tests that they can infer, so this is no fault; but such an
    /// instruction must check for itself.
    pub unproven: InstrSet,
    /// Instructions that control must not leave in the ordinary way: calls that cannot return, as the
    /// compiler knows, or a jump behind one. The code goes on with the handler of a `try`, which takes it for
    /// granted that an exception led to it. The machine must stop there: behind a call, or instead of a jump.
    pub dead_ends: InstrSet,
    literal_bytes: Vec<u8>,
    literal_ranges: Vec<Range<u32>>,
}

impl Module {
    /// The module's name.
    pub fn name(&self) -> &str {
        &self.atoms[0]
    }

    /// The operands of an instruction.
    #[inline]
    pub fn args(&self, instr: &Instr) -> &[Operand] {
        &self.operands[instr.args as usize..instr.args as usize + instr.n as usize]
    }

    /// The elements of a list operand; none for other operands.
    #[inline]
    pub fn list(&self, operand: Operand) -> &[Operand] {
        match operand {
            Operand::List { start, len } => &self.operands[start as usize..start as usize + len as usize],
            _ => &[],
        }
    }

    /// What is known about the operand at this index of [`Module::operands`].
    #[inline]
    pub fn operand_type(&self, index: usize) -> &TypeInfo {
        &self.types[self.operand_types.get(index).copied().unwrap_or(0) as usize]
    }

    /// How many literals there are.
    pub fn literal_count(&self) -> usize {
        self.literal_ranges.len()
    }

    /// A literal as an external term, including the leading 131.
    pub fn literal(&self, index: u32) -> &[u8] {
        let range = &self.literal_ranges[index as usize];
        &self.literal_bytes[range.start as usize..range.end as usize]
    }

    /// The instructions of a function.
    pub fn body(&self, function: &Function) -> &[Instr] {
        &self.instrs[function.first as usize..function.end as usize]
    }

    /// Printable form of an instruction in the notation of OTP's listings.
    pub fn show(&self, instr: Instr) -> Show<'_> {
        Show { module: self, instr }
    }

    /// Place of a chunk in the unpacked file.
    pub fn chunk(&self, name: &ChunkName) -> Option<Range<usize>> {
        find(&self.chunks, name)
    }
}

fn find(chunks: &[(ChunkName, Range<usize>)], name: &ChunkName) -> Option<Range<usize>> {
    chunks.iter().find(|(n, _)| n == name).map(|(_, range)| range.clone())
}

/// Decodes and checks the bytes of a .beam file, gzip-compressed or not.
pub fn load(bytes: &[u8]) -> Result<Module> {
    let bytes = &*container::unpack(bytes)?;
    let chunks = container::chunks(bytes)?;
    let chunk = |name: &ChunkName| find(&chunks, name).map(|range| &bytes[range]);
    let need = |name: &ChunkName| {
        chunk(name).ok_or_else(|| {
            let name = name.escape_ascii();
            LoadError::container(ErrorKind::Corrupt, format!("chunk {name} is missing"))
        })
    };

    let atoms = match chunk(b"AtU8") {
        Some(atoms) => atoms::utf8(atoms)?,
        None => match chunk(b"Atom") {
            Some(atoms) => atoms::latin1(atoms)?,
            None => need(b"AtU8").and_then(atoms::utf8)?,
        },
    };
    let atom_count = atoms.len();
    let imports = tables::imports(need(b"ImpT")?, atom_count)?;
    let exports = tables::exports(b"ExpT", need(b"ExpT")?, atom_count)?;
    let locals = chunk(b"LocT").map_or(Ok(Vec::new()), |c| tables::exports(b"LocT", c, atom_count))?;
    let funs = chunk(b"FunT").map_or(Ok(Vec::new()), |c| tables::funs(c, atom_count))?;
    let (literal_bytes, literal_ranges) = chunk(b"LitT").map_or(Ok(Default::default()), tables::literals)?;
    let types = chunk(b"Type").map_or(Ok(None), types::decode)?.unwrap_or_default();
    let line =
        chunk(b"Line").map_or_else(|| Ok(LineTable::empty(&atoms[0])), |c| line::decode(c, &atoms[0]))?;
    let limits =
        Limits { atoms: atom_count as u32, literals: literal_ranges.len() as u32, types: types.len() as u32 };
    let mut code = code::decode(need(b"Code")?, limits)?;
    let records = match chunk(b"Recs") {
        Some(c) => records::decode(c, &atoms, limits.literals, &mut code.bigints)?,
        None => Vec::new(),
    };
    let functions::Functions { functions, labels } = functions::find(&code)?;
    let on_load = on_load(&code, &functions);
    let md5 = md5(&chunk);
    let strings = need(b"StrT")?.to_vec();
    let attributes = chunk(b"Attr").map(<[u8]>::to_vec);
    let compile_info = chunk(b"CInf").map(<[u8]>::to_vec);
    let mut module = Module {
        imports,
        exports,
        locals,
        funs,
        strings,
        attributes,
        compile_info,
        types: if types.is_empty() { vec![TypeInfo::ANY] } else { types },
        line,
        functions,
        labels,
        instrs: code.instrs,
        operands: code.operands,
        operand_types: code.operand_types,
        bigints: code.bigints,
        on_load,
        records,
        md5,
        literal_bytes,
        literal_ranges,
        atoms,
        chunks,
        unproven: InstrSet::default(),
        dead_ends: InstrSet::default(),
    };
    let facts = validate::check(&module)?;
    module.unproven = facts.unproven;
    module.dead_ends = facts.dead_ends;
    Ok(module)
}

fn on_load(code: &code::Code, functions: &[Function]) -> Option<u32> {
    let at = code.instrs.iter().position(|instr| instr.op == Op::OnLoad)? as u32;
    let function = functions.partition_point(|f| f.end <= at);
    functions.get(function).map(|f| f.entry)
}

/// The chunks that make up a module's identity, in the order of their hashing.
const MD5_CHUNKS: [&ChunkName; 9] =
    [b"Atom", b"AtU8", b"Code", b"StrT", b"ImpT", b"ExpT", b"FunT", b"LitT", b"Meta"];

fn md5<'a>(chunk: &impl Fn(&ChunkName) -> Option<&'a [u8]>) -> [u8; 16] {
    let mut md5 = Md5::new();
    for name in MD5_CHUNKS {
        let Some(bytes) = chunk(name) else { continue };
        if name != b"FunT" {
            md5.update(bytes);
            continue;
        }
        // The last word of a fun's row is derived from this very sum, so it counts as 0.
        let (count, rows) = bytes.split_at(bytes.len().min(4));
        md5.update(count);
        for row in rows.chunks(24) {
            md5.update(&row[..row.len().min(20)]);
            md5.update([0; 4]);
        }
    }
    md5.finalize().into()
}
