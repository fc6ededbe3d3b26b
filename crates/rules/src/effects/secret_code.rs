//! Secret files that program text names.

use std::sync::LazyLock;

use hookloop_shell::{Command, Input};
use regex::Regex;

use super::{Effect, note, secret_names};

/// Programs that run program text that they read.
pub(super) const COMPILES: &[&str] = &[
    "go",
    "deno",
    "bun",
    "tsx",
    "ts-node",
    "swift",
    "scala",
    "kotlin",
    "groovy",
    "jshell",
    "elixir",
    "iex",
    "ghci",
    "runghc",
    "crystal",
    "nim",
    "tcc",
    "gcc",
    "cc",
    "clang",
    "rustc",
    "rust-script",
    "dotnet",
    "fsi",
    "make",
];

/// Files that program text names.
pub(super) fn in_code(command: &Command, hands_on: bool, effects: &mut Vec<Effect>) {
    let quotes_data = ["git", "grep", "rg", "echo", "printf", "gh", "sed", "awk"]
        .contains(&command.program.as_str());
    // `getline < "file"` of awk.
    let is_read = |code: &&str| !quotes_data || code.contains("getline");
    let given = match &command.input {
        Input::Text(text) if COMPILES.contains(&command.program.as_str()) => Some(text.as_str()),
        _ => None,
    };
    if let Some(code) = command.code.as_deref().or(given).filter(is_read) {
        if shows_loaded(command, code) && !code.contains(".env.example") {
            note(effects, "env.read", command, "dotenv");
        }
        let code = &without_seams(code);
        let code = &without_looks(code);
        // Another program may run what is printed for it.
        let code = &if hands_on {
            code.clone()
        } else {
            super::texts::without_printed(code)
        };
        if !super::calls::reads_files(code) {
            return;
        }
        let finds = code.contains("glob") || code.contains("Dir[");
        for word in code.split(|it: char| it.is_whitespace() || "'\"`(),;=+[]{}<>".contains(it)) {
            let is_pattern = finds && word.contains(['*', '?']);
            if let Some(kind) =
                secret_names::secret_kind(word, is_pattern).filter(|_| !is_of_language(word))
            {
                note(effects, &format!("{kind}.read"), command, word);
            }
        }
    }
}

/// Joins texts that program text concatenates: `'.e' + 'nv'`.
pub(super) fn without_seams(code: &str) -> String {
    ["'+'", "\"+\"", "' + '", "\" + \""]
        .iter()
        .fold(code.to_owned(), |code, seam| code.replace(seam, ""))
}

/// Returns whether a word that ends like a file of secrets is a name of a language or of a library.
fn is_of_language(word: &str) -> bool {
    let names = [
        "new.env",
        "parent.env",
        "Rails.env",
        "Deno.env",
        "Bun.env",
        "Mix.env",
        "Hanami.env",
        "Vite.env",
    ];
    word.starts_with("process.env") || word.ends_with("meta.env") || names.contains(&word)
}

/// Returns whether program text loads `.env` with a library that knows its name, and shows what was
/// in there.
fn shows_loaded(command: &Command, code: &str) -> bool {
    static SHOWS: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(
r#"(?x)log\(process\.env|environ\b|print\(\s*\w+(?:\.\w+)?\(\s*["']\w*(?:KEY|SECRET|TOKEN|PASS)|print\w*\((?:\w+(?:\.\w+)*\(\s*){0,2}(?:dotenv\.)?dotenv_values|print\(d\(|getenv
            |\.model_dump|\.parsed\b|\{\s*parsed\b|console\.\w+\(\s*require\(.dotenv.\)|JSON\.stringify\(process\.env|\b(?:p|pp|puts|print)\b[^;\n]*\b(?:Dotenv|ENV)\b
            |\b(?:print_r|var_dump|echo|json_encode)\b[^;\n]*(?:_ENV|getenv|Dotenv|->(?:safeLoad|load)\(\))"#,
        )
        .ok()
    });
    let by_name = |text: &str| {
        let lower = text.to_lowercase();
        [
            "dotenv",
            "loadenvfile",
            "godotenv",
            "read_env",
            "_env_file",
            "config('.env')",
            "config(\".env\")",
        ]
        .iter()
        .any(|it| lower.contains(it))
    };
    let loads = by_name(code)
        || command
            .words_after_program()
            .iter()
            .any(|it| by_name(&it.text));
    let prints = command.program == "node"
        && (command.has_flag("-p") || command.has_flag("--print"))
        && (code.contains("process.env") || code.contains("config()"));
    loads && (prints || SHOWS.as_ref().is_none_or(|it| it.is_match(code)))
}

/// Removes checks whether a file is there: `fs.existsSync('.env')`.
pub(super) fn without_looks(code: &str) -> String {
    static LOOKS: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(
            r#"(?x)[\w.]*(?:\brequire\(["'](?:node:)?fs["']\)\.)?
            \b(?:existsSync|exists|isfile|is_file|exist\?|file\?|file_exists|statSync|lstatSync|accessSync|getsize|getmtime)
            \(\s*["'][^"'\n]*["']\s*\)
            |\bPath\(\s*["'][^"'\n]*["']\s*\)\.(?:exists|is_file|stat)\(\)
            |\b[Cc]opy\w*\(\s*["'][^"'\n]*\.(?:example|sample|template)["']\s*,\s*["'][^"'\n]*["']
            |\b(?:Copy-Item|cpi|copy|cp)\s+(?:-Path\s+)?["']?[^\s"';|]*\.(?:example|sample|template)["']?\s+(?:-Destination\s+)?["']?[^\s"';|})]+
            |\b(?i:if\s+(?:not\s+)?exist)\s+[^\s]+
            |\bTest-Path\s+(?:-Path\s+)?["']?[^\s"';|)]+"#,
        )
        .ok()
    });
    match LOOKS.as_ref() {
        Some(looks) => looks.replace_all(code, " ").into_owned(),
        None => code.to_owned(),
    }
}
