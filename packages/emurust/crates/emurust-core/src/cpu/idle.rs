//! Skipping idle loops: a short loop that writes nothing and comes back to the same registers repeats itself
//! exactly for as long as what it reads stays the same, and within a slice nothing it may read changes.
//!
//! A loop is recorded once, instruction by instruction, with everything it read. Whenever the CPU stands on
//! one of its instructions with the recorded registers and all those bytes are unchanged, whole turns are
//! skipped. The last instructions before the slice's end are always executed: their accesses may fall
//! behind the end, where things change.

use super::decode::{self, Code, LENGTHS};
use super::Cpu;
use crate::cartridge::BANK;
use crate::machine::Machine;

const MAX_INSTRUCTIONS: usize = 12;
const MAX_READS: usize = 6;
/// Loops remembered at a time, by the address of their head.
const SLOTS: usize = 8;
/// Longest instruction in cycles; closer to the end than this nothing is skipped.
const MARGIN: u64 = 24;
/// Failed recordings after which a head is left alone for the rest of the frame.
const PATIENCE: u8 = 3;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Snapshot {
    registers: u64,
    sp: u16,
    pc: u16,
    /// Cycles since the head.
    offset: u16,
}

#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Loop {
    head: u16,
    failures: u8,
    count: u8,
    reads: u8,
    turn: u16,
    rom_banks: (u16, u16),
    instructions: [Snapshot; MAX_INSTRUCTIONS],
    read: [(u16, u8); MAX_READS],
}

#[allow(clippy::large_enum_variant)] // short-lived, on the stack
/// How a CPU waits: halted, or in a loop whose present turn began at `start`.
pub(crate) enum Pace {
    Halted,
    Loop { known: Loop, start: u64 },
}

impl Pace {
    /// The first cycle from `time` on at which an instruction begins.
    pub(crate) fn first_from(&self, time: u64) -> u64 {
        let Self::Loop { known, start } = self else {
            return time;
        };
        let within = (time - start) % u64::from(known.turn);
        let next = known.instructions[..usize::from(known.count)]
            .iter()
            .map(|instruction| u64::from(instruction.offset))
            .find(|&offset| offset >= within)
            .unwrap_or(u64::from(known.turn));
        time - within + next
    }

    /// That instruction.
    fn instruction_from(&self, time: u64) -> Snapshot {
        let Self::Loop { known, start } = self else {
            return Snapshot::default();
        };
        let within = (time - start) % u64::from(known.turn);
        known.instructions[..usize::from(known.count)]
            .iter()
            .find(|instruction| u64::from(instruction.offset) >= within)
            .copied()
            .unwrap_or(known.instructions[0])
    }
}

/// `ldh a,(LY); cp line; jr cc` back to the first.
#[derive(Clone, Copy)]
struct LineWait {
    line: u8,
    jump: u8,
}

impl LineWait {
    /// F after the comparison in line `ly`.
    fn flags(self, ly: u8) -> u8 {
        let zero = if ly == self.line { 0x80 } else { 0 };
        let half = if ly & 0x0F < self.line & 0x0F {
            0x20
        } else {
            0
        };
        let carry = if ly < self.line { 0x10 } else { 0 };
        zero | 0x40 | half | carry
    }

    /// Whether the jump is taken in line `ly`.
    fn goes_on(self, ly: u8) -> bool {
        let (zero, carry) = (ly == self.line, ly < self.line);
        match self.jump {
            0x20 => !zero,
            0x28 => zero,
            0x30 => !carry,
            0x38 => carry,
            _ => false,
        }
    }
}

/// The loops found so far. Only a cache: never saved, and empty after a state was loaded.
#[derive(Debug, Clone)]
pub(crate) struct IdleLoops {
    slots: [Loop; SLOTS],
    /// Slot of the loop that the last slice ended in.
    current: Option<u8>,
}

impl IdleLoops {
    pub(crate) fn new() -> Self {
        Self {
            slots: [Loop::default(); SLOTS],
            current: None,
        }
    }

    /// Gives heads that failed another chance.
    pub(crate) fn start_frame(&mut self) {
        self.slots.iter_mut().for_each(|slot| slot.failures = 0);
    }

    #[inline(always)]
    fn slot_of(head: u16) -> usize {
        usize::from(head ^ head >> 4) % SLOTS
    }

    /// The loop turned out not to be idle, often enough for this frame.
    #[inline(always)]
    pub(super) fn left_alone(&self, head: u16) -> bool {
        let known = &self.slots[Self::slot_of(head)];
        known.head == head && known.failures >= PATIENCE
    }

    /// The last slice ended in a loop.
    #[inline]
    pub(crate) fn waiting(&self) -> bool {
        self.current.is_some()
    }

    pub(crate) fn clear(&mut self) {
        self.slots = [Loop::default(); SLOTS];
        self.current = None;
    }
}

/// All registers but SP and PC.
fn packed(cpu: &Cpu) -> u64 {
    [cpu.bc, cpu.de, cpu.hl]
        .iter()
        .fold(u64::from(cpu.af()), |all, &pair| {
            all << 16 | u64::from(pair)
        })
}

fn unpack(registers: u64, cpu: &mut Cpu) {
    cpu.hl = registers as u16;
    cpu.de = (registers >> 16) as u16;
    cpu.bc = (registers >> 32) as u16;
    cpu.set_af((registers >> 48) as u16);
}

/// Whether the instruction at `at` of a bank is a jump backwards over a short piece of straight code that
/// writes nothing and in which no register only counts: the shape of an idle loop. (Only a guess for
/// banks that are not mapped where they usually are.)
pub(super) fn closes_loop(bank: &[u8], at: usize) -> bool {
    let opcode = bank[at];
    let head = match opcode {
        0x18 | 0x20 | 0x28 | 0x30 | 0x38 => {
            (at + 2).checked_add_signed(isize::from(bank[at + 1] as i8))
        }
        0xC2 | 0xC3 | 0xCA | 0xD2 | 0xDA => {
            let target = usize::from(u16::from_le_bytes([bank[at + 1], bank[at + 2]]));
            (target < 2 * BANK).then_some(target % BANK)
        }
        _ => None,
    };
    let Some(mut here) = head.filter(|&head| head <= at) else {
        return false;
    };
    // registers as bits 0 to 7 by number, (HL) unused
    let (mut counted, mut loaded) = (0u8, 0u8);
    for _ in 1..MAX_INSTRUCTIONS {
        if here >= at {
            break;
        }
        let opcode = bank[here];
        if matches!(
            classify(&Cpu::default(), opcode, u16::from(bank[here + 1])),
            Kind::Forbidden
        ) {
            return false;
        }
        let pair = [0x03, 0x0C, 0x30, 0x00][usize::from(opcode >> 4 & 3)];
        match opcode {
            0x04..=0x3D if opcode & 6 == 4 => counted |= 1 << (opcode >> 3),
            0x03..=0x3B if opcode & 7 == 3 => counted |= pair,
            0x22 | 0x2A | 0x32 | 0x3A => counted |= 0x30,
            0x0A | 0x1A | 0xF0 | 0xF2 | 0xFA => loaded |= 0x80,
            0x01 | 0x11 | 0x21 => loaded |= pair,
            0x06..=0x3E if opcode & 7 == 6 => loaded |= 1 << (opcode >> 3),
            0x40..=0x7F => loaded |= 1 << (opcode >> 3 & 7),
            _ => {}
        }
        if opcode == 0x2A || opcode == 0x3A {
            loaded |= 0x80;
        }
        here += usize::from(LENGTHS[usize::from(opcode)]);
    }
    here == at && counted & !loaded == 0
}

/// What an instruction of an idle loop may do.
enum Kind {
    Plain,
    Reads(u16),
    Forbidden,
}

fn classify(cpu: &Cpu, opcode: u8, operand: u16) -> Kind {
    match opcode {
        0x0A => Kind::Reads(cpu.bc),
        0x1A => Kind::Reads(cpu.de),
        0x2A | 0x3A => Kind::Reads(cpu.hl),
        0xF0 => Kind::Reads(0xFF00 | operand & 0xFF),
        0xF2 => Kind::Reads(0xFF00 | cpu.bc & 0xFF),
        0xFA => Kind::Reads(operand),
        0x70..=0x77 | 0x34..=0x36 => Kind::Forbidden,
        0x40..=0xBF if opcode & 7 == 6 => Kind::Reads(cpu.hl),
        0xCB => match operand as u8 {
            bit @ 0x40..=0x7F if bit & 7 == 6 => Kind::Reads(cpu.hl),
            other if other & 7 == 6 => Kind::Forbidden,
            _ => Kind::Plain,
        },
        0x02 | 0x08 | 0x10 | 0x12 | 0x22 | 0x32 => Kind::Forbidden,
        0x00..=0xBF => Kind::Plain,
        0xC2 | 0xC3 | 0xC6 | 0xCA | 0xCE | 0xD2 | 0xD6 | 0xDA | 0xDE | 0xE6 | 0xE9 | 0xEE
        | 0xF6 | 0xFE => Kind::Plain,
        _ => Kind::Forbidden,
    }
}

impl Machine {
    /// The byte at `addr`, if it cannot change within a slice unless the CPU writes it.
    fn steady_byte(&self, addr: u16) -> Option<u8> {
        Some(match addr {
            0xC000..=0xDFFF => self.wram[self.wram_offset(addr)],
            0xE000..=0xFDFF => self.wram[self.wram_offset(addr - 0x2000)],
            0xFF80..=0xFFFE => self.hram[usize::from(addr - 0xFF80)],
            0xFF00 => self.p1,
            0xFF0F => self.cpu.pending,
            0xFF40 => self.lcd.control,
            0xFF41 if !self.lcd.stat_reads_mode0 => self.lcd.stat.value,
            0xFF42 => self.lcd.scy,
            0xFF43 => self.lcd.scx,
            0xFF44 => self.lcd.ly,
            0xFF45 => self.lcd.lyc,
            0xFF4A => self.lcd.wy,
            0xFF4B => self.lcd.wx,
            0xFFFF => self.cpu.enabled,
            _ => return None,
        })
    }

    fn mapped_banks(&self) -> (u16, u16) {
        (
            self.cartridge.banks.rom_low as u16,
            self.cartridge.banks.rom_high as u16,
        )
    }

    fn snapshot(&self, since: u64) -> Snapshot {
        Snapshot {
            registers: packed(&self.cpu),
            sp: self.cpu.sp,
            pc: self.cpu.pc,
            offset: (self.cycles - since) as u16,
        }
    }

    /// Skipping is possible at all: nothing but the CPU is at work within the slice.
    #[inline]
    fn may_idle(&self) -> bool {
        self.shortcuts.idle_loops
            && !self.oam_dma.active
            && !self.boot_mapped
            && self.cpu.ei_delay == 0
    }

    /// At the start of a slice: goes on in the loop that the last one ended in.
    #[inline]
    pub(super) fn resume_idle_loop(&mut self, end: u64) {
        if let Some(slot) = self.idle.current.take() {
            if self.may_idle() {
                self.skip_turns(usize::from(slot), end);
            }
        }
    }

    /// After a jump backwards: skips, or records the loop if it is not known.
    pub(super) fn at_loop_head(&mut self, code: &Code<'_>, end: u64) {
        if !self.may_idle() {
            return;
        }
        let head = self.cpu.pc;
        let slot = IdleLoops::slot_of(head);
        let known = &self.idle.slots[slot];
        let recorded = known.head == head && known.count != 0;
        if self.idle.left_alone(head) || recorded && self.skip_turns(slot, end) {
            return;
        }
        self.record(code, slot, end);
    }

    /// Which instruction of a recorded loop the CPU stands on, if the loop still is what it was.
    fn phase_of(&self, known: &Loop) -> Option<usize> {
        let (registers, cpu) = (packed(&self.cpu), &self.cpu);
        let phase = known.instructions[..usize::from(known.count)]
            .iter()
            .position(|i| i.pc == cpu.pc && i.registers == registers && i.sp == cpu.sp)?;
        let unchanged = known.rom_banks == self.mapped_banks()
            && known.read[..usize::from(known.reads)]
                .iter()
                .all(|&(addr, value)| self.steady_byte(addr) == Some(value));
        unchanged.then_some(phase)
    }

    /// How many of the next `lines` the loop that the last slice ended in will not notice. A loop that waits
    /// for a line does not notice those that it does not wait for.
    pub(crate) fn unnoticed_lines(&self, lines: u64) -> u64 {
        let Some(slot) = self.idle.current else {
            return 0;
        };
        let known = &self.idle.slots[usize::from(slot)];
        let reads = &known.read[..usize::from(known.reads)];
        if reads.iter().any(|&(addr, _)| addr == 0xFF41) {
            return 0;
        }
        if reads.iter().all(|&(addr, _)| addr != 0xFF44) {
            return lines;
        }
        let Some(wait) = self.line_wait(known) else {
            return 0;
        };
        let goes_on = |&line: &u64| wait.goes_on(self.lcd.ly + line as u8);
        (1..=lines).take_while(goes_on).count() as u64
    }

    /// The loop as one that waits for a line.
    fn line_wait(&self, known: &Loop) -> Option<LineWait> {
        let at = usize::from(known.head);
        let banks = &self.cartridge.banks;
        let shift = if at < BANK {
            banks.rom_low * BANK
        } else {
            (banks.rom_high * BANK).wrapping_sub(BANK)
        };
        let code = self.rom.data.get(at.wrapping_add(shift)..)?;
        match *code {
            [0xF0, 0x44, 0xFE, line, jump, 0xFA, ..] if known.count == 3 => {
                Some(LineWait { line, jump })
            }
            _ => None,
        }
    }

    /// How the CPU waits, if it does.
    pub(crate) fn pace(&self) -> Option<Pace> {
        if self.cpu.halted {
            return Some(Pace::Halted);
        }
        let slot = self.idle.current.filter(|_| self.may_idle())?;
        let known = self.idle.slots[usize::from(slot)];
        let phase = self.phase_of(&known)?;
        let start = self.cycles - u64::from(known.instructions[phase].offset);
        Some(Pace::Loop { known, start })
    }

    /// Lets the CPU wait to the cycle `time` or the first one after it at which a slice can end, when LY
    /// will long have been `line`.
    pub(crate) fn arrive(&mut self, pace: &Pace, time: u64, line: u8) {
        self.cycles = pace.first_from(time);
        let Pace::Loop { known, .. } = pace else {
            return;
        };
        let target = pace.instruction_from(time);
        unpack(target.registers, &mut self.cpu);
        self.cpu.pc = target.pc;
        if known.read[0].0 == 0xFF44 {
            if let Some(wait) = self.line_wait(known) {
                // the last two turns at least saw this line
                self.cpu.a = line;
                self.cpu.f = wait.flags(line);
            }
        }
    }

    /// A countdown `dec a; jr nz` in high RAM, where programs wait for an OAM DMA: goes to its last turn
    /// that begins before `end`. All it touches is A, F and the DMA, which catches up at the next fetch.
    pub(super) fn skip_countdown(&mut self, end: u64) {
        const TURN: u64 = 16;
        let Some(at) = usize::from(self.cpu.pc).checked_sub(0xFF80) else {
            return;
        };
        let waits = self.hram.get(at..at + 3) == Some(&[0x3D, 0x20, 0xFD]);
        if !waits || !self.shortcuts.idle_loops || self.cpu.attention != 0 {
            return;
        }
        let left = u64::from(self.cpu.a.wrapping_sub(1));
        let turns = left.min((end - self.cycles - 1) / TURN);
        if turns > 0 {
            self.cycles += turns * TURN;
            self.cpu.a = self.cpu.a.wrapping_sub(turns as u8);
            let half = if self.cpu.a & 0x0F == 0x0F { 0x20 } else { 0 };
            // not zero, subtracted, borrowed from the upper half or not; carry stays
            self.cpu.f = self.cpu.f & 0x10 | 0x40 | half;
        }
    }

    /// Skips what can be skipped from the present instruction on; false if the loop does not apply.
    fn skip_turns(&mut self, slot: usize, end: u64) -> bool {
        let known = &self.idle.slots[slot];
        let Some(phase) = self.phase_of(known) else {
            return false;
        };
        let instructions = &known.instructions[..usize::from(known.count)];
        let limit = end.saturating_sub(MARGIN);
        if self.cycles < limit {
            let (turn, start) = (
                u64::from(known.turn),
                self.cycles - u64::from(instructions[phase].offset),
            );
            // the last instruction of a turn that still begins at or before the limit
            let within = (limit - start) % turn;
            let last = instructions
                .iter()
                .rposition(|i| u64::from(i.offset) <= within)
                .unwrap_or(0);
            let target = instructions[last];
            let reached = limit - within + u64::from(target.offset);
            if reached > self.cycles {
                self.cycles = reached;
                unpack(target.registers, &mut self.cpu);
                self.cpu.pc = target.pc;
            }
        }
        self.idle.current = Some(slot as u8);
        true
    }

    /// Executes one turn and remembers it if it was an idle one.
    fn record(&mut self, code: &Code<'_>, slot: usize, end: u64) {
        let head = self.cpu.pc;
        let since = self.cycles;
        let mut found = Loop {
            head,
            rom_banks: self.mapped_banks(),
            ..Loop::default()
        };
        let old = &self.idle.slots[slot];
        found.failures = if old.head == head { old.failures } else { 0 };
        let first = self.snapshot(since);
        let mut complete = false;
        while usize::from(found.count) < MAX_INSTRUCTIONS && self.cycles < end {
            let pc = self.cpu.pc;
            if pc >= 0x7FFE {
                break;
            }
            let (opcode, operand) = self.fetch(pc, self.cycles);
            let kind = classify(&self.cpu, opcode, operand);
            if matches!(kind, Kind::Forbidden) {
                break;
            }
            found.instructions[usize::from(found.count)] = self.snapshot(since);
            found.count += 1;
            self.execute_one(code, decode::plain(opcode, operand));
            if let Kind::Reads(addr) = kind {
                // ROM cannot change while the same banks are mapped
                if addr >= 0x8000 {
                    let Some(value) = self.steady_byte(addr) else {
                        break;
                    };
                    if usize::from(found.reads) == MAX_READS {
                        break;
                    }
                    found.read[usize::from(found.reads)] = (addr, value);
                    found.reads += 1;
                }
            }
            if self.cpu.pc == head {
                let back = self.snapshot(since);
                complete = back.registers == first.registers && back.sp == first.sp;
                found.turn = back.offset;
                break;
            }
        }
        // a read in the turn may have moved the LCD past the slice's end: then nothing is proved
        if complete && self.cycles <= end {
            self.idle.slots[slot] = found;
            self.skip_turns(slot, end);
        } else {
            self.idle.slots[slot] = Loop {
                head,
                failures: found.failures + 1,
                ..Loop::default()
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::test_rom::rom_from;
    use crate::{Machine, Options, Shortcuts};

    fn states_after(program: &[u8], shortcuts: Shortcuts, frames: usize) -> Vec<Vec<u8>> {
        let mut machine = Machine::after_boot(rom_from(program), &Options::default());
        machine.set_shortcuts(shortcuts);
        (0..frames)
            .map(|_| {
                machine.run_frame(true, true).expect("a frame");
                machine.save_state()
            })
            .collect()
    }

    #[test]
    fn polling_loops_are_skipped_without_a_trace() {
        let programs: [&[u8]; 4] = [
            // wait for line 144, count in work RAM, wait for it to pass
            &[
                0x21, 0x00, 0xC0, 0xF0, 0x44, 0xFE, 0x90, 0x20, 0xFA, 0x34, 0xF0, 0x44, 0xFE, 0x90,
                0x28, 0xFA, 0x18, 0xF1,
            ],
            // wait for mode 3 by STAT, change SCX
            &[
                0xF0, 0x41, 0xE6, 0x03, 0xFE, 0x03, 0x20, 0xF8, 0xF0, 0x43, 0x3C, 0xE0, 0x43, 0x18,
                0xF1,
            ],
            // jr to itself with the timer and its interrupt running
            &[
                0x3E, 0x05, 0xE0, 0x07, 0x3E, 0x04, 0xE0, 0xFF, 0xFB, 0x18, 0xFE,
            ],
            // wait for a byte in work RAM that nobody sets, with VBlank interrupts
            &[
                0x3E, 0x01, 0xE0, 0xFF, 0xFB, 0xFA, 0x00, 0xC1, 0xA7, 0x28, 0xFA, 0x18, 0xF8,
            ],
        ];
        for program in programs {
            assert_eq!(
                states_after(program, Shortcuts::ALL, 40),
                states_after(program, Shortcuts::NONE, 40),
                "{program:02x?}"
            );
        }
    }

    #[test]
    fn loops_that_only_look_idle_are_left_alone_without_a_trace() {
        // B goes up by the byte at C000h until it is zero again, then that byte goes up
        let program: &[u8] = &[
            0x21, 0x00, 0xC0, 0x34, 0xFA, 0x00, 0xC0, 0x80, 0x47, 0x20, 0xF9, 0x18, 0xF6,
        ];
        let mut machine = Machine::after_boot(rom_from(program), &Options::default());
        let head = 0x0154;
        assert!(!machine.idle.left_alone(head));
        machine.run_frame(false, false).expect("a frame");
        assert!(machine.idle.left_alone(head));
        assert_eq!(
            states_after(program, Shortcuts::ALL, 40),
            states_after(program, Shortcuts::NONE, 40)
        );
    }
}
