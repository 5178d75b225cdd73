//! The side that waits: one request from each connection, one connection after the other.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::path::Path;
use std::time::Duration;

use crate::driver::Driver;
use crate::error::Error;
use crate::request::{MAX_LINE, Request};
use crate::transfer::{take, write};

/// Serves whoever connects, for good; `schemes` is where the driver's scheme is looked for at each request, and `tell`
/// hears of every request and what became of it.
pub fn serve(listener: &TcpListener, schemes: &Path, mut tell: impl FnMut(&str)) {
    for stream in listener.incoming() {
        match stream.map_err(Error::connection("accepting")).and_then(|stream| one(stream, schemes, &mut tell)) {
            Ok(()) => {}
            Err(error) => tell(&format!("failed: {error}")),
        }
    }
}

/// Serves one connection. What goes wrong is told to the client too, if it still listens.
fn one(mut stream: TcpStream, schemes: &Path, tell: &mut impl FnMut(&str)) -> Result<(), Error> {
    let done = answer(&mut stream, schemes, tell);
    if let Err(error) = &done {
        let _gone = writeln!(stream, "error {error}");
    }
    let _gone = stream.shutdown(Shutdown::Write);
    done
}

fn answer(stream: &mut TcpStream, schemes: &Path, tell: &mut impl FnMut(&str)) -> Result<(), Error> {
    let mut input = BufReader::new(stream.try_clone().map_err(Error::connection("sharing"))?);
    let line = first_line(&mut input).map_err(Error::connection("reading a request"))?;
    let request = line.parse()?;
    tell(line.trim_end());
    match request {
        Request::Receive(bytes) => {
            let tally = take(&mut input, bytes)?;
            let wrong = tally.wrong.map_or(0, |wrong| wrong.count);
            tell(&format!("received {bytes} bytes, {wrong} of them wrong, {:.1} MB/s", tally.rate()));
            say(stream, &tally.to_string())
        }
        Request::Send(bytes) => write(stream, bytes),
        Request::Read(file) => {
            let driver = Driver::find_in(schemes)?;
            let text = driver.read(file)?;
            say(stream, &format!("{}\n{text}", driver.name()))
        }
    }
}

/// The first line. Redox's stack hands a connection out before it is established and lets reading find an end until then,
/// so an end before any byte is looked at again.
fn first_line(input: &mut impl BufRead) -> io::Result<String> {
    /// How often, and the pause between.
    const LOOKS: u32 = 100;
    const PAUSE: Duration = Duration::from_millis(10);
    let mut line = String::new();
    for _ in 0..LOOKS {
        if input.by_ref().take(MAX_LINE as u64).read_line(&mut line)? > 0 {
            break;
        }
        std::thread::sleep(PAUSE);
    }
    Ok(line)
}

fn say(stream: &mut TcpStream, text: &str) -> Result<(), Error> {
    stream.write_all(text.as_bytes()).map_err(Error::connection("answering"))
}
