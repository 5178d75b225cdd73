//! The program: a Redox driver, which pcid-spawner starts for each card.

use std::process::ExitCode;

#[cfg(target_os = "redox")]
fn main() -> ExitCode {
    s2iod::redox::main()
}

#[cfg(not(target_os = "redox"))]
fn main() -> ExitCode {
    eprintln!("s2iod drives a card under Redox OS only; here `lab` runs the same driver on a software card");
    ExitCode::FAILURE
}
