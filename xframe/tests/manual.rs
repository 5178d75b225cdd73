//! Holds the code against `manual.txt`, which was transcribed from the hardware's documents and not from the code.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

use std::collections::BTreeMap;
use std::fmt::Debug;

use xframe::bits::*;
use xframe::constants::{Asic, GPIO_SEQUENCE, calendar, qos_steering};
use xframe::registers::{self, Access};
use xframe::swapper::SwapperCtrl;
use xframe::{rxd, statistics, txd};

/// The rows of one kind, split into columns.
fn rows(kind: &str) -> Vec<Vec<&'static str>> {
    include_str!("manual.txt")
        .lines()
        .map(|line| line.split_whitespace().collect::<Vec<_>>())
        .filter(|columns| columns.first() == Some(&kind))
        .map(|columns| columns[1..].to_vec())
        .collect()
}

fn hex(text: &str) -> u64 {
    u64::from_str_radix(text.trim_start_matches("0x"), 16).unwrap()
}

/// One name per 64-bit register: elements of an array get their index.
fn element(name: &str, count: u64, index: u64) -> String {
    if count == 1 { name.to_owned() } else { format!("{}_{index}", name.trim_end_matches("_n")) }
}

#[test]
fn every_register_has_its_offset_name_and_access() {
    let mut manual = BTreeMap::new();
    for row in rows("register") {
        let (offset, count) = (hex(row[0]), row[1].parse().unwrap());
        for index in 0..count {
            let names: Vec<_> = row[3..].iter().map(|name| element(name, count, index)).collect();
            manual.insert(offset + 8 * index, (names, row[2]));
        }
    }
    // A hole that one header happens to name, and a second register of the same name on Herc only.
    assert_eq!(manual.remove(&0x19D8).unwrap().0, ["unused_11_1"]);
    manual.get_mut(&0x0A10).unwrap().0.push("gpio_control_herc".to_owned());

    let mut code = BTreeMap::new();
    for entry in registers::TABLE {
        for index in 0..u64::from(entry.count) {
            let name = element(&entry.name.to_lowercase(), entry.count.into(), index);
            code.insert(u64::from(entry.offset) + 8 * index, (name, entry.access));
        }
    }

    assert!(manual.keys().eq(code.keys()), "offsets differ");
    for (offset, (names, access)) in &manual {
        let (name, code_access) = &code[offset];
        assert!(names.contains(name), "{offset:#06x}: {name} is not one of {names:?}");
        assert_eq!(access, &format!("{code_access:?}"), "{offset:#06x} {name}");
    }
    assert!(code.values().any(|(_, access)| *access == Access::KEY));
}

#[test]
fn every_counter_has_its_place() {
    let manual: Vec<_> = rows("statistic").into_iter().filter(|row| !row[3].starts_with("reserved")).collect();
    assert_eq!(manual.len(), statistics::TABLE.len());
    for (row, field) in manual.iter().zip(statistics::TABLE) {
        assert_eq!(row[3].to_uppercase(), field.name());
        assert_eq!(hex(row[0]), field.natural_offset() as u64, "{}", field.name());
        assert_eq!(hex(row[1]), field.le_host_offset() as u64, "{}", field.name());
        assert_eq!(row[2].parse(), Ok(field.width()), "{}", field.name());
        assert_eq!(hex(row[0]) >= 0x218, field.herc_only(), "{}", field.name());
    }
}

#[test]
fn every_constant_list_is_as_given() {
    let lists: BTreeMap<_, Vec<u64>> =
        rows("list").into_iter().map(|row| (row[0], row[1..].iter().map(|word| hex(word)).collect())).collect();
    assert_eq!(Asic::Herc.xaui(), lists["xaui_herc"]);
    assert_eq!(Asic::Xena.xaui(), lists["xaui_xena"]);
    assert_eq!(GPIO_SEQUENCE[..], lists["gpio_sequence"]);
    for n in 1..=8 {
        assert_eq!(calendar(n)[..], lists[format!("calendar_{n}").as_str()]);
        assert_eq!([qos_steering(n)][..], lists[format!("qos_steering_{n}").as_str()]);
    }
}

/// The bits of each field of a word, found by setting one bit after the other and asking which field shows it.
fn fields<W: From<u64> + Debug>() -> BTreeMap<String, (u32, u32)> {
    let show = |word: u64| -> Vec<(String, String)> {
        let text = format!("{:?}", W::from(word));
        let inside = text.split_once(" { ").unwrap().1.trim_end_matches(" }").to_owned();
        inside.split(", ").map(|pair| pair.split_once(": ").unwrap()).map(|(a, b)| (a.into(), b.into())).collect()
    };
    let zero = show(0);
    let mut found = BTreeMap::new();
    for bit in 0..64 {
        for ((name, value), (_, unset)) in show(1 << 63 >> bit).into_iter().zip(&zero) {
            if &value != unset {
                found.entry(name).or_insert((bit, bit)).1 = bit;
            }
        }
    }
    assert_eq!(found.len(), zero.len(), "a field without a bit");
    found
}

/// Every field of `W` must lie where the manual puts a field of `register` whose name ends in the same words.
/// `aliases` are (code's name, manual's name).
fn check<W: From<u64> + Debug>(register: &str, aliases: &[(&str, &str)]) {
    let manual: Vec<_> = rows("field").into_iter().filter(|row| row[0] == register).collect();
    assert!(!manual.is_empty(), "the manual has no fields of {register}");
    for (name, (first, last)) in fields::<W>() {
        let wanted = aliases.iter().find(|(code, _)| *code == name).map_or(name.as_str(), |(_, manual)| manual);
        let wanted = wanted.to_uppercase();
        let hit = manual.iter().find(|row| {
            let theirs = row[3].to_uppercase();
            let same_name = theirs == wanted || theirs.ends_with(&format!("_{wanted}"));
            same_name && row[1].parse() == Ok(first) && row[2].parse() == Ok(last)
        });
        assert!(hit.is_some(), "{register}: no {wanted} at bits {first}-{last} among {manual:?}");
    }
}

#[test]
fn general_bits_are_in_place() {
    check::<GeneralInt>("general_int_status", &[]);
    check::<SwReset>("sw_reset", &[]);
    check::<AdapterStatus>("adapter_status", &[]);
    check::<AdapterControl>("adapter_control", &[]);
    check::<SerrSource>("serr_source", &[]);
    check::<PciMode>("pci_mode", &[]);
}

#[test]
fn host_interface_bits_are_in_place() {
    check::<PicInt>("pic_int_mask", &[]);
    check::<RxpicInt>("rxpic_int_reg", &[]);
    check::<FlshInt>("flsh_int_mask", &[]);
    check::<MdioInt>("mdio_int_mask", &[]);
    check::<IicInt>("iic_int_mask", &[]);
    check::<GpioInt>("gpio_int_reg", &[("link_down", "LINK_DOWN_INT"), ("link_up", "LINK_UP_INT")]);
    check::<PicControl>("pic_control", &[]);
    check::<ScheduledIntCtrl>("scheduled_int_ctrl", &[("one_shot", "CTRL_ONE_SHOT"), ("int2msi", "CTRL_INT2MSI")]);
    check::<TxReqTimeout>("txreqtimeout", &[]);
    check::<StatByteCnt>("stat_byte_cnt", &[]);
    check::<StatCfg>("stat_cfg", &[]);
    check::<MiscControl>("misc_control", &[]);
    check::<PicControl2>("pic_control2", &[]);
    check::<SwapperCtrl>("swapper_ctrl", &[]);
    check::<SwapperCtrl>("swapper_paths", &[]);
}

#[test]
fn port_bits_are_in_place() {
    check::<XmsiAccess>("xmsi_access", &[]);
    check::<MdioControl>("mdio_control", &[]);
    check::<I2cControl>("i2c_control", &[]);
    check::<SpiControl>("spi_control", &[]);
}

#[test]
fn transmit_bits_are_in_place() {
    check::<TxdmaInt>("txdma_int_mask", &[]);
    check::<PfcErr>("pfc_err_reg", &[]);
    check::<TdaErr>("tda_err_reg", &[]);
    let pcc =
        ["cof", "lso"].map(|kind| [6, 7].map(|n| (format!("pcc{n}_{kind}_ov_err"), format!("{n}_{kind}_ov_err"))));
    let pcc: Vec<_> = pcc.iter().flatten().map(|(code, manual)| (code.as_str(), manual.as_str())).collect();
    check::<PccErr>("pcc_err_reg", &pcc);
    check::<TtiErr>("tti_err_reg", &[]);
    check::<LsoErr>("lso_err_reg", &[]);
    check::<TpaErr>("tpa_err_reg", &[]);
    check::<SmErr>("sm_err_reg", &[]);
    check::<TtiData1>("tti_data1_mem", &[]);
    check::<TtiData2>("tti_data2_mem", &[]);
    check::<TxPaCfg>("tx_pa_cfg", &[]);
    let even = [("even_pri", "0_pri"), ("even_len", "0_len"), ("odd_pri", "1_pri"), ("odd_len", "1_len")];
    check::<TxFifoPartition>("tx_fifo_partition_0", &even);
}

#[test]
fn receive_bits_are_in_place() {
    check::<RxdmaInt>("rxdma_int_status", &[]);
    check::<RdaErr>("rda_err_reg", &[]);
    check::<RcErr>("rc_err_reg", &[]);
    check::<PrcPcixErr>("prc_pcix_err_reg", &[]);
    check::<RpaErr>("rpa_err_reg", &[]);
    check::<RtiErr>("rti_err_reg", &[]);
    check::<RxQueuePriority>("rx_queue_priority", &[]);
    check::<PrcCtrl>("prc_ctrl_n", &[("ring_mode", "RING_MODE_x")]);
    check::<RtiData1>("rti_data1_mem", &[]);
    check::<RtiData2>("rti_data2_mem", &[]);
    check::<RxPaCfg>("rx_pa_cfg", &[]);
}

#[test]
fn mac_bits_are_in_place() {
    check::<MacInt>("mac_int_mask", &[]);
    check::<TmacErr>("mac_tmac_err_reg", &[]);
    check::<RmacErr>("mac_rmac_err_reg", &[]);
    check::<MacCfg>("mac_cfg", &[]);
    check::<RmacMaxPyldLen>("rmac_max_pyld_len", &[]);
    check::<RmacErrCfg>("rmac_err_cfg", &[]);
    check::<RmacCfgKey>("rmac_cfg_key", &[]);
    check::<RmacAddrData0>("rmac_addr_data0_mem", &[]);
    check::<RmacAddrData1>("rmac_addr_data1_mem", &[]);
    check::<RmacPauseCfg>("rmac_pause_cfg", &[]);
    check::<MacLinkUtil>("mac_link_util", &[]);
}

#[test]
fn steering_bits_are_in_place() {
    // The headers list this field one register early.
    check::<RtsFrmLen>("rmac_invalid_ipg", &[]);
    check::<RtsDefaultQ>("rts_default_q", &[]);
    check::<RtsCtrl>("rts_ctrl", &[]);
    check::<RtsPnCamData>("rts_pn_cam_data", &[]);
    check::<RtsDsMemData>("rts_ds_mem_data", &[]);
    check::<RtsRthCfg>("rts_rth_cfg", &[]);
    check::<RtsRthMapMemData>("rts_rth_map_mem_data", &[]);
    // One bit per section in the manual, one byte in the code.
    let sections: Vec<_> = rows("field").into_iter().filter(|row| row[0] == "rts_mac_cfg").collect();
    assert_eq!(fields::<RtsMacCfg>()["sections"], (0, sections.len() as u32 - 1));
}

#[test]
fn memory_controller_bits_are_in_place() {
    check::<McInt>("mc_int_status", &[]);
    check::<McErr>("mc_err_reg", &[]);
    check::<RxQueueCfg>("rx_queue_cfg", &[]);
    check::<McRldramTestCtrl>("mc_rldram_test_ctrl", &[]);
    check::<XgxsInt>("xgxs_int_status", &[]);
    check::<TxgxsErr>("xgxs_txgxs_err_reg", &[]);
    check::<RxgxsErr>("xgxs_rxgxs_err_reg", &[]);
}

#[test]
fn bits_known_from_prose_alone_are_in_place() {
    // These words have a bit that no header names; the named ones are checked above or here.
    let mrs = fields::<McRldramMrs>();
    assert_eq!((mrs["queue_size_enable"], mrs["mrs_enable"], mrs["mode"]), ((39, 39), (47, 47), (48, 63)));
    let gpio = fields::<GpioControl>();
    assert_eq!((gpio["gpio_0"], gpio["gpio_0_enable"]), ((8, 8), (16, 16)));
    let txpic = fields::<TxpicInt>();
    assert_eq!((txpic["sched_intr"], txpic["pci_status"]), ((42, 42), (62, 62)));
    assert_eq!((txpic["pifr_fsm_serr"], txpic["rrc_tx_req_fsm_serr"]), ((15, 15), (23, 23)));
}

#[test]
fn commands_fit_every_table() {
    for register in ["rts_pn_cam_ctrl", "rts_rth_map_mem_ctrl"] {
        check::<Command>(register, &[("strobe", if register.contains("pn") { "STROBE_NEW_CMD" } else { "STROBE" })]);
    }
}

#[test]
fn descriptor_bits_are_in_place() {
    let gather = fields::<txd::Control1>();
    assert_eq!((gather["gather_first"], gather["gather_last"]), ((22, 22), (23, 23)));
    let words = fields::<txd::Control1>();
    for (name, manual) in [
        ("own", "TXD_LIST_OWN_XENA"),
        ("t_code", "T_CODE"),
        ("lso_cof_ctrl", "LSO_COF_CTRL"),
        ("lso_mss", "LSO_MSS"),
        ("buffer0_size", "BUFFER0_SIZE"),
    ] {
        let row = rows("field").into_iter().find(|row| row[0] == "txd_control_1" && row[3] == manual).unwrap();
        assert_eq!(words[name], (row[1].parse().unwrap(), row[2].parse().unwrap()), "{name}");
    }
    check::<txd::Control2>("txd_control_2", &[]);
    check::<txd::ListControl>("list_control", &[]);
    check::<rxd::Control1>("rxd_control_1", &[("own", "RXD_OWN_XENA")]);
    let completion = "_on_completion";
    check::<rxd::Control2>(
        "rxd_control_2",
        &[
            ("marker", "marker_area"),
            ("rth_hash_value", &format!("rth_hash_value{completion}")),
            ("vlan_tag", &format!("vlan_tag{completion}")),
        ],
    );
}
