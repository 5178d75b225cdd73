//! Owns what a card is built with: everything that the host cannot change.

use xframe::bits::BusMode;
use xframe::constants::Asic;

use crate::clock::Time;

/// The card to build. Start from [`Config::new`] and change what matters.
#[derive(Clone, Debug)]
pub struct Config {
    /// Which chip.
    pub asic: Asic,
    /// Factory address, in CAM entry 0 after every reset.
    pub mac: [u8; 6],
    /// The slot, as Herc reports it.
    pub bus: BusMode,
    /// Subsystem device ID under the card's own vendor ID.
    pub subsystem: u16,
    /// Product name in the vital product data, at most 79 bytes.
    pub product: String,
    /// Serial number in the vital product data, at most 79 bytes.
    pub serial: String,
    /// Whether the cable is plugged in from the start.
    pub link: bool,
    /// Whether frames shorter than 60 bytes (without FCS) are dropped as undersized. Off, they are taken as they are, as
    /// captures and software links carry them.
    pub runt_check: bool,
    /// The most bytes of frames that each ring's queue in packet memory holds, on top of what `RX_QUEUE_CFG` allows.
    pub packet_memory: usize,
    /// How many reads of `ADAPTER_STATUS`, or steps, Herc shows itself running its initialisation after a reset.
    pub initialising: u32,
    /// How many configuration reads go unanswered (all ones) after a reset.
    pub config_busy: u32,
    /// Whether the capability list shows MSI beside MSI-X. The registers of MSI exist either way.
    pub msi_capability: bool,
    /// Frames that are delivered between two looks of the host at its rings, for experiments; `None` delivers them as they
    /// come.
    pub group: Option<u16>,
    /// What the time is by which timers expire.
    pub time: Time,
    /// Whether somebody else keeps the MSI-X table, as a virtual machine monitor does: its masks are then not the card's
    /// to know, and messages carry only their vector.
    pub external_vectors: bool,
}

impl Config {
    /// A card of kind `asic` with factory address `mac`, plugged in, in a PCI-X 133 slot.
    pub fn new(asic: Asic, mac: [u8; 6]) -> Self {
        let product = match asic {
            Asic::Xena => "Xframe I 10GbE Server Adapter",
            Asic::Herc => "Xframe II 10GbE Server Adapter",
        };
        Self {
            asic,
            mac,
            bus: BusMode::PcixM1At133,
            subsystem: 0x6020,
            product: product.into(),
            serial: "MODEL0001".into(),
            link: true,
            runt_check: false,
            packet_memory: usize::MAX,
            initialising: 2,
            config_busy: 2,
            msi_capability: true,
            group: None,
            time: Time::Steps,
            external_vectors: false,
        }
    }
}
