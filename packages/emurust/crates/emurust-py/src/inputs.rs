//! What is pressed, and when: the part of `PyBoy` that scripts call in every step.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyInt, PyList, PyString, PyTuple};

/// Every event of `WindowEvent`, by number; None where it starts something that is not offered.
static EVENTS: PyOnceLock<Vec<Option<Py<PyAny>>>> = PyOnceLock::new();
const BUTTONS: [(&str, u8); 8] = [
    ("up", 1),
    ("down", 2),
    ("right", 3),
    ("left", 4),
    ("a", 5),
    ("b", 6),
    ("select", 7),
    ("start", 8),
];
/// From the number of pressing a button to that of letting it go.
const RELEASE: u8 = 8;

/// The queue of events, and the number of frames, which says when they are due.
#[pyclass(subclass)]
pub(crate) struct Inputs {
    #[pyo3(get, set)]
    events: Py<PyList>,
    /// Frames since the start.
    #[pyo3(get, set)]
    frame_count: u64,
    /// Times the speed of the real console, 0 for no limit.
    #[pyo3(get, set)]
    target_emulationspeed: i64,
    later: BinaryHeap<Reverse<(u64, u8)>>,
}

fn events(py: Python<'_>) -> PyResult<&Vec<Option<Py<PyAny>>>> {
    EVENTS.get_or_try_init(py, || {
        let module = py.import("emurust.pyboy.events")?;
        module.getattr("OFFERED")?.extract()
    })
}

/// The number of an event that is offered.
fn number(py: Python<'_>, event: &Bound<'_, PyAny>) -> PyResult<u8> {
    let plain = event
        .cast::<PyInt>()
        .ok()
        .and_then(|event| event.extract::<u8>().ok());
    if let Some(number) = plain {
        if events(py)?
            .get(usize::from(number))
            .is_some_and(Option::is_some)
        {
            return Ok(number);
        }
    }
    py.import("emurust.pyboy.events")?
        .call_method1("event_of", (event,))?
        .extract()
}

/// A delay as it was given; None is not the same as leaving it out.
struct Delay<'py>(Option<Bound<'py, PyAny>>);

impl<'py> FromPyObject<'_, 'py> for Delay<'py> {
    type Error = PyErr;

    fn extract(given: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        Ok(Self(Some(given.to_owned())))
    }
}

/// The frames of a delay.
fn frames(py: Python<'_>, delay: &Delay<'_>, usual: u64) -> PyResult<u64> {
    let Some(delay) = &delay.0 else {
        return Ok(usual);
    };
    if let Ok(number) = delay.cast_exact::<PyInt>() {
        if let Ok(frames) = number.extract() {
            return Ok(frames);
        }
    }
    py.import("emurust.pyboy.options")?
        .call_method1("delay", (delay,))?
        .extract()
}

/// The number of pressing a button.
fn press_of(py: Python<'_>, button: &Bound<'_, PyAny>) -> PyResult<u8> {
    let find = |name: &str| {
        BUTTONS
            .iter()
            .find(|(known, _)| *known == name)
            .map(|found| found.1)
    };
    if let Ok(text) = button.cast::<PyString>() {
        if let Some(number) = text.to_str().ok().and_then(find) {
            return Ok(number);
        }
    }
    let lower: String = py
        .import("emurust.pyboy.events")?
        .call_method1("button_of", (button,))?
        .extract()?;
    find(&lower).ok_or_else(|| pyo3::exceptions::PyKeyError::new_err(lower))
}

impl Inputs {
    fn queue(&mut self, py: Python<'_>, event: u8, delay: u64) -> PyResult<()> {
        if delay > 0 {
            self.later
                .push(Reverse((self.frame_count.saturating_add(delay), event)));
            return Ok(());
        }
        self.events
            .bind(py)
            .append(&events(py)?[usize::from(event)])
    }
}

#[pymethods]
impl Inputs {
    #[new]
    #[pyo3(signature = (*_args, **_kwargs))]
    fn new(
        py: Python<'_>,
        _args: &Bound<'_, PyTuple>,
        _kwargs: Option<&Bound<'_, PyDict>>,
    ) -> Self {
        Self {
            events: PyList::empty(py).unbind(),
            frame_count: 0,
            target_emulationspeed: 0,
            later: BinaryHeap::new(),
        }
    }

    /// Queues an event of `WindowEvent` for the next frame, or for ``delay`` frames later.
    ///
    /// Raises:
    ///     PyBoyInvalidInputException: No such event, or a negative delay.
    ///     NotOfferedError: An event that starts something that is not offered.
    #[pyo3(signature = (event, delay=Delay(None)))]
    fn send_input(
        &mut self,
        py: Python<'_>,
        event: &Bound<'_, PyAny>,
        delay: Delay<'_>,
    ) -> PyResult<()> {
        let event = number(py, event)?;
        let delay = frames(py, &delay, 0)?;
        self.queue(py, event, delay)
    }

    /// Presses a button in the next frame, and lets go ``delay`` frames later.
    ///
    /// Raises:
    ///     PyBoyInvalidInputException: No such button, or a negative delay; nothing is pressed then.
    #[pyo3(signature = (input, delay=Delay(None)))]
    fn button(
        &mut self,
        py: Python<'_>,
        input: &Bound<'_, PyAny>,
        delay: Delay<'_>,
    ) -> PyResult<()> {
        let press = press_of(py, input)?;
        let delay = frames(py, &delay, 1)?;
        self.queue(py, press, 0)?;
        self.queue(py, press + RELEASE, delay)
    }

    /// Presses a button from the next frame on.
    fn button_press(&mut self, py: Python<'_>, input: &Bound<'_, PyAny>) -> PyResult<()> {
        let press = press_of(py, input)?;
        self.queue(py, press, 0)
    }

    /// Lets go of a button from the next frame on.
    fn button_release(&mut self, py: Python<'_>, input: &Bound<'_, PyAny>) -> PyResult<()> {
        let press = press_of(py, input)?;
        self.queue(py, press + RELEASE, 0)
    }

    /// Times the speed of the real console, or 0 for as fast as possible (the default without a window).
    ///
    /// Raises:
    ///     PyBoyTypeError: It is no number.
    fn set_emulation_speed(
        &mut self,
        py: Python<'_>,
        target_speed: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let plain = target_speed.cast_exact::<PyInt>().ok();
        self.target_emulationspeed = match plain.and_then(|speed| speed.extract().ok()) {
            Some(speed) => speed,
            None => {
                let options = py.import("emurust.pyboy.options")?;
                options.call_method1("speed", (target_speed,))?.extract()?
            }
        };
        Ok(())
    }

    /// Frames until the next event that is queued for later; None without one.
    fn _next_due(&self) -> Option<i64> {
        let Reverse((frame, _)) = self.later.peek()?;
        Some(*frame as i64 - self.frame_count as i64)
    }

    /// The queued events whose frame it is now, as a new list of `events`.
    fn _take_due(&mut self, py: Python<'_>) -> PyResult<()> {
        let list = PyList::empty(py);
        while let Some(&Reverse((frame, event))) = self.later.peek() {
            if frame != self.frame_count {
                break;
            }
            self.later.pop();
            list.append(&events(py)?[usize::from(event)])?;
        }
        self.events = list.unbind();
        Ok(())
    }

    /// Whether there is nothing to be done before or between frames.
    fn _is_idle(&self, py: Python<'_>) -> bool {
        self.later.is_empty() && self.events.bind(py).is_empty()
    }

    fn __repr__(slf: &Bound<'_, Self>, py: Python<'_>) -> PyResult<String> {
        let name = slf.get_type().getattr(intern!(py, "__qualname__"))?;
        Ok(format!("<{name} in frame {}>", slf.borrow().frame_count))
    }
}
