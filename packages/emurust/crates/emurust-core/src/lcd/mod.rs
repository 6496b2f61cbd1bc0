//! LCD controller: registers, video memory and the mode timing of a line.
//!
//! Every call of [`Lcd::advance`] makes **at most one** mode change, however many dots have passed: an
//! instruction that runs past a change delays the following one to the next call. Programs can see this.

pub(crate) mod objects;
pub(crate) mod palette;
pub(crate) mod renderer;
pub(crate) mod stat;
pub(crate) mod unchanged;

use educe::Educe;

use objects::{ObjectLines, OAM_SIZE};
use palette::ColorRam;
use renderer::Renderer;
use unchanged::Changes;

use stat::{Stat, DRAWING, HBLANK, OAM_ENABLE, OAM_SCAN, VBLANK};

use crate::interrupts::{LCD, VBLANK as VBLANK_IRQ};

pub(crate) const FRAME_DOTS: u64 = 70_224;
pub(crate) const LINE_DOTS: u64 = 456;
const OAM_SCAN_DOTS: u64 = 80;
const FIRST_VBLANK_LINE: u8 = 144;
const LAST_LINE: u8 = 153;
pub(crate) const VRAM_BANK: usize = 0x2000;

/// LCDC bits.
pub(crate) mod lcdc {
    pub(crate) const BG_ON: u8 = 0x01;
    pub(crate) const OBJ_ON: u8 = 0x02;
    pub(crate) const OBJ_TALL: u8 = 0x04;
    pub(crate) const BG_MAP: u8 = 0x08;
    pub(crate) const TILES_LOW: u8 = 0x10;
    pub(crate) const WINDOW_ON: u8 = 0x20;
    pub(crate) const WINDOW_MAP: u8 = 0x40;
    pub(crate) const ON: u8 = 0x80;
}

/// What happens at the next mode change besides entering `next_mode`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    /// Just the mode change.
    Plain,
    /// Mode 0 goes on for four dots with LY already on the next line.
    NextLine,
    /// Those four dots end; mode 2 begins.
    ScanAfterNextLine,
    /// The STAT interrupt of line 144 was already raised four dots early.
    VblankAnnounced,
}

#[derive(Debug, Educe)]
#[educe(Clone)]
pub(crate) struct Lcd {
    pub(crate) vram: Vec<u8>,
    pub(crate) oam: [u8; OAM_SIZE],
    pub(crate) control: u8,
    pub(crate) stat: Stat,
    pub(crate) scy: u8,
    pub(crate) scx: u8,
    pub(crate) ly: u8,
    pub(crate) lyc: u8,
    pub(crate) wy: u8,
    pub(crate) wx: u8,
    pub(crate) bgp: u8,
    pub(crate) obp: [u8; 2],
    pub(crate) vram_bank: u8,
    pub(crate) bg_colors: ColorRam,
    pub(crate) obj_colors: ColorRam,
    pub(crate) object_priority: u8,

    /// Colour functions in use (off after the boot ROM downgrades to a monochrome cartridge).
    pub(crate) color: bool,
    /// Colour hardware, whatever it is used for: it has its own mode lengths.
    pub(crate) color_hardware: bool,
    pub(crate) speed_shift: u8,
    pub(crate) clock: u64,
    pub(crate) due: u64,
    pub(crate) synced_at: u64,
    pub(crate) to_change: i64,
    pub(crate) to_frame: i64,
    pub(crate) next_mode: u8,
    pub(crate) step: Step,
    pub(crate) frame_done: bool,
    /// The frame after switching on: shorter first line, no picture.
    pub(crate) first_frame: bool,
    pub(crate) restart: bool,
    pub(crate) mode3_extra: i32,
    pub(crate) stat_reads_mode0: bool,
    pub(crate) lyc_written_while_off: bool,
    /// WY matched LY in some line of this frame, so the window may show.
    pub(crate) window_armed: bool,
    /// SCX, SCY, WX, WY and the tile-data bit of every line, for tile-map views.
    pub(crate) line_positions: Vec<[u8; 5]>,
    pub(crate) renderer: Renderer,
    pub(crate) object_lines: ObjectLines,
    pub(crate) changes: Changes,
}

impl Lcd {
    pub(crate) fn new(color: bool) -> Self {
        Self {
            vram: vec![0; if color { 2 * VRAM_BANK } else { VRAM_BANK }],
            oam: [0; OAM_SIZE],
            control: 0,
            stat: Stat::new(),
            scy: 0,
            scx: 0,
            ly: 0,
            lyc: 0,
            wy: 0,
            wx: 0,
            bgp: 0xFC,
            obp: [0xFF; 2],
            vram_bank: 0,
            bg_colors: ColorRam::new(),
            obj_colors: ColorRam::new(),
            object_priority: 0xFF,
            color,
            color_hardware: color,
            speed_shift: 0,
            clock: 0,
            due: FRAME_DOTS,
            synced_at: 0,
            to_change: 0,
            to_frame: FRAME_DOTS as i64,
            next_mode: OAM_SCAN,
            step: Step::Plain,
            frame_done: false,
            first_frame: false,
            restart: false,
            mode3_extra: 0,
            stat_reads_mode0: false,
            lyc_written_while_off: false,
            window_armed: false,
            line_positions: vec![[0; 5]; renderer::HEIGHT],
            renderer: Renderer::new(),
            object_lines: ObjectLines::new(),
            changes: Changes::new(),
        }
    }

    #[inline]
    pub(crate) fn on(&self) -> bool {
        self.control & lcdc::ON != 0
    }

    #[inline]
    pub(crate) fn mode(&self) -> u8 {
        self.stat.mode()
    }

    pub(crate) fn object_height(&self) -> u8 {
        if self.control & lcdc::OBJ_TALL != 0 {
            16
        } else {
            8
        }
    }

    /// OAM is already locked while LY has advanced but mode 2 has not begun (first frame only).
    pub(crate) fn startup_scan_pending(&self) -> bool {
        self.first_frame && self.step == Step::ScanAfterNextLine
    }

    /// At most four dots remain of the current mode.
    pub(crate) fn about_to_change(&self) -> bool {
        self.clock <= self.due && self.due - self.clock <= 4
    }

    /// Writes LCDC; returns interrupt flags.
    pub(crate) fn write_control(&mut self, value: u8) -> u8 {
        let before = std::mem::replace(&mut self.control, value);
        let changed = before ^ value;
        if self.color && changed & before & lcdc::WINDOW_ON != 0 {
            self.window_armed = false;
        }
        if changed & lcdc::ON == 0 {
            return 0;
        }
        if before & lcdc::ON != 0 {
            self.clock = 0;
            self.due = 0;
            self.to_frame = 0;
            self.stat.enter(HBLANK);
            self.ly = 0;
            return 0;
        }
        self.due = 0;
        self.first_frame = true;
        self.restart = true;
        if self.lyc_written_while_off {
            self.stat_reads_mode0 |= !self.color;
            self.lyc_written_while_off = false;
        }
        if self.stat.value & 0x40 != 0 {
            return flag(self.stat.set_coincidence(self.lyc == self.ly));
        }
        0
    }

    /// Writes LYC; returns interrupt flags.
    pub(crate) fn write_lyc(&mut self, value: u8) -> u8 {
        self.lyc = value;
        if self.on() {
            return self.compare();
        }
        self.lyc_written_while_off = true;
        0
    }

    /// Reads STAT, including the one false mode 0 after switching on.
    pub(crate) fn read_stat(&mut self) -> u8 {
        if std::mem::take(&mut self.stat_reads_mode0) {
            self.stat.value & !3
        } else {
            self.stat.value
        }
    }

    #[inline]
    fn compare(&mut self) -> u8 {
        flag(self.stat.set_coincidence(self.lyc == self.ly))
    }

    /// Colour hardware raises the mode-2 interrupt of line 144 four dots before the line.
    #[inline]
    pub(crate) fn announces_vblank(&self) -> bool {
        self.ly == FIRST_VBLANK_LINE - 1
            && self.color_hardware
            && self.mode() == HBLANK
            && self.next_mode == VBLANK
            && self.on()
            && self.stat.value & OAM_ENABLE != 0
            && !self.stat.line
    }

    /// Dots by which mode 3 of `line` differs from its base length.
    pub(crate) fn mode3_extra_dots(&mut self, line: u8) -> i32 {
        let objects = if self.control & lcdc::OBJ_ON != 0 {
            let height = self.object_height();
            let on_line = self.object_lines.on_line(&self.oam, line, height);
            objects::mode3_penalty(&self.oam, on_line, self.scx, self.color_hardware)
        } else {
            0
        };
        if self.first_frame || self.color_hardware {
            objects
        } else {
            objects + i32::from(((self.scx & 7) + 3) & !3)
        }
    }

    fn mode3_base(&self) -> i32 {
        if self.color_hardware && !self.first_frame {
            170
        } else {
            172
        }
    }

    /// How many lines can pass without an interrupt and with nothing special in them, counted from mode 3
    /// of the present line to mode 3 of the last visible one at most.
    pub(crate) fn uniform_lines(&self) -> u64 {
        let ordinary = self.on()
            && !self.restart
            && !self.first_frame
            && self.mode() == DRAWING
            && self.next_mode == HBLANK
            && self.clock + 4 <= self.due
            && !self.stat.interrupts_by_mode();
        if !ordinary {
            return 0;
        }
        let ends = self.stat.interrupts_by_line() && self.lyc > self.ly;
        let last = if ends {
            (FIRST_VBLANK_LINE - 1).min(self.lyc - 1)
        } else {
            FIRST_VBLANK_LINE - 1
        };
        u64::from(last.saturating_sub(self.ly))
    }

    /// The dot at which mode 3 of the present line began, while it lasts.
    pub(crate) fn mode3_start(&self) -> u64 {
        self.due
            .wrapping_add_signed(-i64::from(self.mode3_base() + self.mode3_extra))
    }

    /// Dots from the beginning of mode 3, in the line that many lines on, to its other changes: to mode 0, to
    /// mode 2 of the next line (in two steps on monochrome hardware) and to that line's mode 3.
    pub(crate) fn changes_after_mode3(&mut self, lines: u64) -> [i64; 3] {
        let extra = match lines {
            0 => self.mode3_extra,
            _ => self.mode3_extra_dots(self.ly + lines as u8),
        };
        let mode3 = i64::from(self.mode3_base() + extra);
        [
            mode3,
            LINE_DOTS as i64 - OAM_SCAN_DOTS as i64,
            LINE_DOTS as i64,
        ]
    }

    /// Lets uniform lines pass, to the end of mode 2 of the last; its change to mode 3 is left to do.
    pub(crate) fn skip_lines(&mut self, lines: u64) {
        self.due = self.mode3_start() + lines * LINE_DOTS;
        let last = self.ly + lines as u8;
        if self.renderer.enabled {
            while self.ly < last {
                self.finish_line();
                self.ly += 1;
                self.window_armed |= self.wy == self.ly;
            }
        } else {
            self.note_positions(usize::from(self.ly)..usize::from(last));
            self.window_armed |= (self.ly + 1..=last).contains(&self.wy);
            self.ly = last;
        }
        self.stat.enter(OAM_SCAN);
        self.compare();
        self.next_mode = DRAWING;
    }

    /// Dots until mode 0 begins, for HBlank DMA.
    pub(crate) fn dots_to_hblank(&mut self) -> i64 {
        let left = self.due.wrapping_sub(self.clock) as i64;
        match self.mode() {
            HBLANK => 0,
            DRAWING => left,
            OAM_SCAN => left + i64::from(self.mode3_base() + self.mode3_extra_dots(self.ly)),
            _ => {
                let base = if self.color_hardware { 170 } else { 172 };
                let mode3 = base + self.mode3_extra_dots(0);
                let lines = i64::from(LAST_LINE) - i64::from(self.ly);
                left + LINE_DOTS as i64 * lines + OAM_SCAN_DOTS as i64 + i64::from(mode3)
            }
        }
    }

    #[inline]
    pub(crate) fn write_oam_byte(&mut self, index: usize, value: u8) {
        if self.oam[index] != value {
            self.oam[index] = value;
            self.object_lines.invalidate();
        }
    }

    #[inline]
    pub(crate) fn write_vram_byte(&mut self, offset: usize, value: u8) {
        let byte = &mut self.vram[offset];
        if *byte != value {
            *byte = value;
            self.changes.note_vram(offset);
        }
    }

    /// Advances to the CPU cycle `now`; returns the interrupt flags raised.
    #[inline]
    pub(crate) fn advance(&mut self, now: u64) -> u8 {
        let elapsed = now.wrapping_sub(self.synced_at);
        if elapsed == 0 {
            return 0;
        }
        self.synced_at = now;
        self.clock = self.clock.wrapping_add(elapsed >> self.speed_shift);

        if self.ly == FIRST_VBLANK_LINE - 1 && self.color_hardware {
            return self.advance_last_visible_line();
        }
        let mut raised = 0;
        if self.clock >= self.due {
            raised = self.change();
        }
        self.note_distances(0);
        raised
    }

    /// The rest of [`Lcd::advance`] in the line in which VBlank may be announced.
    #[inline(never)]
    fn advance_last_visible_line(&mut self) -> u8 {
        let mut raised = 0;
        if self.announces_vblank() && self.clock >= self.due.wrapping_sub(4) {
            self.step = Step::VblankAnnounced;
            raised = LCD;
        }
        if self.clock >= self.due {
            raised |= self.change();
        }
        self.note_distances(if self.announces_vblank() { 4 } else { 0 });
        raised
    }

    /// The next change is looked for `early` dots before it.
    #[inline(always)]
    fn note_distances(&mut self, early: i64) {
        let distance = self.due.wrapping_sub(self.clock) as i64 - early;
        self.to_change = distance << self.speed_shift;
        self.to_frame = (FRAME_DOTS.wrapping_sub(self.clock) as i64) << self.speed_shift;
    }

    /// The one change that is due.
    fn change(&mut self) -> u8 {
        if !self.on() {
            self.frame_done = true;
            self.clock %= FRAME_DOTS;
            self.due = FRAME_DOTS;
            self.blank();
            return 0;
        }
        if self.restart {
            return self.start_after_switch_on();
        }
        if self.ly == LAST_LINE {
            return self.end_frame();
        }
        match self.step {
            Step::NextLine => self.advance_line_in_hblank(),
            Step::ScanAfterNextLine => self.start_scan(),
            Step::Plain | Step::VblankAnnounced => {
                let announced = self.step == Step::VblankAnnounced;
                self.step = Step::Plain;
                let raised = flag(self.stat.enter(self.next_mode));
                raised
                    | match self.mode() {
                        HBLANK => self.start_hblank(),
                        VBLANK => self.start_vblank_line(announced),
                        OAM_SCAN => self.start_line(),
                        _ => self.start_drawing(),
                    }
            }
        }
    }

    fn start_after_switch_on(&mut self) -> u8 {
        self.restart = false;
        self.frame_done = true;
        self.ly = 0;
        self.clock = 0;
        self.due = 76; // mode 0, then straight to mode 3: there is no scan in the first line
        self.next_mode = DRAWING;
        self.step = Step::Plain;
        let raised = flag(self.stat.enter(HBLANK));
        self.window_armed = self.wy == self.ly;
        raised | self.compare()
    }

    fn end_frame(&mut self) -> u8 {
        if self.first_frame && self.due < FRAME_DOTS {
            self.due = FRAME_DOTS; // makes up for the short first line
            return 0;
        }
        self.frame_done = true;
        self.first_frame = false;
        self.ly = 0;
        self.clock %= FRAME_DOTS;
        self.due = self.due % FRAME_DOTS + OAM_SCAN_DOTS;
        self.next_mode = DRAWING;
        self.step = Step::Plain;
        let raised = flag(self.stat.enter(OAM_SCAN));
        self.window_armed = self.wy == self.ly;
        raised | self.compare()
    }

    fn advance_line_in_hblank(&mut self) -> u8 {
        self.ly += 1;
        self.due += 4;
        self.step = Step::ScanAfterNextLine;
        if self.first_frame {
            flag(self.stat.set_coincidence(false)) // compared when the scan begins
        } else {
            self.compare()
        }
    }

    fn start_scan(&mut self) -> u8 {
        let mut raised = flag(self.stat.enter(OAM_SCAN));
        if self.first_frame {
            raised |= self.compare();
        }
        self.due += OAM_SCAN_DOTS;
        self.next_mode = DRAWING;
        self.step = Step::Plain;
        self.window_armed |= self.wy == self.ly;
        raised
    }

    fn start_line(&mut self) -> u8 {
        self.ly = self.ly.wrapping_add(1);
        self.due += OAM_SCAN_DOTS;
        self.next_mode = DRAWING;
        let raised = self.compare();
        self.window_armed |= self.wy == self.ly;
        raised
    }

    fn start_drawing(&mut self) -> u8 {
        self.mode3_extra = self.mode3_extra_dots(self.ly);
        self.due = self
            .due
            .wrapping_add_signed(i64::from(self.mode3_base() + self.mode3_extra));
        self.next_mode = HBLANK;
        0
    }

    fn start_hblank(&mut self) -> u8 {
        let last_visible = self.ly >= FIRST_VBLANK_LINE - 1;
        // monochrome lines (and every first frame) spend the last four dots with LY advanced
        let split = self.first_frame || !self.color_hardware;
        let dots = match (split, last_visible && !self.first_frame) {
            (true, false) => 200,
            (true, true) => 204,
            (false, _) => 206,
        };
        self.due = self
            .due
            .wrapping_add_signed(i64::from(dots - self.mode3_extra));
        self.next_mode = if last_visible { VBLANK } else { OAM_SCAN };
        self.step = if split && !last_visible {
            Step::NextLine
        } else {
            Step::Plain
        };
        self.finish_line();
        0
    }

    fn start_vblank_line(&mut self, announced: bool) -> u8 {
        self.due += LINE_DOTS;
        self.next_mode = VBLANK;
        self.ly = self.ly.wrapping_add(1);
        let mut raised = self.compare();
        if self.ly == FIRST_VBLANK_LINE {
            raised |= VBLANK_IRQ;
            if self.stat.value & OAM_ENABLE != 0 && !self.stat.line && !announced {
                raised |= LCD;
            }
            self.window_armed = false;
            if self.first_frame {
                self.blank();
            }
        }
        raised
    }
}

#[inline]
fn flag(edge: bool) -> u8 {
    if edge {
        LCD
    } else {
        0
    }
}
