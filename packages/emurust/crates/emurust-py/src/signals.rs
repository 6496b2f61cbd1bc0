//! Rewards and ends of episodes as small stack programs over memory cells, evaluated for all instances in one call.
//!
//! A program sees the cells as they are now and as they were at the evaluation before.

use emurust_core::{self as core, Cell, EmuError};
use numpy::{PyReadonlyArray1, PyReadwriteArrayDyn, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use rayon::prelude::*;

use crate::batch::Batch;
use crate::raise;

/// One instruction; operands come from the stack unless named.
#[derive(Debug, Clone, Copy)]
enum Op {
    Constant(f64),
    Now(usize),
    Before(usize),
    Add,
    Subtract,
    Multiply,
    And,
    Or,
    Xor,
    ShiftRight,
    Equal,
    Less,
    LessEqual,
    Minimum,
    Maximum,
    /// Set bits of an integer.
    CountOnes,
}

impl Op {
    fn parse(name: &str, operand: f64, cells: usize) -> Result<Self, String> {
        let cell = || {
            let index = operand as usize;
            if operand.fract() == 0.0 && operand >= 0.0 && index < cells {
                Ok(index)
            } else {
                Err(format!("cell {operand} of {cells}"))
            }
        };
        Ok(match name {
            "constant" => Self::Constant(operand),
            "now" => Self::Now(cell()?),
            "before" => Self::Before(cell()?),
            "add" => Self::Add,
            "subtract" => Self::Subtract,
            "multiply" => Self::Multiply,
            "and" => Self::And,
            "or" => Self::Or,
            "xor" => Self::Xor,
            "shift_right" => Self::ShiftRight,
            "equal" => Self::Equal,
            "less" => Self::Less,
            "less_equal" => Self::LessEqual,
            "minimum" => Self::Minimum,
            "maximum" => Self::Maximum,
            "count_ones" => Self::CountOnes,
            other => return Err(format!("unknown instruction {other:?}")),
        })
    }

    /// Values taken from the stack; every instruction leaves one.
    fn takes(self) -> usize {
        match self {
            Self::Constant(_) | Self::Now(_) | Self::Before(_) => 0,
            Self::CountOnes => 1,
            _ => 2,
        }
    }

    fn combine(self, a: f64, b: f64) -> f64 {
        let (x, y) = (a as i64, b as i64);
        match self {
            Self::Add => a + b,
            Self::Subtract => a - b,
            Self::Multiply => a * b,
            Self::And => (x & y) as f64,
            Self::Or => (x | y) as f64,
            Self::Xor => (x ^ y) as f64,
            Self::ShiftRight => (x >> y.clamp(0, 63)) as f64,
            Self::Equal => f64::from(a == b),
            Self::Less => f64::from(a < b),
            Self::LessEqual => f64::from(a <= b),
            Self::Minimum => a.min(b),
            _ => a.max(b),
        }
    }
}

/// Checks that a program never runs out of values and leaves exactly one.
fn check(program: &[Op]) -> Result<(), String> {
    let mut depth = 0_usize;
    for op in program {
        depth = depth
            .checked_sub(op.takes())
            .ok_or("a program that takes more values than it has")?
            + 1;
    }
    if depth == 1 {
        Ok(())
    } else {
        Err(format!("a program that leaves {depth} values"))
    }
}

fn evaluate(program: &[Op], now: &[u8], before: &[u8], stack: &mut Vec<f64>) -> f64 {
    stack.clear();
    for &op in program {
        let value = match op {
            Op::Constant(value) => value,
            Op::Now(cell) => f64::from(now[cell]),
            Op::Before(cell) => f64::from(before[cell]),
            Op::CountOnes => f64::from((stack.pop().unwrap_or(0.0) as i64).count_ones()),
            _ => {
                let b = stack.pop().unwrap_or(0.0);
                let a = stack.pop().unwrap_or(0.0);
                op.combine(a, b)
            }
        };
        stack.push(value);
    }
    stack.pop().unwrap_or(0.0)
}

/// Compiled programs and the cells of every instance at the last evaluation.
#[pyclass]
pub(crate) struct Signals {
    cells: Vec<Cell>,
    programs: Vec<Vec<Op>>,
    before: Vec<u8>,
}

fn refuse(text: String) -> PyErr {
    raise(EmuError::InvalidArgument(text))
}

fn read_cells(machine: &mut core::Machine, cells: &[Cell], row: &mut [u8]) {
    for (slot, &cell) in row.iter_mut().zip(cells) {
        *slot = machine.read_cell(cell);
    }
}

#[pymethods]
impl Signals {
    /// Cells as `(bank or -1, address)`, programs as lists of `(instruction, operand)`.
    #[new]
    fn new(
        batch: &mut Batch,
        cells: Vec<(i32, u16)>,
        programs: Vec<Vec<(String, f64)>>,
    ) -> PyResult<Self> {
        let cells = batch.checked_cells(cells)?;
        let programs = programs
            .into_iter()
            .map(|program| {
                let ops: Vec<Op> = program
                    .iter()
                    .map(|(name, operand)| Op::parse(name, *operand, cells.len()))
                    .collect::<Result<_, _>>()?;
                check(&ops)?;
                Ok(ops)
            })
            .collect::<Result<_, String>>()
            .map_err(refuse)?;
        let before = vec![0; batch.machines.len() * cells.len()];
        Ok(Self {
            cells,
            programs,
            before,
        })
    }

    /// Takes the present cells of the chosen instances as those before the next evaluation.
    fn remember(&mut self, batch: &mut Batch, mask: PyReadonlyArray1<'_, bool>) -> PyResult<()> {
        let mask = mask
            .as_slice()
            .map_err(|_| refuse("the mask is not contiguous".into()))?;
        let width = self.cells.len();
        if mask.len() * width != self.before.len() {
            return Err(refuse(format!("a mask of {} instances", mask.len())));
        }
        for (index, machine) in batch.machines.iter_mut().enumerate() {
            if mask[index] {
                let row = &mut self.before[index * width..(index + 1) * width];
                read_cells(machine, &self.cells, row);
            }
        }
        Ok(())
    }

    /// The cells of all instances at the last evaluation, for `set_before`.
    fn before<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.before)
    }

    fn set_before(&mut self, cells: &[u8]) -> PyResult<()> {
        if cells.len() != self.before.len() {
            return Err(refuse(format!("{} remembered cells", cells.len())));
        }
        self.before.copy_from_slice(cells);
        Ok(())
    }

    /// Copies what one instance's cells were before to another.
    fn copy_row(&mut self, target: usize, source: usize) -> PyResult<()> {
        let width = self.cells.len();
        let count = self.before.len() / width.max(1);
        if target >= count || source >= count {
            return Err(refuse(format!(
                "instances {target} and {source} of {count}"
            )));
        }
        self.before
            .copy_within(source * width..(source + 1) * width, target * width);
        Ok(())
    }

    /// Writes the value of every program for every instance into an array (n, programs).
    fn evaluate(
        &mut self,
        py: Python<'_>,
        batch: &mut Batch,
        mut out: PyReadwriteArrayDyn<'_, f64>,
    ) -> PyResult<()> {
        let (count, width) = (batch.machines.len(), self.cells.len());
        if out.shape() != [count, self.programs.len()] || self.before.len() != count * width {
            return Err(refuse(format!("buffer of shape {:?}", out.shape())));
        }
        if count * width * self.programs.len() == 0 {
            return Err(refuse("signals without cells or programs".into()));
        }
        let out = out
            .as_slice_mut()
            .map_err(|_| refuse("the buffer is not C-contiguous".into()))?;
        let (cells, programs) = (&self.cells, &self.programs);
        let (machines, pool, before) = (&mut batch.machines, &mut batch.pool, &mut self.before);
        py.detach(|| {
            pool.install(|| {
                machines
                    .par_iter_mut()
                    .zip(before.par_chunks_exact_mut(width))
                    .zip(out.par_chunks_exact_mut(programs.len()))
                    .for_each(|((machine, before), values)| {
                        let mut now = vec![0; width];
                        let mut stack = Vec::new();
                        read_cells(machine, cells, &mut now);
                        for (value, program) in values.iter_mut().zip(programs) {
                            *value = evaluate(program, &now, before, &mut stack);
                        }
                        before.copy_from_slice(&now);
                    });
            });
        });
        Ok(())
    }
}
