//! Files that program text loads as modules.

use std::path::{Path, PathBuf};

use hookloop_shell::{Command, is_open_file, runs_script};
use serde_json::Value;

use super::reading;
use super::tokens::Language;

/// Returns the script that `python3 -m MODULE` runs, which may be the module's argument.
pub(super) fn run_by_option(command: &Command) -> Option<String> {
    if Language::from_program(&command.program) != Some(Language::Python) {
        return None;
    }
    let words: Vec<&str> = command.texts_after_program().collect();
    let at = words
        .iter()
        .position(|it| it.starts_with("-m") && !it.starts_with("--"))?;
    let (module, rest) = match words[at].get(2..)? {
        "" => (*words.get(at + 1)?, words.get(at + 2..)?),
        attached => (attached, words.get(at + 1..)?),
    };
    let folder = command.folders.first()?;
    if runs_script(module) {
        let named = rest
            .iter()
            .filter(|it| !it.starts_with('-') && **it != "run");
        let mut there = named
            .clone()
            .filter(|it| Path::new(folder).join(it).is_file());
        let file = there
            .next()
            .or_else(|| named.clone().find(|it| it.contains('.')));
        return file.map(|it| (*it).to_owned());
    }
    let name = module.replace('.', "/");
    let candidates = [format!("{name}.py"), format!("{name}/__main__.py")];
    candidates
        .into_iter()
        .find(|it| Path::new(folder).join(it).is_file())
}

/// Returns the file that an interpreter runs for a folder.
pub(super) fn entry(path: &Path, program: &str) -> Option<PathBuf> {
    if !path.is_dir() {
        return None;
    }
    match Language::from_program(program)? {
        Language::Python => Some(path.join("__main__.py")),
        Language::JavaScript => Some(main_of(path)),
        _ => None,
    }
}

/// Returns the main file of a Node.js package.
fn main_of(package: &Path) -> PathBuf {
    let text = reading::text_of(&package.join("package.json"));
    let settings = text.and_then(|it| serde_json::from_str::<Value>(&it).ok());
    let main = settings.as_ref().and_then(|it| it.get("main")?.as_str());
    let main = package.join(main.unwrap_or("index.js"));
    if main.is_file() {
        main
    } else {
        main.with_extension("js")
    }
}

/// Returns the names that a text loads as modules, as they are written.
fn loaded_names(text: &str, language: Language) -> impl Iterator<Item = &str> {
    let words = text.split(|it: char| it.is_whitespace() || "\"'`();,".contains(it));
    let mut before = "";
    words.filter(|it| !it.is_empty()).filter(move |word| {
        let loads = match language {
            Language::Python => {
                ["import", "from", ",", "import_module", "__import__"].contains(&before)
            }
            Language::JavaScript => ["require", "import", "from"]
                .iter()
                .any(|it| before.ends_with(it)),
            Language::Perl => ["use", "require", "do"].contains(&before),
            Language::Ruby => ["require", "require_relative", "load"].contains(&before),
            Language::Lua => ["require", "dofile", "loadfile"].contains(&before),
            Language::Php => {
                let includes = ["include", "include_once", "require", "require_once"];
                includes.contains(&before)
            }
            Language::Tcl => before == "source",
            Language::Source | Language::Other => false,
        };
        before = word;
        loads
    })
}

/// Returns what a text loads from standard input or another open file: `do "/dev/stdin"`. Where it
/// loads a computed name (`do $f`, `do shift`), that may be any open file which the text or an
/// argument names.
pub(super) fn open_file_loaded_by(
    text: &str,
    language: Language,
    given: &[String],
) -> Option<String> {
    let is_open = |it: &&str| is_open_file(it) || *it == "php://stdin";
    if let Some(loaded) = loaded_names(text, language).find(is_open) {
        return Some(loaded.to_owned());
    }
    let is_computed = |it: &str| {
        let it = it.trim_start_matches(['{', '(']);
        it.starts_with('$')
            || ["shift", "ARGV", "argv", "arg["]
                .iter()
                .any(|by| it.starts_with(by))
    };
    // A name without a sign is a variable in these languages.
    let is_by_name = matches!(language, Language::Ruby | Language::Lua);
    loaded_names(text, language).find(|it| is_by_name || is_computed(it))?;
    let words = text.split(|it: char| it.is_whitespace() || "\"'`();,".contains(it));
    let mut named = words.chain(given.iter().map(String::as_str));
    named.find(is_open).map(str::to_owned)
}

/// Returns the files that a text loads as modules, in the folders in which it may run.
pub(super) fn loaded_by<'t>(
    text: &'t str,
    language: Language,
    folders: &'t [String],
) -> impl Iterator<Item = PathBuf> + 't {
    let ending = match language {
        Language::Python => ".py",
        Language::JavaScript => ".js",
        Language::Perl => ".pm",
        Language::Ruby => ".rb",
        Language::Lua => ".lua",
        Language::Php | Language::Source | Language::Other | Language::Tcl => "",
    };
    loaded_names(text, language)
        .flat_map(move |name| {
            let name = match language {
                Language::Python => name.replace('.', "/"),
                _ => name.replace("::", "/"),
            };
            folders.iter().flat_map(move |folder| {
                let plain = Path::new(folder).join(&name);
                let package = Path::new(folder).join("node_modules").join(&name);
                let package = (language == Language::JavaScript).then(|| main_of(&package));
                let with_ending = PathBuf::from(format!("{}{ending}", plain.display()));
                [with_ending, plain].into_iter().chain(package)
            })
        })
        .filter(|it| it.is_file())
}
