//! The two generators: a counter hash that each environment carries, and glibc's `rand()`.

const GOLDEN: u32 = 0x9E37_79B9;
const SEED_SALT: u32 = 0x85EB_CA6B;

/// Two multiply-xorshift rounds (*lowbias32*) with the second key word added between them.
fn hash(mut x: u32, key1: u32) -> u32 {
    x = (x ^ (x >> 16)).wrapping_mul(0x7FEB_352D).wrapping_add(key1);
    x = (x ^ (x >> 15)).wrapping_mul(0x846C_A68B);
    x ^ (x >> 16)
}

/// One environment's own generator: the stream of `rlenv_shared.counter_rng`, word for word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CounterRng {
    /// First key word.
    pub key0: u32,
    /// Second key word.
    pub key1: u32,
    /// Number of draws so far.
    pub counter: u32,
}

impl CounterRng {
    /// The generator of environment `stream` under a seed.
    pub fn from_seed(seed: u64, stream: u32) -> Self {
        let (high, low) = ((seed >> 32) as u32, seed as u32);
        let (word0, word1) = (low ^ hash(high, 0), stream);
        let key0 = hash(word0 ^ hash(word1.wrapping_add(GOLDEN), 0), 0);
        let key1 = hash(word1 ^ hash(key0.wrapping_add(SEED_SALT), 0), 0);
        Self { key0, key1, counter: 0 }
    }

    /// Draw what the C code's `rand()` returns: 31 uniform bits.
    pub fn rand(&mut self) -> u32 {
        let bits = hash(self.counter.wrapping_mul(GOLDEN).wrapping_add(self.key0), self.key1);
        self.counter = self.counter.wrapping_add(1);
        bits >> 1
    }
}

/// Words of glibc's additive generator (`TYPE_3`, the default of `srand`).
pub const GLIBC_DEGREE: usize = 31;
const GLIBC_SEPARATION: usize = 3;
const GLIBC_DISCARDED: usize = 310;

/// glibc's `srand` and `rand`: `r[i] = r[i - 3] + r[i - 31]`, of which `rand` returns the upper 31 bits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GlibcRand {
    words: [u32; GLIBC_DEGREE],
    /// Index of the oldest word, `r[i - 31]`, which the next draw replaces.
    oldest: usize,
}

impl GlibcRand {
    /// `srand(seed)`.
    pub fn new(seed: u32) -> Self {
        let mut words = [0; GLIBC_DEGREE];
        let mut word = if seed == 0 { 1 } else { seed as i32 };
        words[0] = word as u32;
        for next in &mut words[1..] {
            // 16807 * word modulo 2**31 - 1 without overflow (Schrage), as glibc does it, negative seeds included
            word = 16807 * (word % 127_773) - 2836 * (word / 127_773);
            if word < 0 {
                word += i32::MAX;
            }
            *next = word as u32;
        }
        let mut generator = Self { words, oldest: GLIBC_SEPARATION };
        for _ in 0..GLIBC_DISCARDED {
            generator.rand();
        }
        generator
    }

    /// `rand()`.
    pub fn rand(&mut self) -> u32 {
        let recent = (self.oldest + GLIBC_DEGREE - GLIBC_SEPARATION) % GLIBC_DEGREE;
        let word = self.words[self.oldest].wrapping_add(self.words[recent]);
        self.words[self.oldest] = word;
        self.oldest = (self.oldest + 1) % GLIBC_DEGREE;
        word >> 1
    }

    /// The generator's words, oldest first.
    pub fn words(&self) -> [u32; GLIBC_DEGREE] {
        let mut words = self.words;
        words.rotate_left(self.oldest);
        words
    }

    /// Continue from [`GlibcRand::words`].
    pub fn from_words(words: [u32; GLIBC_DEGREE]) -> Self {
        Self { words, oldest: 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn glibc_known_answers() {
        // The first values of a C program that never calls srand, printed by countless tutorials.
        let mut generator = GlibcRand::new(1);
        let drawn: Vec<u32> = (0..5).map(|_| generator.rand()).collect();
        assert_eq!(drawn, [1_804_289_383, 846_930_886, 1_681_692_777, 1_714_636_915, 1_957_747_793]);
        assert_eq!(GlibcRand::new(0), GlibcRand::new(1));
    }

    #[test]
    fn glibc_words_round_trip() {
        let mut generator = GlibcRand::new(7);
        generator.rand();
        let mut restored = GlibcRand::from_words(generator.words());
        assert_eq!(
            (0..100).map(|_| generator.rand()).collect::<Vec<_>>(),
            (0..100).map(|_| restored.rand()).collect::<Vec<_>>()
        );
    }

    #[test]
    fn counter_known_answers() {
        // From rlenv_shared.counter_rng: from_seed(seed, 1, stream), then two draws shifted right by one.
        for (seed, stream, keys, draws) in COUNTER_CASES {
            let mut generator = CounterRng::from_seed(seed, stream);
            assert_eq!((generator.key0, generator.key1), keys);
            assert_eq!((generator.rand(), generator.rand()), draws);
            assert_eq!(generator.counter, 2);
        }
    }

    type Case = (u64, u32, (u32, u32), (u32, u32));
    const COUNTER_CASES: [Case; 3] = [
        (0, 0, (2926543089, 3981786992), (1854506215, 38946898)),
        (1, 5, (3342258810, 163088233), (780159740, 613976404)),
        (81985529216486895, 4095, (2008365138, 4168984642), (541683415, 1969586365)),
    ];
}
