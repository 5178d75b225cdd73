//! The link: how either chip tells of a change, the adapter enable that follows it, and the lamp.

use xframe::bits::{AdapterControl, AdapterStatus, GpioControl, GpioInt, MacInt, PicInt, RmacErr};
use xframe::constants::Asic;
use xframe::registers as reg;

use crate::bring_up::Profile;
use crate::csr::Csr;
use crate::platform::Bar;

/// Xena boards whose own link indicator does not work.
const FAULTY_INDICATORS: [std::ops::RangeInclusive<u16>; 2] = [0x600B..=0x600D, 0x640B..=0x640D];

/// Listens for changes that the MAC sees, and on Herc for a link that is up and stable.
pub(crate) fn listen<B: Bar>(csr: &Csr<B>, asic: Asic) {
    csr.write(reg::MAC_RMAC_ERR_MASK, !u64::from(RmacErr::new().with_link_state_change_int(true)));
    csr.write(reg::MAC_INT_MASK, !u64::from(MacInt::new().with_rmac_int(true)));
    if asic == Asic::Xena {
        return;
    }
    csr.write(reg::PIC_INT_MASK, !u64::from(PicInt::new().with_gpio(true)));
    csr.update(reg::GPIO_INT_MASK, |mask: GpioInt| mask.with_link_up(false).with_link_down(true));
}

/// Answers Herc's latches; returns whether the link is up now, or `None` while it is not stable.
pub(crate) fn event<B: Bar>(csr: &Csr<B>, profile: &Profile) -> Option<bool> {
    let latched = GpioInt::from(csr.read(reg::GPIO_INT_REG));
    let up = match (latched.link_up(), latched.link_down()) {
        (false, false) => return None,
        (up, down) if up != down && up == is_up(csr) => up,
        _ => {
            // Not stable: both latches again, and whichever comes next is the truth.
            csr.write(reg::GPIO_INT_REG, GpioInt::new().with_link_up(true).with_link_down(true));
            csr.update(reg::GPIO_INT_MASK, |mask: GpioInt| mask.with_link_up(false).with_link_down(false));
            return None;
        }
    };
    follow(csr, profile, up);
    csr.update(reg::GPIO_INT_MASK, |mask: GpioInt| mask.with_link_up(up).with_link_down(!up));
    csr.read(reg::GPIO_INT_MASK);
    Some(up)
}

/// Looks at the link because the MAC has seen a change, or because time has passed; returns whether it is up now if that
/// is news, which `was_up` says.
///
/// Xena tells in no other way. On Herc this finds what a lost interrupt would have told, and a loss so short that the link
/// was never seen down: the hardware has dropped the enable bit all the same.
pub(crate) fn look<B: Bar>(csr: &Csr<B>, profile: &Profile, was_up: bool) -> Option<bool> {
    let change = RmacErr::new().with_link_state_change_int(true);
    if csr.read(reg::MAC_RMAC_ERR_REG) & u64::from(change) != 0 {
        csr.write(reg::MAC_RMAC_ERR_REG, change);
    }
    let up = is_up(csr);
    if up == was_up {
        if up && !AdapterControl::from(csr.read(reg::ADAPTER_CONTROL)).cntl_en() {
            follow(csr, profile, true);
        }
        return None;
    }
    match profile.asic {
        // Until its latch says the same the link is not stable, and the latch will interrupt.
        Asic::Herc if GpioInt::from(csr.read(reg::GPIO_INT_REG)).link_up() != up => None,
        Asic::Herc => event(csr, profile),
        Asic::Xena => {
            follow(csr, profile, up);
            Some(up)
        }
    }
}

fn is_up<B: Bar>(csr: &Csr<B>) -> bool {
    AdapterStatus::from(csr.read(reg::ADAPTER_STATUS)).link_up()
}

/// Enables the adapter with the link, and lights the lamp. The hardware drops the enable bit by itself when the link is
/// lost.
fn follow<B: Bar>(csr: &Csr<B>, profile: &Profile, up: bool) {
    if up {
        csr.update(reg::ADAPTER_CONTROL, |control: AdapterControl| control.with_cntl_en(true));
    }
    let faulty =
        profile.asic == Asic::Xena && FAULTY_INDICATORS.iter().any(|boards| boards.contains(&profile.subsystem));
    if faulty {
        csr.update(reg::GPIO_CONTROL, |gpio: GpioControl| gpio.with_gpio_0(up));
    } else {
        csr.update(reg::ADAPTER_CONTROL, |control: AdapterControl| control.with_led_on(up));
    }
}
