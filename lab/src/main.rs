//! `lab`: the driver on the software card, and the engine alone, for people on a Linux host.

mod cli;
mod coalesce;
mod demo;
mod rig;
mod run;
mod summary;
mod transfer;

use std::process::ExitCode;

use clap::Parser;

use cli::{Cli, Command, DemoArgs};

fn main() -> ExitCode {
    let cli = Cli::parse();
    let done = match cli.command {
        Some(Command::Coalesce(arguments)) => coalesce::coalesce(&arguments),
        Some(Command::Run(arguments)) => run::run(&arguments),
        Some(Command::Demo(arguments)) => demo::demo(&arguments),
        None => demo::demo(&DemoArgs::default()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("lab: {error:#}");
            ExitCode::from(2)
        }
    }
}
