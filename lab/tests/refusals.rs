//! Files and arguments that `lab` cannot work with: one line that says what and where, status 2, nothing left behind.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

mod common;

use std::fs;
use std::path::{Path, PathBuf};

use common::frames::run_of;
use common::{Lab, SHIPPED, command, full, packets, refusal};

/// Both commands refuse an input and name it.
fn both_refuse(lab: &Lab, input: &Path, what: &str) {
    let before = lab.file("before.pcap", b"what was there before");
    for options in ["coalesce", "run"] {
        for output in [lab.path("new.pcap"), before.clone()] {
            let line = lab.refuses(options, input, &output);
            assert!(line.contains(&*input.to_string_lossy()), "the file is not named: {line}");
            assert!(line.contains(what), "{what:?} expected: {line}");
        }
    }
}

/// Both commands refuse an output and name it.
fn neither_writes(lab: &Lab, output: &Path, what: &str) {
    for options in ["coalesce", "run"] {
        let line = lab.refuses(options, Path::new(SHIPPED), output);
        assert!(line.contains(&*output.to_string_lossy()), "the file is not named: {line}");
        assert!(line.contains(what), "{what:?} expected: {line}");
    }
}

#[test]
fn a_missing_file() {
    let lab = Lab::new();
    both_refuse(&lab, &lab.path("missing.pcap"), "No such file");
}

#[test]
fn a_folder_in_place_of_a_file() {
    let lab = Lab::new();
    fs::create_dir(lab.path("folder")).unwrap();
    both_refuse(&lab, &lab.path("folder"), "directory");
}

#[test]
fn an_empty_file() {
    let lab = Lab::new();
    both_refuse(&lab, &lab.file("empty.pcap", b""), "empty");
}

#[test]
fn garbage() {
    let lab = Lab::new();
    let noise: Vec<u8> = (0..5_000_u32).map(|at| ((at * at) >> 3) as u8).collect();
    both_refuse(&lab, &lab.file("garbage.pcap", noise), "not a pcap or pcapng capture");
    both_refuse(&lab, &lab.file("short.pcap", b"ab"), "not a pcap or pcapng capture");
}

#[test]
fn a_capture_that_ends_in_the_middle_of_a_packet() {
    let lab = Lab::new();
    let whole = fs::read(lab.capture("whole.pcap", &packets(run_of(0, 10, 100)))).unwrap();
    let cut = &whole[..whole.len() - 50];
    let input = lab.file("cut.pcap", cut);
    both_refuse(&lab, &input, "packet 10");
    both_refuse(&lab, &input, &cut.len().to_string());
}

/// Whatever the length, it is either a whole capture or refused with a line; the counts of 10 packets say which.
#[test]
fn a_capture_cut_anywhere_never_panics() {
    let lab = Lab::new();
    let whole = fs::read(lab.capture("whole.pcap", &packets(run_of(0, 3, 100)))).unwrap();
    for length in 0..whole.len() {
        let input = lab.file("cut.pcap", &whole[..length]);
        if length >= 24 && (length - 24) % (16 + 154) == 0 {
            lab.convert("coalesce", input);
            fs::remove_file(lab.path("units.pcap")).unwrap();
        } else {
            lab.refuses("coalesce", &input, &lab.path("units.pcap"));
        }
    }
}

#[test]
fn a_capture_of_another_link_type() {
    let lab = Lab::new();
    let mut bytes = fs::read(lab.capture("whole.pcap", &packets(run_of(0, 3, 100)))).unwrap();
    bytes[20] = 101;
    both_refuse(&lab, &lab.file("raw.pcap", bytes), "link type 101");
}

#[test]
fn a_record_that_claims_more_than_a_packet_can_have() {
    let lab = Lab::new();
    let mut bytes = fs::read(lab.capture("whole.pcap", &packets(run_of(0, 3, 100)))).unwrap();
    bytes[24 + 8..24 + 12].copy_from_slice(&0x4000_0000_u32.to_le_bytes());
    both_refuse(&lab, &lab.file("huge.pcap", bytes), "1073741824");
}

#[test]
fn an_output_in_a_folder_that_does_not_exist() {
    let lab = Lab::new();
    neither_writes(&lab, &lab.path("missing/out.pcap"), "No such file");
}

#[test]
fn an_output_under_a_file() {
    let lab = Lab::new();
    let file = lab.file("file", b"x");
    neither_writes(&lab, &file.join("out.pcap"), "Not a directory");
}

#[test]
fn an_output_where_nothing_can_be_made() {
    neither_writes(&Lab::new(), Path::new("/proc/lab-out.pcap"), "cannot create");
}

#[test]
fn an_output_that_is_a_folder() {
    let lab = Lab::new();
    fs::create_dir(lab.path("folder")).unwrap();
    neither_writes(&lab, &lab.path("folder"), "directory");
}

#[test]
fn a_device_without_space() {
    neither_writes(&Lab::new(), Path::new("/dev/full"), "No space left");
}

#[test]
fn options_that_do_not_exist() {
    let lab = Lab::new();
    for options in ["coalesce --frobnicate", "run -q", "coalesce --rulez seed"] {
        let line = lab.refuses(options, Path::new(SHIPPED), &lab.path("out.pcap"));
        let option = options.split(' ').nth(1).unwrap();
        assert!(line.contains(option), "{option} is not named: {line}");
    }
}

#[test]
fn values_that_no_option_takes() {
    let lab = Lab::new();
    for (option, value) in [
        ("--rules", "receiver"),
        ("--buffer", "0"),
        ("--buffer", "many"),
        ("--buffer", "99999999999"),
        ("--batch", "0"),
        ("--batch", "1.5"),
        ("--batch", "4294967296"),
        ("--sessions", "0"),
        ("--max-segments", "0"),
    ] {
        for name in ["coalesce", "run"] {
            let options = format!("{name} {option} {value}");
            let line = lab.refuses(&options, Path::new(SHIPPED), &lab.path("out.pcap"));
            assert!(line.contains(option) && line.contains(value), "{options}: {line}");
        }
    }
}

#[test]
fn a_file_too_few_or_too_many() {
    let line = refusal(&command("coalesce in.pcap").output().unwrap());
    assert!(line.contains("OUT"), "{line}");
    let line = refusal(&command("coalesce in.pcap out.pcap third.pcap").output().unwrap());
    assert!(line.contains("third.pcap"), "{line}");
}

#[test]
fn a_command_that_does_not_exist() {
    let line = refusal(&command("coalesqe in.pcap out.pcap").output().unwrap());
    assert!(line.contains("coalesqe"), "{line}");
}

#[test]
fn trusted_checksums_with_a_card_that_verifies_them() {
    let lab = Lab::new();
    let line = lab.refuses("run --trust-checksums", Path::new(SHIPPED), &lab.path("out.pcap"));
    assert!(line.contains("--trust-checksums"), "{line}");
}

#[test]
fn a_standard_output_without_space() {
    let lab = Lab::new();
    for options in ["coalesce", "coalesce --json", "run", "run --json"] {
        let done =
            command(options).args([PathBuf::from(SHIPPED), lab.path("out.pcap")]).stdout(full()).output().unwrap();
        let line = refusal(&done);
        assert!(line.contains("No space left"), "{line}");
    }
}
