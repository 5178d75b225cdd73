//! What gets the driver into an image: match tables by pcid's rules, recipe and configuration by the build system's formats.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Command;

use pcid_interface::FullDeviceId;
use pcid_interface::config::Config;
use s2iod::Options;
use serde::Deserialize;
use xframe::constants::{Asic, VENDOR};

fn path(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..").join(name)
}

fn file(name: &str) -> String {
    std::fs::read_to_string(path(name)).unwrap()
}

fn network_card(vendor_id: u16, device_id: u16) -> FullDeviceId {
    FullDeviceId { vendor_id, device_id, class: 2, subclass: 0, interface: 0, revision: 1 }
}

const TABLES: [(&str, &str); 2] =
    [("pcid-config/s2iod.toml", "s2iod"), ("initfs/s2iod.toml", "/scheme/initfs/lib/drivers/s2iod")];

/// Who drives a card, by a table.
fn driver(table: &str, card: FullDeviceId) -> Option<Vec<String>> {
    let config: Config = toml::from_str(table).unwrap();
    config.drivers.into_iter().find(|driver| driver.match_function(&card)).map(|driver| driver.command)
}

#[test]
fn both_tables_match_every_xframe_and_nothing_else() {
    for (name, command) in TABLES {
        let table = file(name);
        for device in 0..=u16::MAX {
            let expected = Asic::from_device_id(device).map(|_| vec![command.to_owned()]);
            // All devices of the vendor would take a while: those near by, and the successor card, which is another kind.
            if expected.is_some() || (0x5700..0x5900).contains(&device) || device % 977 == 0 {
                assert_eq!(driver(&table, network_card(VENDOR, device)), expected, "{name}: {device:04x}");
            }
        }
        for device in [0x5731, 0x5831, 0x5732, 0x5832] {
            assert!(driver(&table, network_card(VENDOR, device)).is_some());
            assert_eq!(driver(&table, network_card(0x8086, device)), None, "{name}");
            assert_eq!(driver(&table, network_card(0xd517, device)), None, "{name}");
        }
        assert_eq!(driver(&table, network_card(VENDOR, 0x5833)), None, "{name}");
    }
}

#[test]
fn the_tables_stand_between_those_of_other_drivers() {
    let other = "[[drivers]]\nclass = 2\nids = { 0x8086 = [0x100e] }\ncommand = [\"e1000d\"]\n";
    let greedy = "[[drivers]]\nclass = 2\ncommand = [\"anything\"]\n";
    for (name, command) in TABLES {
        let table = file(name);
        assert!(table.ends_with('\n'), "{name}: the next file would go on in the last line");
        let tables = format!("{other}{table}{greedy}");
        assert_eq!(driver(&tables, network_card(VENDOR, 0x5832)).unwrap(), [command]);
        assert_eq!(driver(&tables, network_card(0x8086, 0x100e)).unwrap(), ["e1000d"]);
        assert_eq!(driver(&tables, network_card(VENDOR, 0x5833)).unwrap(), ["anything"]);
    }
}

/// The arguments are the driver's, in the tables and in what people are told to write.
#[test]
fn every_command_that_is_shown_is_understood() {
    let mut seen = 0;
    for name in ["pcid-config/s2iod.toml", "initfs/s2iod.toml", "cookbook/README.md", "README.md"] {
        for line in file(name).lines().map(str::trim).filter(|line| line.starts_with("command = [")) {
            let entry: BTreeMap<String, Vec<String>> = toml::from_str(line).unwrap();
            let (program, arguments) = entry["command"].split_first().unwrap();
            assert!(program.ends_with("s2iod"), "{name}: {line}");
            Options::parse(arguments).unwrap_or_else(|error| panic!("{name}: {line}: {error}"));
            seen += 1;
        }
    }
    assert!(seen >= 3);
}

/// A recipe of Redox's build system, as far as this one goes. An unknown key there is ignored, which nobody would notice.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Recipe {
    source: Source,
    build: Build,
    package: Package,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Source {
    path: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Build {
    template: String,
    script: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Package {
    description: String,
}

/// A configuration of a file system, as far as this one goes.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileSystem {
    include: Vec<String>,
    general: General,
    packages: BTreeMap<String, BTreeMap<String, String>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct General {
    filesystem_size: u32,
}

#[test]
fn the_recipe_is_one_of_redoxs_build_system() {
    let recipe: Recipe = toml::from_str(&file("cookbook/recipe.toml")).unwrap();
    assert_eq!((recipe.source.path.as_str(), recipe.build.template.as_str()), ("../s2iod", "custom"));
    assert!(!recipe.package.description.is_empty());
}

/// Runs the recipe's script with a build that only leaves a program where `cargo install` would.
#[test]
fn the_recipe_installs_what_the_spawner_and_the_initfs_look_for() {
    let recipe: Recipe = toml::from_str(&file("cookbook/recipe.toml")).unwrap();
    let stage = tempfile::tempdir().unwrap();
    let build = r#"cookbook_cargo() {
        grep -qx 'name = "s2iod"' "${COOKBOOK_SOURCE}/${COOKBOOK_CARGO_PATH}/Cargo.toml"
        mkdir -p "${COOKBOOK_STAGE}/usr/bin"
        echo program > "${COOKBOOK_STAGE}/usr/bin/s2iod"
    }"#;
    let script = format!("set -e\n{build}\n{}", recipe.build.script);
    let output = Command::new("sh")
        .args(["-c", &script])
        .env("COOKBOOK_SOURCE", path(""))
        .env("COOKBOOK_STAGE", stage.path())
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    let installed = |name: &str| std::fs::read_to_string(stage.path().join("usr").join(name)).unwrap();
    assert_eq!(installed("lib/drivers/s2iod"), "program\n");
    assert_eq!(installed("lib/pcid.d/s2iod.toml"), file("pcid-config/s2iod.toml"));
    assert_eq!(installed("share/s2iod/add-to-base"), file("initfs/add-to-base"));
    for line in listing() {
        installed(&line[0]);
    }
    assert!(!stage.path().join("usr/bin/s2iod").exists());
}

fn listing() -> Vec<[String; 2]> {
    let lines = file("initfs/listing");
    let lines = lines.lines().filter(|line| !line.starts_with('#'));
    lines.map(|line| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>().try_into().unwrap()).collect()
}

#[test]
fn the_configuration_is_one_of_redoxs_build_system() {
    let config: FileSystem = toml::from_str(&file("cookbook/s2io.toml")).unwrap();
    assert_eq!(config.include, ["../minimal.toml"]);
    assert!(config.general.filesystem_size >= 196);
    assert!(config.packages["s2iod"].is_empty());
}

#[test]
fn the_listing_puts_the_program_where_the_initfs_table_looks_for_it() {
    let places: Vec<_> = listing().into_iter().map(|[_, place]| format!("/scheme/initfs/{place}")).collect();
    assert_eq!(places, ["/scheme/initfs/lib/drivers/s2iod", "/scheme/initfs/lib/pcid.d/s2iod.toml"]);
    assert_eq!(driver(&file("initfs/s2iod.toml"), network_card(VENDOR, 0x5832)).unwrap(), places[..1]);
}

fn add_to_base(makefile: &str) -> Result<String, String> {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("Makefile");
    std::fs::write(&place, makefile).unwrap();
    let output = Command::new("sh").arg(path("initfs/add-to-base")).arg(&place).output().unwrap();
    let text = std::fs::read_to_string(&place).unwrap();
    if output.status.success() { Ok(text) } else { Err(String::from_utf8(output.stderr).unwrap()) }
}

#[test]
fn a_makefile_copies_the_listing_right_before_it_makes_the_archive() {
    let before = "image:\n\trm -rf initfs\n";
    let after = "\trun redox-initfs-ar -- \\\n\t\t\"initfs\"\n\tcp initfs.img boot\n";
    let copies = "\tcp \"$(SYSROOT)/lib/drivers/s2iod\" \"$(BUILD_DIR)/initfs/lib/drivers/s2iod\"\n\
                  \tcp \"$(SYSROOT)/share/s2iod/initfs.toml\" \"$(BUILD_DIR)/initfs/lib/pcid.d/s2iod.toml\"\n";
    let added = add_to_base(&format!("{before}{after}")).unwrap();
    assert_eq!(added, format!("{before}{copies}{after}"));
    assert_eq!(add_to_base(&added), Ok(added));
}

#[test]
fn a_makefile_of_another_kind_is_refused() {
    for makefile in ["all:\n\tcp a b\n", "a:\n\tredox-initfs-ar\nb:\n\tredox-initfs-ar\n"] {
        let said = add_to_base(makefile).unwrap_err();
        assert!(said.contains("does not make one initfs"), "{said}");
    }
}
