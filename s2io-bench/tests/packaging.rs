//! What gets this program into a Redox image, by the formats of Redox's build system and of its init.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;

fn parse<T: for<'a> Deserialize<'a>>(name: &str) -> T {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../cookbook").join(name);
    toml::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// The build system ignores a key that it does not know, so none may be unknown here.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Recipe {
    source: BTreeMap<String, String>,
    build: BTreeMap<String, String>,
    package: BTreeMap<String, String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileSystem {
    include: Vec<String>,
    packages: BTreeMap<String, BTreeMap<String, String>>,
    files: Vec<BTreeMap<String, String>>,
}

/// A unit of Redox's init, which refuses keys that it does not know.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Unit {
    unit: Info,
    service: Service,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Info {
    description: String,
    requires_weak: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Service {
    cmd: String,
    args: Vec<String>,
    #[serde(rename = "type")]
    kind: String,
}

#[test]
fn the_recipe_builds_this_package_of_the_workspace() {
    let Recipe { source, build, package } = parse("s2io-bench/recipe.toml");
    assert_eq!(source["path"], "../s2iod");
    assert_eq!((build["template"].as_str(), build["cargopath"].as_str()), ("cargo", "s2io-bench"));
    assert!(!package["description"].is_empty());
    assert_eq!((source.len(), build.len(), package.len()), (1, 2, 1));
}

#[test]
fn the_test_configuration_adds_the_program_and_starts_it_with_the_network() {
    let FileSystem { include, packages, files } = parse("s2io-test.toml");
    assert_eq!(include, ["s2io.toml"]);
    assert!(packages["s2io-bench"].is_empty());
    let [file] = files.as_slice() else { unreachable!("one file") };
    assert_eq!(file["path"], "/usr/lib/init.d/40_s2io-bench.service");
    let Unit { unit, service } = toml::from_str(&file["data"]).unwrap();
    assert!(!unit.description.is_empty());
    assert_eq!(unit.requires_weak, ["10_net.target"]);
    assert_eq!((service.cmd.as_str(), service.args.as_slice()), ("s2io-bench", ["serve".to_owned()].as_slice()));
    assert_eq!(service.kind, "oneshot_async");
}
