//! Damaged files end in a value or an error, never in a panic.

#[path = "common/build.rs"]
mod build;
mod common;
#[path = "common/mutate.rs"]
mod mutate;

use mutate::{Rng, Tally, damage, try_load};

/// Something of everything, so that the test says something where no OTP is installed.
fn handmade() -> Vec<u8> {
    let mut b = build::module(
        "fun f 1 1\nallocate 2 1\nmove x0 y1\ntry y0 f3\ncall 1 f2\nis_tagged_tuple f4 x0 2 'ok\n\
         get_tuple_element x0 1 x0\nlabel 4\ntry_end y0\ntrim 1 1\nselect_val x0 f5 [ 'a f5 #7 f6 ]\nlabel 5\n\
         test_heap {4,1,1} 1\nmake_fun3 0 x1 [ x0 ]\nput_list x1 nil x0\nput_tuple2 x0 [ x0 ]\nlabel 6\n\
         deallocate 1\nreturn\nlabel 3\ntry_case y0\nmove lit0 x0\nput_map_assoc f0 x0 x0 1 [ 'k y1 ]\ndeallocate 2\nreturn\n\
         fun g 2 7\nbs_start_match4 f7 2 x0 x2\nbs_match f7 x2 [ 'ensure_at_least 8 8 'integer 3 nil 8 1 x0 'get_tail 3 8 x1 ]\n\
         bs_create_bin f0 0 2 8 x0 [ 'binary 1 8 nil x1 'all 'string 2 8 nil 0 #3 ]\nreturn",
    );
    b.funs.push(("g".into(), 2, 8, 1));
    b.exports.push(("f".into(), 1, 2));
    b.literals.push(vec![131, 116, 0, 0, 0, 0]);
    b.bytes()
}

fn run(file: &[u8], mutants: u64, tally: &mut Tally) {
    let mut bytes = Vec::new();
    for n in 1..=mutants {
        bytes.clear();
        bytes.extend_from_slice(file);
        damage(&mut bytes, &mut Rng(n.wrapping_mul(0x9e37_79b9_7f4a_7c15)));
        try_load(&bytes, tally);
    }
}

#[test]
fn mutants_of_a_handmade_module() {
    let file = handmade();
    chime_loader::load(&file).unwrap_or_else(|e| panic!("{e}"));
    let mut tally = Tally::default();
    run(&file, 40_000, &mut tally);
    println!("{tally:?}");
    assert!(tally.accepted > 0 && tally.corrupt > 10_000 && tally.too_new > 0, "{tally:?}");
}

#[test]
fn every_truncation_of_a_handmade_module() {
    let file = handmade();
    // The padding of the last chunk may be missing.
    let (_, last) = chime_loader::chunks(&file).unwrap().pop().unwrap();
    for len in 0..last.end {
        // The header's size is mended, so that the cut is seen inside the chunk.
        let mut cut = file[..len].to_vec();
        assert!(chime_loader::load(&cut).is_err());
        if len >= 8 {
            cut[4..8].copy_from_slice(&(len as u32 - 8).to_be_bytes());
            assert!(chime_loader::load(&cut).is_err(), "cut at {len}");
        }
    }
}

#[test]
fn mutants_of_system_modules() {
    let mut files: Vec<(u64, _)> =
        common::system_beams().into_iter().map(|p| (std::fs::metadata(&p).unwrap().len(), p)).collect();
    files.sort();
    let mut tally = Tally::default();
    // Small files, so that damage hits something that matters.
    for (_, path) in files.iter().filter(|f| f.0 < 12_000).step_by(6) {
        run(&std::fs::read(path).unwrap(), 150, &mut tally);
    }
    println!("{tally:?}");
}
