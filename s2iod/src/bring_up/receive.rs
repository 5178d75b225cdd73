//! The receive side: what each ring has of the packet memory, how long its frames may be, and which frames go to it.
//!
//! Ring 0 takes everything, unless there are more: then the hash of addresses and ports spreads the flows of TCP over the
//! others, and ring 0 takes the rest. The hardware wants rings that are hashed to kept out of steering by priority.

use xframe::bits::{Command, RtsCtrl, RtsDefaultQ, RtsFrmLen, RtsRthCfg, RtsRthMapMemData, RxPaCfg};
use xframe::constants::{Asic, DS_ENTRIES, RSS_KEY, calendar, qos_steering};
use xframe::registers as reg;

use crate::csr::Csr;
use crate::error::Error;
use crate::options::Options;
use crate::platform::{Bar, Platform};

/// Buckets of the indirection table, as a power of two. All of them: any number of rings has nearly equal shares then.
const BUCKETS: u8 = 8;

/// The rings' parts of the RLDRAM, their turns and the frames that they take. VLAN tags stay in the frame.
pub(super) fn rings<B: Bar>(csr: &Csr<B>, asic: Asic, options: &Options) {
    let rings = options.rings;
    let share = asic.rldram_mib() / rings;
    let (priority, mib) = (|ring| ring, |ring| if ring == 0 { asic.rldram_mib() - share * (rings - 1) } else { share });
    csr.write(reg::RX_QUEUE_PRIORITY, bytes(rings, priority));
    csr.write(reg::RX_QUEUE_CFG, bytes(rings, mib));
    for (round, slots) in reg::RX_W_ROUND_ROBIN.iter().zip(calendar(rings)) {
        csr.write(round, slots);
    }
    csr.write(reg::RTS_QOS_STEERING, qos_steering(1));
    for length in reg::RTS_FRM_LEN.iter() {
        csr.write(length, 0_u64);
    }
    for length in reg::RTS_FRM_LEN.iter().take(rings.into()) {
        csr.write(length, RtsFrmLen::new().with_len_set(options.longest_frame()));
    }
    csr.update(reg::RX_PA_CFG, |protocol: RxPaCfg| protocol.with_strip_vlan_tag_mode(false));
}

/// A register with a byte for each ring, 0 for those that are not used.
fn bytes(rings: u8, value: impl Fn(u8) -> u8) -> u64 {
    u64::from_be_bytes([0, 1, 2, 3, 4, 5, 6, 7].map(|ring| if ring < rings { value(ring) } else { 0 }))
}

/// Every DSCP to ring 0; TCP by its hash, if there are rings for it.
pub(super) fn steering<P: Platform>(platform: &mut P, csr: &Csr<P::Bar>, options: &Options) -> Result<(), Error> {
    for entry in 0..DS_ENTRIES as u8 {
        csr.write(reg::RTS_DS_MEM_DATA, 0_u64);
        csr.command(platform, reg::RTS_DS_MEM_CTRL, Command::write(entry))?;
    }
    if options.rings > 1 { hashing(platform, csr, options.rings) } else { Ok(()) }
}

/// Rings 1 and up share the buckets of TCP over IPv4 and IPv6.
fn hashing<P: Platform>(platform: &mut P, csr: &Csr<P::Bar>, rings: u8) -> Result<(), Error> {
    csr.update(reg::RTS_CTRL, |steering: RtsCtrl| steering.with_enhanced_mode(true));
    for bucket in 0..=u8::MAX {
        let ring = 1 + bucket % (rings - 1);
        csr.write(reg::RTS_RTH_MAP_MEM_DATA, RtsRthMapMemData::new().with_entry_en(true).with_data(ring));
        csr.command(platform, reg::RTS_RTH_MAP_MEM_CTRL, Command::write(bucket))?;
    }
    csr.write(reg::RTS_DEFAULT_Q, RtsDefaultQ::new().with_rts_default_q(0));
    for (word, key) in reg::RTS_RTH_HASH_MASK.iter().zip(RSS_KEY) {
        csr.write(word, key);
    }
    let tcp = RtsRthCfg::new().with_tcp_ipv4_en(true).with_tcp_ipv6_en(true);
    csr.write(reg::RTS_RTH_CFG, tcp.with_en(true).with_bucket_size(BUCKETS).with_alg_sel_ms(true));
    Ok(())
}
