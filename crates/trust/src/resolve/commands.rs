//! What the text of a command means in the place where it will run.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashSet};
use std::path::Path;

use hookloop_dialects::project_variables;
use hookloop_hook::{Dialect, EXTENSION_PATH_VARIABLE, HookDeclaration};
use hookloop_shell::{
    Command, DefinitionKind, NamedFiles, Surroundings as Place, Unpinned, files_named, understand,
};

use crate::named_file::{FileReader, text_of};
use crate::real_path::real_path;
use crate::resolve::{Ground, Presence, Reading};

/// The name that a script's own path has while its text is examined: `$0` and `BASH_SOURCE` mean
/// that path there, and another file everywhere else.
pub(super) const OWN_PATH: &str = "HOOKLOOP_SCRIPT";

/// How often functions are called to see what they define.
const MAX_ROUNDS: usize = 4;

/// The variables that stand for folders in commands (ENV-1, ENV-2).
const FOLDERS: [&str; 4] = [
    "GEMINI_PROJECT_DIR",
    "CLAUDE_PROJECT_DIR",
    "GEMINI_CWD",
    "PWD",
];

/// A text with its meaning.
pub(super) struct Look {
    /// The commands that would run.
    pub(super) commands: Vec<Command>,
    /// The files that they run or name.
    pub(super) named: NamedFiles,
    /// The names of the functions that it defines.
    functions: Vec<String>,
}

/// Examines a text in the place where a hook runs; in a script, `script` is its own path.
pub(super) fn look(
    text: &str,
    hook: &HookDeclaration,
    ground: Ground<'_>,
    reader: &FileReader,
    script: Option<&Path>,
) -> Look {
    let cwd = ground.cwd.to_string_lossy().into_owned();
    let home = ground.surroundings.home.as_ref();
    let home = home.map(|it| it.to_string_lossy().into_owned());
    let repository = reader.repository(ground.cwd);
    let repository = repository.map(|it| it.to_string_lossy().into_owned());
    let variables = |name: &str| variable(name, hook, ground, script);
    let place = Place {
        folder: Some(&cwd),
        home: home.as_deref(),
        repository: repository.as_deref(),
        variables: Some(&variables),
        files: None,
    };
    let understood = understand(text, place);
    let named = files_named(&understood);
    let definitions = understood.definitions.into_iter();
    let functions = definitions.filter(|it| it.kind == DefinitionKind::Function);
    Look {
        commands: understood.commands,
        functions: functions.map(|it| it.name).collect(),
        named,
    }
}

/// Examines the text of a script with all its functions: those of a library are called by other
/// scripts.
pub(super) fn look_at_functions(
    text: &str,
    hook: &HookDeclaration,
    ground: Ground<'_>,
    reader: &FileReader,
    script: &Path,
    reading: Reading,
) -> Look {
    let mut look = look(text, hook, ground, reader, Some(script));
    let mut called: Vec<String> = Vec::new();
    let mut whole = text.to_owned();
    // A function's definitions are known only after it was called.
    for _ in 0..MAX_ROUNDS {
        let uncalled = look.uncalled(text, &called, reading);
        if uncalled.is_empty() {
            break;
        }
        for name in &uncalled {
            whole.extend(["\n", name.as_str()]);
        }
        called.extend(uncalled);
        look = self::look(&format!("{whole}\n"), hook, ground, reader, Some(script));
    }
    look
}

impl Look {
    /// Returns whether nothing that a command prints or is given is carried out.
    pub(super) fn is_seen_through(&self) -> bool {
        let mut commands = self.commands.iter();
        let hands_on = commands.any(|it| it.runs_its_input() || !it.through.is_empty());
        let mut unpinned = self.named.unpinned.iter();
        !hands_on && unpinned.all(|it| matches!(it, Unpinned::Chooses(_)))
    }

    /// Returns whether it defines a function with this name.
    pub(super) fn defines(&self, name: &str) -> bool {
        self.functions.iter().any(|it| it == name)
    }

    /// Returns the assignments of plain texts in the files that a script sources, if the script
    /// runs or sources something whose name depends on them.
    pub(super) fn sourced_assignments(&self) -> String {
        const MAX_FILES: usize = 256;
        let unknown = |it: &Command| it.words.iter().take(2).any(|it| !it.known);
        if !self.commands.iter().any(unknown) {
            return String::new();
        }
        let sources = self.commands.iter();
        let sources = sources.filter(|it| matches!(it.program.as_str(), "source" | "."));
        let files = sources.flat_map(|command| {
            let named = command.words.get(1).filter(|it| it.known);
            let folders = command.folders.iter().map(Path::new);
            folders.filter_map(move |it| Some(it.join(&named?.text)))
        });
        let texts = files.filter_map(|it| text_of(&real_path(&it)?));
        let mut found = String::new();
        for text in texts {
            for line in text.lines().map(str::trim).take(MAX_FILES) {
                let bare = line.strip_prefix("export ").unwrap_or(line);
                let Some((name, value)) = bare.split_once('=') else {
                    continue;
                };
                let is_name = name
                    .chars()
                    .all(|it| it.is_ascii_alphanumeric() || it == '_');
                if is_name
                    && !name.is_empty()
                    && !value.contains(['`', '(', ';', '&', '|', '<', '>'])
                {
                    found.extend([bare, "\n"]);
                }
            }
        }
        found
    }

    /// Returns the functions that neither a command calls nor another function that was called for
    /// this.
    fn uncalled(&self, text: &str, called: &[String], reading: Reading) -> Vec<String> {
        let is_called: HashSet<&str> = match reading {
            Reading::Today
            | Reading::WithoutData
            | Reading::WithSearched
            | Reading::WithoutTellers
            | Reading::WithoutTasks => self.commands.iter().map(|it| it.invoked.as_str()).collect(),
            Reading::Former => {
                let functions = self.functions.iter().map(String::as_str);
                functions
                    .filter(|it| text.matches(*it).count() != 1)
                    .collect()
            }
        };
        let uncalled = self.functions.iter();
        let uncalled =
            uncalled.filter(|it| !is_called.contains(it.as_str()) && !called.contains(it));
        let uncalled: BTreeSet<&String> = uncalled.collect();
        uncalled.into_iter().cloned().collect()
    }
}

/// What happens to the words of a command that doesn't run any of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Asking {
    /// They may name what it runs.
    No,
    /// It prints them, or something about the files that they name.
    Tells,
    /// It prints nothing: only its exit code depends on the files.
    Silently,
}

/// Returns whether a command only prints its words, or queries the files that they name.
pub(super) fn asking(command: &Command) -> Asking {
    if !command.env.is_empty() {
        return Asking::No;
    }
    match command.program.as_str() {
        "test" | "[" | "[[" => Asking::Silently,
        "echo" | "printf" | "ls" | "stat" => Asking::Tells,
        _ => Asking::No,
    }
}

/// Returns a script's text with names for its own path that can be looked up.
pub(super) fn with_own_path(text: &str) -> String {
    let own = format!("${{{OWN_PATH}");
    text.replace("${BASH_SOURCE[0]", &own)
        .replace("${BASH_SOURCE", &own)
        .replace("$BASH_SOURCE", &format!("{own}}}"))
        .replace("${0", &own)
        .replace("$0", &format!("{own}}}"))
}

/// Returns a script's text in which variables that may not be set have their defaults:
/// `${RULES:-rules.txt}`. `None` if there are none.
pub(super) fn with_defaults(text: &str) -> Option<String> {
    let mut assigned = String::new();
    let mut filled = String::new();
    let mut rest = text;
    let mut is_any = false;
    while let Some(at) = rest.find("${") {
        let (before, inner) = (&rest[..at], &rest[at + 2..]);
        let end = inner.find(|it: char| !(it.is_ascii_alphanumeric() || it == '_'));
        let (name, behind) = inner.split_at(end.unwrap_or(inner.len()));
        let operator = [":-", ":=", "-", "="].into_iter();
        let operator = operator.filter(|_| !name.is_empty());
        let mut found = operator.filter_map(|it| Some((it, behind.strip_prefix(it)?)));
        let found = found.find_map(|(it, value)| Some((it, value, end_of_default(value)?)));
        let Some((operator, value, end)) = found else {
            filled.extend([before, "${"]);
            rest = inner;
            continue;
        };
        let default = value[..end].trim_matches(['"', '\'']);
        let inner = with_defaults(default);
        let default = inner.as_deref().unwrap_or(default);
        if operator.ends_with('=') {
            assigned.extend([name, "=\"", default, "\"\n"]);
        }
        filled.extend([before, default]);
        rest = &value[end + 1..];
        is_any = true;
    }
    filled.push_str(rest);
    is_any.then(|| assigned + &filled)
}

/// Returns where the brace is that ends a default.
fn end_of_default(value: &str) -> Option<usize> {
    let mut open = 0_usize;
    for (at, sign) in value.char_indices() {
        match sign {
            '{' => open += 1,
            '}' if open == 0 => return Some(at),
            '}' => open -= 1,
            '\n' => return None,
            _ => {}
        }
    }
    None
}

/// Returns why files can't be known, as a sentence without the hook's name.
pub(super) fn reason(why: &Unpinned) -> String {
    let short = |text: &str| {
        let line = text.lines().next().unwrap_or_default();
        line.chars().take(60).collect::<String>()
    };
    match why {
        Unpinned::Chooses(program) => format!("`{program}` runs files named in other files"),
        Unpinned::Module(line) => format!("`{}` runs a module that is searched for", short(line)),
        Unpinned::Computed(text) => {
            format!("what `{}` runs is only known when it runs", short(text))
        }
        Unpinned::Unreadable(text) => format!("`{}` can't be read as a command", short(text)),
        _ => "it runs files that aren't known in advance".to_owned(),
    }
}

/// Returns the value of a variable in the environment of a hook, if it is known.
fn variable(
    name: &str,
    hook: &HookDeclaration,
    ground: Ground<'_>,
    script: Option<&Path>,
) -> Option<String> {
    let text = |path: &Path| Some(path.to_string_lossy().into_owned());
    match name {
        "GEMINI_PROJECT_DIR" | "CLAUDE_PROJECT_DIR" => text(ground.root),
        "GEMINI_CWD" | "PWD" => text(ground.cwd),
        "HOME" => ground.surroundings.home.as_deref().and_then(text),
        EXTENSION_PATH_VARIABLE => hook.extension.as_ref().and_then(|it| text(&it.path)),
        "CLAUDE_PLUGIN_ROOT" if hook.dialect != Dialect::Hookloop => {
            hook.extension.as_ref().and_then(|it| text(&it.path))
        }
        OWN_PATH => script.and_then(text),
        other => {
            let settings = hook.extension.iter().flat_map(|it| &it.settings_env);
            let mut own = settings.map(|(name, value)| (name, value)).chain(&hook.env);
            let own = own
                .rfind(|(name, _)| *name == other)
                .map(|(_, value)| value.clone());
            let is_root = project_variables(hook.dialect).any(|it| it == other);
            own.or_else(|| is_root.then(|| text(ground.root)).flatten())
        }
    }
}

/// Expands a text that isn't shell text: only our own variables are expanded in it.
pub(super) fn expand(text: &str, ground: Ground<'_>) -> String {
    let mut expanded = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(dollar) = rest.find('$') {
        let (before, after) = rest.split_at(dollar);
        expanded.push_str(before);
        if let Some((name, length)) = hookloop_shell::reference(after, &FOLDERS) {
            let path = match name {
                "GEMINI_CWD" | "PWD" => ground.cwd,
                _ => ground.root,
            };
            expanded.push_str(&path.to_string_lossy());
            rest = &after[length..];
        } else {
            expanded.push('$');
            rest = &after[1..];
        }
    }
    expanded.push_str(rest);
    expanded
}

/// Returns the parts of a word that may be names of files: what follows `=`, `@`, an option's
/// letters or `file:`, and the elements of lists. The folder that a hook works in is one part,
/// whatever its name is.
pub(super) fn pieces(text: &str, ground: Ground<'_>) -> Vec<String> {
    const SEPARATORS: &str = ":;,=@'\"(){}[]`";
    /// A placeholder for a folder while the text is split; no path and no word contains it.
    const STAND_INS: [char; 2] = ['\u{1}', '\u{2}'];
    let folders = [ground.root, ground.cwd].map(|it| it.to_string_lossy());
    let folders: Vec<_> = STAND_INS.into_iter().zip(&folders).collect();
    let put_in = |text: String, (mark, folder): &(char, &Cow<'_, str>)| {
        text.replace(&***folder, &mark.to_string())
    };
    let put_back =
        |text: String, (mark, folder): &(char, &Cow<'_, str>)| text.replace(*mark, folder);
    let marked = folders.iter().fold(text.to_owned(), put_in);
    let mut pieces = vec![marked.clone()];
    for part in marked.split(|it: char| SEPARATORS.contains(it) || it.is_whitespace()) {
        pieces.push(part.to_owned());
        // `-Ilib`, `-rfile`
        if part.starts_with('-')
            && !part.starts_with("--")
            && let Some((place, _)) = part.char_indices().nth(2)
        {
            pieces.push(part[place..].to_owned());
        }
    }
    let pieces = pieces.into_iter();
    let mut pieces: Vec<String> = pieces.map(|it| folders.iter().fold(it, put_back)).collect();
    pieces.retain(|it| !it.is_empty());
    pieces.sort();
    pieces.dedup();
    pieces
}

/// Returns whether a word names a file even if it doesn't exist: a plain word or a number
/// (`sleep 0.5`) is just that. (Once a file with that name appears, it counts, and the fingerprint
/// changes.)
pub(super) fn presence(word: &str) -> Presence {
    let looks_like_path = word.contains(['/', '.'])
        && !word.starts_with(['-', '~', '@'])
        && !word.contains("://")
        && word.parse::<f64>().is_err()
        && !word.contains(|it: char| it.is_whitespace() || "$*?=|&;()<>`'\":,".contains(it));
    if looks_like_path {
        Presence::Expected
    } else {
        Presence::Perhaps
    }
}
