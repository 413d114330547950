//! Tasks of the project: `cargo xtask TASK`.

mod args;
mod bench;
mod checks;
mod idle;
mod peers;
mod setup;
mod test;

use std::process::ExitCode;

const USAGE: &str = "\
cargo xtask TASK [OPTIONS]

demo                      set up, build, and run a supervised gen_server and a ring, with OTP's figures beside
setup                     install what building and testing need (Debian packages, through apt-get)
peers [25] [27] [29]      unpack further OTP releases under target/peers (default: 27)
test                      all tests: the workspace's own; the Erlang programs on OTP and on Chime, some of them with
                          a collection at every allocation; damaged files for the loader; loom models
  --programs              only the Erlang programs
  --unit                  only the workspace's own tests
  --otp-only              ask OTP only: are the programs themselves in order?
  --again N               with --otp-only: ask OTP twice, the second time with N schedulers
  --filter SUBSTR         programs whose name contains SUBSTR (may be repeated)
  --schedulers 1,2        numbers of schedulers to run Chime with
  --chime PATH            the chime to test (default: built in release mode)
  --flag FLAG             a further flag for `chime run` (may be repeated)
  --peers 25,27           OTP releases whose compilers and libraries are used; without this option, those at hand
  --jobs N                programs that run side by side (default: number of cores)
  --verbose               more of each difference
bench                     Chime beside OTP: compute programs and the ring, as tables
  --quick                 small sizes, one round
  --write                 write the tables to docs/performance.md
  --rounds N              rounds of each (default: 3)
  --only SUBSTR           programs whose name contains SUBSTR (may be repeated)
  --chime PATH            the chime to time (default: built in release mode)
idle                      50,000 pending timers must cost no system call, context switch or processor time in 10 s
  --chime PATH            the chime to watch (default: built in release mode)
opcodes                   is every opcode that the compilers can write in at least one test program?
  --verbose               the number of programs for each";

fn main() -> ExitCode {
    let mut words = std::env::args().skip(1);
    let task = words.next().unwrap_or_default();
    let rest = args::Args::new(words.collect());
    let result = match task.as_str() {
        "setup" => rest.finish().and_then(|()| setup::run()),
        "peers" => peers::run(rest),
        "test" => test::run(rest),
        "bench" => bench::run(rest),
        "demo" => bench::demo(rest),
        "idle" => idle::run(rest),
        "opcodes" => test::opcodes(rest),
        "" | "help" | "--help" | "-h" => {
            println!("{USAGE}");
            return ExitCode::SUCCESS;
        }
        other => Err(format!("unknown task {other:?}\n\n{USAGE}")),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(text) => {
            // The counts of the tests are their last line.
            if !text.is_empty() {
                eprintln!("xtask: {text}");
            }
            ExitCode::FAILURE
        }
    }
}
