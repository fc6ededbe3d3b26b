//! Sources that a call has compiled: what their strings name, and which files their calls change.

use std::path::{Path, PathBuf};

use hookloop_shell::Command;

use super::commands::Place;
use super::concern::Concern;
use super::made::files_meant;
use super::tokens::{Language, Token, tokens};
use super::{tables, trees};

/// How many sources of one command are looked at.
const MOST_SOURCES: usize = 64;

/// Calls that change what their first argument names, or start it.
const CHANGE: &str = "\
    unlink unlinkat remove rename renameat rmdir truncate creat symlink freopen fopen system popen execl execlp execle \
    execv execvp execve execvpe posix_spawn posix_spawnp FileWriter FileOutputStream RandomAccessFile \
    ProcessBuilder StreamWriter ofstream";

/// Calls that do so where they belong to one of the modules below.
const CHANGE_OF_MODULES: &str = "\
    delete deleteIfExists write writeString newBufferedWriter newOutputStream move copy createSymbolicLink createLink \
    remove_file remove_dir remove_dir_all rename hard_link symlink new create create_new WriteFile Remove RemoveAll \
    Rename Truncate Create Symlink Link Delete Move WriteAllText WriteAllBytes WriteAllLines Command exec Start";

/// Modules of files and programs.
const MODULES: &str = "\
    Files fs os File Directory ioutil Command exec Process getRuntime FileManager filesystem";

/// Calls that only make a path of their arguments.
const MAKE_PATHS: &str = "\
    Path Paths of get File new std path string String from to_string into as_ref OsStr CString c_str concat L u8 \
    getRuntime Runtime sh";

impl Place {
    /// `cc x.c -o x && ./x`: a program that is made of a source runs sooner or later. What a source of the
    /// session names in its strings counts, and where its calls change files whose names it puts together as it
    /// runs, nobody knows which these are.
    pub(super) fn of_sources(&self, command: &Command, depth: usize) -> Option<Concern> {
        if !tables::holds(tables::COMPILERS, &command.program) {
            return None;
        }
        let depth = depth.checked_sub(1)?;
        let folder = Path::new(command.folders.first()?);
        let operands = command.operands().map(|it| it.text.clone());
        let listed = command.operands().filter_map(|it| {
            let list = it.text.strip_prefix('@')?;
            trees::read(&folder.join(list))
        });
        let listed = listed.flat_map(|it| {
            let names = it.split_whitespace().map(str::to_owned);
            names.collect::<Vec<_>>()
        });
        let named = operands.chain(listed).flat_map(|name| {
            let folders = command.folders.iter();
            let join = |folder: &String| Path::new(folder).join(&name);
            folders.map(join).collect::<Vec<PathBuf>>()
        });
        let named = named.flat_map(|it| files_meant(&it));
        let sources = named.filter(|it| it.extension().is_some() && self.is_of_session(it));
        let mut sources = sources.take(MOST_SOURCES);
        sources.find_map(|path| {
            let text = self.script_text(&path)?.ok()?;
            self.named_by_source(&text, folder, depth)
                .or_else(|| self.changed_by_source(&text, folder, depth))
                .or_else(|| {
                    let is_given = changes_computed(&text);
                    let name = path.file_name()?.to_string_lossy().into_owned();
                    is_given.then_some(Concern::Unclear(name))
                })
        })
    }

    /// Returns what strings of a source name, and what commands in them do.
    pub(super) fn named_by_source(
        &self,
        text: &str,
        folder: &Path,
        depth: usize,
    ) -> Option<Concern> {
        // Strings and comments are written as in the languages that they come from.
        let tokens = tokens(text, Language::JavaScript);
        let mut strings = tokens.iter().filter_map(|it| match it {
            Token::Text(Some(text)) => Some(text),
            _ => None,
        });
        let folders = [folder.to_string_lossy().into_owned()];
        strings.find_map(|it| {
            let named = self.named_by_text(it, &folders);
            let is_command = it.contains(char::is_whitespace);
            named.map(Concern::Touches).or_else(|| {
                let run = is_command.then(|| self.of_shell(it, folder, depth))??;
                (!matches!(run, Concern::Unclear(_))).then_some(run)
            })
        })
    }

    /// Looks at what calls are given whose arguments are known: names that are put together, and commands.
    fn changed_by_source(&self, text: &str, folder: &Path, depth: usize) -> Option<Concern> {
        let folders = [folder.to_string_lossy().into_owned()];
        let tokens = tokens(text, Language::JavaScript);
        let mut calls = (0..tokens.len()).filter_map(|at| changing_call(&tokens, at));
        calls.find_map(|call| {
            let Argument::Known(parts, path) = call else {
                return None;
            };
            let named = self
                .named_by_text(&parts.concat(), &folders)
                .or_else(|| self.named_by_text(&path, &folders));
            named.map(Concern::Touches).or_else(|| {
                let line = match parts.as_slice() {
                    [only] if only.contains(' ') => only.clone(),
                    [_] => return None,
                    parts => hookloop_shell::join(parts.iter().map(String::as_str)),
                };
                self.of_shell(&line, folder, depth)
            })
        })
    }
}

/// What a call that changes files is given.
enum Argument {
    /// Strings, and the path that they make where each argument is a part of it.
    Known(Vec<String>, String),
    /// Something else.
    Computed,
}

/// Tells whether a source changes files whose names aren't strings.
fn changes_computed(text: &str) -> bool {
    let tokens = tokens(text, Language::JavaScript);
    let mut calls = (0..tokens.len()).filter_map(|at| changing_call(&tokens, at));
    calls.any(|it| matches!(it, Argument::Computed))
}

/// Returns what the call at a place is given, if it changes files or starts programs.
fn changing_call(tokens: &[Token], at: usize) -> Option<Argument> {
    let name = name(tokens, at)?;
    let is_sign = |at: usize, sign: char| tokens.get(at) == Some(&Token::Sign(sign));
    // `fn remove(…)`, `#include <…>`, `int system(…);`
    let declares = name == "ofstream" && self::name(tokens, at + 1).is_some();
    if !is_sign(at + 1, '(') && !declares {
        return None;
    }
    let owner = at
        .checked_sub(1)
        .filter(|it| is_sign(*it, '.') || is_sign(*it, ':'));
    let owner = owner.and_then(|it| (0..it).rev().take(4).find_map(|it| self::name(tokens, it)));
    let changes = match owner {
        Some(owner) => {
            tables::holds(MODULES, owner) && tables::holds(CHANGE_OF_MODULES, name)
                || owner == "std" && tables::holds(CHANGE, name)
        }
        None => tables::holds(CHANGE, name),
    };
    if !changes {
        return None;
    }
    let open = (at + 1..tokens.len()).find(|it| is_sign(*it, '('))?;
    let mut depth = 0_usize;
    let mut parts: Vec<String> = Vec::new();
    let mut path = String::new();
    let mut first_ended = false;
    let mut writes = false;
    for token in &tokens[open..] {
        match token {
            Token::Sign('(' | '[' | '{') => depth += 1,
            Token::Sign(')' | ']' | '}') => {
                depth -= 1;
                if depth == 0 {
                    break;
                }
            }
            Token::Sign(',') if depth == 1 => {
                first_ended = true;
                path.push('/');
            }
            Token::Text(Some(text)) if first_ended && opens(name) => {
                writes |= text.contains(['w', 'a', '+']);
            }
            Token::Text(Some(text)) => {
                parts.push(text.clone());
                path.push_str(text);
            }
            Token::Sign(',') => path.push('/'),
            Token::Text(None) if !first_ended => return Some(Argument::Computed),
            Token::Name(word) if !first_ended && !tables::holds(MAKE_PATHS, word) => {
                // What opens a file says behind it whether it writes.
                if !opens(name) {
                    return Some(Argument::Computed);
                }
                parts.clear();
                parts.push(String::new());
            }
            _ => {}
        }
    }
    if opens(name) && !writes {
        return None;
    }
    let is_computed = parts.iter().all(String::is_empty);
    let is_empty = parts.is_empty();
    Some(if is_computed && !is_empty {
        Argument::Computed
    } else {
        Argument::Known(parts, path)
    })
}

/// Tells whether a call says behind the name of a file how it is opened.
fn opens(name: &str) -> bool {
    ["fopen", "freopen"].contains(&name)
}

fn name(tokens: &[Token], at: usize) -> Option<&str> {
    match tokens.get(at) {
        Some(Token::Name(name)) => Some(name),
        _ => None,
    }
}
