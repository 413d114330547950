instructions! {
    // ---- control
    /// Raises function_clause. Stands right before a function's entry, with the function's record.
    FuncInfo "func_info" "F";
    Jump "jump" "_J";
    Call "call" "_JR";
    CallLast "call_last" "nJ";
    CallOnly "call_only" "_J";
    CallExt "call_ext" "nER";
    CallExtLast "call_ext_last" "nnE";
    CallExtOnly "call_ext_only" "nE";
    /// Calls a built-in; the site is where it goes on should it trap.
    CallBif "call_bif" "nER";
    Apply "apply" "nR";
    ApplyLast "apply_last" "nn";
    /// erlang:apply/3 with the arguments as a list.
    ApplyMfa "apply_mfa" "R";
    ApplyMfaLast "apply_mfa_last" "n";
    /// erlang:apply/2.
    ApplyFun "apply_fun" "R";
    ApplyFunLast "apply_fun_last" "n";
    CallFun "call_fun" "nR";
    CallFun2 "call_fun2" "nsR";
    MakeFun "make_fun" "P";
    Return "return" "";
    DeallocateReturn "deallocate_return" "n";
    // ---- frames and heap
    Allocate "allocate" "nln";
    TestHeap "test_heap" "lJ";
    Deallocate "deallocate" "n";
    Trim "trim" "n";
    InitY "init_y" "P";
    InitY1 "init_y1" "d";
    // ---- moves
    /// Any number of moves, one after the other: source, destination, …
    Moves "moves" "P";
    MoveXX "move_xx" "sd";
    MoveXY "move_xy" "sd";
    MoveYX "move_yx" "sd";
    MoveYY "move_yy" "sd";
    MoveCX "move_cx" "_dT";
    MoveCY "move_cy" "_dT";
    /// Two moves in one.
    Swap "swap" "dd";
    GetList "get_list" "sdd";
    GetHd "get_hd" "sd";
    /// The `U` forms check what the compiler left unproven, and raise badarg.
    GetListU "get_list_u" "sdd";
    GetHdU "get_hd_u" "sd";
    GetTlU "get_tl_u" "sd";
    GetTupleElementU "get_tuple_element_u" "snd";
    GetTl "get_tl" "sd";
    GetTupleElement "get_tuple_element" "snd";
    /// Two elements that stand side by side in the instructions: word: index | dst << 16.
    GetTupleElement2 "get_tuple_element2" "sndN";
    SetTupleElement "set_tuple_element" "ssn";
    PutList "put_list" "ssd";
    PutListC "put_list_c" "ssdT";
    PutTuple "put_tuple" "P";
    PutTuple2 "put_tuple2" "ssd";
    PutTuple2C "put_tuple2_c" "ssdT";
    UpdateRecord "update_record" "P";
    // ---- tests of one value
    IsInteger "is_integer" "sJ";
    IsFloat "is_float" "sJ";
    IsNumber "is_number" "sJ";
    IsAtom "is_atom" "sJ";
    IsPid "is_pid" "sJ";
    IsReference "is_reference" "sJ";
    IsPort "is_port" "sJ";
    IsNil "is_nil" "sJ";
    IsBinary "is_binary" "sJ";
    IsBitstr "is_bitstr" "sJ";
    IsList "is_list" "sJ";
    IsNonemptyList "is_nonempty_list" "sJ";
    /// is_nonempty_list, then get_list of the same register.
    GetListOr "get_list_or" "sddN";
    IsTuple "is_tuple" "sJ";
    IsMap "is_map" "sJ";
    IsBoolean "is_boolean" "sJ";
    IsFunction "is_function" "sJ";
    IsFunction2 "is_function2" "ssnj";
    TestArity "test_arity" "sJN";
    /// is_tuple and test_arity in one: the word is the header.
    IsTupleOfArity "is_tuple_of_arity" "sJN";
    IsTaggedTuple "is_tagged_tuple" "sJNT";
    IsEqImm "is_eq_imm" "sJT";
    IsNeImm "is_ne_imm" "sJT";
    // ---- comparisons
    IsLt "is_lt" "ss_j";
    IsLtC "is_lt_c" "ss_jT";
    IsGe "is_ge" "ss_j";
    IsGeC "is_ge_c" "ss_jT";
    IsEq "is_eq" "ss_j";
    IsEqC "is_eq_c" "ss_jT";
    IsNe "is_ne" "ss_j";
    IsNeC "is_ne_c" "ss_jT";
    IsEqExact "is_eq_exact" "ss_j";
    IsEqExactC "is_eq_exact_c" "ss_jT";
    IsNeExact "is_ne_exact" "ss_j";
    IsNeExactC "is_ne_exact_c" "ss_jT";
    // ---- selects; the default is in the first word behind
    /// n values, sorted, then n distances of 32 bits, two a word.
    SelectVal "select_val" "snjV";
    /// The same with headers of tuples.
    SelectArity "select_tuple_arity" "snjV";
    /// n consecutive small integers from the word `T` on.
    JumpTable "jump_table" "snjTW";
    // ---- built-ins in guards and bodies
    Bif0 "bif0" "dE";
    Bif1 "bif1" "sdnEj";
    Bif2 "bif2" "ssdEj";
    Bif2C "bif2_c" "ssdEjT";
    Bif3 "bif3" "sssEjN";
    SelfPid "self" "d";
    Element "element" "ssdEj";
    ElementC "element_c" "ssdEjT";
    TupleSize "tuple_size" "sdnEj";
    Hd "hd" "sdnEj";
    Tl "tl" "sdnEj";
    MapGet "map_get" "ssdEj";
    MapGetC "map_get_c" "ssdEjT";
    // ---- arithmetic
    Add "+" "ssdj";
    AddC "+_c" "ssdjT";
    Sub "-" "ssdj";
    SubC "-_c" "ssdjT";
    Mul "*" "ssdj";
    MulC "*_c" "ssdjT";
    IntDiv "div" "ssdj";
    IntDivC "div_c" "ssdjT";
    Rem "rem" "ssdj";
    RemC "rem_c" "ssdjT";
    Band "band" "ssdj";
    BandC "band_c" "ssdjT";
    Bor "bor" "ssdj";
    BorC "bor_c" "ssdjT";
    Bxor "bxor" "ssdj";
    BxorC "bxor_c" "ssdjT";
    Bsl "bsl" "ssdj";
    BslC "bsl_c" "ssdjT";
    Bsr "bsr" "ssdj";
    BsrC "bsr_c" "ssdjT";
    // ---- floats
    /// Register to float register; the value is a float.
    FLoad "fload" "sn";
    FStore "fstore" "nd";
    FConv "fconv" "sn";
    FAdd "fadd" "nnnj";
    FSub "fsub" "nnnj";
    FMul "fmul" "nnnj";
    FDiv "fdiv" "nnnj";
    FNegate "fnegate" "nn_j";
    // ---- exceptions
    Catch "catch" "dT";
    CatchEnd "catch_end" "d";
    TryEnd "try_end" "d";
    TryCase "try_case" "d";
    TryCaseEnd "try_case_end" "s";
    Raise "raise" "ss";
    RawRaise "raw_raise" "";
    BuildStacktrace "build_stacktrace" "";
    Badmatch "badmatch" "s";
    CaseEnd "case_end" "s";
    IfEnd "if_end" "";
    Badrecord "badrecord" "s";
    // ---- messages
    Send "send" "R";
    LoopRec "loop_rec" "dJ";
    LoopRecEnd "loop_rec_end" "_J";
    Wait "wait" "_J";
    WaitTimeout "wait_timeout" "sJ";
    Timeout "timeout" "";
    RemoveMessage "remove_message" "";
    RecvMarkerReserve "recv_marker_reserve" "d";
    RecvMarkerBind "recv_marker_bind" "ss";
    RecvMarkerClear "recv_marker_clear" "s";
    RecvMarkerUse "recv_marker_use" "s";
    // ---- maps: map, destination, key, value, …
    PutMapAssoc "put_map_assoc" "P";
    PutMapExact "put_map_exact" "P";
    GetMapElements "get_map_elements" "P";
    GetMapElement "get_map_element" "ssdj";
    GetMapElementC "get_map_element_c" "ssdjT";
    HasMapFields "has_map_fields" "P";
    // ---- matching of bitstrings
    BsStartMatch "bs_start_match" "P";
    BsGetPosition "bs_get_position" "P";
    BsSetPosition "bs_set_position" "P";
    BsGetTail "bs_get_tail" "P";
    BsGetInteger "bs_get_integer" "P";
    BsGetFloat "bs_get_float" "P";
    BsGetBinary "bs_get_binary" "P";
    BsSkipBits "bs_skip_bits" "P";
    BsTestTail "bs_test_tail" "P";
    BsTestUnit "bs_test_unit" "P";
    BsMatchString "bs_match_string" "P";
    BsGetUtf "bs_get_utf" "P";
    BsSkipUtf "bs_skip_utf" "P";
    BsMatch "bs_match" "P";
    // ---- construction of bitstrings
    BsInitWritable "bs_init_writable" "";
    BsCreateBin "bs_create_bin" "P";
    // the instructions of compilers before OTP 25
    BsAdd "bs_add" "P";
    BsInit "bs_init" "P";
    BsUtfSize "bs_utf_size" "P";
    BsAppend "bs_append" "P";
    BsPutInteger "bs_put_integer" "P";
    BsPutFloat "bs_put_float" "P";
    BsPutBinary "bs_put_binary" "P";
    BsPutString "bs_put_string" "P";
    BsPutUtf "bs_put_utf" "P";
    // ---- native records (OTP 29)
    IsNativeRecord "is_native_record" "P";
    GetRecordField "get_record_field" "P";
    GetRecordElements "get_record_elements" "P";
    PutRecord "put_record" "P";
    // ---- entries that are not compiled code
    /// An export without code: load the module, or call the error handler.
    LoadModule "load_module" "E";
    /// An export that a built-in implements.
    BifStub "bif_stub" "nE";
    /// Goes on in a built-in that trapped.
    Trapped "trapped" "";
    /// Back in a native process from Erlang: 0 with a result, 1 with an exception.
    Called "called" "n";
    /// The bottom of every stack.
    NormalExit "normal_exit" "";
    /// Stops: never reached by checked code.
    CodeEnd "code_end" "";
}
