//! The content of `console` blocks: commands, and what they print.

/// A command and its expected output.
pub(crate) struct Step<'a> {
    pub(crate) command: String,
    pub(crate) expected: Vec<&'a str>,
}

impl Step<'_> {
    /// Returns whether the command shows the exit code of the one before.
    pub(crate) fn shows_exit_code(&self) -> bool {
        self.command == "echo $?"
    }
}

/// Reads the steps of a block.
pub(crate) fn steps(text: &str) -> Vec<Step<'_>> {
    let mut steps: Vec<Step<'_>> = Vec::new();
    for line in text.lines() {
        let continued = steps.last_mut().filter(|step| step.command.ends_with('\\'));
        if let Some(step) = continued {
            step.command = format!("{}\n{line}", step.command);
        } else if let Some(command) = line.strip_prefix("$ ") {
            steps.push(Step {
                command: command.trim().to_owned(),
                expected: Vec::new(),
            });
        } else {
            steps.last_mut().unwrap().expected.push(line);
        }
    }
    steps
}

/// Finds the expected lines in the output, in order; returns the first that is missing.
pub(crate) fn missing<'a>(expected: &[&'a str], printed: &str) -> Option<&'a str> {
    let mut lines = printed.lines();
    let mut wanted = expected
        .iter()
        .filter(|line| !matches!(line.trim(), "" | "…"));
    wanted
        .find(|line| !lines.any(|printed| fits(line.trim(), printed)))
        .copied()
}

/// Returns whether the parts of a line, between `…`, are in another one in that order.
fn fits(expected: &str, printed: &str) -> bool {
    let mut rest = printed;
    expected.split('…').all(|part| {
        let found = rest.split_once(part.trim());
        rest = found.map_or("", |(_, rest)| rest);
        found.is_some()
    })
}

/// Expected lines are searched for in order, and must exist.
#[test]
fn expected_lines_are_looked_for_in_order() {
    let printed = "one: refused after 3 ms\n  two\nthree\n";
    assert_eq!(missing(&["one: … after … ms", "…", "three"], printed), None);
    assert_eq!(missing(&["two", "one"], printed), Some("one"));
    assert_eq!(
        missing(&["one: … after … s 5"], printed),
        Some("one: … after … s 5")
    );
}
