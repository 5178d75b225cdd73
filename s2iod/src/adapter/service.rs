//! Interrupts: what they were about, and what is masked while the reader works.

use xframe::bits::{GeneralInt, PicInt};
use xframe::registers as reg;

use super::Adapter;
use crate::csr::GONE;
use crate::health::State;
use crate::interrupts;
use crate::link;
use crate::platform::{FIRST_RING_VECTOR, Interrupts, Platform};

/// What an interrupt was about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Serviced {
    /// It was this card's.
    pub ours: bool,
    /// Frames were moved from a ring into its engine.
    pub received: bool,
    /// Transmit slots became free.
    pub sent: bool,
    /// The link changed.
    pub link: bool,
}

/// The card reads all ones: it has been pulled, or its bus is dead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gone;

impl<P: Platform> Adapter<P> {
    /// Opens the causes that this driver serves: link, transmit, receive.
    pub(super) fn unmask(&mut self) {
        link::listen(&self.csr, self.profile.asic);
        self.csr.write(reg::TX_TRAFFIC_MASK, 0_u64);
        interrupts::unmask_receive(&self.csr, self.interrupts, self.masks);
        self.csr.write(reg::GENERAL_INT_MASK, !u64::from(self.interrupts.causes()));
        self.csr.read(reg::GENERAL_INT_STATUS);
    }

    /// Serves a message: of a ring, or of everything else.
    ///
    /// # Errors
    ///
    /// [`Gone`] when the card no longer answers.
    pub fn service_vector(&mut self, vector: u8) -> Result<Serviced, Gone> {
        let Some(ring) = vector.checked_sub(FIRST_RING_VECTOR) else { return self.service() };
        match self.state() {
            State::Running => {}
            State::Recovering => return Ok(self.not_ours()),
            State::Gone => return Err(Gone),
        }
        self.counters.interrupts += 1;
        Ok(Serviced { ours: true, received: self.serve_ring(ring), ..Serviced::default() })
    }

    /// From here on the reader looks at the ring by itself.
    fn serve_ring(&mut self, ring: u8) -> bool {
        if self.interrupts != Interrupts::MsiX {
            return self.serve_rings();
        }
        self.masks.mask(ring);
        interrupts::mask_receive(&self.csr, self.interrupts, self.masks);
        self.rings.look_at(ring.into())
    }

    /// The same for all rings, which share the line.
    fn serve_rings(&mut self) -> bool {
        self.masks.mask_all();
        interrupts::mask_receive(&self.csr, self.interrupts, self.masks);
        self.rings.look()
    }

    /// Serves an interrupt of the line, or message 0, or looks without having been interrupted: masks the receive cause and
    /// moves finished frames into the engines, reclaims transmit slots, follows the link.
    ///
    /// # Errors
    ///
    /// [`Gone`] when the card no longer answers.
    pub fn service(&mut self) -> Result<Serviced, Gone> {
        match self.state() {
            State::Running => {}
            State::Recovering => return Ok(self.not_ours()),
            State::Gone => return Err(Gone),
        }
        let status = self.csr.read(reg::GENERAL_INT_STATUS);
        if status == GONE {
            self.suspect_gone();
            return if self.is_gone() { Err(Gone) } else { Ok(self.not_ours()) };
        }
        let pending = GeneralInt::from(status & u64::from(self.interrupts.causes()));
        if pending == GeneralInt::new() || (self.masks.any() && pending == GeneralInt::new().with_rxtraffic(true)) {
            return Ok(self.not_ours());
        }
        self.counters.interrupts += 1;
        if self.interrupts == Interrupts::MsiX {
            // Message 0 goes out when a cause appears, or is unmasked while it lasts: what appears while others are being
            // served would not be told.
            self.csr.write(reg::GENERAL_INT_MASK, u64::MAX);
        }
        let serviced = self.serve(pending);
        if self.interrupts == Interrupts::MsiX {
            self.csr.write(reg::GENERAL_INT_MASK, !u64::from(self.interrupts.causes()));
            self.csr.read(reg::GENERAL_INT_STATUS);
        }
        Ok(serviced)
    }

    fn serve(&mut self, pending: GeneralInt) -> Serviced {
        let mut serviced = Serviced { ours: true, ..Serviced::default() };
        if pending.rxtraffic() {
            serviced.received = self.serve_rings();
        }
        if pending.txtraffic() {
            self.csr.write(reg::TX_TRAFFIC_INT, u64::MAX);
            serviced.sent = self.tx.reclaim() > 0;
        }
        if pending.txpic() && PicInt::from(self.csr.read(reg::PIC_INT_STATUS)).gpio() {
            let news = link::event(&self.csr, &self.profile);
            self.link_is(news);
            serviced.link = true;
        }
        if pending.rxmac() {
            let news = link::look(&self.csr, &self.profile, self.link_up);
            self.link_is(news);
            serviced.link = true;
        }
        serviced
    }

    fn not_ours(&mut self) -> Serviced {
        self.counters.not_ours += 1;
        Serviced::default()
    }

    /// The link has told whether it is up.
    pub(super) fn link_is(&mut self, news: Option<bool>) {
        if let Some(up) = news {
            self.counters.link_changes += 1;
            self.link_up = up;
            log::info!("link {}", if up { "up" } else { "down" });
        }
    }

    /// Opens the receive cause again, then looks at the rings once more; whether frames came in between. Call it when
    /// [`receive`](Self::receive) had nothing.
    ///
    /// # Errors
    ///
    /// [`Gone`] when the card no longer answers.
    pub fn rearm(&mut self) -> Result<bool, Gone> {
        if self.masks.any() && self.state() == State::Running {
            self.masks.unmask();
            if !interrupts::unmask_receive(&self.csr, self.interrupts, self.masks) {
                self.suspect_gone();
            }
        }
        if self.is_gone() {
            return Err(Gone);
        }
        Ok(self.has_frames())
    }
}
