//! Program texts in a hook's command that reach no file but standard input (TR-1): the names in them are compared, and
//! none of them names a file of the hook.
//!
//! Only what is listed here is known to reach none. A text with any other import, call or attribute may open what it
//! names, so each name in it counts as before.

mod javascript;
mod lexer;
mod python;

use hookloop_shell::Command;

use crate::resolve::{Finder, Reading, commands};

/// The options of Python that leave a program text one.
const PYTHON_OPTIONS: [&str; 7] = ["-B", "-E", "-I", "-S", "-s", "-u", "-q"];

/// The options of Node.js before a program text.
const NODE_TEXT: [&str; 5] = ["-e", "--eval", "-p", "--print", "-pe"];

impl Finder<'_> {
    /// Returns the index of the word of a command that is the text of a program that reaches no file. `None` where it
    /// could reach one, and where what it prints may be carried out.
    pub(super) fn compares(&self, look: &commands::Look, command: &Command) -> Option<usize> {
        let is_certain = self.reading == Reading::Today && self.is_as_it_looks(look, command);
        is_certain.then(|| text_without_files(command))?
    }
}

/// Returns the index of a program text that reaches no file.
fn text_without_files(command: &Command) -> Option<usize> {
    if command.words.iter().any(|it| !it.known) {
        return None;
    }
    let words: Vec<&str> = command.words.iter().map(|it| it.text.as_str()).collect();
    let (at, reaches_none): (usize, fn(&str) -> bool) = match command.program.as_str() {
        "python" | "python3" => {
            let options = words.iter().skip(1);
            let before = options.take_while(|it| PYTHON_OPTIONS.contains(it)).count();
            (1 + before, python::reaches_no_file)
        }
        "node" | "nodejs" => (1, javascript::reaches_no_file),
        _ => return None,
    };
    let takes_text = match command.program.as_str() {
        "python" | "python3" => *words.get(at)? == "-c",
        _ => NODE_TEXT.contains(words.get(at)?),
    };
    let text = words.get(at + 1)?;
    (takes_text && reaches_none(text)).then_some(at + 1)
}
