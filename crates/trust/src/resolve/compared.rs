//! Program texts in a hook's command that reach no file but standard input (TR-1): the names in
//! them are compared, and none of them names a file of the hook.
//!
//! Only what is listed here is known to reach none. A text with any other import, call or attribute
//! may open what it names, so each name in it counts as before. In JavaScript that can't be seen
//! from the text: modules are there without an import, and any attribute can be named by a string
//! that is put together.

mod lexer;
mod python;

use hookloop_shell::Command;

use crate::resolve::{Finder, commands};

/// The options of Python that leave a program text one.
const PYTHON_OPTIONS: [&str; 7] = ["-B", "-E", "-I", "-S", "-s", "-u", "-q"];

impl Finder<'_> {
    /// Returns the index of the word of a command that is the text of a program that reaches no
    /// file. `None` where it could reach one, and where what it prints may be carried out.
    pub(super) fn compares(&self, look: &commands::Look, command: &Command) -> Option<usize> {
        let is_certain = self.reading.leaves_out_searched() && self.is_as_it_looks(look, command);
        is_certain.then(|| text_without_files(command))?
    }
}

/// Returns the index of a program text that reaches no file.
fn text_without_files(command: &Command) -> Option<usize> {
    // `python` may be a version in which more can be reached.
    if command.program != "python3" || command.words.iter().any(|it| !it.known) {
        return None;
    }
    let words: Vec<&str> = command.words.iter().map(|it| it.text.as_str()).collect();
    let options = words.iter().skip(1);
    let before = options.take_while(|it| PYTHON_OPTIONS.contains(it)).count();
    let [option, text, ..] = words.get(1 + before..)? else {
        return None;
    };
    (*option == "-c" && python::reaches_no_file(text)).then_some(2 + before)
}
