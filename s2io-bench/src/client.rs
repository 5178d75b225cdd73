//! The side that asks.

use std::io::{Read, Write};

use crate::error::Error;
use crate::request::Request;
use crate::tally::Tally;
use crate::transfer::{take, write};

/// Has the server send `bytes` bytes, and checks them.
///
/// # Errors
///
/// The connection fails or ends early.
pub fn receive(server: &mut (impl Read + Write), bytes: u64) -> Result<Tally, Error> {
    ask(server, &Request::Send(bytes))?;
    take(server, bytes)
}

/// Sends `bytes` bytes to the server, and returns what it says about them.
///
/// # Errors
///
/// The connection fails, or the server's answer is no tally.
pub fn send(server: &mut (impl Read + Write), bytes: u64) -> Result<Tally, Error> {
    ask(server, &Request::Receive(bytes))?;
    write(server, bytes)?;
    listen(server)?.parse()
}

/// What `file` of the driver's scheme says where the server runs, and the scheme's name.
///
/// # Errors
///
/// The connection fails, or there is no driver, no such file, or no second line.
pub fn read(server: &mut (impl Read + Write), file: &'static str) -> Result<(String, String), Error> {
    ask(server, &Request::Read(file))?;
    let answer = listen(server)?;
    let (name, text) = answer.split_once('\n').ok_or_else(|| Error::Answer(answer.clone()))?;
    Ok((name.to_owned(), text.to_owned()))
}

fn ask(server: &mut impl Write, request: &Request) -> Result<(), Error> {
    server.write_all(request.to_string().as_bytes()).map_err(Error::connection("asking"))
}

/// What the server says until it has said everything.
fn listen(server: &mut impl Read) -> Result<String, Error> {
    let mut answer = String::new();
    server.read_to_string(&mut answer).map_err(Error::connection("listening"))?;
    match answer.strip_prefix("error ") {
        Some(words) => Err(Error::Refused(words.trim_end().to_owned())),
        None => Ok(answer),
    }
}
