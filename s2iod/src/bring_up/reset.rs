//! From any state to a card that answers: swapper, core reset, blocks out of reset.

use std::time::Duration;

use xframe::bits::{AdapterStatus, Command, RmacAddrData0, SwReset};
use xframe::constants::{Asic, GPIO_SEQUENCE, config};
use xframe::registers::{self as reg};
use xframe::swapper::{FEEDBACK, Interrupts, SEARCH_READ, SEARCH_WRITE, SwapperCtrl};

use super::milliseconds;
use super::profile::{COMMAND, Profile, read_id};
use crate::csr::Csr;
use crate::error::Error;
use crate::filter;
use crate::platform::{Bar, Platform};

const RESET: u8 = 0xA5;
/// Command: respond to and report parity errors.
const COMMAND_PARITY: u32 = 1 << 6;
/// Status: a parity error was detected; cleared by writing it. Upper half of the command word.
const STATUS_PARITY: u32 = 1 << 31;

/// Makes registers read and write as host-order words, and every DMA path little-endian.
pub(super) fn set_swapper<B: Bar>(csr: &Csr<B>, interrupts: Interrupts) -> Result<(), Error> {
    let read_path = search_read(csr)?;
    search_write(csr, read_path)?;
    let host_paths = csr.read(reg::SWAPPER_CTRL);
    csr.write(reg::SWAPPER_CTRL, SwapperCtrl::little_endian(host_paths, interrupts));
    csr.read(reg::SWAPPER_CTRL);
    match csr.read(reg::PIF_RD_SWAPPER_FB) {
        FEEDBACK => Ok(()),
        found => Err(Error::Swapper { path: "read", register: "PIF_RD_SWAPPER_FB", found }),
    }
}

/// Finds what makes the read path right: the setting in force, or one of the palindromes.
fn search_read<B: Bar>(csr: &Csr<B>) -> Result<u64, Error> {
    if csr.read(reg::PIF_RD_SWAPPER_FB) == FEEDBACK {
        return Ok(csr.read(reg::SWAPPER_CTRL));
    }
    for setting in SEARCH_READ {
        csr.write(reg::SWAPPER_CTRL, setting);
        if csr.read(reg::PIF_RD_SWAPPER_FB) == FEEDBACK {
            return Ok(setting);
        }
    }
    let found = csr.read(reg::PIF_RD_SWAPPER_FB);
    Err(Error::Swapper { path: "read", register: "PIF_RD_SWAPPER_FB", found })
}

/// Finds what makes the write path right, with the read path as it is.
fn search_write<B: Bar>(csr: &Csr<B>, read_path: u64) -> Result<(), Error> {
    let holds = || {
        csr.write(reg::XMSI_ADDRESS, FEEDBACK);
        csr.read(reg::XMSI_ADDRESS) == FEEDBACK
    };
    if holds() {
        return Ok(());
    }
    for setting in SEARCH_WRITE {
        csr.write(reg::SWAPPER_CTRL, read_path | setting);
        if holds() {
            return Ok(());
        }
    }
    let found = csr.read(reg::XMSI_ADDRESS);
    Err(Error::Swapper { path: "write", register: "XMSI_ADDRESS", found })
}

/// Resets the core. Configuration space is lost with it: nothing may touch the registers until it is back.
pub(super) fn reset_core<P: Platform>(platform: &mut P, csr: &Csr<P::Bar>, profile: &Profile) -> Result<(), Error> {
    csr.write(reg::SW_RESET, SwReset::new().with_xena(RESET).with_flash(RESET).with_eoi(RESET));
    let first = milliseconds(if profile.is_cx4() { 1000 } else { 250 });
    platform.sleep(first);
    let (attempts, pause) = (50, milliseconds(20));
    let mut found = u32::MAX;
    for _ in 0..attempts {
        profile.restore(platform)?;
        found = read_id(platform)?;
        if found == profile.id {
            return Ok(());
        }
        platform.sleep(pause);
    }
    Err(Error::ResetLost { waited: first + pause * attempts, found })
}

/// Frees an EEPROM that was stopped in the middle of a read, so that the next reset loads the factory address (Xena).
pub(super) fn free_eeprom<P: Platform>(platform: &mut P, csr: &Csr<P::Bar>) {
    for levels in GPIO_SEQUENCE {
        csr.write(reg::GPIO_CONTROL, levels);
        platform.sleep(Duration::from_micros(10));
        csr.read(reg::GPIO_CONTROL);
    }
}

/// Lets the host recover from parity errors, and clears what a reset of Herc itself has left behind.
pub(super) fn clear_after_reset<P: Platform>(platform: &mut P, csr: &Csr<P::Bar>, asic: Asic) -> Result<(), Error> {
    let failed = Error::platform("set up configuration space");
    let pcix = platform.config_read(config::PCIX).map_err(&failed)?;
    // The command word is the upper half; its bit 0 turns on recovery from data parity errors.
    platform.config_write(config::PCIX, pcix | 1 << 16).map_err(&failed)?;
    let command = platform.config_read(COMMAND).map_err(&failed)?;
    platform.config_write(COMMAND, command | COMMAND_PARITY | STATUS_PARITY).map_err(&failed)?;
    if asic == Asic::Herc {
        platform.config_write(config::PCIX_ECC, config::PCIX_ECC_CLEAR).map_err(&failed)?;
        csr.write(reg::TXPIC_INT_REG, xframe::bits::TxpicInt::new().with_pci_status(true));
        // A PCC ECC cause is latched by the reset without an error.
        csr.write(reg::PCC_ERR_REG, csr.read(reg::PCC_ERR_REG));
    }
    Ok(())
}

/// The address that the card has loaded into CAM entry 0. When it could not, `known` is put there.
pub(super) fn factory_address<P: Platform>(
    platform: &mut P,
    csr: &Csr<P::Bar>,
    known: Option<[u8; 6]>,
) -> Result<[u8; 6], Error> {
    csr.command(platform, reg::RMAC_ADDR_CMD_MEM, Command::read(0))?;
    let loaded = RmacAddrData0::from(csr.read(reg::RMAC_ADDR_DATA0_MEM)).addr();
    let [_, _, loaded @ ..] = loaded.to_be_bytes();
    let Some(known) = known.filter(|known| *known != loaded) else { return Ok(loaded) };
    filter::set_entry(platform, csr, 0, (known, [0; 6]))?;
    Ok(known)
}

/// Takes the optics (Herc), then the XGXS out of reset, and waits until the other blocks may be touched.
pub(super) fn release_blocks<P: Platform>(platform: &mut P, csr: &Csr<P::Bar>, asic: Asic) -> Result<(), Error> {
    let optics_first = [SwReset::XGXS_HELD, SwReset::new()];
    let steps = match asic {
        Asic::Xena => optics_first.get(1..).unwrap_or_default(),
        Asic::Herc => optics_first.as_slice(),
    };
    for &held in steps {
        csr.write(reg::SW_RESET, held);
        platform.sleep(milliseconds(500));
        csr.read(reg::SW_RESET);
    }
    if asic == Asic::Herc {
        let budget = (50, milliseconds(10));
        csr.wait(platform, reg::ADAPTER_STATUS, "RIC_RUNNING cleared", budget, |status| {
            !AdapterStatus::from(status).ric_running()
        })?;
    }
    Ok(())
}
