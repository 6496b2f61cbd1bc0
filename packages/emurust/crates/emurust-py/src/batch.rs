//! Many consoles of one ROM, stepped in parallel with the GIL released.

use emurust_core::batch::{step, Schedule};
use emurust_core::{self as core, Cell, EmuError, HEIGHT, WIDTH};
use numpy::{PyReadonlyArray1, PyReadwriteArrayDyn, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use rayon::prelude::*;
use rlenv_host::threads::Threads;

use crate::machine::{writable, Machine};
use crate::{host_time, raise};

#[pyclass]
pub(crate) struct Batch {
    pub(crate) machines: Vec<core::Machine>,
    pub(crate) pool: Threads,
}

fn argument(text: String) -> PyErr {
    raise(EmuError::InvalidArgument(text))
}

impl Batch {
    fn at(&mut self, index: usize) -> PyResult<&mut core::Machine> {
        let count = self.machines.len();
        self.machines
            .get_mut(index)
            .ok_or_else(|| argument(format!("instance {index}: there are {count}")))
    }

    /// Cells `(bank or -1, address)` that exist in these machines.
    pub(crate) fn checked_cells(&mut self, cells: Vec<(i32, u16)>) -> PyResult<Vec<Cell>> {
        let cells: Vec<Cell> = cells
            .into_iter()
            .map(|(bank, address)| Cell {
                bank: u16::try_from(bank).ok(),
                address,
            })
            .collect();
        for &cell in &cells {
            self.machines[0].check_cell(cell).map_err(raise)?;
        }
        Ok(cells)
    }

    /// Fills one row per machine in parallel.
    fn fill(
        &mut self,
        py: Python<'_>,
        out: &mut [u8],
        write: impl Fn(&mut core::Machine, &mut [u8]) + Sync,
    ) {
        let row = out.len() / self.machines.len();
        if row == 0 {
            return;
        }
        let (machines, pool) = (&mut self.machines, &mut self.pool);
        py.detach(|| {
            pool.install(|| {
                machines
                    .par_iter_mut()
                    .zip(out.par_chunks_exact_mut(row))
                    .for_each(|(m, row)| write(m, row));
            });
        });
    }
}

/// Consoles that episodes start from.
#[pyclass]
pub(crate) struct Starts {
    machines: Vec<core::Machine>,
}

#[pymethods]
impl Starts {
    #[new]
    fn new() -> Self {
        Self {
            machines: Vec::new(),
        }
    }

    fn add(&mut self, py: Python<'_>, machine: &Machine) {
        self.machines.push(machine.lock(py).clone());
    }

    fn __len__(&self) -> usize {
        self.machines.len()
    }

    /// A copy of one.
    fn get(&self, index: usize) -> PyResult<Machine> {
        let machine = self.machines.get(index);
        let count = self.machines.len();
        machine
            .map(|machine| Machine::new_of(machine.clone()))
            .ok_or_else(|| argument(format!("start {index}: there are {count}")))
    }
}

#[pymethods]
impl Batch {
    #[new]
    fn new(py: Python<'_>, template: &Machine, count: usize, threads: usize) -> PyResult<Self> {
        if count == 0 {
            return Err(argument("0 instances: expected at least 1".into()));
        }
        Ok(Self {
            machines: vec![template.lock(py).clone(); count],
            pool: Threads::new(threads)
                .map_err(|error| argument(format!("cannot start {threads} threads: {error}")))?,
        })
    }

    fn __len__(&self) -> usize {
        self.machines.len()
    }

    /// One step of every instance; `(index, message)` of those that locked up.
    fn step(
        &mut self,
        py: Python<'_>,
        masks: PyReadonlyArray1<'_, u8>,
        frame_skip: u32,
        press_frames: u32,
        render: bool,
        sound: bool,
    ) -> PyResult<Vec<(usize, String)>> {
        let schedule = Schedule {
            frame_skip,
            press_frames,
            render,
            sound,
        };
        let masks = masks
            .as_slice()
            .map_err(|_| argument("the actions are not contiguous".into()))?;
        let (machines, pool) = (&mut self.machines, &mut self.pool);
        let results = py
            .detach(|| pool.install(|| step(machines, masks, &schedule)))
            .map_err(raise)?;
        Ok(results
            .into_iter()
            .enumerate()
            .filter_map(|(i, result)| result.err().map(|error| (i, error.to_string())))
            .collect())
    }

    /// Writes pictures: "rgb" (n, 144, 160, 3), "grey" (n, 144, 160) or "half_grey" (n, 72, 80).
    fn pictures(
        &mut self,
        py: Python<'_>,
        kind: &str,
        mut out: PyReadwriteArrayDyn<'_, u8>,
    ) -> PyResult<()> {
        let n = self.machines.len();
        match kind {
            "rgb" => {
                let out = writable(&mut out, &[n, HEIGHT, WIDTH, 3])?;
                self.fill(py, out, |m, row| m.picture_rgb(row));
            }
            "grey" => {
                let out = writable(&mut out, &[n, HEIGHT, WIDTH])?;
                self.fill(py, out, |m, row| m.picture_grey(row));
            }
            "half_grey" => {
                let out = writable(&mut out, &[n, HEIGHT / 2, WIDTH / 2])?;
                self.fill(py, out, |m, row| m.picture_half_grey(row));
            }
            other => {
                return Err(argument(format!(
                    "picture kind {other:?}: expected rgb, grey or half_grey"
                )))
            }
        }
        Ok(())
    }

    /// Gathers memory cells `(bank or -1, address)` into an array (n, len(cells)).
    fn read(
        &mut self,
        py: Python<'_>,
        cells: Vec<(i32, u16)>,
        mut out: PyReadwriteArrayDyn<'_, u8>,
    ) -> PyResult<()> {
        let cells = self.checked_cells(cells)?;
        let out = writable(&mut out, &[self.machines.len(), cells.len()])?;
        self.fill(py, out, |m, row| {
            for (slot, &cell) in row.iter_mut().zip(&cells) {
                *slot = m.read_cell(cell);
            }
        });
        Ok(())
    }

    /// Tile numbers of the background or window maps into an array (n, 32, 32).
    fn tile_maps(&mut self, window: bool, mut out: PyReadwriteArrayDyn<'_, u16>) -> PyResult<()> {
        let shape = [self.machines.len(), 32, 32];
        if out.shape() != shape {
            return Err(argument(format!(
                "buffer of shape {:?}: expected {shape:?}",
                out.shape()
            )));
        }
        let out = out
            .as_slice_mut()
            .map_err(|_| argument("the buffer is not C-contiguous".into()))?;
        for (machine, map) in self.machines.iter().zip(out.chunks_exact_mut(1024)) {
            machine.tile_map(window, map);
        }
        Ok(())
    }

    fn save_state<'py>(&mut self, py: Python<'py>, index: usize) -> PyResult<Bound<'py, PyBytes>> {
        let state = self.at(index)?.save_state();
        Ok(PyBytes::new(py, &state))
    }

    fn load_state(&mut self, index: usize, state: &[u8]) -> PyResult<()> {
        let machine = self.at(index)?;
        if state.starts_with(b"EMURUST\0") {
            machine.load_state(state).map_err(raise)
        } else {
            machine.load_pyboy_state(state, host_time()).map_err(raise)
        }
    }

    /// Copies one instance over another.
    fn clone_from(&mut self, target: usize, source: usize) -> PyResult<()> {
        self.at(target)?;
        self.at(source)?;
        // the same index twice: it is a copy of itself already
        if let Ok([target, source]) = self.machines.get_disjoint_mut([target, source]) {
            target.clone_from(source);
        }
        Ok(())
    }

    /// Sets instance `i` to `starts[choice[i]]`, or leaves it alone where `choice[i]` is negative.
    fn reset(
        &mut self,
        py: Python<'_>,
        starts: &Starts,
        choice: PyReadonlyArray1<'_, i64>,
    ) -> PyResult<()> {
        let choice = choice
            .as_slice()
            .map_err(|_| argument("the choice is not contiguous".into()))?;
        if choice.len() != self.machines.len() {
            return Err(argument(format!(
                "a choice for {}: expected {}",
                choice.len(),
                self.machines.len()
            )));
        }
        let limit = starts.machines.len() as i64;
        if let Some(wrong) = choice.iter().find(|&&number| number >= limit) {
            return Err(argument(format!("start {wrong}: there are {limit}")));
        }
        let (machines, pool, starts) = (&mut self.machines, &mut self.pool, &starts.machines);
        py.detach(|| {
            pool.install(|| {
                machines
                    .par_iter_mut()
                    .zip(choice)
                    .for_each(|(machine, &number)| {
                        if let Ok(number) = usize::try_from(number) {
                            machine.clone_from(&starts[number]);
                        }
                    });
            });
        });
        Ok(())
    }

    /// A copy of one instance.
    fn get(&mut self, index: usize) -> PyResult<Machine> {
        Ok(Machine::new_of(self.at(index)?.clone()))
    }

    fn set(&mut self, py: Python<'_>, index: usize, machine: &Machine) -> PyResult<()> {
        self.at(index)?.clone_from(&machine.lock(py));
        Ok(())
    }

    fn write(&mut self, index: usize, address: u16, value: u8) -> PyResult<()> {
        self.at(index)?.write_memory(address, value);
        Ok(())
    }
}
