//! Owns the list of tests that the guest can run, and what each needs of the card and its cable.

use anyhow::{Result, bail};

/// What a test needs that is not as usual. Tests of one scene share a boot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scene {
    /// A card on a TAP interface.
    Usual,
    /// A card that is served with more options.
    With(&'static [&'static str]),
    /// A card on a switch, behind which is a network for frames with a tag, too.
    Switch,
    /// A machine that is killed when the guest asks for it, and another booted on the same card.
    Killed,
    /// A card that plays a capture in groups, and a guest whose second serial port takes what its stack got.
    Ancestor,
}

/// A test.
pub struct Test {
    pub name: &'static str,
    /// What it is about.
    about: &'static str,
    /// Whether it is in the short list.
    short: bool,
    pub scene: Scene,
}

const fn short(name: &'static str, about: &'static str) -> Test {
    Test { name, about, short: true, scene: Scene::Usual }
}

const fn long(name: &'static str, about: &'static str) -> Test {
    Test { name, about, short: false, scene: Scene::Usual }
}

const fn scene(name: &'static str, about: &'static str, scene: Scene) -> Test {
    Test { name, about, short: false, scene }
}

const BAD_CABLE: Scene = Scene::With(&["--impair", "loss=0.1%,duplicate=0.1%,reorder=0.2%,corrupt=0.05%,seed=1"]);

/// Faults come when the guest has had the time to get to its test, and then again and again.
pub const TESTS: [Test; 30] = [
    short("probe", "load and remove the driver three times"),
    short("link", "the link comes up, goes down, comes up"),
    short("ping", "120 pings without loss"),
    short("tcp-send", "iperf3 from the guest"),
    short("tcp-receive", "iperf3 to the guest"),
    short("self-test", "all five tests of ethtool -t"),
    short("counters", "ethtool -S counts what went over the wire"),
    long("sizes", "ethtool -S counts frames by size"),
    long("multicast", "of 40 groups those 20 that were joined; all of them when promiscuous"),
    long("tcp-send-8", "iperf3 from the guest, 8 connections"),
    long("tcp-receive-8", "iperf3 to the guest, 8 connections"),
    long("udp", "iperf3 over UDP"),
    long("jumbo", "MTU 9000"),
    long("tools", "ethtool -i, -d, -e, -a, -p"),
    long("offloads", "checksum and segmentation offload off and on"),
    long("lro", "the driver's own LRO off and on"),
    long("rings", "eight rings, eight FIFOs"),
    long("three-buffers", "RxDs of three buffers"),
    long("options", "the driver's other options"),
    long("unpolled", "napi=0: the card delivers, the driver does not look"),
    long("flap", "down and up ten times"),
    long("soak", "five minutes of traffic"),
    scene("vlan", "an interface for VLAN 5", Scene::Switch),
    scene("steering", "frames of each priority to a ring of their own", Scene::Switch),
    scene("bad-cable", "five minutes of traffic, some lost, doubled, late or damaged", BAD_CABLE),
    scene(
        "alarm",
        "a fatal alarm ends in a reset and traffic goes on",
        Scene::With(&["--fault", "8s:alarm=SM_ERR_REG.15"]),
    ),
    scene("flaps", "the cable is pulled out again and again", Scene::With(&["--fault", "4s..:link=500ms"])),
    scene(
        "codes",
        "frames with error codes, and messages lost and doubled",
        Scene::With(&[
            "--fault",
            "1s..:receive-code=7,1100ms..:receive-code=8,700ms..:lose-message,900ms..:repeat-message",
        ]),
    ),
    scene("ancestor", "the driver's own LRO makes the units that the engine's seed rules make", Scene::Ancestor),
    scene("killed", "the machine is killed and another booted on the same card", Scene::Killed),
];

/// Prints the list.
pub fn print() {
    for test in TESTS {
        println!("{:14} {}{}", test.name, test.about, if test.short { "" } else { " (not in the short list)" });
    }
}

/// The tests asked for, in the order of the list: by name, or the short list, or all.
pub fn selected(names: &[String], all: bool) -> Result<Vec<Test>> {
    if let Some(unknown) = names.iter().find(|name| !TESTS.iter().any(|test| test.name == **name)) {
        bail!("there is no test {unknown:?}; `lab boot linux --list` names them");
    }
    let wanted = |test: &Test| match names {
        [] => test.short || all,
        named => named.iter().any(|name| name == test.name),
    };
    Ok(TESTS.into_iter().filter(wanted).collect())
}
