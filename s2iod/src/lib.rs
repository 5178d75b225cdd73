//! Redox OS driver for Neterion (S2io) Xframe 10-gigabit cards, with Large Receive Offload.

pub mod front;
