//! Writes one line of checksums per step, in the format of `references/pyboy/trace.py`.
//!
//! `frame_trace ROM BOOT_ROM TRACE_TO_FOLLOW [SHORTCUT…]`: pads, skip and flags are taken from the given trace;
//! prints the first differing row, or "identical". The named shortcuts are not taken.

use std::sync::Arc;

use emurust_core::{BootRom, Machine, Model, Options, Rom, Shortcuts};

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let rom = Arc::new(Rom::new(std::fs::read(&args[1]).expect("ROM")).expect("valid ROM"));
    let boot_dir = &args[2];
    let trace = std::fs::read_to_string(&args[3]).expect("trace");
    let meta = |key: &str| {
        let prefix = format!("# {key}=");
        trace
            .lines()
            .find_map(|line| line.strip_prefix(&prefix))
            .expect("meta key")
            .to_string()
    };
    let number = |key: &str| meta(key).parse::<usize>().expect("number");
    let color = number("cgb") == 1;
    let name = if color {
        "bootrom_cgb.bin"
    } else {
        "bootrom_dmg.bin"
    };
    let boot = BootRom::new(std::fs::read(format!("{boot_dir}/{name}")).expect("boot ROM"))
        .expect("boot ROM");
    let sound = number("sound") == 1;
    let options = Options {
        model: Some(if color {
            Model::Color
        } else {
            Model::Monochrome
        }),
        sound,
        ..Options::default()
    };
    let mut machine = Machine::with_boot_rom(rom, Arc::new(boot), &options);
    let mut shortcuts = Shortcuts::ALL;
    for name in &args[4..] {
        match name.as_str() {
            "idle_loops" => shortcuts.idle_loops = false,
            "postponed_sound" => shortcuts.postponed_sound = false,
            "quiet_slices" => shortcuts.quiet_slices = false,
            "whole_lines" => shortcuts.whole_lines = false,
            "decoded_code" => shortcuts.decoded_code = false,
            "unchanged_lines" => shortcuts.unchanged_lines = false,
            other => panic!("there is no shortcut {other}"),
        }
    }
    machine.set_shortcuts(shortcuts);
    let (skip, render, banks) = (number("skip"), meta("render"), number("cart_banks"));
    let mut held = 0u8;
    for line in trace.lines().filter(|line| !line.starts_with('#')).skip(1) {
        let want: Vec<&str> = line.split('\t').collect();
        let pad = u8::from_str_radix(want[2], 16).expect("pad");
        for (mask, pressed) in [(held & !pad, false), (pad & !held, true)] {
            for bit in 0..8 {
                if mask >> bit & 1 != 0 {
                    machine.set_button(bit, pressed);
                }
            }
        }
        held = pad;
        for frame in 0..skip {
            let last = frame == skip - 1;
            let drawn = render == "all" || render == "last" && last;
            machine.run_frame(drawn, sound && drawn).expect("frame");
        }
        let got = hashes(&mut machine, banks);
        for (k, name) in ["screen", "wram", "vram", "oam", "hram", "io", "cart"]
            .iter()
            .enumerate()
        {
            if want[3 + k] != got[k] {
                println!(
                    "{}: step {} differs in {name}: {:?}",
                    args[3],
                    want[0],
                    machine.registers()
                );
                if want.len() > 10 && !want[10].is_empty() {
                    println!("  reference: {}", want[10]);
                }
                std::process::exit(1);
            }
        }
    }
    println!("{}: identical", args[3]);
}

fn hashes(machine: &mut Machine, banks: usize) -> [String; 7] {
    let crc = |bytes: &[u8]| format!("{:08x}", crc32fast::hash(bytes));
    let mut picture = vec![0; 144 * 160 * 4];
    machine.picture_rgba(&mut picture);
    let mut io: Vec<u8> = (0xFF00..=0xFF7F)
        .map(|a| {
            if a == 0xFF41 {
                0
            } else {
                machine.read_memory(a)
            }
        })
        .collect();
    io[0x41] = 0;
    let oam: Vec<u8> = (0xFE00..=0xFEFF).map(|a| machine.read_memory(a)).collect();
    let hram: Vec<u8> = (0xFF80..=0xFFFF).map(|a| machine.read_memory(a)).collect();
    let cart = &machine.cartridge_ram()[..banks * 0x2000];
    [
        crc(&picture),
        crc(machine.wram()),
        crc(machine.vram()),
        crc(&oam),
        crc(&hram),
        crc(&io),
        crc(cart),
    ]
}
