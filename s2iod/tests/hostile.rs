//! A card and a client that do whatever they like: the driver stays whole, every wait ends, and the front still answers.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

#[path = "hostile/mod.rs"]
mod hostile;

use std::fs;
use std::path::Path;

use hostile::input;
use hostile::world::{Action, run};
use hostile::{Dice, Noise};
use proptest::prelude::*;
use xframe::constants::Asic;

fn action() -> impl Strategy<Value = Action> {
    let offset = prop_oneof![9 => Just(0), 1 => 0..20_u64, 1 => any::<u64>()];
    let length = prop_oneof![Just(0_u16), 1..100_u16, Just(1_500), any::<u16>()];
    let bytes = prop_oneof![
        prop::collection::vec(any::<u8>(), 0..100),
        prop::collection::vec(any::<u8>(), 1_400..1_600),
        "(add|remove|on|off|[0-9]{1,5}|[ -~]{0,20})( [0-9a-f:]{17})?\n?".prop_map(String::into_bytes),
    ];
    prop_oneof![
        4 => (0..20_u8).prop_map(Action::Steps),
        4 => (14..1_600_u16).prop_map(Action::Frame),
        2 => Just(Action::Scribble),
        4 => Just(Action::Interrupt),
        2 => (0..20_000_u16).prop_map(Action::Watch),
        2 => any::<(u8, bool)>().prop_map(|(path, write)| Action::Open(path, write)),
        6 => (any::<u8>(), offset.clone(), length, any::<bool>())
            .prop_map(|(handle, offset, length, nonblock)| Action::Read { handle, offset, length, nonblock }),
        4 => (any::<u8>(), offset, bytes, any::<bool>())
            .prop_map(|(handle, offset, bytes, nonblock)| Action::Write { handle, offset, bytes, nonblock }),
        1 => any::<u8>().prop_map(Action::Event),
        1 => (0..200_u32).prop_map(Action::Cancel),
        1 => any::<u8>().prop_map(Action::Close),
    ]
}

fn asic() -> impl Strategy<Value = Asic> {
    prop_oneof![Just(Asic::Herc), Just(Asic::Xena)]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn registers_that_lie_now_and_then_do_no_harm(
        asic in asic(), seed: u64, rarity in 3..200_u64, actions in prop::collection::vec(action(), 0..100),
    ) {
        run(asic, Noise { register: rarity, ..Noise::NONE }, Dice::new(seed), actions);
    }

    #[test]
    fn registers_that_begin_to_lie_once_the_card_is_up_do_no_harm(
        asic in asic(), seed: u64, rarity in 1..20_u64, actions in prop::collection::vec(action(), 0..100),
    ) {
        run(asic, Noise { register: rarity, quiet_start: true, ..Noise::NONE }, Dice::new(seed), actions);
    }

    #[test]
    fn memory_in_which_anything_may_stand_does_no_harm(
        asic in asic(), seed: u64, actions in prop::collection::vec(action(), 0..100),
    ) {
        run(asic, Noise { memory: true, quiet_start: true, ..Noise::NONE }, Dice::new(seed), actions);
    }

    #[test]
    fn everything_at_once_does_no_harm(
        asic in asic(), seed: u64, rarity in 1..50_u64, actions in prop::collection::vec(action(), 0..100),
    ) {
        run(asic, Noise { register: rarity, config: rarity, memory: true, quiet_start: true }, Dice::new(seed), actions);
    }

    #[test]
    fn a_card_of_pure_noise_is_an_error(asic in asic(), seed: u64) {
        run(asic, Noise { register: 1, config: 0, memory: true, quiet_start: false }, Dice::new(seed), Vec::new());
    }

    #[test]
    fn a_hostile_client_gets_one_answer_for_each_call(
        asic in asic(), seed: u64, actions in prop::collection::vec(action(), 0..200),
    ) {
        run(asic, Noise::NONE, Dice::new(seed), actions);
    }
}

/// What the fuzzer found worth keeping, gone through again.
#[test]
fn the_corpus_does_no_harm() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz/corpus/hostile");
    let inputs: Vec<_> = fs::read_dir(&corpus).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert!(!inputs.is_empty(), "no inputs in {}", corpus.display());
    for path in inputs {
        // A panic is told with the input's name in front.
        println!("{}", path.display());
        input::hostile(&fs::read(&path).unwrap());
    }
}
