//! Interrupts: what they were about, and what is masked while the reader works.

use xframe::bits::{GeneralInt, PicInt};
use xframe::registers as reg;

use super::Adapter;
use crate::csr::GONE;
use crate::health::State;
use crate::interrupts;
use crate::link;
use crate::platform::{Interrupts, Platform, RECEIVE_VECTOR};

/// What an interrupt was about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Serviced {
    /// It was this card's.
    pub ours: bool,
    /// Frames were moved from the ring into the engine.
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
        interrupts::unmask_receive(&self.csr, self.interrupts);
        self.rx_masked = false;
        self.csr.write(reg::GENERAL_INT_MASK, !u64::from(self.interrupts.causes()));
        self.csr.read(reg::GENERAL_INT_STATUS);
    }

    /// Serves a message: of the ring, or of everything else.
    ///
    /// # Errors
    ///
    /// [`Gone`] when the card no longer answers.
    pub fn service_vector(&mut self, vector: u8) -> Result<Serviced, Gone> {
        if vector != RECEIVE_VECTOR {
            return self.service();
        }
        match self.state() {
            State::Running => {}
            State::Recovering => return Ok(self.not_ours()),
            State::Gone => return Err(Gone),
        }
        self.counters.interrupts += 1;
        Ok(Serviced { ours: true, received: self.serve_receive(), ..Serviced::default() })
    }

    /// From here on the reader looks at the ring by itself.
    fn serve_receive(&mut self) -> bool {
        interrupts::mask_receive(&self.csr, self.interrupts);
        self.rx_masked = true;
        self.look_at_ring()
    }

    /// Serves an interrupt of the line, or message 0, or looks without having been interrupted: masks the receive cause and moves finished frames into the engine, reclaims transmit slots,
    /// follows the link.
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
        if pending == GeneralInt::new() || (self.rx_masked && pending == GeneralInt::new().with_rxtraffic(true)) {
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
            serviced.received = self.serve_receive();
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

    /// Opens the receive cause again, then looks at the ring once more; whether frames came in between. Call it when
    /// [`receive`](Self::receive) had nothing.
    ///
    /// # Errors
    ///
    /// [`Gone`] when the card no longer answers.
    pub fn rearm(&mut self) -> Result<bool, Gone> {
        if self.rx_masked && self.state() == State::Running {
            self.rx_masked = false;
            if !interrupts::unmask_receive(&self.csr, self.interrupts) {
                self.suspect_gone();
            }
        }
        if self.is_gone() {
            return Err(Gone);
        }
        self.look_at_ring();
        Ok(!self.engine.is_empty())
    }
}
