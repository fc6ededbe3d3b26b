//! Lines on their way to a terminal that may be slow (TU-5).

use std::collections::VecDeque;

use crate::styled::{Line, Tone};

/// What a line costs besides its text: how it begins, ends, and looks.
const FRAME: usize = 16;

/// Whether a line may be dropped if a terminal is too slow for all of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Worth {
    /// Somebody has to see it: what hooks and the agent say, what is asked, and errors.
    Told,
    /// It is shown as it comes, and is in the transcript: text of the model, and output of tools.
    Shown,
}

#[derive(Debug)]
enum Entry {
    Line(Line, Worth),
    /// This many lines were dropped here.
    Gap(usize),
}

/// Lines in their order, oldest first.
#[derive(Debug, Default)]
pub(super) struct Waiting {
    entries: VecDeque<Entry>,
    bytes: usize,
}

impl Waiting {
    pub(super) fn add(&mut self, line: Line, worth: Worth) {
        self.bytes += cost(&line);
        self.entries.push_back(Entry::Line(line, worth));
    }

    /// Returns approximately how many bytes it takes to show them.
    pub(super) const fn bytes(&self) -> usize {
        self.bytes
    }

    /// Takes lines with a total of this many bytes, and at least one.
    pub(super) fn take(&mut self, bytes: usize) -> Vec<Line> {
        let mut lines = Vec::new();
        let mut left = bytes;
        while left > 0
            && let Some(entry) = self.entries.pop_front()
        {
            let line = match entry {
                Entry::Line(line, _) => {
                    self.bytes = self.bytes.saturating_sub(cost(&line));
                    line
                }
                Entry::Gap(count) => {
                    let text =
                        format!("… {count} lines left out: the terminal is too slow for them");
                    Line::new(text, Tone::Warning)
                }
            };
            left = left.saturating_sub(cost(&line));
            lines.push(line);
        }
        lines
    }

    /// Drops the oldest lines that may be dropped if all together take more than this many bytes,
    /// until half of that is left.
    pub(super) fn give_way(&mut self, room: usize) {
        if self.bytes <= room {
            return;
        }
        let mut gap: Option<(usize, usize)> = None;
        let mut kept = VecDeque::new();
        for entry in self.entries.drain(..) {
            match entry {
                Entry::Line(line, Worth::Shown) if self.bytes > room / 2 => {
                    self.bytes = self.bytes.saturating_sub(cost(&line));
                    gap.get_or_insert((kept.len(), 0)).1 += 1;
                }
                Entry::Gap(count) => gap.get_or_insert((kept.len(), 0)).1 += count,
                line @ Entry::Line(..) => kept.push_back(line),
            }
        }
        self.entries = kept;
        if let Some((place, count)) = gap {
            self.entries.insert(place, Entry::Gap(count));
        }
    }
}

fn cost(line: &Line) -> usize {
    let text: usize = line.0.iter().map(|span| span.text.len()).sum();
    text + FRAME
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(lines: &[Line]) -> Vec<String> {
        lines.iter().map(Line::text).collect()
    }

    /// TU-5: lines come in their order, piece by piece, and one at least.
    #[test]
    fn lines_come_in_order() {
        let mut waiting = Waiting::default();
        for number in 0..4 {
            waiting.add(Line::plain(format!("line {number}")), Worth::Shown);
        }
        assert_eq!(texts(&waiting.take(1)), ["line 0"]);
        assert_eq!(texts(&waiting.take(2 * FRAME + 12)), ["line 1", "line 2"]);
        assert_eq!(texts(&waiting.take(usize::MAX)), ["line 3"]);
        assert_eq!(waiting.bytes(), 0);
    }

    /// TU-5, OUT-9: what is too much for a slow terminal is dropped, oldest first, with its number;
    /// nothing that somebody has to see is.
    #[test]
    fn only_what_is_shown_gives_way() {
        let mut waiting = Waiting::default();
        let mut lost = 0;
        for round in 0..50 {
            waiting.add(Line::plain(format!("told {round}")), Worth::Told);
            for _ in 0..100 {
                waiting.add(Line::plain("shown as it comes"), Worth::Shown);
            }
            waiting.give_way(8 * 1024);
            assert!(waiting.bytes() <= 8 * 1024, "{round}");
        }
        let lines = texts(&waiting.take(usize::MAX));
        for line in &lines {
            if let Some(count) = line.strip_prefix("… ") {
                lost += count.split(' ').next().unwrap().parse::<usize>().unwrap();
            }
        }
        let shown = lines.iter().filter(|it| it.starts_with("shown")).count();
        assert_eq!(shown + lost, 5000);
        assert!(shown > 100);
        let messages = lines.iter().filter(|it| it.starts_with("told"));
        let expected: Vec<String> = (0..50).map(|it| format!("told {it}")).collect();
        assert_eq!(messages.cloned().collect::<Vec<_>>(), expected);
    }
}
