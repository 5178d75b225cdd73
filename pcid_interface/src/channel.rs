//! One exchange on the channel: a request in one write, a response with its length before it.

use std::io::{self, Read, Write};

use crate::{Error, PcidClientRequest, PcidClientResponse, Result};

/// Bytes of the longest response; pcid has none that comes near it.
pub const LONGEST_RESPONSE: u64 = 1 << 20;

/// How many bytes of an unknown response an error keeps.
const KEPT: usize = 64;

/// Sends `asked` and waits for the response.
pub(crate) fn exchange<C: Read + Write>(channel: &mut C, asked: &PcidClientRequest) -> Result<PcidClientResponse> {
    send(channel, asked).map_err(|error| Error::Send { asked: asked.clone(), error })?;
    let receive = |error| Error::Receive { asked: asked.clone(), error };
    let mut length = [0; 8];
    channel.read_exact(&mut length).map_err(receive)?;
    let length = u64::from_le_bytes(length);
    if length > LONGEST_RESPONSE {
        return Err(Error::TooLong { asked: asked.clone(), length });
    }
    let mut response = vec![0; length as usize];
    channel.read_exact(&mut response).map_err(receive)?;
    bincode::deserialize(&response).map_err(|error| {
        response.truncate(KEPT);
        Error::Unknown { asked: asked.clone(), came: response, error }
    })
}

/// pcid takes what one write brings as one request: a short write cannot be continued.
fn send<C: Write>(channel: &mut C, request: &PcidClientRequest) -> io::Result<()> {
    let bytes = bincode::serialize(request).map_err(io::Error::other)?;
    let written = channel.write(&bytes)?;
    if written != bytes.len() {
        let message = format!("{written} of {} bytes were taken", bytes.len());
        return Err(io::Error::new(io::ErrorKind::WriteZero, message));
    }
    Ok(())
}
