//! Requests over a channel, and every way in which one can go wrong.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

mod common;

use std::os::unix::net::UnixStream;

use common::{Narrow, arguments, connected, framed, serve};
use pcid_interface::msi::MsixInfo;
use pcid_interface::{
    Error, LONGEST_RESPONSE, MsiSetFeatureInfo, PciBar, PciFeature, PciFeatureInfo, PciFunctionHandle,
    PcidClientRequest as Request, PcidClientResponse as Response, PcidServerResponseError, SetFeatureInfo,
    VendorSpecificCapability,
};

const MSIX: MsixInfo = MsixInfo { table_bar: 4, table_offset: 0, table_size: 64, pba_bar: 4, pba_offset: 0x800 };

#[test]
fn a_driver_learns_of_its_function_with_the_first_request() {
    let (handle, server) = connected(&[]);
    assert_eq!(handle.config(), arguments());
    assert_eq!(server.join().unwrap(), [Request::RequestConfig]);
}

#[test]
fn every_request_has_its_answer() {
    let capability = VendorSpecificCapability { data: vec![1, 2, 3] };
    let (mut handle, server) = connected(&[
        Response::EnabledDevice,
        Response::AllFeatures(vec![PciFeature::Msi, PciFeature::MsiX]),
        Response::VendorCapabilities(vec![capability.clone()]),
        Response::FeatureInfo(PciFeature::MsiX, PciFeatureInfo::MsiX(MSIX)),
        Response::SetFeatureInfo(PciFeature::MsiX),
        Response::FeatureEnabled(PciFeature::MsiX),
        Response::ReadConfig(0x5832_17D5),
        Response::WriteConfig,
    ]);
    handle.enable_device().unwrap();
    assert_eq!(handle.fetch_all_features().unwrap(), [PciFeature::Msi, PciFeature::MsiX]);
    assert_eq!(handle.get_vendor_capabilities().unwrap(), [capability]);
    assert_eq!(handle.feature_info(PciFeature::MsiX).unwrap(), PciFeatureInfo::MsiX(MSIX));
    let mask = SetFeatureInfo::MsiX { function_mask: Some(false) };
    handle.set_feature_info(mask.clone()).unwrap();
    handle.enable_feature(PciFeature::MsiX).unwrap();
    assert_eq!(handle.read_config(0).unwrap(), 0x5832_17D5);
    handle.write_config(4, 6).unwrap();
    let requests = [
        Request::RequestConfig,
        Request::EnableDevice,
        Request::RequestFeatures,
        Request::RequestVendorCapabilities,
        Request::FeatureInfo(PciFeature::MsiX),
        Request::SetFeatureInfo(mask),
        Request::EnableFeature(PciFeature::MsiX),
        Request::ReadConfig(0),
        Request::WriteConfig(4, 6),
    ];
    assert_eq!(server.join().unwrap(), requests);
}

#[test]
fn an_answer_to_something_else_is_told_with_the_question() {
    type Ask = fn(&mut PciFunctionHandle<UnixStream>) -> Result<(), Error>;
    let refused = || Response::Error(PcidServerResponseError::NonexistentFeature(PciFeature::MsiX));
    let msix = || Response::FeatureInfo(PciFeature::MsiX, PciFeatureInfo::MsiX(MSIX));
    let table: [(Ask, Request, Response); 10] = [
        (|h| h.enable_device(), Request::EnableDevice, Response::WriteConfig),
        (|h| h.fetch_all_features().map(drop), Request::RequestFeatures, Response::EnabledDevice),
        (|h| h.get_vendor_capabilities().map(drop), Request::RequestVendorCapabilities, Response::EnabledDevice),
        (|h| h.enable_feature(PciFeature::MsiX), Request::EnableFeature(PciFeature::MsiX), refused()),
        (
            |h| h.enable_feature(PciFeature::MsiX),
            Request::EnableFeature(PciFeature::MsiX),
            Response::FeatureEnabled(PciFeature::Msi),
        ),
        (|h| h.feature_info(PciFeature::Msi).map(drop), Request::FeatureInfo(PciFeature::Msi), msix()),
        (|h| h.feature_info(PciFeature::MsiX).map(drop), Request::FeatureInfo(PciFeature::MsiX), refused()),
        (
            |h| h.set_feature_info(SetFeatureInfo::Msi(MsiSetFeatureInfo::default())),
            Request::SetFeatureInfo(SetFeatureInfo::Msi(MsiSetFeatureInfo::default())),
            Response::SetFeatureInfo(PciFeature::MsiX),
        ),
        (|h| h.read_config(8).map(drop), Request::ReadConfig(8), Response::WriteConfig),
        (|h| h.write_config(8, 9), Request::WriteConfig(8, 9), Response::ReadConfig(9)),
    ];
    for (ask, question, answer) in table {
        let (mut handle, server) = connected(std::slice::from_ref(&answer));
        match ask(&mut handle) {
            Err(Error::Unexpected { asked, came }) => assert_eq!((asked, *came), (question, answer)),
            other => panic!("{question:?}: {other:?}"),
        }
        server.join().unwrap();
    }
}

fn connect_error(script: Vec<Vec<u8>>) -> Error {
    let (channel, server) = serve(script);
    let error = PciFunctionHandle::connect(channel).map(drop).unwrap_err();
    server.join().unwrap();
    error
}

#[test]
fn a_first_answer_that_is_no_configuration_is_told() {
    let error = connect_error(vec![framed(&Response::WriteConfig)]);
    assert_eq!(error.to_string(), "RequestConfig was answered with WriteConfig");
}

#[test]
fn an_answer_of_a_later_protocol_is_told_with_its_bytes() {
    let bytes = [12_u64.to_le_bytes().as_slice(), b"\xFF\0\0\0abcdefgh"].concat();
    match connect_error(vec![bytes]) {
        Error::Unknown { asked: Request::RequestConfig, came, .. } => assert_eq!(came, b"\xFF\0\0\0abcdefgh"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn an_answer_that_ends_early_inside_is_told_with_its_bytes() {
    let whole = framed(&Response::Config(arguments()));
    let cut = whole.len() - 8 - 3;
    let bytes = [(cut as u64).to_le_bytes().as_slice(), &whole[8..8 + cut]].concat();
    match connect_error(vec![bytes]) {
        Error::Unknown { came, .. } => assert_eq!(came, whole[8..8 + cut.min(64)]),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_length_that_makes_no_sense_is_not_waited_for() {
    for length in [LONGEST_RESPONSE + 1, u64::MAX] {
        let error = connect_error(vec![length.to_le_bytes().to_vec()]);
        assert!(matches!(error, Error::TooLong { length: told, .. } if told == length), "{error:?}");
    }
}

#[test]
fn a_channel_that_closes_is_told_at_every_byte() {
    let whole = framed(&Response::Config(arguments()));
    for length in 0..whole.len() {
        let error = connect_error(vec![whole[..length].to_vec()]);
        match error {
            Error::Receive { asked: Request::RequestConfig, error } => {
                assert_eq!(error.kind(), std::io::ErrorKind::UnexpectedEof, "{length}");
            }
            other => panic!("{length}: {other:?}"),
        }
    }
}

#[test]
fn a_request_that_is_taken_in_part_is_not_continued() {
    match PciFunctionHandle::connect(Narrow { room: 3 }).map(drop) {
        Err(Error::Send { asked: Request::RequestConfig, error }) => {
            assert_eq!(error.to_string(), "3 of 4 bytes were taken");
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_channel_that_nobody_holds_is_told() {
    let (channel, other) = UnixStream::pair().unwrap();
    drop(other);
    let error = PciFunctionHandle::connect(channel).map(drop).unwrap_err();
    assert!(matches!(error, Error::Send { .. }), "{error:?}");
}

#[test]
fn an_msi_x_table_is_to_lie_in_memory_of_the_function() {
    let mut bars = [PciBar::None; 6];
    bars[4] = PciBar::Memory64 { addr: 0xFE20_0000, size: 0x1000 };
    bars[1] = PciBar::Port(0xC000);
    let good = |info: MsixInfo| info.validate(&bars).map_err(|error| error.to_string());
    assert_eq!(good(MSIX), Ok(()));
    assert_eq!(good(MsixInfo { table_offset: 0x0C00, ..MSIX }), Ok(()));
    assert_eq!(good(MsixInfo { pba_offset: 0x0FF8, ..MSIX }), Ok(()));
    let outside =
        "the MSI-X table is 1024 bytes at 0xc10 of BAR 4, which decodes 0x1000 bytes of memory at 0x00000000fe200000";
    assert_eq!(good(MsixInfo { table_offset: 0x0C10, ..MSIX }), Err(outside.to_owned()));
    for bad in [
        MsixInfo { table_offset: u32::MAX, ..MSIX },
        MsixInfo { table_size: 0x1000, ..MSIX },
        MsixInfo { table_bar: 0, ..MSIX },
        MsixInfo { table_bar: 1, ..MSIX },
        MsixInfo { table_bar: 6, ..MSIX },
        MsixInfo { pba_offset: 0x0FF9, ..MSIX },
        MsixInfo { pba_bar: 7, ..MSIX },
    ] {
        assert!(good(bad).is_err(), "{bad:?}");
    }
}
