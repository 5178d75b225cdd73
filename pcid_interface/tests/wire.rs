//! The wire format, byte for byte: what pcid of any version that is compatible reads and writes.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

use pcid_interface::msi::{MsiAddrAndData, MsiInfo, MsixInfo};
use pcid_interface::{
    FeatureStatus, FullDeviceId, LegacyInterruptLine, MsiSetFeatureInfo, PciAddress, PciBar, PciFeature,
    PciFeatureInfo, PciFunction, PciRom, PcidClientRequest as Request, PcidClientResponse as Response,
    PcidServerResponseError as ServerError, SetFeatureInfo, SubdriverArguments, VendorSpecificCapability,
};

#[test]
fn requests_are_their_number_and_their_fields_least_significant_byte_first() {
    let message = MsiAddrAndData { addr: 0xFEE0_1000, data: 0x52 };
    let msi = MsiSetFeatureInfo {
        multi_message_enable: Some(2),
        message_address_and_data: Some(message),
        mask_bits: Some(0x0102_0304),
    };
    let set_msi = b"\x06\0\0\0\0\0\0\0\x01\x02\x01\0\x10\xE0\xFE\0\0\0\0\x52\0\0\0\x01\x04\x03\x02\x01";
    for (request, bytes) in [
        (Request::EnableDevice, b"\0\0\0\0".as_slice()),
        (Request::RequestConfig, b"\x01\0\0\0"),
        (Request::RequestFeatures, b"\x02\0\0\0"),
        (Request::RequestVendorCapabilities, b"\x03\0\0\0"),
        (Request::EnableFeature(PciFeature::Msi), b"\x04\0\0\0\0\0\0\0"),
        (Request::EnableFeature(PciFeature::MsiX), b"\x04\0\0\0\x01\0\0\0"),
        (Request::FeatureInfo(PciFeature::MsiX), b"\x05\0\0\0\x01\0\0\0"),
        (Request::SetFeatureInfo(SetFeatureInfo::Msi(msi)), set_msi),
        (Request::SetFeatureInfo(SetFeatureInfo::Msi(MsiSetFeatureInfo::default())), b"\x06\0\0\0\0\0\0\0\0\0\0"),
        (Request::SetFeatureInfo(SetFeatureInfo::MsiX { function_mask: Some(true) }), b"\x06\0\0\0\x01\0\0\0\x01\x01"),
        (Request::SetFeatureInfo(SetFeatureInfo::MsiX { function_mask: None }), b"\x06\0\0\0\x01\0\0\0\0"),
        (Request::ReadConfig(0x1234), b"\x07\0\0\0\x34\x12"),
        (Request::WriteConfig(0x90, 0x8765_4321), b"\x08\0\0\0\x90\0\x21\x43\x65\x87"),
    ] {
        assert_eq!(bincode::serialize(&request).unwrap(), bytes, "{request:?}");
        assert_eq!(bincode::deserialize::<Request>(bytes).unwrap(), request);
    }
}

#[test]
fn responses_are_their_number_and_their_fields_least_significant_byte_first() {
    let msi = MsiInfo { log2_multiple_message_capable: 3, is_64bit: true, has_per_vector_masking: false };
    let msix = MsixInfo { table_bar: 4, table_offset: 0x10, table_size: 64, pba_bar: 5, pba_offset: 0x2000 };
    let capability = VendorSpecificCapability { data: vec![7, 8, 9] };
    for (response, bytes) in [
        (Response::EnabledDevice, b"\0\0\0\0".as_slice()),
        (
            Response::AllFeatures(vec![PciFeature::Msi, PciFeature::MsiX]),
            b"\x02\0\0\0\x02\0\0\0\0\0\0\0\0\0\0\0\x01\0\0\0",
        ),
        (Response::VendorCapabilities(vec![capability]), b"\x03\0\0\0\x01\0\0\0\0\0\0\0\x03\0\0\0\0\0\0\0\x07\x08\x09"),
        (Response::FeatureEnabled(PciFeature::MsiX), b"\x04\0\0\0\x01\0\0\0"),
        (Response::FeatureStatus(PciFeature::Msi, FeatureStatus::Disabled), b"\x05\0\0\0\0\0\0\0\x01\0\0\0"),
        (Response::Error(ServerError::NonexistentFeature(PciFeature::MsiX)), b"\x06\0\0\0\0\0\0\0\x01\0\0\0"),
        (Response::Error(ServerError::InvalidBitPattern), b"\x06\0\0\0\x01\0\0\0"),
        (Response::FeatureInfo(PciFeature::Msi, PciFeatureInfo::Msi(msi)), b"\x07\0\0\0\0\0\0\0\0\0\0\0\x03\x01\0"),
        (
            Response::FeatureInfo(PciFeature::MsiX, PciFeatureInfo::MsiX(msix)),
            b"\x07\0\0\0\x01\0\0\0\x01\0\0\0\x04\x10\0\0\0\x40\0\x05\0\x20\0\0",
        ),
        (Response::SetFeatureInfo(PciFeature::Msi), b"\x08\0\0\0\0\0\0\0"),
        (Response::ReadConfig(0x5832_17D5), b"\x09\0\0\0\xD5\x17\x32\x58"),
        (Response::WriteConfig, b"\x0A\0\0\0"),
    ] {
        assert_eq!(bincode::serialize(&response).unwrap(), bytes, "{response:?}");
        assert_eq!(bincode::deserialize::<Response>(bytes).unwrap(), response);
    }
}

#[test]
fn a_function_is_its_address_registers_rom_line_and_identity() {
    let func = PciFunction {
        addr: PciAddress::new(0x0102, 0x03, 0x1F, 7),
        bars: [
            PciBar::Memory64 { addr: 0x8_FE00_0000, size: 0x8000 },
            PciBar::None,
            PciBar::Memory32 { addr: 0xFE10_0000, size: 0x1000 },
            PciBar::Port(0xC000),
            PciBar::None,
            PciBar::None,
        ],
        rom: Some(PciRom { addr: 0xFE20_0000, size: 0x1_0000, enabled: true }),
        legacy_interrupt_line: Some(LegacyInterruptLine { irq: 11, phandled: Some((5, [1, 2, 3], 3)) }),
        full_device_id: FullDeviceId {
            vendor_id: 0x17D5,
            device_id: 0x5832,
            class: 2,
            subclass: 3,
            interface: 4,
            revision: 5,
        },
    };
    let bytes = [
        b"\x01\0\0\0".as_slice(),
        b"\x02\x01\x03\x1F\x07",
        b"\x02\0\0\0\0\0\0\xFE\x08\0\0\0\0\x80\0\0\0\0\0\0",
        b"\0\0\0\0",
        b"\x01\0\0\0\0\0\x10\xFE\0\x10\0\0",
        b"\x03\0\0\0\0\xC0",
        b"\0\0\0\0\0\0\0\0",
        b"\x01\0\0\x20\xFE\0\0\x01\0\x01",
        b"\x01\x0B\x01\x05\0\0\0\x01\0\0\0\x02\0\0\0\x03\0\0\0\x03\0\0\0\0\0\0\0",
        b"\xD5\x17\x32\x58\x02\x03\x04\x05",
    ]
    .concat();
    let response = Response::Config(SubdriverArguments { func });
    assert_eq!(bincode::serialize(&response).unwrap(), bytes);
    assert_eq!(bincode::deserialize::<Response>(&bytes).unwrap(), response);
}

#[test]
fn a_function_has_the_name_that_schemes_and_log_files_use() {
    let mut func = PciFunction {
        addr: PciAddress::new(0, 0, 3, 0),
        bars: [PciBar::None; 6],
        rom: None,
        legacy_interrupt_line: None,
        full_device_id: FullDeviceId {
            vendor_id: 0x17D5,
            device_id: 0x5832,
            class: 2,
            subclass: 0,
            interface: 0,
            revision: 2,
        },
    };
    assert_eq!(func.name(), "pci-0000-00-03.0");
    assert_eq!(func.to_string(), "0000:00:03.0: 17d5:5832 class 02.00.00 revision 02");
    func.addr = PciAddress::new(0x10, 0xFA, 0x1F, 7);
    func.bars[2] = PciBar::Memory32 { addr: 0xFE10_0000, size: 0x1000 };
    func.legacy_interrupt_line = Some(LegacyInterruptLine { irq: 11, phandled: None });
    assert_eq!(func.name(), "pci-0010-fa-1f.7");
    let said = func.to_string();
    assert!(said.ends_with(", BAR 2 0x1000 bytes of memory at 0xfe100000, interrupt 11"), "{said}");
}

#[test]
fn an_interrupt_line_has_the_path_that_its_controller_gives_it() {
    for (phandled, path) in [
        (None, Some(("/scheme/irq/11", false))),
        (Some((7, [20, 21, 22], 1)), Some(("/scheme/irq/phandle-7/20", true))),
        (Some((7, [20, 21, 22], 2)), Some(("/scheme/irq/phandle-7/20,21", true))),
        (Some((7, [20, 21, 22], 3)), Some(("/scheme/irq/phandle-7/20,21,22", true))),
        (Some((7, [20, 21, 22], 0)), None),
        (Some((7, [20, 21, 22], 4)), None),
    ] {
        let found = LegacyInterruptLine { irq: 11, phandled }.path();
        assert_eq!(found, path.map(|(path, create)| (path.to_owned(), create)));
    }
}
