//! `ets`: tables of terms outside all heaps. The tables themselves are in `chime_vm::ets`.

pub mod access;
pub mod basic;
pub mod info;
pub mod order;
pub mod ownership;
pub mod select;
pub mod spec;
pub mod update;

use chime_vm::bifs;

bifs! { TABLE, "ets";
    "new"/2 [] => ownership::new,
    "rename"/2 [] => ownership::rename,
    "setopts"/2 [] => ownership::setopts,
    "give_away"/3 [] => ownership::give_away,
    "safe_fixtable"/2 [] => ownership::safe_fixtable,
    "delete"/1 [] => ownership::delete,
    "whereis"/1 [] => info::whereis,
    "internal_request_all"/0 [] => info::request_all,
    "info"/1 [] => info::info_1,
    "info"/2 [] => info::info_2,
    "insert"/2 [] => basic::insert,
    "insert_new"/2 [] => basic::insert_new,
    "lookup"/2 [] => basic::lookup,
    "lookup_element"/3 [] => basic::lookup_element_3,
    "lookup_element"/4 [] => basic::lookup_element_4,
    "member"/2 [] => basic::member,
    "take"/2 [] => basic::take,
    "delete"/2 [] => basic::delete,
    "delete_object"/2 [] => basic::delete_object,
    "internal_delete_all"/2 [] => basic::delete_all,
    "update_counter"/3 [] => update::update_counter,
    "update_counter"/4 [] => update::update_counter,
    "update_element"/3 [] => update::update_element,
    "update_element"/4 [] => update::update_element,
    "first"/1 [] => order::first,
    "last"/1 [] => order::last,
    "next"/2 [] => order::next,
    "prev"/2 [] => order::prev,
    "first_lookup"/1 [] => order::first_lookup,
    "last_lookup"/1 [] => order::last_lookup,
    "next_lookup"/2 [] => order::next_lookup,
    "prev_lookup"/2 [] => order::prev_lookup,
    "slot"/2 [] => order::slot,
    "select"/1 [] => select::go_on_select,
    "select"/2 [] => select::select_2,
    "select"/3 [] => select::select_3,
    "select_reverse"/1 [] => select::go_on_reverse,
    "select_reverse"/2 [] => select::select_reverse_2,
    "select_reverse"/3 [] => select::select_reverse_3,
    "match"/1 [] => select::go_on_match,
    "match"/2 [] => select::match_2_3,
    "match"/3 [] => select::match_2_3,
    "match_object"/1 [] => select::go_on_match_object,
    "match_object"/2 [] => select::match_object_2_3,
    "match_object"/3 [] => select::match_object_2_3,
    "select_count"/2 [] => select::select_count,
    "internal_select_delete"/2 [] => select::select_delete,
    "select_replace"/2 [] => select::select_replace,
    "match_spec_compile"/1 [] => select::match_spec_compile,
    "match_spec_run_r"/3 [] => select::match_spec_run_r,
    "is_compiled_ms"/1 [] => select::is_compiled_ms,
}

bifs! { ERLANG, "erlang"; "match_spec_test"/3 [] => select::match_spec_test }
