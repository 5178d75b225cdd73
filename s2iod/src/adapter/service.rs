//! Interrupts: what they were about, and what is masked while the reader works.

use xframe::bits::{GeneralInt, PicInt};
use xframe::registers as reg;

use super::Adapter;
use crate::csr::GONE;
use crate::health::State;
use crate::link;
use crate::platform::Platform;

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
        self.csr.write(reg::RX_TRAFFIC_MASK, 0_u64);
        self.rx_masked = false;
        self.csr.write(reg::GENERAL_INT_MASK, !u64::from(causes()));
        self.csr.read(reg::GENERAL_INT_STATUS);
    }

    /// Serves an interrupt: masks the receive cause and moves finished frames into the engine, reclaims transmit slots,
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
        let pending = GeneralInt::from(status & u64::from(causes()));
        if pending == GeneralInt::new() || (self.rx_masked && pending == GeneralInt::new().with_rxtraffic(true)) {
            return Ok(self.not_ours());
        }
        self.counters.interrupts += 1;
        let mut serviced = Serviced { ours: true, ..Serviced::default() };
        if pending.rxtraffic() {
            self.csr.write(reg::RX_TRAFFIC_MASK, u64::MAX);
            // Acknowledged before the ring is looked at: a frame that completes from here on raises the cause again.
            self.csr.write(reg::RX_TRAFFIC_INT, u64::MAX);
            self.csr.read(reg::RX_TRAFFIC_INT);
            self.rx_masked = true;
            serviced.received = self.look_at_ring();
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
        Ok(serviced)
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
            self.csr.write(reg::RX_TRAFFIC_MASK, 0_u64);
            self.rx_masked = false;
            if self.csr.read(reg::RX_TRAFFIC_MASK) == GONE {
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

/// The causes that reach the host.
fn causes() -> GeneralInt {
    GeneralInt::new().with_txpic(true).with_txtraffic(true).with_rxmac(true).with_rxtraffic(true)
}
