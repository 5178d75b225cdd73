//! Owns the self-test of packet memory: a pass that writes a pattern and a pass that finds it again.

use xframe::bits::McRldramTestCtrl;
use xframe::registers::{MC_RLDRAM_TEST_ADD, MC_RLDRAM_TEST_D0, MC_RLDRAM_TEST_D1, MC_RLDRAM_TEST_D2};

use crate::chip::Chip;

/// An address range and the pattern in it.
pub(crate) type Pattern = [u64; 4];

impl Chip {
    /// Runs a pass if it was started in test mode.
    pub fn test_rldram(&mut self, ctrl: McRldramTestCtrl) {
        let ctrl = ctrl.with_done(false).with_pass(false);
        self.store.put(ctrl);
        if !ctrl.go() || !ctrl.mode() {
            return;
        }
        let registers = [MC_RLDRAM_TEST_ADD, MC_RLDRAM_TEST_D0, MC_RLDRAM_TEST_D1, MC_RLDRAM_TEST_D2];
        let pattern = registers.map(|at| self.store.get(at));
        if ctrl.write() {
            self.test_pattern = Some(pattern);
        }
        let found = self.test_pattern == Some(pattern);
        self.store.put(ctrl.with_go(false).with_done(true).with_pass(!ctrl.write() && found));
    }
}
