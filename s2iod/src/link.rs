//! The link: its two latches, and the adapter enable that follows it.

use xframe::bits::{AdapterControl, AdapterStatus, GpioInt};
use xframe::registers as reg;

use crate::csr::Csr;
use crate::platform::Bar;

/// Listens for the link to come up.
pub(crate) fn listen<B: Bar>(csr: &Csr<B>) {
    csr.update(reg::GPIO_INT_MASK, |mask: GpioInt| mask.with_link_up(false).with_link_down(true));
}

/// Answers a link event; returns whether the link is up now, or `None` while it is not stable.
pub(crate) fn event<B: Bar>(csr: &Csr<B>) -> Option<bool> {
    let latched = GpioInt::from(csr.read(reg::GPIO_INT_REG));
    let up = match (latched.link_up(), latched.link_down()) {
        (false, false) => return None,
        (true, true) => {
            // Not stable: both latches again, and whichever comes next is the truth.
            csr.write(reg::GPIO_INT_REG, GpioInt::new().with_link_up(true).with_link_down(true));
            csr.update(reg::GPIO_INT_MASK, |mask: GpioInt| mask.with_link_up(false).with_link_down(false));
            return None;
        }
        (up, _) => up && AdapterStatus::from(csr.read(reg::ADAPTER_STATUS)).link_up(),
    };
    if up {
        // The hardware drops the enable bit by itself when the link is lost.
        csr.update(reg::ADAPTER_CONTROL, |control: AdapterControl| control.with_cntl_en(true));
    }
    csr.update(reg::ADAPTER_CONTROL, |control: AdapterControl| control.with_led_on(up));
    csr.update(reg::GPIO_INT_MASK, |mask: GpioInt| mask.with_link_up(up).with_link_down(!up));
    csr.read(reg::GPIO_INT_MASK);
    Some(up)
}
