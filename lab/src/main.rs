//! `lab`: the driver on the software card, and the engine alone, for people on a Linux host.

mod bench;
mod boot;
mod cli;
mod coalesce;
mod demo;
mod rig;
mod run;
mod summary;
mod transfer;

use std::io::Write;
use std::process::ExitCode;

use clap::Parser;
use model::serve::Options;

use cli::{Bench, Cli, Command, DemoArgs, System};

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) if !error.use_stderr() => error.exit(),
        Err(error) => {
            eprintln!("lab: {} (try --help)", one_line(&error.to_string()));
            return ExitCode::from(2);
        }
    };
    let done = match cli.command {
        Some(Command::Coalesce(arguments)) => coalesce::coalesce(&arguments),
        Some(Command::Run(arguments)) => run::run(&arguments),
        Some(Command::Demo(arguments)) => demo::demo(&arguments),
        Some(Command::Serve(options)) => serve(options),
        Some(Command::Boot { system: System::Linux(arguments) }) => boot::linux(&arguments),
        Some(Command::Boot { system: System::Redox(arguments) }) => boot::redox(&arguments),
        Some(Command::Bench { what: Bench::Engine(arguments) }) => bench::engine(&arguments),
        Some(Command::Bench { what: Bench::Driver(arguments) }) => bench::driver(&arguments),
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

/// What is wrong with the arguments, without the usage below it.
fn one_line(message: &str) -> String {
    let lines =
        message.lines().map(str::trim).take_while(|line| !line.starts_with("Usage:") && !line.starts_with("For more"));
    let words: Vec<&str> = lines.filter(|line| !line.is_empty()).collect();
    words.join(" ").trim_start_matches("error: ").to_owned()
}

/// Serves the card until the process is told to end.
fn serve(options: Options) -> anyhow::Result<()> {
    env_logger::builder()
        .filter_level(log::LevelFilter::Info)
        .format(|line, record| writeln!(line, "lab: {}", record.args()))
        .init();
    Ok(options.serve()?)
}
