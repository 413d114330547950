//! The generic instructions of the BEAM, as they stand in files: one table for decoder, validator and
//! disassembler.

/// Calls a macro with one row per generic opcode: `number Variant "name" release [operand kinds];`.
///
/// `release` is the OTP release that introduced the instruction (10 stands for "R10 or before"). The list of
/// [`Kind`](crate::Kind)s gives the arity, and says of every operand what the loader checks.
#[macro_export]
macro_rules! for_each_generic_op {
    ($m:ident) => {
        $m! {
        1 Label "label" 10 [LabelDef];
        2 FuncInfo "func_info" 10 [Atom Atom Arity];
        3 IntCodeEnd "int_code_end" 10 [];
        4 Call "call" 10 [Arity Entry];
        5 CallLast "call_last" 10 [Arity Entry Frame];
        6 CallOnly "call_only" 10 [Arity Entry];
        7 CallExt "call_ext" 10 [Arity Import];
        8 CallExtLast "call_ext_last" 10 [Arity Import Frame];
        9 Bif0 "bif0" 10 [Import Dst];
        10 Bif1 "bif1" 10 [Fail Import Src Dst];
        11 Bif2 "bif2" 10 [Fail Import Src Src Dst];
        12 Allocate "allocate" 10 [Frame Live];
        13 AllocateHeap "allocate_heap" 10 [Frame Words Live];
        14 AllocateZero "allocate_zero" 10 [Frame Live];
        15 AllocateHeapZero "allocate_heap_zero" 10 [Frame Words Live];
        16 TestHeap "test_heap" 10 [Words Live];
        17 Init "init" 10 [YKill];
        18 Deallocate "deallocate" 10 [Frame];
        19 Return "return" 10 [];
        20 Send "send" 10 [];
        21 RemoveMessage "remove_message" 10 [];
        22 Timeout "timeout" 10 [];
        23 LoopRec "loop_rec" 10 [Jump Dst];
        24 LoopRecEnd "loop_rec_end" 10 [Jump];
        25 Wait "wait" 10 [Jump];
        26 WaitTimeout "wait_timeout" 10 [Jump Src];
        27 MPlus "m_plus" 10 [Obsolete Obsolete Obsolete Obsolete];
        28 MMinus "m_minus" 10 [Obsolete Obsolete Obsolete Obsolete];
        29 MTimes "m_times" 10 [Obsolete Obsolete Obsolete Obsolete];
        30 MDiv "m_div" 10 [Obsolete Obsolete Obsolete Obsolete];
        31 IntDiv "int_div" 10 [Obsolete Obsolete Obsolete Obsolete];
        32 IntRem "int_rem" 10 [Obsolete Obsolete Obsolete Obsolete];
        33 IntBand "int_band" 10 [Obsolete Obsolete Obsolete Obsolete];
        34 IntBor "int_bor" 10 [Obsolete Obsolete Obsolete Obsolete];
        35 IntBxor "int_bxor" 10 [Obsolete Obsolete Obsolete Obsolete];
        36 IntBsl "int_bsl" 10 [Obsolete Obsolete Obsolete Obsolete];
        37 IntBsr "int_bsr" 10 [Obsolete Obsolete Obsolete Obsolete];
        38 IntBnot "int_bnot" 10 [Obsolete Obsolete Obsolete];
        39 IsLt "is_lt" 10 [Jump Src Src];
        40 IsGe "is_ge" 10 [Jump Src Src];
        41 IsEq "is_eq" 10 [Jump Src Src];
        42 IsNe "is_ne" 10 [Jump Src Src];
        43 IsEqExact "is_eq_exact" 10 [Jump Src Src];
        44 IsNeExact "is_ne_exact" 10 [Jump Src Src];
        45 IsInteger "is_integer" 10 [Jump Src];
        46 IsFloat "is_float" 10 [Jump Src];
        47 IsNumber "is_number" 10 [Jump Src];
        48 IsAtom "is_atom" 10 [Jump Src];
        49 IsPid "is_pid" 10 [Jump Src];
        50 IsReference "is_reference" 10 [Jump Src];
        51 IsPort "is_port" 10 [Jump Src];
        52 IsNil "is_nil" 10 [Jump Src];
        53 IsBinary "is_binary" 10 [Jump Src];
        54 IsConstant "is_constant" 10 [Obsolete Obsolete];
        55 IsList "is_list" 10 [Jump Src];
        56 IsNonemptyList "is_nonempty_list" 10 [Jump Src];
        57 IsTuple "is_tuple" 10 [Jump Src];
        58 TestArity "test_arity" 10 [Jump Src Count];
        59 SelectVal "select_val" 10 [Src Jump SelectList];
        60 SelectTupleArity "select_tuple_arity" 10 [Src Jump ArityList];
        61 Jump "jump" 10 [Jump];
        62 Catch "catch" 10 [YSlot Jump];
        63 CatchEnd "catch_end" 10 [YSlot];
        64 Move "move" 10 [Src Dst];
        65 GetList "get_list" 10 [Src Dst Dst];
        66 GetTupleElement "get_tuple_element" 10 [Src Count Dst];
        67 SetTupleElement "set_tuple_element" 10 [Src Reg Count];
        68 PutString "put_string" 10 [Obsolete Obsolete Obsolete];
        69 PutList "put_list" 10 [Src Src Dst];
        70 PutTuple "put_tuple" 10 [Obsolete Obsolete];
        71 Put "put" 10 [Obsolete];
        72 Badmatch "badmatch" 10 [Src];
        73 IfEnd "if_end" 10 [];
        74 CaseEnd "case_end" 10 [Src];
        75 CallFun "call_fun" 10 [Arity];
        76 MakeFun "make_fun" 10 [Obsolete Obsolete Obsolete];
        77 IsFunction "is_function" 10 [Jump Src];
        78 CallExtOnly "call_ext_only" 10 [Arity Import];
        79 BsStartMatch "bs_start_match" 10 [Obsolete Obsolete];
        80 BsGetInteger "bs_get_integer" 10 [Obsolete Obsolete Obsolete Obsolete Obsolete];
        81 BsGetFloat "bs_get_float" 10 [Obsolete Obsolete Obsolete Obsolete Obsolete];
        82 BsGetBinary "bs_get_binary" 10 [Obsolete Obsolete Obsolete Obsolete Obsolete];
        83 BsSkipBits "bs_skip_bits" 10 [Obsolete Obsolete Obsolete Obsolete];
        84 BsTestTail "bs_test_tail" 10 [Obsolete Obsolete];
        85 BsSave "bs_save" 10 [Obsolete];
        86 BsRestore "bs_restore" 10 [Obsolete];
        87 BsInit "bs_init" 10 [Obsolete Obsolete];
        88 BsFinal "bs_final" 10 [Obsolete Obsolete];
        89 BsPutInteger "bs_put_integer" 10 [Fail Src Unit Flags Src];
        90 BsPutBinary "bs_put_binary" 10 [Fail Src Unit Flags Src];
        91 BsPutFloat "bs_put_float" 10 [Fail Src Unit Flags Src];
        92 BsPutString "bs_put_string" 10 [StrBytes StrOffset];
        93 BsNeedBuf "bs_need_buf" 10 [Obsolete];
        94 Fclearerror "fclearerror" 10 [];
        95 Fcheckerror "fcheckerror" 10 [Fail];
        96 Fmove "fmove" 10 [FSrc FDst];
        97 Fconv "fconv" 10 [Src FReg];
        98 Fadd "fadd" 10 [Fail FReg FReg FReg];
        99 Fsub "fsub" 10 [Fail FReg FReg FReg];
        100 Fmul "fmul" 10 [Fail FReg FReg FReg];
        101 Fdiv "fdiv" 10 [Fail FReg FReg FReg];
        102 Fnegate "fnegate" 10 [Fail FReg FReg];
        103 MakeFun2 "make_fun2" 10 [FunIndex];
        104 Try "try" 10 [YSlot Jump];
        105 TryEnd "try_end" 10 [YSlot];
        106 TryCase "try_case" 10 [YSlot];
        107 TryCaseEnd "try_case_end" 10 [Src];
        108 Raise "raise" 10 [Src Src];
        109 BsInit2 "bs_init2" 10 [Fail Size Words Live Flags Dst];
        110 BsBitsToBytes "bs_bits_to_bytes" 10 [Obsolete Obsolete Obsolete];
        111 BsAdd "bs_add" 10 [Fail Src Src Unit Dst];
        112 Apply "apply" 10 [Arity];
        113 ApplyLast "apply_last" 10 [Arity Frame];
        114 IsBoolean "is_boolean" 10 [Jump Src];
        115 IsFunction2 "is_function2" 10 [Jump Src Src];
        116 BsStartMatch2 "bs_start_match2" 11 [Obsolete Obsolete Obsolete Obsolete Obsolete];
        117 BsGetInteger2 "bs_get_integer2" 11 [Jump Context Live Src Unit Flags Dst];
        118 BsGetFloat2 "bs_get_float2" 11 [Jump Context Live Src Unit Flags Dst];
        119 BsGetBinary2 "bs_get_binary2" 11 [Jump Context Live Src Unit Flags Dst];
        120 BsSkipBits2 "bs_skip_bits2" 11 [Jump Context Src Unit Flags];
        121 BsTestTail2 "bs_test_tail2" 11 [Jump Context Count];
        122 BsSave2 "bs_save2" 11 [Obsolete Obsolete];
        123 BsRestore2 "bs_restore2" 11 [Obsolete Obsolete];
        124 GcBif1 "gc_bif1" 11 [Fail Live Import Src Dst];
        125 GcBif2 "gc_bif2" 11 [Fail Live Import Src Src Dst];
        126 BsFinal2 "bs_final2" 11 [Obsolete Obsolete];
        127 BsBitsToBytes2 "bs_bits_to_bytes2" 11 [Obsolete Obsolete];
        128 PutLiteral "put_literal" 11 [Obsolete Obsolete];
        129 IsBitstr "is_bitstr" 11 [Jump Src];
        130 BsContextToBinary "bs_context_to_binary" 12 [Obsolete];
        131 BsTestUnit "bs_test_unit" 12 [Jump Context Unit];
        132 BsMatchString "bs_match_string" 12 [Jump Context StrBits StrOffset];
        133 BsInitWritable "bs_init_writable" 12 [];
        134 BsAppend "bs_append" 12 [Fail Src Words Live Unit Src Flags Dst];
        135 BsPrivateAppend "bs_private_append" 12 [Fail Src Unit Src Flags Dst];
        136 Trim "trim" 12 [Frame Count];
        137 BsInitBits "bs_init_bits" 12 [Fail Size Words Live Flags Dst];
        138 BsGetUtf8 "bs_get_utf8" 12 [Jump Context Live Flags Dst];
        139 BsSkipUtf8 "bs_skip_utf8" 12 [Jump Context Live Flags];
        140 BsGetUtf16 "bs_get_utf16" 12 [Jump Context Live Flags Dst];
        141 BsSkipUtf16 "bs_skip_utf16" 12 [Jump Context Live Flags];
        142 BsGetUtf32 "bs_get_utf32" 12 [Jump Context Live Flags Dst];
        143 BsSkipUtf32 "bs_skip_utf32" 12 [Jump Context Live Flags];
        144 BsUtf8Size "bs_utf8_size" 12 [Fail Src Dst];
        145 BsPutUtf8 "bs_put_utf8" 12 [Fail Flags Src];
        146 BsUtf16Size "bs_utf16_size" 12 [Fail Src Dst];
        147 BsPutUtf16 "bs_put_utf16" 12 [Fail Flags Src];
        148 BsPutUtf32 "bs_put_utf32" 12 [Fail Flags Src];
        149 OnLoad "on_load" 13 [];
        150 RecvMark "recv_mark" 14 [Jump];
        151 RecvSet "recv_set" 14 [Jump];
        152 GcBif3 "gc_bif3" 14 [Fail Live Import Src Src Src Dst];
        153 Line "line" 15 [Line];
        154 PutMapAssoc "put_map_assoc" 17 [Fail Src Dst Live MapPairs];
        155 PutMapExact "put_map_exact" 17 [Fail Src Dst Live MapPairs];
        156 IsMap "is_map" 17 [Jump Src];
        157 HasMapFields "has_map_fields" 17 [Jump Src Sources];
        158 GetMapElements "get_map_elements" 17 [Jump Src MapGets];
        159 IsTaggedTuple "is_tagged_tuple" 20 [Jump Src Count Atom];
        160 BuildStacktrace "build_stacktrace" 21 [];
        161 RawRaise "raw_raise" 21 [];
        162 GetHd "get_hd" 21 [Src Dst];
        163 GetTl "get_tl" 21 [Src Dst];
        164 PutTuple2 "put_tuple2" 22 [Dst Sources];
        165 BsGetTail "bs_get_tail" 22 [Context Dst Live];
        166 BsStartMatch3 "bs_start_match3" 22 [Jump Src Live Dst];
        167 BsGetPosition "bs_get_position" 22 [Context Dst Live];
        168 BsSetPosition "bs_set_position" 22 [Context Src];
        169 Swap "swap" 23 [Reg Reg];
        170 BsStartMatch4 "bs_start_match4" 23 [StartFail Live Src Dst];
        171 MakeFun3 "make_fun3" 24 [FunIndex Dst Sources];
        172 InitYregs "init_yregs" 24 [YKills];
        173 RecvMarkerBind "recv_marker_bind" 24 [Reg Reg];
        174 RecvMarkerClear "recv_marker_clear" 24 [Reg];
        175 RecvMarkerReserve "recv_marker_reserve" 24 [Dst];
        176 RecvMarkerUse "recv_marker_use" 24 [Reg];
        177 BsCreateBin "bs_create_bin" 25 [Fail Words Live Unit Dst Segments];
        178 CallFun2 "call_fun2" 25 [FunTag Arity Src];
        179 NifStart "nif_start" 25 [];
        180 Badrecord "badrecord" 25 [Src];
        181 UpdateRecord "update_record" 26 [Atom Count Src Dst Updates];
        182 BsMatch "bs_match" 26 [Jump Context MatchCommands];
        183 ExecutableLine "executable_line" 27 [Line Count];
        184 DebugLine "debug_line" 28 [Atom Line Count Live];
        185 Bif3 "bif3" 29 [Fail Import Src Src Src Dst];
        186 IsAnyNativeRecord "is_any_native_record" 29 [Jump Src];
        187 IsNativeRecord "is_native_record" 29 [Jump Src Src Src];
        188 GetRecordElements "get_record_elements" 29 [Jump Src FieldGets];
        189 PutRecord "put_record" 29 [Fail Src Src Dst Live FieldPairs];
        190 IsRecordAccessible "is_record_accessible" 29 [Jump Src Src];
        191 GetRecordField "get_record_field" 29 [Fail Src Src Atom Dst];        }
    };
}

/// What an operand means, and so what the loader has checked about it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Kind {
    /// The number of the label being defined (unsigned).
    LabelDef,
    /// An atom; never nil.
    Atom,
    /// A number of arguments, at most 255 (unsigned).
    Arity,
    /// A plain unsigned number: tuple arity or position, remaining slots, debug index.
    Count,
    /// A binary unit, 1 to 256 (0 where the instruction ignores it).
    Unit,
    /// Field flags of binary instructions (unsigned).
    Flags,
    /// A number of y registers (unsigned).
    Frame,
    /// How many x registers are live (unsigned).
    Live,
    /// Heap need: unsigned or [`Operand::Alloc`](crate::Operand::Alloc).
    Words,
    /// A label of the same function, never 0.
    Jump,
    /// A label of the same function, or 0: raise an exception.
    Fail,
    /// As [`Kind::Jump`], or the atoms `no_fail` and `resume`.
    StartFail,
    /// The entry label of a function of the module.
    Entry,
    /// An index into the imports (unsigned).
    Import,
    /// An index into the funs (unsigned).
    FunIndex,
    /// A fun index (unsigned) or the atoms `safe` and `unsafe`.
    FunTag,
    /// An index into the line table (unsigned).
    Line,
    /// Any value: x, y, integer, atom, nil or literal.
    Src,
    /// A value or an unsigned constant: the size of `bs_init2`.
    Size,
    /// An x or y register that is read.
    Reg,
    /// A register that holds a match context.
    Context,
    /// An x or y register that is written.
    Dst,
    /// A y register that is set to a harmless value.
    YKill,
    /// A y register that holds a catch tag.
    YSlot,
    /// A floating-point register.
    FReg,
    /// Source of `fmove`: floating-point register, x, y or literal.
    FSrc,
    /// Destination of `fmove`: floating-point register, x or y.
    FDst,
    /// A number of bytes in the string table.
    StrBytes,
    /// A number of bits in the string table.
    StrBits,
    /// An offset into the string table; checked together with the length before it.
    StrOffset,
    /// List of value, label pairs.
    SelectList,
    /// List of tuple arity (unsigned), label pairs.
    ArityList,
    /// List of values.
    Sources,
    /// List of key, value pairs, all values.
    MapPairs,
    /// List of key (value), destination register pairs.
    MapGets,
    /// List of y registers to kill.
    YKills,
    /// Segments of `bs_create_bin`, six operands each.
    Segments,
    /// List of position (unsigned), value pairs of `update_record`.
    Updates,
    /// Commands of `bs_match`.
    MatchCommands,
    /// List of field name (atom), destination register pairs.
    FieldGets,
    /// List of field name (atom), value pairs.
    FieldPairs,
    /// An operand of an instruction that no release from 25 on accepts.
    Obsolete,
}

macro_rules! define_ops {
    ($($number:literal $variant:ident $name:literal $release:literal [$($kind:ident)*];)*) => {
        /// A generic opcode; the discriminant is its number in files.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        #[repr(u8)]
        pub enum Op {
            $(#[doc = $name] $variant = $number,)*
        }

        /// Number of the newest opcode known.
        pub const MAX_OPCODE: u8 = 0 $(* 0 + $number)*;

        static OPS: [Option<OpInfo>; MAX_OPCODE as usize + 1] = [
            None,
            $(Some(OpInfo { op: Op::$variant, name: $name, release: $release, kinds: &[$(Kind::$kind),*] }),)*
        ];
    };
}

/// A row of the table.
#[derive(Clone, Copy, Debug)]
pub struct OpInfo {
    /// The opcode.
    pub op: Op,
    /// OTP's name of it.
    pub name: &'static str,
    /// The release that introduced it; 10 stands for R10 and before.
    pub release: u8,
    /// One kind per operand.
    pub kinds: &'static [Kind],
}

for_each_generic_op!(define_ops);

impl Op {
    /// The instruction with this number in files, if there is one.
    #[inline]
    pub fn from_number(number: u8) -> Option<&'static OpInfo> {
        OPS.get(number as usize)?.as_ref()
    }

    /// Everything the table says about the instruction.
    #[inline]
    pub fn info(self) -> &'static OpInfo {
        // Rows are in the order of their numbers (a test checks), so there is a row for every variant.
        match &OPS[self as usize] {
            Some(info) => info,
            None => unreachable!("row 0 has no variant"),
        }
    }

    /// OTP's name of the instruction.
    pub fn name(self) -> &'static str {
        self.info().name
    }

    /// Number of operands.
    pub fn arity(self) -> usize {
        self.info().kinds.len()
    }

    /// Whether no release from 25 on accepts the instruction.
    pub fn is_obsolete(self) -> bool {
        self.info().kinds.first() == Some(&Kind::Obsolete)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_stand_in_the_order_of_their_numbers() {
        assert_eq!(MAX_OPCODE, 191);
        for number in 1..=MAX_OPCODE {
            assert_eq!(Op::from_number(number).unwrap().op as u8, number);
        }
        assert!(Op::from_number(0).is_none() && Op::from_number(192).is_none());
    }
}
