//! Source files that a call compiles: the paths in their strings, and the files that their calls
//! change.

use std::path::{Path, PathBuf};

use hookloop_shell::Command;

use super::brackets::Brackets;
use super::commands::Place;
use super::concern::Concern;
use super::created_files::matching_files;
use super::reading;
use super::tables::{self, Table};
use super::tokens::{Language, Token, UNREAD, tokens};

/// How many bytes of one command's sources are examined.
const MAX_TEXT: usize = 16 << 20;

/// How many argument tokens are examined for each token of a source, and in addition for any
/// source.
const STEPS_OF_PIECE: usize = 32;
const MIN_STEPS: usize = 1 << 16;

/// The maximum number of tokens before the arguments of a declaration.
const MAX_DISTANCE: usize = 16;

/// Calls that change or start the file in their first argument.
static CHANGE: Table = Table::of(
    "\
    unlink unlinkat remove rename renameat rmdir truncate creat symlink freopen fopen system popen execl execlp execle \
    execv execvp execve execvpe posix_spawn posix_spawnp FileWriter FileOutputStream RandomAccessFile \
    ProcessBuilder StreamWriter ofstream",
);

/// Calls that do so if they belong to one of the modules below.
static CHANGE_OF_MODULES: Table = Table::of(
    "\
    delete deleteIfExists write writeString newBufferedWriter newOutputStream move copy createSymbolicLink createLink \
    remove_file remove_dir remove_dir_all rename hard_link symlink new create create_new WriteFile Remove RemoveAll \
    Rename Truncate Create Symlink Link Delete Move WriteAllText WriteAllBytes WriteAllLines Command exec Start",
);

/// Modules of files and programs.
static MODULES: Table = Table::of(
    "\
    Files fs os File Directory ioutil Command exec Process getRuntime FileManager filesystem",
);

/// Calls that only build a path from their arguments.
static MAKE_PATHS: Table = Table::of(
    "\
    Path Paths of get File new std path string String from to_string into as_ref OsStr CString c_str concat L u8 \
    getRuntime Runtime sh",
);

impl Place {
    /// `cc x.c -o x && ./x`: a compiled program runs sooner or later. The strings in the session's
    /// sources count. If its calls change files whose names are computed, the files aren't known.
    pub(super) fn check_sources(&self, command: &Command, depth: usize) -> Option<Concern> {
        if !tables::COMPILERS.holds(&command.program) {
            return None;
        }
        let depth = depth.checked_sub(1)?;
        let folder = Path::new(command.folders.first()?);
        let operands = command.operands().map(|it| it.text.clone());
        let listed = command.operands().filter_map(|it| {
            let list = it.text.strip_prefix('@')?;
            reading::text_of(&folder.join(list))
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
        let named = named.flat_map(|it| matching_files(&it));
        let sources = named.filter(|it| it.extension().is_some() && self.is_of_session(it));
        let mut left = MAX_TEXT;
        let mut sources = sources;
        sources.find_map(|path| {
            let text = match self.script_text(&path)? {
                Ok(text) => text,
                Err(unclear) => return Some(unclear),
            };
            let Some(less) = left.checked_sub(text.len()) else {
                return Some(Concern::Unclear(command.line()));
            };
            left = less;
            self.named_by_source(&text, folder, depth)
                .or_else(|| self.changed_by_source(&text, folder, depth))
                .or_else(|| {
                    let is_given = changes_computed(&text);
                    let name = path.file_name()?.to_string_lossy().into_owned();
                    is_given.then_some(Concern::Unclear(name))
                })
        })
    }

    /// Returns the concern about paths and commands in a source's strings.
    pub(super) fn named_by_source(
        &self,
        text: &str,
        folder: &Path,
        depth: usize,
    ) -> Option<Concern> {
        // The usual notations of strings and comments.
        let tokens = tokens(text, Language::Source);
        let mut strings = tokens.iter().filter_map(|it| match it {
            Token::Text(Some(text)) => Some(text),
            _ => None,
        });
        let folders = [folder.to_string_lossy().into_owned()];
        strings.find_map(|it| {
            let named = self.named_by_text(it, &folders);
            let is_command = it.contains(char::is_whitespace);
            named.map(Concern::Touches).or_else(|| {
                let run = is_command.then(|| self.check_shell(it, folder, depth))??;
                (!matches!(run, Concern::Unclear(_))).then_some(run)
            })
        })
    }

    /// Examines calls with known arguments: assembled names, and commands.
    fn changed_by_source(&self, text: &str, folder: &Path, depth: usize) -> Option<Concern> {
        let folders = [folder.to_string_lossy().into_owned()];
        calls_in(text).into_iter().find_map(|call| {
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
                self.check_shell(&line, folder, depth)
            })
        })
    }
}

/// The arguments of a call that changes files.
enum Argument {
    /// Strings, and the path that they form if each argument is a part of it.
    Known(Vec<String>, String),
    /// Something else.
    Computed,
}

/// Returns whether a source changes files, and whether their names aren't strings.
pub(super) fn changes_files(text: &str) -> (bool, bool) {
    let calls = calls_in(text);
    let computes = calls.iter().any(|it| matches!(it, Argument::Computed));
    (!calls.is_empty(), computes)
}

/// Returns whether a source changes files whose names aren't strings.
fn changes_computed(text: &str) -> bool {
    changes_files(text).1
}

/// Returns the arguments of calls that change files or start programs.
fn calls_in(text: &str) -> Vec<Argument> {
    let tokens = tokens(text, Language::Source);
    let brackets = Brackets::of(&tokens);
    let mut left = MIN_STEPS + tokens.len() * STEPS_OF_PIECE;
    let mut found = Vec::new();
    for at in 0..tokens.len() {
        found.extend(changing_call(&tokens, &brackets, at, &mut left));
    }
    if left == 0 || tokens.contains(&UNREAD) {
        found.push(Argument::Computed);
    }
    found
}

/// Returns the arguments of the call at a position, if it changes files or starts programs, within
/// a limit of steps.
fn changing_call(
    tokens: &[Token],
    brackets: &Brackets,
    at: usize,
    left: &mut usize,
) -> Option<Argument> {
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
            MODULES.holds(owner) && CHANGE_OF_MODULES.holds(name)
                || owner == "std" && CHANGE.holds(name)
        }
        None => CHANGE.holds(name),
    };
    if !changes {
        return None;
    }
    let mut behind = (at + 1..tokens.len()).take(MAX_DISTANCE);
    let open = behind.find(|it| is_sign(*it, '(') || is_sign(*it, '{'))?;
    let close = brackets.partner(open).unwrap_or(tokens.len());
    let Some(less) = left.checked_sub(close.saturating_sub(at)) else {
        *left = 0;
        return Some(Argument::Computed);
    };
    *left = less;
    call_arguments(name, &tokens[open..])
}

/// Returns the arguments of a call, from its bracket on.
fn call_arguments(name: &str, tokens: &[Token]) -> Option<Argument> {
    let mut depth = 0_usize;
    let mut parts: Vec<String> = Vec::new();
    let mut path = String::new();
    let mut first_ended = false;
    let mut writes = false;
    for token in tokens {
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
            Token::Name(word) if !first_ended && !MAKE_PATHS.holds(word) => {
                // A function that opens a file takes its mode as the next argument.
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

/// Returns whether a call takes a mode after the file's name.
fn opens(name: &str) -> bool {
    ["fopen", "freopen"].contains(&name)
}

fn name(tokens: &[Token], at: usize) -> Option<&str> {
    match tokens.get(at) {
        Some(Token::Name(name)) => Some(name),
        _ => None,
    }
}
