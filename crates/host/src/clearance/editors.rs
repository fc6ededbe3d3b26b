//! Commands of editors, databases and similar programs, whose text isn't in a language whose
//! strings are followed.

use std::path::Path;

use hookloop_shell::{
    Command, Input, curl_line, is_standard_input, script_options, sed_script, usual_name, wget_line,
};

use super::commands::Place;
use super::concern::Concern;
use super::reading;
use super::tokens::Language;
use crate::protected::Touch;

/// Commands of editors that assemble or run text, so that a name needn't appear literally.
const COMPUTING: [&str; 22] = [
    "chr(",
    "char(",
    "string.char",
    "nr2char",
    "printf(",
    "join(",
    "substitute(",
    "reverse(",
    "concat",
    "string-join",
    "mapconcat",
    "decode",
    "fromhex",
    "unhexlify",
    "feedkeys",
    "luaeval",
    "pyeval",
    "py3eval",
    "perleval",
    "eval(",
    "(eval ",
    "format ",
];

/// Programs whose operands are files that they edit.
const EDITORS: [&str; 4] = ["vim", "ed", "red", "emacs"];

/// The maximum number of folders that a command may change to.
const MAX_FOLDERS: usize = 16;

/// Programs whose text queries data, and concatenates strings for that.
const CLIENTS: [&str; 5] = ["psql", "mysql", "mariadb", "sqlite3", "gdb"];

/// Returns whether a program's operands are what it works on, and not its commands.
pub(super) fn edits(program: &str) -> bool {
    EDITORS.contains(&usual_name(program)) || CLIENTS.contains(&program)
}

/// Orders to read a file and to carry out what is in it, of consoles of databases and debuggers.
const READING_ORDERS: [&str; 6] = [".read", "\\i", "\\ir", "\\include", "\\.", "source"];

/// `sqlite3 x.db '.read q.sql'`: the files that orders in a word name.
fn read_by_orders(word: &str) -> impl Iterator<Item = String> {
    let lines = word.split(['\n', ';']);
    lines.filter_map(|line| {
        let (order, file) = line.trim().split_once(char::is_whitespace)?;
        let file = file.trim().trim_matches(['"', '\'']);
        READING_ORDERS.contains(&order).then(|| file.to_owned())
    })
}

impl Place {
    /// Examines commands of an editor or a database, which may write to whatever they name.
    pub(super) fn check_editor_commands(
        &self,
        command: &Command,
        text: &str,
        depth: usize,
    ) -> Option<Concern> {
        let program = command.program.as_str();
        let folder = command.folders.first().map_or("", String::as_str);
        if ["sed", "gsed"].contains(&program) {
            let script = sed_script(text);
            let mut files = script.writes.iter();
            let touched = files.find_map(|it| self.lookup(Touch::Write, it, &command.folders));
            let depth = depth.checked_sub(1)?;
            let mut runs = script.runs.iter();
            return touched
                .map(Concern::Touches)
                .or_else(|| runs.find_map(|it| self.check_shell(it, Path::new(folder), depth)))
                .or_else(|| {
                    script
                        .runs_text
                        .then(|| Concern::Unclear("sed … e".to_owned()))
                });
        }
        let text = if ["ed", "red", "ex"].contains(&program) {
            without_inserted(text)
        } else {
            text.to_owned()
        };
        let mut folders = command.folders.clone();
        let mut words = text
            .split(|it: char| it.is_whitespace() || "'\"`();,|<>=[]{}".contains(it))
            .filter(|it| !it.is_empty())
            .peekable();
        while let Some(word) = words.next() {
            let bare = word
                .trim_start_matches([':', '.', '!'])
                .trim_end_matches('!');
            if ["cd", "lcd", "tcd", "chdir", "lchdir"].contains(&bare)
                && let Some(next) = words.peek()
            {
                let inside: Vec<String> = folders
                    .iter()
                    .map(|it| hookloop_shell::join_path(it, next))
                    .collect();
                folders.extend(inside);
                if folders.len() > MAX_FOLDERS {
                    return Some(Concern::Unclear(format!("{program} … {bare}")));
                }
            }
            let behind = word.trim_start_matches([':', '!', '%']);
            // `w.gemini/settings.json`, `w!file`.
            let behind_letter = behind
                .strip_prefix(['w', 'W'])
                .map(|it| it.trim_start_matches(['q', '!', '>']));
            for name in [Some(word), Some(behind), behind_letter]
                .into_iter()
                .flatten()
            {
                let touch = if name.contains('/') || name.starts_with('.') {
                    Touch::Remove
                } else {
                    Touch::Write
                };
                let is_client = CLIENTS.contains(&program);
                let touch = if is_client { Touch::Write } else { touch };
                if let Some(hit) = self.lookup(touch, name, &folders) {
                    return Some(Concern::Touches(hit));
                }
            }
        }
        check_assembled_names(program, &text)
    }

    /// Examines scripts that an option names, or that an editor reads as typed input: `sed -f`,
    /// `vim -S`, `ed <`.
    pub(super) fn check_named_scripts(&self, command: &Command, depth: usize) -> Option<Concern> {
        let program = command.program.as_str();
        let language = Language::from_program(program);
        let mut names: Vec<String> = command
            .values_of(script_options(program))
            .into_iter()
            .map(|it| it.text)
            .collect();
        let runs_text = hookloop_shell::runs_text(program) && language.is_none();
        if let Input::File(file) = &command.input
            && runs_text
        {
            names.push(file.clone());
        }
        if runs_text && !edits(program) {
            names.extend(command.operands().map(|it| it.text.clone()));
        }
        if runs_text || edits(program) {
            names.extend(command.texts_after_program().flat_map(read_by_orders));
        }
        match program {
            "curl" => return self.check_curl_options(command, depth),
            "wget" => return self.check_wget_options(command, depth),
            _ => {}
        }
        for name in names {
            if let (Some(language), Input::Text(text)) = (language, &command.input)
                && (name == "-" || is_standard_input(&name))
            {
                let found = self.check_text(text, language, &command.folders, &[], depth);
                if found.is_some() {
                    return found;
                }
            }
            let mut folders = command.folders.iter();
            let path = folders
                .by_ref()
                .map(|it| Path::new(it).join(&name))
                .find(|it| self.has_file(it));
            // A guard's own script has been agreed to.
            let path = path.filter(|it| self.protected.affected(Touch::Write, it).is_none());
            let read = path.and_then(|it| Some((self.script_text(&it)?, it)));
            let (text, path) = match read {
                Some((Ok(text), path)) => (text, path),
                Some((Err(unclear), _)) => return Some(unclear),
                None => continue,
            };
            let given: Vec<String> = command.operands().map(|it| it.text.clone()).collect();
            let concern = match language {
                Some(language) => self.check_text(&text, language, &command.folders, &given, depth),
                None if hookloop_shell::is_shell(program) => {
                    let depth = depth.checked_sub(1)?;
                    // Settings of the file apply to the text after `-c`.
                    let code = command.values_of(&["-c"]).into_iter().map(|it| it.text);
                    let whole: Vec<String> = std::iter::once(text).chain(code).collect();
                    let folder = Path::new(command.folders.first()?);
                    self.check_shell(&whole.join("\n"), folder, depth)
                }
                None => self.check_editor_commands(command, &text, depth),
            };
            match concern {
                Some(Concern::Unclear(_)) if !self.is_of_session(&path) => {}
                None => {}
                found => return found,
            }
        }
        None
    }
}

impl Place {
    /// `wget --config=FILE` and `wget -e LINE`: options that are in a file, or as a line of one.
    fn check_wget_options(&self, command: &Command, depth: usize) -> Option<Concern> {
        let depth = depth.checked_sub(1)?;
        let folder = Path::new(command.folders.first()?);
        let given = command.values_of(&["-e", "--execute"]).into_iter();
        let mut given = given.map(|it| it.text);
        let of_line = |line: String| self.check_shell(&wget_line(&line), folder, depth);
        given.find_map(of_line).or_else(|| {
            let mut files = command.values_of(&["--config"]).into_iter();
            files.find_map(|file| match reading::text_of(&folder.join(&file.text)) {
                Some(text) => self.check_shell(&wget_line(&text), folder, depth),
                None => Some(Concern::Unclear(format!("wget --config={}", file.text))),
            })
        })
    }

    /// `curl -K FILE`: options that are in a file.
    fn check_curl_options(&self, command: &Command, depth: usize) -> Option<Concern> {
        let depth = depth.checked_sub(1)?;
        let folder = Path::new(command.folders.first()?);
        let files = command.values_of(&["-K", "--config"]).into_iter();
        let mut files = files.filter(|it| it.text != "-" && !it.text.starts_with("/dev/fd/"));
        files.find_map(|file| match reading::text_of(&folder.join(&file.text)) {
            Some(text) => self.check_shell(&curl_line(&text), folder, depth),
            None => Some(Concern::Unclear(format!("curl -K {}", file.text))),
        })
    }
}

/// Reports that a text assembles names, so that they needn't appear literally.
fn check_assembled_names(program: &str, text: &str) -> Option<Concern> {
    let unclear = |what: &str| Some(Concern::Unclear(format!("{program} … {what}")));
    if CLIENTS.contains(&program) {
        let computes = ["||", "char(", "printf(", "replace(", "unhex("];
        let writes = program == "sqlite3" && text.contains("writefile(");
        return computes
            .iter()
            .find(|it| writes && text.contains(*it))
            .and_then(|_| unclear("writefile"));
    }
    // `".gem" . "ini"`
    let mut pieces = text.split(['"', '\'']).skip(1);
    let joins = pieces.any(|it| [".", ".."].contains(&it.trim()));
    let changes = ["delete(", "rename(", "writefile(", "exe"];
    if joins && changes.iter().any(|it| text.contains(it)) {
        return unclear(".");
    }
    let computing = COMPUTING.iter().find(|it| text.contains(*it));
    computing.and_then(|it| unclear(it.trim_matches(['(', ' '])))
}

/// Removes the lines that a line editor inserts as text.
fn without_inserted(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut inserts = false;
    for line in text.lines() {
        if inserts {
            inserts = line != ".";
            continue;
        }
        let command =
            line.trim_start_matches(|it: char| it.is_ascii_digit() || ",;$.+- ".contains(it));
        inserts =
            ["a", "i", "c", "a!", "i!", "append", "insert", "change"].contains(&command.trim_end());
        kept.push_str(line);
        kept.push('\n');
    }
    kept
}
