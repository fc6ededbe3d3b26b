//! The table of figures.

use std::io::{self, Write as _};

use crate::pairs::{Nanoseconds, Pairs};

/// One line of the table.
#[derive(Debug)]
pub(crate) struct Row {
    what: String,
    measured: String,
    beside: String,
    ratio: String,
    goal: String,
    reached: Reached,
}

/// Whether a figure is as good as it should be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reached {
    Yes,
    No,
    /// It has no goal and is only reported.
    NoGoal,
}

impl Reached {
    const fn word(self) -> &'static str {
        match self {
            Self::Yes => "yes",
            Self::No => "NO",
            Self::NoGoal => "",
        }
    }

    const fn of(is_reached: bool) -> Self {
        if is_reached { Self::Yes } else { Self::No }
    }
}

impl Row {
    /// Begins a row with a figure of its own kind.
    pub(crate) fn new(what: impl Into<String>, measured: impl Into<String>) -> Self {
        Self {
            what: what.into(),
            measured: measured.into(),
            beside: String::new(),
            ratio: String::new(),
            goal: String::new(),
            reached: Reached::NoGoal,
        }
    }

    /// Begins a row of two times.
    pub(crate) fn of(what: impl Into<String>, beside: &str, pairs: &Pairs) -> Self {
        Self {
            beside: format!("{} {beside}", time_text(pairs.beside)),
            ratio: ratio_text(pairs.ratio),
            ..Self::new(what, time_text(pairs.measured))
        }
    }

    /// Sets what the figure is compared with.
    pub(crate) fn beside(mut self, beside: impl Into<String>, ratio: f64) -> Self {
        self.beside = beside.into();
        self.ratio = ratio_text(ratio);
        self
    }

    /// Adds more about what was measured.
    pub(crate) fn and(mut self, more: &str) -> Self {
        self.measured = format!("{}, {more}", self.measured);
        self
    }

    /// Sets a goal, and whether it was reached.
    pub(crate) fn goal(mut self, goal: impl Into<String>, is_reached: bool) -> Self {
        self.goal = goal.into();
        self.reached = Reached::of(is_reached);
        self
    }

    /// Sets an upper bound of a ratio.
    pub(crate) fn at_most(self, bound: f64, ratio: f64) -> Self {
        self.goal(format!("≤ {bound:.2}×"), ratio <= bound)
    }

    /// Returns whether the row has a goal that was missed.
    pub(crate) fn is_missed(&self) -> bool {
        self.reached == Reached::No
    }

    fn cells(&self) -> [&str; 6] {
        [
            &self.what,
            &self.measured,
            &self.beside,
            &self.ratio,
            &self.goal,
            self.reached.word(),
        ]
    }
}

/// Formats a time in a suitable unit.
pub(crate) fn time_text(time: Nanoseconds) -> String {
    let (value, unit) = match time.abs() {
        below if below < 1e3 => (time, "ns"),
        below if below < 1e6 => (time / 1e3, "µs"),
        below if below < 1e9 => (time / 1e6, "ms"),
        _ => (time / 1e9, "s"),
    };
    let digits = match value.abs() {
        below if below < 10.0 => 2,
        below if below < 100.0 => 1,
        _ => 0,
    };
    format!("{value:.digits$} {unit}")
}

fn ratio_text(ratio: f64) -> String {
    let digits = if ratio.abs() < 10.0 { 2 } else { 0 };
    format!("{ratio:.digits$}×")
}

/// Prints rows as a Markdown table.
pub(crate) fn print(rows: &[Row]) -> io::Result<()> {
    const TITLES: [&str; 6] = ["what", "measured", "beside it", "ratio", "goal", "reached"];
    let mut widths = TITLES.map(|title| title.chars().count());
    for row in rows {
        for (width, cell) in widths.iter_mut().zip(row.cells()) {
            *width = (*width).max(cell.chars().count());
        }
    }
    let mut output = io::stdout().lock();
    print_line(&mut output, TITLES, widths)?;
    let rules = widths.map(|width| "-".repeat(width));
    print_line(&mut output, rules.each_ref().map(String::as_str), widths)?;
    for row in rows {
        print_line(&mut output, row.cells(), widths)?;
    }
    output.flush()
}

fn print_line(output: &mut impl io::Write, cells: [&str; 6], widths: [usize; 6]) -> io::Result<()> {
    for (cell, width) in cells.into_iter().zip(widths) {
        write!(output, "| {cell:width$} ")?;
    }
    writeln!(output, "|")
}
