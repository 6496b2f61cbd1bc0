//! Saved states as bytes: every field of a machine, listed once for both directions.
//!
//! Layout: magic, format version, model, sound flag, ROM fingerprint, payload, checksum; little endian.
//! In memory, `Machine::clone_from` is the faster way to reset.

use crate::apu::Apu;
use crate::cartridge::{Banks, Cartridge, Mapper};
use crate::checksum::checksum;
use crate::cpu::Cpu;
use crate::error::EmuError;
use crate::hdma::Hdma;
use crate::joypad::Joypad;
use crate::lcd::palette::ColorRam;
use crate::lcd::stat::Stat;
use crate::lcd::{Lcd, Step};
use crate::machine::Machine;
use crate::oam_dma::OamDma;
use crate::serial::Serial;
use crate::timer::{Reload, Timer};

const MAGIC: &[u8; 8] = b"EMURUST\0";
const VERSION: u16 = 2;
const HEADER: usize = 8 + 2 + 2 + 8;
const CHECKSUM: usize = 8;

/// One pass over the fields: either collects their bytes or sets them from bytes.
pub(crate) enum Pass<'a> {
    Save(Vec<u8>),
    Load(&'a [u8]),
}

impl Pass<'_> {
    fn bytes(&mut self, bytes: &mut [u8]) -> Result<(), EmuError> {
        match self {
            Self::Save(out) => out.extend_from_slice(bytes),
            Self::Load(input) => {
                let Some((head, rest)) = input.split_at_checked(bytes.len()) else {
                    return Err(EmuError::InvalidState("the data ends too early".into()));
                };
                bytes.copy_from_slice(head);
                *input = rest;
            }
        }
        Ok(())
    }
}

pub(crate) trait Persist: Sized {
    fn persist(&mut self, pass: &mut Pass) -> Result<(), EmuError>;

    fn persist_all(items: &mut [Self], pass: &mut Pass) -> Result<(), EmuError> {
        items.iter_mut().try_for_each(|item| item.persist(pass))
    }
}

impl Persist for u8 {
    fn persist(&mut self, pass: &mut Pass) -> Result<(), EmuError> {
        pass.bytes(std::slice::from_mut(self))
    }

    fn persist_all(items: &mut [Self], pass: &mut Pass) -> Result<(), EmuError> {
        pass.bytes(items)
    }
}

macro_rules! persist_numbers {
    ($($number:ty),*) => {$(
        impl Persist for $number {
            fn persist(&mut self, pass: &mut Pass) -> Result<(), EmuError> {
                let mut bytes = self.to_le_bytes();
                pass.bytes(&mut bytes)?;
                *self = Self::from_le_bytes(bytes);
                Ok(())
            }
        }
    )*};
}
persist_numbers!(u16, u32, u64, i32, i64, f64);

impl Persist for usize {
    fn persist(&mut self, pass: &mut Pass) -> Result<(), EmuError> {
        let mut wide = *self as u64;
        wide.persist(pass)?;
        *self = wide as Self;
        Ok(())
    }
}

impl Persist for bool {
    fn persist(&mut self, pass: &mut Pass) -> Result<(), EmuError> {
        let mut byte = u8::from(*self);
        byte.persist(pass)?;
        *self = byte != 0;
        Ok(())
    }
}

impl Persist for Option<u8> {
    fn persist(&mut self, pass: &mut Pass) -> Result<(), EmuError> {
        let mut pair = [u8::from(self.is_some()), self.unwrap_or(0)];
        pass.bytes(&mut pair)?;
        *self = (pair[0] != 0).then_some(pair[1]);
        Ok(())
    }
}

impl<T: Persist, const N: usize> Persist for [T; N] {
    fn persist(&mut self, pass: &mut Pass) -> Result<(), EmuError> {
        T::persist_all(self, pass)
    }
}

/// The length is that of the machine, never taken from the data.
impl<T: Persist> Persist for Vec<T> {
    fn persist(&mut self, pass: &mut Pass) -> Result<(), EmuError> {
        T::persist_all(self, pass)
    }
}

macro_rules! persist {
    ($type:path { $($field:ident),* $(,)? }) => {
        impl Persist for $type {
            fn persist(&mut self, pass: &mut Pass) -> Result<(), EmuError> {
                $(self.$field.persist(pass)?;)*
                Ok(())
            }
        }
    };
}

macro_rules! persist_choice {
    ($type:path { $($variant:ident = $code:literal),* }) => {
        impl Persist for $type {
            fn persist(&mut self, pass: &mut Pass) -> Result<(), EmuError> {
                let mut code: u8 = match self { $(Self::$variant => $code),* };
                code.persist(pass)?;
                *self = match code {
                    $($code => Self::$variant,)*
                    other => return Err(EmuError::InvalidState(format!("unknown code {other}"))),
                };
                Ok(())
            }
        }
    };
}

persist_choice!(Reload { Idle = 0, Pending = 1, Loading = 2 });
persist_choice!(Step { Plain = 0, NextLine = 1, ScanAfterNextLine = 2, VblankAnnounced = 3 });
persist!(Cpu {
    a,
    f,
    bc,
    de,
    hl,
    sp,
    pc,
    ime,
    ei_delay,
    halted,
    halted_in_ei,
    enabled,
    pending,
    locked
});
persist!(Timer {
    divider,
    counter,
    modulo,
    control,
    reload,
    reload_left,
    synced_at,
    distance
});
persist!(Serial {
    control,
    active,
    synced_at,
    distance,
    clock,
    due
});
persist!(OamDma {
    active,
    source,
    index,
    start
});
persist!(Hdma {
    active,
    control,
    source,
    target
});
persist!(Joypad { held });
persist!(Stat { value, line });
persist!(ColorRam {
    spec,
    index,
    high_byte,
    auto_increment,
    colors
});
persist!(Lcd {
    vram,
    oam,
    control,
    stat,
    scy,
    scx,
    ly,
    lyc,
    wy,
    wx,
    bgp,
    obp,
    vram_bank,
    bg_colors,
    obj_colors,
    object_priority,
    color,
    speed_shift,
    clock,
    due,
    synced_at,
    to_change,
    to_frame,
    next_mode,
    step,
    frame_done,
    first_frame,
    restart,
    mode3_extra,
    stat_reads_mode0,
    lyc_written_while_off,
    window_armed,
    line_positions,
    renderer,
});
persist!(crate::apu::units::Length { enabled, left });
persist!(crate::apu::units::Envelope {
    initial,
    rising,
    pace,
    timer,
    volume
});
persist!(crate::apu::pulse::Pulse {
    active,
    duty,
    late_duty,
    length,
    envelope,
    frequency,
    timer,
    period,
    position,
    muted_until_edge
});
persist!(crate::apu::pulse::Sweep {
    pace,
    falling,
    shift,
    timer,
    enabled,
    shadow,
    check_in,
    calculate_in,
    hold,
    fell
});
persist!(crate::apu::wave::Wave {
    table,
    active,
    dac_on,
    volume_code,
    volume_shift,
    length,
    frequency,
    timer,
    period,
    position,
    heard,
    reading,
    muted_until_edge,
    restarting
});
persist!(crate::apu::noise::Noise {
    active,
    length,
    envelope,
    shift,
    short,
    divisor,
    lfsr,
    timer,
    counter,
    countdown,
    alignment,
    counting
});
persist!(Apu {
    speed_shift,
    dots,
    synced_at,
    next_sample,
    next_step,
    limit,
    powered,
    sequencer,
    skip_state,
    last_div_write,
    last_power_off,
    div_written,
    master_volume,
    panning,
    pulse1,
    sweep,
    pulse2,
    wave,
    noise
});
persist!(Banks {
    rom_low,
    rom_high,
    ram_selected,
    ram_enabled
});
persist!(crate::cartridge::mbc1::Mbc1 {
    low,
    high,
    advanced
});
persist!(crate::cartridge::mbc5::Mbc5 { rumbling });
persist!(crate::cartridge::rtc::Rtc {
    seconds,
    minutes,
    hours,
    days,
    halted,
    day_carry,
    subsecond,
    synced_at,
    latched,
    latch
});
persist!(Cartridge { banks, mapper, ram });

impl Persist for Mapper {
    fn persist(&mut self, pass: &mut Pass) -> Result<(), EmuError> {
        match self {
            Self::RomOnly | Self::Mbc2 => Ok(()),
            Self::Mbc1(mbc) => mbc.persist(pass),
            Self::Mbc3(mbc) => mbc.rtc.as_mut().map_or(Ok(()), |rtc| rtc.persist(pass)),
            Self::Mbc5(mbc) => mbc.persist(pass),
        }
    }
}

/// The list of foreign colours is the one part whose length varies.
impl Persist for crate::lcd::renderer::Renderer {
    fn persist(&mut self, pass: &mut Pass) -> Result<(), EmuError> {
        self.cells.persist(pass)?;
        self.window_line.persist(pass)?;
        let mut count = self.foreign.len() as u16;
        count.persist(pass)?;
        self.foreign.resize(usize::from(count), 0);
        self.foreign.persist(pass)
    }
}

impl Persist for Machine {
    fn persist(&mut self, pass: &mut Pass) -> Result<(), EmuError> {
        self.cpu.persist(pass)?;
        self.cycles.persist(pass)?;
        self.boot_mapped.persist(pass)?;
        self.double_speed.persist(pass)?;
        self.lcd.persist(pass)?;
        self.timer.persist(pass)?;
        self.serial.persist(pass)?;
        self.apu.persist(pass)?;
        self.oam_dma.persist(pass)?;
        self.hdma.persist(pass)?;
        self.joypad.persist(pass)?;
        self.p1.persist(pass)?;
        self.key0.persist(pass)?;
        self.key1.persist(pass)?;
        self.undocumented.persist(pass)?;
        self.wram_bank.persist(pass)?;
        self.wram.persist(pass)?;
        self.hram.persist(pass)?;
        self.spare.persist(pass)?;
        self.cartridge.persist(pass)
    }
}

impl Machine {
    /// The whole machine as bytes.
    #[must_use]
    pub fn save_state(&self) -> Vec<u8> {
        let mut out = MAGIC.to_vec();
        out.extend_from_slice(&VERSION.to_le_bytes());
        out.push(u8::from(self.model.is_color()));
        out.push(u8::from(self.apu.emulated));
        out.extend_from_slice(&self.rom.fingerprint.to_le_bytes());
        let mut pass = Pass::Save(out);
        self.clone().persist(&mut pass).expect("saving cannot fail");
        let Pass::Save(mut out) = pass else {
            unreachable!("a saving pass stays one")
        };
        let sum = checksum(&out);
        out.extend_from_slice(&sum.to_le_bytes());
        out
    }

    /// Restores a state of the same ROM, model and sound setting.
    ///
    /// # Errors
    /// `InvalidState`; the machine is unchanged then.
    pub fn load_state(&mut self, state: &[u8]) -> Result<(), EmuError> {
        let invalid = |why: &str| Err(EmuError::InvalidState(why.into()));
        if state.len() < HEADER + CHECKSUM || &state[..8] != MAGIC {
            return invalid("this is not an emurust state");
        }
        let version = u16::from_le_bytes([state[8], state[9]]);
        if version != VERSION {
            return Err(EmuError::InvalidState(format!(
                "the state has format {version}, this version reads {VERSION}"
            )));
        }
        let (body, sum) = state.split_at(state.len() - CHECKSUM);
        if checksum(body).to_le_bytes() != sum {
            return invalid("the checksum is wrong: the data is damaged or cut short");
        }
        if (body[10] != 0, body[11] != 0) != (self.model.is_color(), self.apu.emulated) {
            return invalid("the state was saved with another model or sound setting");
        }
        if body[12..HEADER] != self.rom.fingerprint.to_le_bytes() {
            return invalid("the state belongs to another ROM");
        }
        let mut loaded = self.clone();
        let mut pass = Pass::Load(&body[HEADER..]);
        loaded.persist(&mut pass)?;
        if !matches!(pass, Pass::Load([])) {
            return invalid("there is data left over");
        }
        loaded.adopt()?;
        *self = loaded;
        Ok(())
    }

    /// Checks loaded fields that serve as indices or divisors, and derives what is not stored.
    pub(crate) fn adopt(&mut self) -> Result<(), EmuError> {
        let banks = &self.cartridge.banks;
        let (apu, lcd) = (&self.apu, &self.lcd);
        // saved between frames, every part stands at (or a few cycles around) the CPU's clock
        let near = |time: u64, limit: i64| (time.wrapping_sub(self.cycles) as i64).abs() <= limit;
        let never = crate::NEVER as f64; // in states that were saved without sound
        let soon = |time: f64| time == never || (0.0..20_000.0).contains(&(time - apu.dots as f64));
        let small = |value: i64| value.abs() < 1 << 20;
        let pulse = |p: &crate::apu::pulse::Pulse| {
            (1..=8192).contains(&p.period)
                && p.duty < 4
                && p.late_duty.unwrap_or(0) < 4
                && p.position < 8
                && small(p.timer)
                && (0..=15).contains(&p.envelope.volume)
        };
        let sound = pulse(&apu.pulse1)
            && pulse(&apu.pulse2)
            && apu.wave.position < 32
            && apu.wave.heard < 32
            && (1..=4096).contains(&apu.wave.period)
            && small(apu.wave.timer)
            && apu.wave.volume_shift < 8
            && apu.sweep.shift < 8
            && [apu.sweep.check_in, apu.sweep.calculate_in, apu.sweep.hold]
                .iter()
                .all(|&t| (0..64).contains(&t))
            && (-0x800..0x1000).contains(&apu.sweep.shadow)
            && apu.noise.shift < 16
            && apu.noise.divisor < 8
            && (0..1000).contains(&apu.noise.countdown)
            && small(apu.noise.timer >> 8)
            && (0..=15).contains(&apu.noise.envelope.volume)
            && apu.speed_shift < 2
            && apu.dots < 1 << 48
            && (!apu.emulated || soon(apu.next_step as f64) && soon(apu.next_sample));
        let video = lcd.ly < 154
            && lcd.next_mode < 4
            && lcd.vram_bank < 2
            && lcd.speed_shift < 2
            && lcd.bg_colors.index < 32
            && lcd.obj_colors.index < 32
            && usize::from(self.oam_dma.index) <= lcd.oam.len()
            && lcd.clock < 1 << 20
            && lcd.due < 1 << 20
            && small(lcd.to_change)
            && small(lcd.to_frame)
            && (lcd.vram_bank == 0 || self.model.is_color());
        let mapped = banks.rom_low < banks.rom_count
            && banks.rom_high < banks.rom_count
            && banks.ram_selected < 16
            && self.wram_bank < 8
            && (self.wram_bank < 2 || self.model.is_color());
        let clocks = self.cycles < 1 << 48
            && near(lcd.synced_at, 16)
            && near(self.timer.synced_at, 16)
            && near(self.serial.synced_at, 16)
            && near(apu.synced_at, 16)
            && (!self.oam_dma.active || near(self.oam_dma.start, 4096))
            && (self.timer.reload == crate::timer::Reload::Idle
                || (1..=4).contains(&self.timer.reload_left))
            && self.cpu.f & 0x0F == 0;
        if !(sound && video && mapped && clocks) {
            return Err(EmuError::InvalidState("a field is out of its range".into()));
        }
        self.set_wram_bank(self.wram_bank);
        self.access_offset = 0;
        self.lcd.object_lines.invalidate();
        self.lcd.renderer.forget();
        self.idle.clear();
        self.apu.pending = 0;
        self.apu.close_journal();
        self.disturb();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_rom::counting_rom;
    use crate::Options;

    fn running() -> Machine {
        let mut machine = Machine::after_boot(counting_rom(), &Options::default());
        for _ in 0..7 {
            machine.run_frame(true, true).expect("a frame");
        }
        machine
    }

    #[test]
    fn a_loaded_state_continues_like_the_original() {
        let mut original = running();
        let state = original.save_state();
        let mut copy = Machine::after_boot(counting_rom(), &Options::default());
        copy.load_state(&state).expect("a good state");
        for _ in 0..5 {
            original.run_frame(true, true).expect("a frame");
            copy.run_frame(true, true).expect("a frame");
        }
        assert_eq!(original.save_state(), copy.save_state());
    }

    #[test]
    fn damaged_states_are_refused_and_change_nothing() {
        let mut machine = running();
        let state = machine.save_state();
        for cut in [0, 7, 19, 100, state.len() - 1] {
            assert!(machine.load_state(&state[..cut]).is_err());
        }
        for at in (0..state.len()).step_by(997) {
            let mut bad = state.clone();
            bad[at] ^= 0x40;
            assert!(
                matches!(machine.load_state(&bad), Err(EmuError::InvalidState(_))),
                "byte {at}"
            );
        }
        assert_eq!(machine.save_state(), state);
    }

    #[test]
    fn random_payloads_with_a_right_checksum_never_panic() {
        let state = running().save_state();
        let mut random = 0x2545_F491_4F6C_DD1Du64;
        for _ in 0..200 {
            let mut bad = state[..state.len() - CHECKSUM].to_vec();
            for _ in 0..40 {
                random = random
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1);
                let at = HEADER + (random >> 33) as usize % (bad.len() - HEADER);
                bad[at] = (random >> 20) as u8;
            }
            bad.extend_from_slice(&checksum(&bad.clone()).to_le_bytes());
            let mut machine = Machine::after_boot(counting_rom(), &Options::default());
            if machine.load_state(&bad).is_ok() {
                let _ = machine.run_frame(true, true); // may lock up, must not panic or hang
            }
        }
    }
}
