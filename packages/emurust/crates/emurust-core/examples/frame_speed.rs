//! CPU time per frame of every ROM of a folder in the three settings of the speed claim.
//!
//! `frame_speed FOLDER [FRAMES [PART_OF_NAME [SETTING]]]`: starts after the boot ROM, lets a player tap around for 240
//! frames, then prints microseconds per frame (0: skip 24 with sound, 1: without sound, 2: every frame drawn).

use std::sync::Arc;

use cpu_time::ThreadTime;
use emurust_core::{Machine, Options, Rom};

fn measure(rom: &Arc<Rom>, sound: bool, skip: usize, frames: usize) -> f64 {
    let options = Options {
        sound,
        ..Options::default()
    };
    let mut machine = Machine::after_boot(rom.clone(), &options);
    for frame in 0..240 {
        machine.set_button(7, frame % 60 < 6);
        machine.set_button(4, frame % 23 < 4);
        machine.set_button(frame as u8 / 40 % 4, frame % 40 < 20);
        if machine.run_frame(false, false).is_err() {
            return f64::NAN;
        }
    }
    let start = ThreadTime::now();
    for frame in 0..frames {
        let last = frame % skip == skip - 1;
        if machine.run_frame(last, last && sound).is_err() {
            return f64::NAN;
        }
    }
    start.elapsed().as_secs_f64() * 1e6 / frames as f64
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let frames = args.get(2).map_or(480, |n| n.parse().expect("a number"));
    let part = args.get(3).cloned().unwrap_or_default();
    let only: Option<usize> = args.get(4).map(|n| n.parse().expect("0, 1 or 2"));
    let mut paths: Vec<_> = std::fs::read_dir(&args[1])
        .expect("a folder")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|e| e == "gb" || e == "gbc"))
        .filter(|path| path.to_string_lossy().contains(&part))
        .collect();
    paths.sort();
    let mut logs = [0.0; 3];
    for path in &paths {
        let rom = Rom::new(std::fs::read(path).expect("a ROM")).expect("a valid ROM");
        let rom = Arc::new(rom);
        let mut times = [1.0; 3];
        for (number, (sound, skip)) in [(true, 24), (false, 24), (true, 1)].into_iter().enumerate()
        {
            if only.is_none_or(|only| only == number) {
                times[number] = measure(&rom, sound, skip, frames);
            }
        }
        for (log, time) in logs.iter_mut().zip(times) {
            *log += time.ln();
        }
        let name = path.file_name().expect("a name").to_string_lossy();
        println!(
            "{name:44} {:7.2} {:7.2} {:7.2}",
            times[0], times[1], times[2]
        );
    }
    let means = logs.map(|log| (log / paths.len() as f64).exp());
    println!(
        "{:44} {:7.2} {:7.2} {:7.2}",
        "geometric mean", means[0], means[1], means[2]
    );
}
