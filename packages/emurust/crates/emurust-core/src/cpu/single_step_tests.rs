//! 20,000 single instructions of the SingleStepTests/sm83 collection (40 per opcode).
//!
//! Compared are registers, flags and memory. Of that collection's conventions the reference does not share:
//! where PC stands after HALT (76) and STOP (10), and when EI (FB) shows in IME. Bus cycles are not compared.

use std::sync::Arc;

use serde_json::Value;

use crate::cartridge::Rom;
use crate::machine::{Machine, Options};

/// Fields left out, by opcode.
const DIFFERENT_CONVENTION: [(&str, &str); 3] = [("76", "pc"), ("10", "pc"), ("fb", "ime")];

pub(crate) fn empty_rom() -> Arc<Rom> {
    let mut data = vec![0u8; 0x8000];
    data[0x14D] = data[0x134..0x14D]
        .iter()
        .fold(0u8, |sum, &b| sum.wrapping_sub(b).wrapping_sub(1));
    Arc::new(Rom::new(data).expect("a valid header"))
}

fn byte(state: &Value, key: &str) -> u8 {
    state[key]
        .as_u64()
        .unwrap_or_else(|| panic!("{key} missing")) as u8
}

fn word(state: &Value, key: &str) -> u16 {
    state[key].as_u64().expect("a number") as u16
}

fn cells(state: &Value) -> impl Iterator<Item = (usize, u8)> + '_ {
    let pairs = state["ram"].as_array().expect("ram");
    pairs.iter().map(|cell| {
        (
            cell[0].as_u64().expect("address") as usize,
            cell[1].as_u64().expect("byte") as u8,
        )
    })
}

fn run(machine: &mut Machine, initial: &Value) {
    let cpu = &mut machine.cpu;
    let pair = |high, low| u16::from_be_bytes([byte(initial, high), byte(initial, low)]);
    cpu.set_af(pair("a", "f"));
    (cpu.bc, cpu.de, cpu.hl) = (pair("b", "c"), pair("d", "e"), pair("h", "l"));
    cpu.sp = word(initial, "sp");
    cpu.pc = word(initial, "pc");
    cpu.ime = byte(initial, "ime") != 0;
    cpu.ei_delay = 0;
    cpu.halted = false;
    let flat = machine.flat.as_mut().expect("flat memory");
    flat.fill(0);
    for (addr, value) in cells(initial) {
        flat[addr] = value;
    }
    machine.step();
}

/// Names of the fields that differ from the expected state.
fn differences(machine: &Machine, wanted: &Value) -> Vec<&'static str> {
    let cpu = &machine.cpu;
    let bytes = [
        ("a", cpu.a),
        ("f", cpu.f),
        ("b", (cpu.bc >> 8) as u8),
        ("c", cpu.bc as u8),
        ("d", (cpu.de >> 8) as u8),
        ("e", cpu.de as u8),
        ("h", (cpu.hl >> 8) as u8),
        ("l", cpu.hl as u8),
        ("ime", u8::from(cpu.ime)),
    ];
    let mut names: Vec<_> = bytes
        .iter()
        .filter(|(name, got)| byte(wanted, name) != *got)
        .map(|&(name, _)| name)
        .collect();
    names.extend(
        [("sp", cpu.sp), ("pc", cpu.pc)]
            .iter()
            .filter(|(n, v)| word(wanted, n) != *v)
            .map(|&(n, _)| n),
    );
    let flat = machine.flat.as_ref().expect("flat memory");
    if cells(wanted).any(|(addr, value)| flat[addr] != value) {
        names.push("ram");
    }
    names
}

#[test]
fn every_sampled_instruction_agrees() {
    let packed = include_bytes!("../../tests/data/sm83_sample.json.xz");
    let mut text = Vec::new();
    lzma_rs::xz_decompress(&mut &packed[..], &mut text).expect("xz");
    let sample: Value = serde_json::from_slice(&text).expect("json");
    let mut machine = Machine::blank(empty_rom(), &Options::default());
    machine.flat = Some(vec![0; 0x10000]);
    machine.boot_mapped = true; // fetches go through the memory map
    let (mut cases, mut wrong) = (0, Vec::new());
    for (opcode, tests) in sample["tests"].as_object().expect("tests") {
        for test in tests.as_array().expect("cases") {
            cases += 1;
            run(&mut machine, &test["initial"]);
            let differing: Vec<_> = differences(&machine, &test["final"])
                .into_iter()
                .filter(|field| !DIFFERENT_CONVENTION.contains(&(opcode.as_str(), field)))
                .collect();
            if !differing.is_empty() {
                wrong.push(format!("{opcode} {}: {differing:?}", test["name"]));
            }
        }
    }
    assert_eq!(cases, 20_000);
    assert!(
        wrong.is_empty(),
        "{} differ, first {:?}",
        wrong.len(),
        &wrong[..wrong.len().min(20)]
    );
}
