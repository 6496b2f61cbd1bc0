//! Colour palettes: monochrome shades and colour palette memory.

/// Palette memory of one layer with its index register.
#[derive(Debug, Clone)]
pub(crate) struct ColorRam {
    pub(crate) spec: u8,
    /// Fields taken from `spec` when a *different* value was last written to it.
    pub(crate) index: u8,
    pub(crate) high_byte: bool,
    pub(crate) auto_increment: bool,
    pub(crate) colors: [u16; 32],
}

impl ColorRam {
    pub(crate) fn new() -> Self {
        let power_up = [0x1CE7, 0x1E19, 0x7E31, 0x217B];
        Self {
            spec: 0,
            index: 0,
            high_byte: false,
            auto_increment: false,
            colors: std::array::from_fn(|i| power_up[i % 4]),
        }
    }

    pub(crate) fn write_spec(&mut self, value: u8) {
        if self.spec == value {
            return;
        }
        self.spec = value;
        self.high_byte = value & 1 != 0;
        self.index = (value >> 1) & 0x1F;
        self.auto_increment = value & 0x80 != 0;
    }

    pub(crate) fn write_data(&mut self, value: u8) {
        let color = &mut self.colors[usize::from(self.index)];
        *color = if self.high_byte {
            (*color & 0x00FF) | (u16::from(value) << 8)
        } else {
            (*color & 0xFF00) | u16::from(value)
        };
        if self.auto_increment {
            self.write_spec(0x80 | self.spec.wrapping_add(1));
        }
    }

    pub(crate) fn read_data(&self) -> u8 {
        let color = self.colors[usize::from(self.index)];
        if self.high_byte {
            (color >> 8) as u8
        } else {
            color as u8
        }
    }
}

/// One of the monochrome palettes BGP, OBP0, OBP1 as colours 0xRRGGBB.
pub type Shades = [u32; 4];

/// The colours a picture is exported with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Colors {
    /// Monochrome machines: all three palettes.
    pub monochrome: Shades,
    /// Monochrome cartridges on colour machines: background, objects 0, objects 1.
    pub compatibility: [Shades; 3],
}

impl Default for Colors {
    fn default() -> Self {
        let warm = [0xFF_FFFF, 0xFF_8484, 0x94_3A3A, 0x00_0000];
        Self {
            monochrome: [0xFF_FFFF, 0x99_9999, 0x55_5555, 0x00_0000],
            compatibility: [[0xFF_FFFF, 0x7B_FF31, 0x00_63C5, 0x00_0000], warm, warm],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rewriting_the_same_spec_does_not_move_the_index() {
        let mut ram = ColorRam::new();
        ram.write_spec(0x80);
        ram.write_data(0x34);
        ram.write_data(0x12);
        assert_eq!((ram.colors[0], ram.spec, ram.index), (0x1234, 0x82, 1));
    }
}
