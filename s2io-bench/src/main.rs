//! `s2io-bench`: the command line.

use std::ffi::OsString;
use std::io::{self, Write};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use lexopt::{Arg, Parser, ValueExt};
use s2io_bench::{Driver, Error, PORT, Tally, receive, send, serve};

const USAGE: &str = "\
s2io-bench serve [--listen ADDRESS:PORT]   wait for a client and do as it asks (0.0.0.0:5017)
s2io-bench receive ADDRESS[:PORT] BYTES    have the server there send, and check every byte
s2io-bench send ADDRESS[:PORT] BYTES       send, and have the server there check every byte
s2io-bench stats                           the driver's counters";

/// What to do.
#[derive(Debug, PartialEq, Eq)]
enum Command {
    Serve(String),
    Receive(String, u64),
    Send(String, u64),
    Stats,
    Help,
}

fn main() -> ExitCode {
    let command = match parse(std::env::args_os().skip(1)) {
        Ok(command) => command,
        Err(error) => {
            eprintln!("s2io-bench: {error}\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    match run(&command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("s2io-bench: {error}");
            ExitCode::FAILURE
        }
    }
}

fn parse(arguments: impl IntoIterator<Item = impl Into<OsString>>) -> Result<Command, lexopt::Error> {
    let mut parser = Parser::from_args(arguments);
    let mut listen = format!("0.0.0.0:{PORT}");
    let mut words = Vec::new();
    while let Some(argument) = parser.next()? {
        match argument {
            Arg::Long("listen") => listen = parser.value()?.string()?,
            Arg::Long("help") | Arg::Short('h') => return Ok(Command::Help),
            Arg::Value(word) => words.push(word.string()?),
            other => return Err(other.unexpected()),
        }
    }
    let bytes = |text: &str| text.parse().map_err(|_| lexopt::Error::from(format!("{text:?} is no number of bytes")));
    match words.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["serve"] => Ok(Command::Serve(listen)),
        ["receive", server, count] => Ok(Command::Receive(with_port(server), bytes(count)?)),
        ["send", server, count] => Ok(Command::Send(with_port(server), bytes(count)?)),
        ["stats"] => Ok(Command::Stats),
        [] => Err("nothing to do".into()),
        [other, ..] => Err(format!("{other:?} is no command, or has too few or too many words").into()),
    }
}

/// A server's address, with the port that servers listen at if none is named.
fn with_port(server: &str) -> String {
    if server.contains(':') { server.to_owned() } else { format!("{server}:{PORT}") }
}

fn run(command: &Command) -> Result<(), Error> {
    let failed = |doing| move |source| Error::Connection { doing, source };
    let connect = |server: &str| TcpStream::connect(server).map_err(failed("connecting"));
    match command {
        Command::Help => println!("{USAGE}"),
        Command::Stats => print!("{}", Driver::find()?.read("stats")?),
        Command::Serve(address) => {
            let listener = listen(address).map_err(failed("listening"))?;
            println!("s2io-bench: listening at {address}");
            serve(&listener, &PathBuf::from("/scheme"), |line| println!("s2io-bench: {line}"));
        }
        Command::Receive(server, bytes) => {
            let mut server = connect(server)?;
            show(&measured(|| receive(&mut server, *bytes))?)?;
        }
        Command::Send(server, bytes) => {
            let mut server = connect(server)?;
            show(&measured(|| send(&mut server, *bytes))?)?;
        }
    }
    Ok(())
}

/// Listens, as soon as there is a network to listen in: Redox's stack says that it is ready before it is.
fn listen(address: &str) -> io::Result<TcpListener> {
    /// How often it is tried, a second apart.
    const TRIES: u32 = 60;
    for _ in 1..TRIES {
        match TcpListener::bind(address) {
            Err(error) if error.kind() != io::ErrorKind::AddrInUse => std::thread::sleep(Duration::from_secs(1)),
            done => return done,
        }
    }
    TcpListener::bind(address)
}

/// Runs a transfer between two looks at the driver's counters, and shows those that changed. On a machine without the
/// driver there are none.
fn measured(transfer: impl FnOnce() -> Result<Tally, Error>) -> Result<Tally, Error> {
    let stats = || Driver::find().and_then(|driver| driver.read("stats")).unwrap_or_default();
    let before = stats();
    let tally = transfer()?;
    let after = stats();
    for (name, change) in changes(&before, &after) {
        println!("{name} +{change}");
    }
    Ok(tally)
}

/// Counters that grew, and by how much: lines of a name, which may have spaces, and a number.
fn changes<'a>(before: &str, after: &'a str) -> Vec<(&'a str, u64)> {
    let split =
        |line: &'a str| line.rsplit_once(' ').and_then(|(name, value)| Some((name, value.parse::<u64>().ok()?)));
    let old = |wanted: &str| {
        let mut lines = before.lines().filter_map(|line| line.rsplit_once(' '));
        lines.find(|(name, _)| *name == wanted).and_then(|(_, value)| value.parse().ok()).unwrap_or(0)
    };
    let grown = after.lines().filter_map(split).map(|(name, value)| (name, value.saturating_sub(old(name))));
    grown.filter(|(_, change)| *change > 0).collect()
}

/// Shows what came of a transfer; an error if a byte was wrong.
fn show(tally: &Tally) -> Result<(), Error> {
    let mut out = io::stdout().lock();
    let _closed = writeln!(out, "{} bytes in {} reads, {:.1} MB/s", tally.bytes, tally.reads, tally.rate());
    match tally.wrong {
        None => Ok(()),
        Some(wrong) => Err(Error::Wrong(wrong)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Result<Command, String> {
        parse(line.split_whitespace()).map_err(|error| error.to_string())
    }

    #[test]
    fn each_command_is_understood() {
        assert_eq!(parsed("serve"), Ok(Command::Serve("0.0.0.0:5017".into())));
        assert_eq!(parsed("serve --listen 127.0.0.1:1"), Ok(Command::Serve("127.0.0.1:1".into())));
        assert_eq!(parsed("receive 10.0.2.2 5"), Ok(Command::Receive("10.0.2.2:5017".into(), 5)));
        assert_eq!(parsed("send 10.0.2.2:9 5"), Ok(Command::Send("10.0.2.2:9".into(), 5)));
        assert_eq!(parsed("stats"), Ok(Command::Stats));
        assert_eq!(parsed("stats --help"), Ok(Command::Help));
    }

    #[test]
    fn what_is_not_understood_is_named() {
        for (line, part) in
            [("", "nothing"), ("fly", "fly"), ("send a", "send"), ("send a b", "\"b\""), ("serve --fast", "--fast")]
        {
            let error = parsed(line).unwrap_err();
            assert!(error.contains(part), "{line:?}: {error}");
        }
    }

    #[test]
    fn counters_that_grew_are_shown_with_their_growth() {
        let before = "link up\nlro_frames 5\nlro_ended full 1\nmtu 1500\n";
        let after = "link up\nlro_frames 9\nlro_ended full 1\nmtu 1500\nnew 2\n";
        assert_eq!(changes(before, after), [("lro_frames", 4), ("new", 2)]);
    }
}
