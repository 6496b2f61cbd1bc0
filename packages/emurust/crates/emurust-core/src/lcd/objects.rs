//! Which objects are on a line, and how many dots they add to mode 3.

use educe::Educe;

pub(crate) const OAM_SIZE: usize = 0xA0;
pub(crate) const MAX_PER_LINE: usize = 10;

/// Up to ten objects on a line, in OAM order, as offsets into OAM.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LineObjects {
    offsets: [u8; MAX_PER_LINE],
    count: usize,
}

impl LineObjects {
    #[inline]
    pub(crate) fn scan(oam: &[u8; OAM_SIZE], line: u8, height: u8) -> Self {
        let mut found = Self {
            offsets: [0; MAX_PER_LINE],
            count: 0,
        };
        for (number, object) in oam.chunks_exact(4).enumerate() {
            // y is stored plus 16, so the difference is the row inside the object
            let row = i32::from(line) + 16 - i32::from(object[0]);
            if (0..i32::from(height)).contains(&row) {
                found.offsets[found.count] = (number * 4) as u8;
                found.count += 1;
                if found.count == MAX_PER_LINE {
                    break;
                }
            }
        }
        found
    }

    pub(crate) fn as_slice(&self) -> &[u8] {
        &self.offsets[..self.count]
    }

    pub(crate) fn as_mut_slice(&mut self) -> &mut [u8] {
        &mut self.offsets[..self.count]
    }
}

/// The objects of every visible line, collected in one pass; valid until OAM or the object height changes.
#[derive(Debug, Educe)]
#[educe(Clone)]
pub(crate) struct ObjectLines {
    valid: bool,
    height: u8,
    lines: Vec<LineObjects>,
}

impl ObjectLines {
    pub(crate) fn new() -> Self {
        let none = LineObjects {
            offsets: [0; MAX_PER_LINE],
            count: 0,
        };
        Self {
            valid: false,
            height: 0,
            lines: vec![none; super::renderer::HEIGHT],
        }
    }

    /// OAM was written.
    #[inline]
    pub(crate) fn invalidate(&mut self) {
        self.valid = false;
    }

    #[inline]
    pub(crate) fn on_line(&mut self, oam: &[u8; OAM_SIZE], line: u8, height: u8) -> LineObjects {
        if !self.valid || self.height != height {
            self.collect(oam, height);
        }
        match self.lines.get(usize::from(line)) {
            Some(objects) => *objects,
            None => LineObjects::scan(oam, line, height),
        }
    }

    fn collect(&mut self, oam: &[u8; OAM_SIZE], height: u8) {
        self.valid = true;
        self.height = height;
        self.lines.iter_mut().for_each(|line| line.count = 0);
        for (number, object) in oam.chunks_exact(4).enumerate() {
            let top = i32::from(object[0]) - 16;
            let visible = top.max(0)..(top + i32::from(height)).min(super::renderer::HEIGHT as i32);
            for line in visible {
                let line = &mut self.lines[line as usize];
                if line.count < MAX_PER_LINE {
                    line.offsets[line.count] = (number * 4) as u8;
                    line.count += 1;
                }
            }
        }
    }
}

/// Dots that the objects of a line add to mode 3 (negative when all are off screen).
pub(crate) fn mode3_penalty(
    oam: &[u8; OAM_SIZE],
    objects: LineObjects,
    scx: u8,
    color_hardware: bool,
) -> i32 {
    if objects.count == 0 {
        return 0;
    }
    let mut seen_x = [0u64; 3];
    let mut any_visible = false;
    let mut dots = 0;
    for &offset in objects.as_slice() {
        let x = oam[usize::from(offset) + 1];
        if x >= 168 {
            continue;
        }
        any_visible = true;
        dots += 6;
        let word = &mut seen_x[usize::from(x >> 6)];
        let bit = 1u64 << (x & 63);
        if *word & bit == 0 {
            *word |= bit;
            // waiting for the tile under the object; only the first object at an x pays it
            let phase = i32::from(x.wrapping_add(scx).wrapping_sub(8) & 7);
            dots += (5 - phase).max(0);
        }
    }
    if !any_visible {
        return -4;
    }
    let dots = (dots - 7).max(0);
    if color_hardware {
        (dots + 3) & !3
    } else {
        dots
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn oam_with(objects: &[(u8, u8)]) -> [u8; OAM_SIZE] {
        let mut oam = [0; OAM_SIZE];
        for (slot, &(y, x)) in objects.iter().enumerate() {
            oam[slot * 4] = y;
            oam[slot * 4 + 1] = x;
        }
        oam
    }

    #[test]
    fn penalties_of_simple_lines() {
        let penalty = |objects: &[(u8, u8)], color| {
            let oam = oam_with(objects);
            mode3_penalty(&oam, LineObjects::scan(&oam, 0, 8), 0, color)
        };
        assert_eq!(penalty(&[], false), 0);
        assert_eq!(penalty(&[(16, 200)], false), -4);
        assert_eq!(penalty(&[(16, 8)], false), 4); // 6 + 5 - 7
        assert_eq!(penalty(&[(16, 8), (16, 8)], false), 10); // the second shares the wait
        assert_eq!(penalty(&[(16, 9), (16, 9)], true), 12); // 12 + 4 - 7 = 9, rounded up
    }

    #[test]
    fn collected_lines_equal_scanned_ones() {
        let mut oam = [0; OAM_SIZE];
        for (i, byte) in oam.iter_mut().enumerate() {
            *byte = (i * 37 % 181) as u8;
        }
        let mut lines = ObjectLines::new();
        for height in [8, 16] {
            for line in 0..154 {
                let got = lines.on_line(&oam, line, height);
                assert_eq!(
                    got.as_slice(),
                    LineObjects::scan(&oam, line, height).as_slice()
                );
            }
        }
    }

    #[test]
    fn only_the_first_ten_count() {
        let objects = [(16, 20); 12];
        assert_eq!(
            LineObjects::scan(&oam_with(&objects), 7, 8)
                .as_slice()
                .len(),
            MAX_PER_LINE
        );
    }
}
