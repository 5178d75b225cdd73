//! Owns resets: what a core reset loses, and how the blocks held in reset are released.

use xframe::bits::SwReset;
use xframe::constants::Asic;

use crate::chip::Chip;
use crate::doorbell::Fifos;
use crate::messages::Vectors;
use crate::optics::Optics;
use crate::steer::Steering;
use crate::timers::Timers;

impl Chip {
    /// Acts on a write of the upper half of `SW_RESET`.
    pub fn sw_reset(&mut self, before: SwReset, written: SwReset) {
        if written.xena() == SwReset::ACTIVE {
            self.core_reset(self.config.config_busy);
            return;
        }
        self.store.put(SwReset::new().with_eoi(written.eoi()).with_xgxs(written.xgxs()));
        if before.xgxs() != 0 && written.xgxs() == 0 {
            self.release_xgxs(before);
        }
        self.link_changed();
    }

    /// The receive clock starts. On Herc the EOI must have been released before, or initialisation never ends.
    fn release_xgxs(&mut self, before: SwReset) {
        self.link.started = self.config.asic == Asic::Xena || before.eoi() == 0;
        self.ask_for_report();
    }

    /// Everything is as after power-on, configuration space included. Nothing of the past reaches memory afterwards.
    pub fn core_reset(&mut self, config_busy: u32) {
        self.store.reset(&self.config);
        self.store.put(match self.config.asic {
            Asic::Xena => SwReset::AFTER_RESET_XENA,
            Asic::Herc => SwReset::AFTER_RESET_HERC,
        });
        self.cam.reset(self.config.mac);
        self.ports = [0; 256];
        self.hash_map = [0; 256];
        self.steering = Steering::new();
        self.tti.reset();
        self.rti.reset();
        self.vectors = Vectors::new();
        self.fifos = Fifos::new();
        self.rings.reset();
        self.counters.clear();
        self.link.reset(&self.config);
        self.optics = Optics::new();
        self.test_pattern = None;
        self.key_open = false;
        self.ever_enabled = false;
        self.timers = Timers::default();
        self.pci.reset(config_busy);
    }
}
