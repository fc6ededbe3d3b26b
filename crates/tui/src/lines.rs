//! The session without repainting, for terminals that don't support it and for screen readers
//! (TU-5): output is only appended, questions are numbered, and nothing is drawn twice.

use std::io::{self, BufRead, Write};
use std::thread;

use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use crate::styled::Line;

/// What precedes the user's input.
const PROMPT: &str = "> ";

/// What is waited for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) enum Awaited {
    /// Nothing: something runs.
    #[default]
    Nothing,
    /// Whatever the user wants to write.
    Anything,
    /// The answer to a question, which is drawn with these lines.
    Question(Vec<Line>),
}

/// Prints lines, each once.
pub(crate) struct LinePrinter<W> {
    out: W,
    /// The last question that hasn't been answered yet.
    asked: Awaited,
}

impl<W: Write> LinePrinter<W> {
    pub(crate) const fn new(out: W) -> Self {
        Self {
            out,
            asked: Awaited::Nothing,
        }
    }

    pub(crate) const fn out(&self) -> &W {
        &self.out
    }

    /// Prints what is finished, then the question.
    pub(crate) fn print(&mut self, finished: &[Line], asked: Awaited) -> io::Result<()> {
        if finished.is_empty() && asked == self.asked {
            return Ok(());
        }
        let mut text = String::new();
        if self.asked != Awaited::Nothing {
            // The question is on a line of its own.
            text.push('\n');
        }
        for line in finished {
            text.push_str(&line.text());
            text.push('\n');
        }
        match &asked {
            Awaited::Nothing => {}
            Awaited::Anything => text.push_str(PROMPT),
            Awaited::Question(lines) => {
                for line in lines.iter().map(Line::text).filter(|it| !is_rule(it)) {
                    // Without keys to move a selection, no choice is marked.
                    text.push_str(&line.replace('❯', " "));
                    text.push('\n');
                }
                text.push_str("Your answer: ");
            }
        }
        self.asked = asked;
        self.out.write_all(text.as_bytes())?;
        self.out.flush()
    }

    /// Records that the user has ended a line: the question is asked again.
    pub(crate) fn answered(&mut self) {
        self.asked = Awaited::Nothing;
    }
}

fn is_rule(line: &str) -> bool {
    !line.is_empty() && line.chars().all(|it| it == '─')
}

/// Returns the number that a line consists of: a line with words beside it may mean the opposite,
/// and isn't an answer.
pub(crate) fn number(line: &str) -> Option<usize> {
    let digits = line.trim();
    let is_number = digits.bytes().all(|it| it.is_ascii_digit());
    digits.parse().ok().filter(|_| is_number)
}

/// Reads lines on a separate thread; the channel closes when there are no more.
pub(crate) fn read() -> UnboundedReceiver<String> {
    let (sender, receiver) = unbounded_channel();
    thread::spawn(move || {
        for line in io::stdin().lock().lines() {
            let Ok(line) = line else { return };
            if sender.send(line).is_err() {
                return;
            }
        }
    });
    receiver
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(texts: &[&str]) -> Vec<Line> {
        texts.iter().map(|it| Line::plain(*it)).collect()
    }

    /// TU-5: without painting each line is printed once, a question again only if it was answered
    /// wrongly, and there are no terminal control sequences.
    #[test]
    fn lines_are_printed_once() {
        let mut out = Vec::new();
        let mut printer = LinePrinter::new(&mut out);
        let question = Awaited::Question(lines(&["────", "Allow ls?", "❯ 1. Allow once"]));
        for _ in 0..3 {
            printer.print(&[], Awaited::Anything).unwrap();
        }
        printer.answered();
        printer
            .print(&lines(&["one", "two"]), Awaited::Nothing)
            .unwrap();
        printer.print(&[], question.clone()).unwrap();
        printer.print(&lines(&["news"]), question.clone()).unwrap();
        printer.answered();
        printer.print(&[], question).unwrap();
        let asked = "Allow ls?\n  1. Allow once\nYour answer: ";
        let expected = format!("> one\ntwo\n{asked}\nnews\n{asked}{asked}");
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }
}
