//! The bytes of a state, one field after the other.

use super::layout::Layout;
use crate::error::EmuError;

pub(super) struct Reader<'a> {
    pub(super) data: &'a [u8],
    pub(super) version: u8,
    pub(super) layout: Layout,
    /// Seconds since 1970, for clocks of which the file has only when they were started.
    pub(super) host_time: f64,
}

impl<'a> Reader<'a> {
    pub(super) fn slice(&mut self, length: usize) -> Result<&'a [u8], EmuError> {
        let (head, rest) = self.data.split_at_checked(length).ok_or_else(|| {
            EmuError::InvalidState(
                "the PyBoy state ends too early for this cartridge and model".into(),
            )
        })?;
        self.data = rest;
        Ok(head)
    }

    pub(super) fn array<const N: usize>(&mut self) -> Result<[u8; N], EmuError> {
        Ok(self.slice(N)?.try_into().expect("the length was asked for"))
    }

    pub(super) fn u8(&mut self) -> Result<u8, EmuError> {
        Ok(self.array::<1>()?[0])
    }

    pub(super) fn flag(&mut self) -> Result<bool, EmuError> {
        Ok(self.u8()? != 0)
    }

    pub(super) fn u16(&mut self) -> Result<u16, EmuError> {
        Ok(u16::from_le_bytes(self.array()?))
    }

    pub(super) fn u64(&mut self) -> Result<u64, EmuError> {
        Ok(u64::from_le_bytes(self.array()?))
    }

    pub(super) fn i64(&mut self) -> Result<i64, EmuError> {
        Ok(self.u64()? as i64)
    }

    pub(super) fn f64(&mut self) -> Result<f64, EmuError> {
        Ok(f64::from_le_bytes(self.array()?))
    }

    pub(super) fn f32(&mut self) -> Result<f32, EmuError> {
        Ok(f32::from_le_bytes(self.array()?))
    }

    /// Fills `into` completely.
    pub(super) fn fill(&mut self, into: &mut [u8]) -> Result<(), EmuError> {
        into.copy_from_slice(self.slice(into.len())?);
        Ok(())
    }
}

pub(super) fn wrong(why: &str) -> EmuError {
    EmuError::InvalidState(why.into())
}
