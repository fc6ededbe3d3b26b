//! Where the session is shown and where the user writes: a terminal that is painted on, or lines.

use std::io;
use std::time::{Duration, Instant};

use tokio::sync::mpsc::UnboundedReceiver;

use crate::ground::TerminalInput;
use crate::lines::{self, Awaited, LinePrinter};
use crate::outlet::{Arrival, Outlet};
use crate::painter::{Live, Painter, Size};
use crate::reader::Keys;
use crate::styled::{Line, Palette};
use crate::terminal::{self, RawTerminal};
use crate::ui::WakeCause;
use crate::view::{Setup, Surface};

/// The rows of a screen of lines: nothing has to be cut there.
const ENDLESS: usize = 10_000;

/// How long after the request the answer about the background comes, if it comes.
const ANSWERED: Duration = Duration::from_millis(500);

/// What comes from a surface.
pub(super) enum Next {
    Woken(WakeCause),
    /// The terminal reported which colours can be read on it.
    Ground(Palette),
}

/// The surface of a session.
pub(super) enum Front {
    Painted {
        painter: Painter<Outlet>,
        keys: Keys,
        /// When the terminal was asked for its background, while it hasn't answered.
        asked: Option<Instant>,
        // The last field, so that the terminal is restored after everything else is dropped.
        _terminal: RawTerminal,
    },
    Lines {
        printer: LinePrinter<Outlet>,
        /// `None` when there are no more.
        lines: Option<UnboundedReceiver<String>>,
        size: Size,
    },
}

impl Front {
    /// Takes the terminal over, if requested.
    pub(super) fn open(setup: &Setup) -> io::Result<Self> {
        let Setup {
            surface,
            palette,
            hyperlinks,
            ..
        } = *setup;
        let out = Outlet::new(terminal::output()?);
        if surface == Surface::Lines {
            return Ok(Self::Lines {
                printer: LinePrinter::new(out),
                lines: Some(lines::read()),
                size: endless(terminal::size()),
            });
        }
        let raw = RawTerminal::enter()?;
        let size = terminal::size();
        let mut painter = Painter::new(out, palette, size).with(hyperlinks);
        painter.instruct(terminal::ENTER)?;
        let asked = (palette == Palette::Either && cfg!(unix)).then(Instant::now);
        if asked.is_some() {
            painter.out_mut().ask()?;
        } else if cfg!(unix) {
            painter.out().allow_questions();
        }
        Ok(Self::Painted {
            painter,
            keys: Keys::read(size, setup.interrupted),
            asked,
            _terminal: raw,
        })
    }

    pub(super) const fn size(&self) -> Size {
        match self {
            Self::Painted { painter, .. } => painter.size(),
            Self::Lines { size, .. } => *size,
        }
    }

    /// Records another size, and returns the one that is drawn for.
    pub(super) fn resize(&mut self, new: Size) -> Size {
        match self {
            Self::Painted { painter, .. } => {
                painter.resize(new);
                new
            }
            Self::Lines { size, .. } => {
                *size = endless(new);
                *size
            }
        }
    }

    /// Waits for an action of the user, or an answer of the terminal.
    pub(super) async fn next(&mut self) -> Next {
        match self {
            Self::Painted {
                keys,
                painter,
                asked,
                ..
            } => match keys.next().await {
                Some(TerminalInput::Event(event)) => Next::Woken(WakeCause::Event(Some(event))),
                // Only the first answer is about colours, and one without a request is ignored.
                Some(TerminalInput::Ground(_)) if asked.is_none() => {
                    painter.out().answered();
                    Next::Woken(WakeCause::Time)
                }
                Some(TerminalInput::Ground(palette)) => {
                    painter.out().answered();
                    *asked = None;
                    painter.set_palette(palette);
                    Next::Ground(palette)
                }
                None => Next::Woken(WakeCause::Event(None)),
            },
            Self::Lines { lines, printer, .. } => {
                let Some(open) = lines else {
                    return std::future::pending().await;
                };
                let line = open.recv().await;
                printer.answered();
                if line.is_none() {
                    // The end of the input is reported once.
                    *lines = None;
                }
                Next::Woken(WakeCause::Line(line))
            }
        }
    }

    /// Shows what is finished, and below it what changes or what is asked.
    pub(super) fn draw(&mut self, finished: &[Line], live: Live, asked: Awaited) -> io::Result<()> {
        match self {
            Self::Painted { painter, .. } => painter.paint(finished, live),
            Self::Lines { printer, .. } => printer.print(finished, asked),
        }
    }

    /// Returns whether what was drawn last is still on its way to the terminal.
    pub(super) fn is_busy(&self) -> bool {
        self.outlet().is_busy()
    }

    /// Returns whether nothing is on its way: nothing drawn, and no answer of the terminal.
    pub(super) fn is_settled(&self) -> bool {
        self.outlet().is_settled()
    }

    /// Lets the terminal report when everything has arrived, if it does such a thing.
    pub(super) fn ask_for_arrival(&mut self) {
        if let Self::Painted { painter, .. } = self {
            // A terminal that has gone is noticed at the next frame.
            drop(painter.out_mut().ask_for_arrival());
        }
    }

    /// Returns whether the terminal is known to take little.
    pub(super) fn is_slow(&self) -> bool {
        self.outlet().is_slow()
    }

    /// Returns whether it isn't known whether the terminal is slow or was only stopped.
    pub(super) fn is_unsure(&self) -> bool {
        self.outlet().is_unsure()
    }

    /// Returns how many bytes were handed over, if nothing is known about the terminal's speed.
    pub(super) fn untested(&self) -> Option<u64> {
        self.outlet().untested()
    }

    /// Returns how many bytes of finished lines the next frame may have.
    pub(super) fn share(&self) -> usize {
        self.outlet().share()
    }

    /// Returns how many bytes the terminal has accepted since the beginning.
    pub(super) fn written(&self) -> u64 {
        self.outlet().written()
    }

    /// Returns what signals that something has arrived.
    pub(super) fn arrival(&self) -> Arrival {
        self.outlet().arrival()
    }

    const fn outlet(&self) -> &Outlet {
        match self {
            Self::Painted { painter, .. } => painter.out(),
            Self::Lines { printer, .. } => printer.out(),
        }
    }

    /// Clears the screen, if there is one.
    pub(super) fn clear(&mut self) -> io::Result<()> {
        match self {
            Self::Painted { painter, .. } => painter.clear(),
            Self::Lines { .. } => Ok(()),
        }
    }

    /// Gives the terminal to another program, until [`come_back`](Self::come_back).
    pub(super) fn release(&self) {
        if let Self::Painted { keys, .. } = self {
            keys.pause();
            terminal::restore();
        }
    }

    /// Retakes a terminal that something else used, and returns its size.
    pub(super) fn come_back(&mut self) -> Option<Size> {
        match self {
            Self::Painted { painter, keys, .. } => {
                terminal::retake();
                // A terminal that has gone is noticed at the next frame.
                drop(painter.instruct(terminal::ENTER));
                keys.go_on();
                let size = terminal::size();
                painter.resize(size);
                painter.disturb();
                Some(size)
            }
            Self::Lines { .. } => None,
        }
    }
}

impl Drop for Front {
    /// Waits briefly for answers of the terminal that are still on their way: in the shell they
    /// would be a text that nobody typed.
    fn drop(&mut self) {
        let Self::Painted {
            keys,
            asked,
            painter,
            ..
        } = self
        else {
            return;
        };
        if let Some(asked) = asked.take()
            && keys.await_ground(ANSWERED.saturating_sub(asked.elapsed()))
        {
            painter.out().answered();
        }
        let deadline = Instant::now() + ANSWERED;
        while !painter.out().is_settled()
            && keys.await_ground(deadline.saturating_duration_since(Instant::now()))
        {
            painter.out().answered();
        }
    }
}

const fn endless(size: Size) -> Size {
    Size {
        rows: ENDLESS,
        ..size
    }
}
