//! What a session begins with: the folder, how many hooks are active, and how to continue.

use crate::styled::{Line, Style, Tone};
use hookloop_text::visible_row;

/// What a session is welcomed with (TU-1).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Welcome {
    /// The program with its version.
    pub program: String,
    /// The current model.
    pub model: String,
    /// The working directory.
    pub folder: String,
    /// How many hooks may run.
    pub hooks: usize,
    /// How many events these hooks belong to.
    pub events: usize,
    /// How many hooks were configured and don't run.
    pub idle: usize,
    /// How many messages an earlier session left, if it is continued (SE-11).
    pub resumed: Option<usize>,
}

impl Welcome {
    /// Returns its lines; they may be too long for the screen.
    pub(crate) fn lines(&self) -> Vec<Line> {
        let place = [&self.model, &self.folder].map(|it| visible_row(it));
        let mut head = Line::new(self.program.clone(), Style::from(Tone::Accent).strong());
        for part in place.iter().filter(|it| !it.is_empty()) {
            head = head.with(format!(" · {part}"), Tone::Plain);
        }
        let mut lines = vec![head];
        let resumed = self.resumed.map(|it| format!("resumed with {it} messages"));
        lines.extend(resumed.map(Line::plain));
        lines.extend(self.hook_lines());
        lines.push(Line::new(
            "/help lists the commands, @path includes a file",
            Tone::Faint,
        ));
        lines
    }

    /// Describes the hooks; those that don't run are never omitted.
    fn hook_lines(&self) -> Vec<Line> {
        let running = match (self.hooks, self.events) {
            (0, _) if self.idle == 0 => {
                let hint = "no hooks yet: try `hookloop demo` and `hookloop hooks new`";
                return vec![Line::new(hint, Tone::Faint)];
            }
            (0, _) => None,
            (1, _) => Some("1 hook active".to_owned()),
            (hooks, 1) => Some(format!("{hooks} hooks active on 1 event")),
            (hooks, events) => Some(format!("{hooks} hooks active on {events} events")),
        };
        let running = running
            .map(|text| Line::new(text, Tone::Good).with(", /hooks panel shows them", Tone::Faint));
        let idle = match self.idle {
            0 => None,
            1 => Some("1 hook doesn't run".to_owned()),
            idle => Some(format!("{idle} hooks don't run")),
        };
        let idle = idle.map(|text| {
            Line::new(text, Tone::Warning).with(", /hooks panel says why", Tone::Faint)
        });
        running.into_iter().chain(idle).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::Welcome;

    fn welcome(hooks: usize, events: usize, idle: usize) -> String {
        let welcome = Welcome {
            program: "hookloop 1.0".to_owned(),
            model: "gemini-2.5-pro".to_owned(),
            folder: "~/shop\u{1b}[2J".to_owned(),
            hooks,
            events,
            idle,
            resumed: None,
        };
        let lines = welcome.lines();
        let texts: Vec<String> = lines.iter().map(super::Line::text).collect();
        texts.join("\n")
    }

    /// TU-1: hooks that don't run are reported beside those that do, and instead of them.
    #[test]
    fn hooks_that_do_not_run_are_told() {
        assert!(welcome(3, 2, 0).contains("3 hooks active on 2 events"));
        assert!(!welcome(3, 2, 0).contains("n't run"));
        assert!(welcome(3, 2, 1).contains("1 hook doesn't run"));
        let none = welcome(0, 0, 2);
        assert!(none.contains("2 hooks don't run") && !none.contains("no hooks yet"));
        assert!(welcome(0, 0, 0).contains("no hooks yet"));
    }

    /// TU-1: control characters in a folder's name are escaped.
    #[test]
    fn names_are_escaped() {
        assert!(!welcome(1, 1, 0).contains('\u{1b}'));
    }
}
