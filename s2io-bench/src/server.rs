//! The side that waits: one request from each connection, one connection after the other.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::path::Path;

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
    let mut line = String::new();
    input.by_ref().take(MAX_LINE as u64).read_line(&mut line).map_err(Error::connection("reading a request"))?;
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

fn say(stream: &mut TcpStream, text: &str) -> Result<(), Error> {
    stream.write_all(text.as_bytes()).map_err(Error::connection("answering"))
}
