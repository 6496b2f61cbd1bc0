//! Reading the sound unit.

use super::layout::Channels;
use super::reader::{wrong, Reader};
use super::samples_per_frame;
use crate::apu::noise::Noise;
use crate::apu::pulse::Pulse;
use crate::apu::units::{Envelope, Length};
use crate::apu::Apu;
use crate::error::EmuError;

pub(super) fn read_apu(apu: &mut Apu, input: &mut Reader) -> Result<(), EmuError> {
    let head = input.u64()?; // how much of the sample buffer is of the last frame
    let per_frame = input.u64()?;
    // old states took a sixtieth of a second for a frame
    let legacy = u64::from(apu.sample_rate / 60);
    let usual = samples_per_frame(apu.sample_rate);
    if per_frame != usual && per_frame != legacy {
        return Err(wrong(
            "the state was saved with another sound sample rate than this console's",
        ));
    }
    let saved_interval = input.f64()?;
    let buffer = input.slice((per_frame as usize + 1) * 2)?;
    let last = usize::try_from(head).unwrap_or(0).min(buffer.len());
    apu.samples.clear();
    if apu.record {
        apu.samples
            .extend(buffer[..last].iter().map(|&sample| sample as i8));
    }
    apu.speed_shift = input.u8()?;
    apu.next_sample = input.f64()?;
    apu.next_step = input.f64()? as u64;
    apu.limit = input.i64()?;
    apu.dots = input.u64()?;
    apu.synced_at = input.u64()?;
    apu.skip_state = input.u64()?;
    apu.sequencer = input.u64()?;
    apu.div_written = input.version >= 22 && input.flag()?;
    apu.powered = input.flag()?;
    input.u8()?; // sampling is set per frame
    let sides: [u8; 8] = input.array()?;
    apu.panning = sides.iter().fold(0, |all, bit| all | bit);
    if input.layout.master_volume {
        apu.master_volume = input.u8()?;
    }
    read_channels(apu, input)?;
    if per_frame != usual && apu.next_sample < crate::NEVER as f64 {
        // the reference rescales what is left of the interval
        let left = (apu.next_sample - apu.dots as f64).max(0.0);
        apu.next_sample = apu.dots as f64 + left * apu.sample_interval / saved_interval;
        apu.limit = (apu.next_sample.ceil() as i64).min(apu.next_step as i64) << apu.speed_shift;
    }
    Ok(())
}

pub(super) fn read_channels(apu: &mut Apu, input: &mut Reader) -> Result<(), EmuError> {
    let checked = input.layout.channels >= Channels::Checked;
    read_pulse(&mut apu.pulse1, input)?;
    let sweep = &mut apu.sweep;
    sweep.pace = input.u8()?;
    sweep.falling = input.flag()?;
    sweep.shift = input.u8()?;
    sweep.timer = input.i64()?;
    sweep.check_in = if checked { input.i64()? } else { 0 };
    sweep.calculate_in = if input.version >= 27 { input.i64()? } else { 0 };
    sweep.hold = if input.version >= 28 { input.i64()? } else { 0 };
    sweep.fell = checked && input.flag()?;
    sweep.enabled = input.flag()?;
    sweep.shadow = input.i64()?;
    read_pulse(&mut apu.pulse2, input)?;
    read_wave(apu, input)?;
    read_noise(&mut apu.noise, input)
}

fn read_envelope_registers(envelope: &mut Envelope, input: &mut Reader) -> Result<(), EmuError> {
    envelope.initial = input.u8()?;
    envelope.rising = input.flag()?;
    envelope.pace = input.u8()?;
    Ok(())
}

fn read_length(length: &mut Length, input: &mut Reader) -> Result<(), EmuError> {
    length.left = input.i64()?;
    Ok(())
}

fn read_pulse(pulse: &mut Pulse, input: &mut Reader) -> Result<(), EmuError> {
    pulse.duty = input.u8()?;
    input.u8()?; // initial length
    read_envelope_registers(&mut pulse.envelope, input)?;
    pulse.frequency = input.u16()?;
    pulse.length.enabled = input.flag()?;
    pulse.active = input.flag()?;
    read_length(&mut pulse.length, input)?;
    pulse.envelope.timer = input.i64()?;
    pulse.timer = input.i64()?;
    pulse.period = input.i64()?;
    pulse.position = input.u64()? as u8 & 7;
    pulse.envelope.volume = input.i64()?;
    pulse.muted_until_edge = false;
    pulse.late_duty = None;
    if input.version >= 23 {
        pulse.muted_until_edge = input.flag()?;
        let late = input.u8()?;
        pulse.late_duty = input.flag()?.then_some(late);
    }
    Ok(())
}

fn read_wave(apu: &mut Apu, input: &mut Reader) -> Result<(), EmuError> {
    let wave = &mut apu.wave;
    wave.table = input.array()?;
    wave.dac_on = input.flag()?;
    input.u8()?; // initial length
    wave.volume_code = input.u8()?;
    wave.frequency = input.u16()?;
    wave.length.enabled = input.flag()?;
    wave.active = input.flag()?;
    read_length(&mut wave.length, input)?;
    wave.timer = input.i64()?;
    wave.period = input.i64()?;
    wave.position = input.u64()? as u8 & 31;
    wave.muted_until_edge = input.layout.channels >= Channels::Muted && input.flag()?;
    wave.volume_shift = input.u64()? as u8 & 7;
    wave.reading = input.layout.channels >= Channels::Checked && input.flag()?;
    wave.restarting = input.version >= 24 && input.flag()?;
    wave.heard = wave.position;
    if input.version >= 25 {
        wave.heard = input.u64()? as u8 & 31;
    } else if wave.restarting {
        wave.position = 0;
    }
    Ok(())
}

fn read_noise(noise: &mut Noise, input: &mut Reader) -> Result<(), EmuError> {
    input.u8()?; // initial length
    read_envelope_registers(&mut noise.envelope, input)?;
    noise.shift = input.u8()?;
    noise.short = input.flag()?;
    noise.divisor = input.u8()? & 7;
    noise.length.enabled = input.flag()?;
    noise.active = input.flag()?;
    read_length(&mut noise.length, input)?;
    noise.timer = input.i64()?;
    noise.envelope.timer = input.i64()?;
    input.i64()?; // period: follows from shift and divisor
    noise.lfsr = input.u64()? as u16;
    input.u64()?; // feedback mask: follows from the width
    noise.envelope.volume = input.i64()?;
    if input.version >= 26 {
        noise.counter = input.u64()? as u16;
        noise.countdown = input.i64()?;
        noise.alignment = input.u64()? as u8 & 3;
        noise.counting = input.flag()?;
    } else {
        noise.restore_counter();
    }
    Ok(())
}
