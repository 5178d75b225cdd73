//! Owns the link: cable, resets that hold it down, the fault bits, and how a change is latched and reported.

use xframe::bits::{AdapterControl, GpioInt, RmacErr, SwReset};
use xframe::constants::Asic;
use xframe::registers::MAC_RMAC_ERR_REG;
use xframe::statistics::LINK_FAULT_CNT;

use crate::chip::Chip;
use crate::config::Config;

pub(crate) struct Link {
    cable: bool,
    /// What the MAC saw last.
    seen: bool,
    /// The debounced state is to be latched at the next step (Herc).
    report: bool,
    /// Herc's initialisation after reset: reads or steps it still takes; it starts when the XGXS is released.
    pub initialising: u32,
    pub started: bool,
}

impl Link {
    pub fn new(config: &Config) -> Self {
        let mut link = Self { cable: config.link, seen: false, report: false, initialising: 0, started: false };
        link.reset(config);
        link
    }

    pub fn reset(&mut self, config: &Config) {
        self.seen = false;
        self.report = false;
        self.started = false;
        self.initialising = if config.asic == Asic::Herc { config.initialising } else { 0 };
    }

    /// A little of the initialisation passes.
    pub fn initialise(&mut self) {
        if self.started {
            self.initialising = self.initialising.saturating_sub(1);
        }
    }

    pub fn take_report(&mut self) -> bool {
        std::mem::take(&mut self.report)
    }
}

impl Chip {
    /// Light comes in and nothing holds the receive path in reset.
    pub fn link_up(&self) -> bool {
        let held: SwReset = self.store.word();
        self.link.cable && held.eoi() == 0 && held.xgxs() == 0
    }

    pub fn set_cable(&mut self, plugged: bool) {
        self.link.cable = plugged;
        self.link_changed();
    }

    /// Compares the link with what the MAC saw last, and acts on a change.
    pub fn link_changed(&mut self) {
        let up = self.link_up();
        if up == self.link.seen {
            return;
        }
        self.link.seen = up;
        self.store.latch(MAC_RMAC_ERR_REG, RmacErr::new().with_link_state_change_int(true).into());
        if !up {
            // The hardware stops by itself; the driver starts it again when the link is back.
            let control: AdapterControl = self.store.word();
            self.store.put(control.with_cntl_en(false));
            self.counters.count(LINK_FAULT_CNT);
        }
        self.ask_for_report();
    }

    /// Has the state latched once it has been stable, which is by the next step.
    pub fn ask_for_report(&mut self) {
        let held: SwReset = self.store.word();
        self.link.report = self.config.asic == Asic::Herc && held.xgxs() == 0;
    }

    /// Sets the latch of the state the link is in and clears the other: never both.
    pub fn report_link(&mut self) {
        let up = self.link_up();
        let gpio: GpioInt = self.store.word();
        self.store.put(gpio.with_link_up(up).with_link_down(!up));
    }
}
