//! Checksums of ROMs and of saved states.

/// FNV-1a, 64 bits.
pub(crate) fn fingerprint(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xCBF2_9CE4_8422_2325, |hash, &b| {
        (hash ^ u64::from(b)).wrapping_mul(0x0100_0000_01B3)
    })
}

/// As `fingerprint`, but by words: every changed word changes it.
pub(crate) fn checksum(bytes: &[u8]) -> u64 {
    let words = bytes.chunks_exact(8);
    let rest = fingerprint(words.remainder());
    words.fold(rest, |hash, word| {
        let word = u64::from_le_bytes(word.try_into().expect("8 bytes"));
        (hash ^ word).wrapping_mul(0x0100_0000_01B3)
    })
}
