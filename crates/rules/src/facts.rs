//! What conditions can read: the payload, and what is known about a command.

use std::collections::BTreeMap;
use std::rc::Rc;

use hookloop_shell::{Command, PathUse, Surroundings, Understood, normalize_path, understand};
use serde_json::Value;

use crate::effects::{
    EFFECTS, Effect, Places, call_effects, effects_of, folder_contents,
    folder_contents::FolderContents, is_foreign, links, shell_text,
};
use crate::fact::{Fact, List};

/// An event to evaluate conditions for, and where it happens.
#[derive(Debug, Clone)]
pub struct Call<'c> {
    /// The payload.
    pub payload: &'c Value,
    /// The folders and branches that effects depend on.
    pub places: &'c Places,
    /// What conditions read. Other facts aren't computed.
    pub asks: Asks,
}

/// Which of the facts that are expensive to compute are read by conditions.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Asks {
    /// `secrets`.
    secrets: bool,
    /// `shell`, `paths` and `effects`.
    command: bool,
}

impl Asks {
    /// Determines what condition texts read. They can't read a fact that they don't name.
    pub fn of<'t>(texts: impl IntoIterator<Item = &'t str>) -> Self {
        let mut asks = Self::default();
        for text in texts {
            asks.secrets |= text.contains("secrets");
            asks.command |= ["shell", "paths", "effects"]
                .iter()
                .any(|it| text.contains(it));
        }
        asks
    }
}

/// Tools that run shell text.
const SHELL_TOOLS: &[&str] = &[
    "run_shell_command",
    "ShellTool",
    "Bash",
    "bash",
    "shell",
    "Shell",
];

/// Parts of the names of tools that change a file.
const WRITES: &[&str] = &[
    "write",
    "replace",
    "edit",
    "Edit",
    "Write",
    "patch",
    "create",
    "delete",
    "move",
    "save",
    "append",
    "insert",
    "remove",
    "rename",
    "upload_to",
    "touch",
    "truncate",
];

/// Parts of the names of tools that move or remove a file or a folder.
const TAKES_AWAY: &[&str] = &["delete", "remove", "move", "rename"];

/// Arguments of tools that name a file.
const PATHS: &[&str] = &[
    "file_path",
    "path",
    "absolute_path",
    "dir_path",
    "notebook_path",
    "paths",
    "filePath",
    "include",
    "include_pattern",
    "includePattern",
    "includes",
    "file_pattern",
    "filePattern",
    "absolutePath",
    "source",
    "destination",
    "file",
    "files",
    "filename",
    "glob",
    "target_file",
    "targetFile",
    "relative_path",
];

/// Computes the facts that conditions read.
pub fn facts_of(call: &Call<'_>) -> BTreeMap<String, Fact> {
    let mut facts: BTreeMap<String, Fact> = BTreeMap::new();
    if let Value::Object(payload) = call.payload {
        for (key, value) in payload {
            facts.insert(key.clone(), Fact::from(value));
        }
    }
    let text = |key: &str| {
        call.payload
            .get(key)
            .and_then(Value::as_str)
            .unwrap_or_default()
    };
    let tool = text("tool_name").to_owned();
    let input = call.payload.get("tool_input").unwrap_or(&Value::Null);
    facts.insert("event".to_owned(), Fact::text(text("hook_event_name")));
    facts.insert(
        "session".to_owned(),
        Fact::map([("id", Fact::text(text("session_id")))]),
    );
    facts.insert("workspace".to_owned(), Fact::text(&call.places.workspace));
    facts.insert("home".to_owned(), Fact::text(&call.places.home));
    facts.insert(
        "branch".to_owned(),
        match &call.places.branch {
            Some(branch) => Fact::text(branch),
            None => Fact::Unknown(Rc::from("the branch isn't known")),
        },
    );
    facts.insert(
        "tool".to_owned(),
        Fact::map([("name", Fact::text(&tool)), ("input", Fact::from(input))]),
    );
    facts.insert("payload".to_owned(), Fact::from(call.payload));
    facts.insert("texts".to_owned(), texts_of(input, text));
    if call.asks.secrets {
        facts.insert("secrets".to_owned(), secrets_of(input, call));
    }
    if !call.asks.command {
        return facts;
    }
    let command = input.get("command").and_then(Value::as_str);
    let runs_shell = SHELL_TOOLS.contains(&tool.as_str());
    let command = command
        .filter(|_| runs_shell)
        .map(str::to_owned)
        .or_else(|| shell_text(&tool, input));
    let (mut shell, mut paths, mut effects) = (Fact::Null, Fact::list(vec![]), Fact::list(vec![]));
    if let Some(command) = &command {
        let folder = folder_of(input, text("cwd"), call.places);
        (shell, paths, effects) = command_facts(command, &folder, call.places);
    }
    // A tool of a server may do more than its command says.
    if command.is_none() || !runs_shell && is_foreign(&tool) {
        let named = tool_facts(&tool, input, text("cwd"), call.places);
        (paths, effects) = match (named, call_effects(&tool, input, call.places)) {
            (Some((named, mut more)), Ok(done)) => {
                more.extend(done.iter().map(effect_fact));
                (append(paths, named), append(effects, more))
            }
            (Some((named, _)), Err(why)) => (append(paths, named), unreadable(why)),
            (None, _) => {
                let why = Fact::Unknown(Rc::from("the call has more arguments than are checked"));
                (why.clone(), why)
            }
        };
    }
    let found = [("shell", shell), ("paths", paths), ("effects", effects)];
    let found = found.into_iter().filter(|(_, it)| *it != Fact::Null);
    facts.extend(found.map(|(name, it)| (name.to_owned(), it)));
    facts
}

/// Returns all texts of the arguments, and those of the prompt and its answer.
fn texts_of<'v>(input: &'v Value, field: impl Fn(&str) -> &'v str) -> Fact {
    let mut texts = Vec::new();
    collect_texts(input, &mut texts);
    let prompts = ["prompt", "prompt_response"].map(field);
    texts.extend(prompts.into_iter().filter(|it| !it.is_empty()));
    Fact::list(texts.into_iter().map(Fact::text).collect())
}

fn collect_texts<'v>(value: &'v Value, texts: &mut Vec<&'v str>) {
    match value {
        Value::String(text) => texts.push(text),
        Value::Array(items) => items.iter().for_each(|it| collect_texts(it, texts)),
        Value::Object(entries) => entries.values().for_each(|it| collect_texts(it, texts)),
        _ => {}
    }
}

/// Appends elements to a list.
fn append(list: Fact, behind: Vec<Fact>) -> Fact {
    let Fact::List(list) = list else {
        return list;
    };
    let known = list.known.iter().cloned().chain(behind).collect();
    let more = list.more.clone();
    Fact::List(Rc::new(List { known, more }))
}

fn unreadable(why: &str) -> Fact {
    Fact::Unknown(Rc::from(format!(
        "a table of the guards can't be read: {why}"
    )))
}

/// Finds the keys and tokens of a call. Those that an edit removes don't count.
fn secrets_of(input: &Value, call: &Call<'_>) -> Fact {
    let mut texts = Vec::new();
    // The arguments of a call were looked at before it ran.
    let ran = call.payload.get("hook_event_name").and_then(Value::as_str) == Some("AfterTool");
    let response = call.payload.get("tool_response").unwrap_or(&Value::Null);
    collect_texts(response, &mut texts);
    match input {
        _ if ran => {}
        Value::Object(entries) => {
            let brought = entries.iter().filter(|(key, _)| *key != "old_string");
            for (_, value) in brought {
                collect_texts(value, &mut texts);
            }
        }
        other => collect_texts(other, &mut texts),
    }
    for key in ["prompt", "prompt_response"] {
        texts.extend(call.payload.get(key).and_then(Value::as_str));
    }
    let response = call.payload.get("llm_response").unwrap_or(&Value::Null);
    collect_texts(response, &mut texts);
    let mut found = match crate::secrets::in_texts(texts) {
        Ok(found) => found,
        Err(why) => return unreadable(why),
    };
    let tool = call.payload.get("tool_name").and_then(Value::as_str);
    let command = input
        .get("command")
        .and_then(Value::as_str)
        .filter(|_| tool.is_some_and(|it| SHELL_TOOLS.contains(&it)))
        .map(str::to_owned)
        .or_else(|| shell_text(tool?, input));
    if !ran {
        match crate::secrets::in_fields(input) {
            Ok(more) => found.extend(more),
            Err(why) => return unreadable(why),
        }
    }
    if let Some(command) = command.filter(|_| !ran) {
        let understood = understand(&command, Surroundings::default());
        match crate::secrets::in_command(&understood) {
            Ok(more) => found.extend(more),
            Err(why) => return unreadable(why),
        }
    }
    let facts = found.iter().map(|it| {
        Fact::map([
            ("kind", Fact::text(&it.kind)),
            ("certain", Fact::Bool(it.certain)),
            ("entropy", Fact::Double(it.entropy)),
            ("chosen", Fact::Bool(it.chosen)),
            (
                "length",
                Fact::Int(i64::try_from(it.length).unwrap_or(i64::MAX)),
            ),
        ])
    });
    Fact::list(facts.collect())
}

/// Returns the folder that a command runs in: a call may name one of its own.
fn folder_of(input: &Value, folder: &str, places: &Places) -> String {
    const KEYS: &[&str] = &[
        "dir_path",
        "directory",
        "workdir",
        "working_directory",
        "workingDirectory",
        "cwd",
    ];
    let folder = if folder.is_empty() {
        &places.workspace
    } else {
        folder
    };
    let named = KEYS
        .iter()
        .find_map(|key| input.get(*key).and_then(Value::as_str));
    match named {
        Some(named) if !named.is_empty() => {
            let named = match named.strip_prefix("~/") {
                Some(rest) => format!("{}/{rest}", places.home),
                None => named.to_owned(),
            };
            normalize_path(&hookloop_shell::join_path(folder, &named))
        }
        _ => folder.to_owned(),
    }
}

/// Understands a command: `shell`, `paths` and `effects`.
fn command_facts(command: &str, folder: &str, places: &Places) -> (Fact, Fact, Fact) {
    let folder = if folder.is_empty() {
        &places.workspace
    } else {
        folder
    };
    let around = Surroundings {
        folder: Some(folder).filter(|it| it.starts_with('/')),
        home: Some(places.home.as_str()).filter(|it| it.starts_with('/')),
        repository: Some(places.workspace.as_str()).filter(|it| it.starts_with('/')),
        variables: None,
        files: None,
    };
    let understood = understand(command, around);
    let understood = &*links::follow_links(&understood, places);
    let effects = match effects_of(understood, places) {
        Ok(effects) => Fact::list(effects.iter().map(effect_fact).collect()),
        Err(why) => unreadable(why),
    };
    let why: Option<Rc<str>> = if !understood.parsed {
        Some(Rc::from("the command can't be parsed"))
    } else if understood.opaque() {
        Some(Rc::from("part of the command can't be analysed"))
    } else {
        None
    };
    let paths = understood
        .commands
        .iter()
        .flat_map(|it| paths_of(it, places))
        .collect();
    let paths = Fact::List(Rc::new(List {
        known: paths,
        more: why.clone(),
    }));
    (shell_fact(understood, why), paths, effects)
}

fn shell_fact(understood: &Understood, why: Option<Rc<str>>) -> Fact {
    let commands = understood.commands.iter().filter(|it| !it.words.is_empty());
    let commands = if understood.parsed {
        Fact::List(Rc::new(List {
            known: commands.map(command_fact).collect(),
            more: why,
        }))
    } else {
        Fact::Unknown(Rc::from("the command can't be parsed"))
    };
    Fact::map([
        ("parsed", Fact::Bool(understood.parsed)),
        ("opaque", Fact::Bool(understood.opaque())),
        ("commands", commands),
    ])
}

fn command_fact(command: &Command) -> Fact {
    let word = |text: &str, known: bool| {
        if known {
            Fact::text(text)
        } else {
            Fact::Unknown(Rc::from(format!("{text} is only known when it runs")))
        }
    };
    let texts = |items: &[String]| Fact::list(items.iter().map(Fact::text).collect());
    let uses = |paths: &[PathUse]| {
        let known = paths.iter().flat_map(|it| {
            if it.known {
                it.paths
                    .iter()
                    .map(|path| Fact::text(normalize_path(path)))
                    .collect()
            } else {
                vec![word(&it.written, false)]
            }
        });
        Fact::list(known.collect())
    };
    let first = command.words.first();
    let program_known = first.is_none_or(|it| it.known);
    let head = &command.words[..command.words.len() - command.arguments().len()];
    let unknown_in_head = head.iter().skip(1).find(|it| !it.known);
    // If none is found, a word that isn't known may be one.
    let next = command.operands().next();
    let next = next.filter(|it| command.subcommand.is_none() && !it.known);
    let subcommand = match unknown_in_head.or(next) {
        Some(unknown) => word(&unknown.text, false),
        None => Fact::text(command.subcommand.as_deref().unwrap_or("")),
    };
    let name_known = program_known && !matches!(subcommand, Fact::Unknown(_));
    Fact::map([
        ("program", word(&command.program, program_known)),
        ("subcommand", subcommand),
        ("name", word(&command.name(), name_known)),
        ("line", word(&command.line(), command.known)),
        (
            "args",
            Fact::list(
                command
                    .words_after_program()
                    .iter()
                    .map(|it| word(&it.text, it.known))
                    .collect(),
            ),
        ),
        ("flags", flags_fact(command)),
        (
            "env",
            Fact::Map(Rc::new(
                command
                    .env
                    .iter()
                    .map(|it| (it.name.clone(), word(&it.value.text, it.value.known)))
                    .collect(),
            )),
        ),
        (
            "redirects",
            Fact::list(
                command
                    .redirects
                    .iter()
                    .map(|it| word(&it.target.text, it.target.known))
                    .collect(),
            ),
        ),
        ("reads", uses(&command.reads)),
        ("writes", uses(&command.writes)),
        ("deletes", uses(&command.deletes)),
        ("through", texts(&command.through)),
        ("known", Fact::Bool(command.known)),
    ])
}

/// Returns the options, and what may be one: a word that is only known when it runs.
fn flags_fact(command: &Command) -> Fact {
    let words = command.words_after_program().iter();
    let options = words.take_while(|it| it.text != "--");
    let may_be_one =
        options.filter(|it| !it.known && it.text.starts_with(['$', '`', '-', '"', '{']));
    let unknown = may_be_one.map(|it| {
        let text = &it.text;
        Fact::Unknown(Rc::from(format!("{text} is only known when it runs")))
    });
    let known = command.flags.iter().filter(|it| !it.contains(['$', '`']));
    Fact::list(known.map(Fact::text).chain(unknown).collect())
}

fn paths_of(command: &Command, places: &Places) -> Vec<Fact> {
    let uses = [
        (&command.reads, "read"),
        (&command.writes, "write"),
        (&command.deletes, "delete"),
    ];
    let mut facts = Vec::new();
    for (paths, what) in uses {
        for used in paths {
            if !used.known {
                facts.push(Fact::Unknown(Rc::from(format!(
                    "{} is only known when it runs",
                    used.written
                ))));
            }
            facts.extend(used.paths.iter().map(|path| path_fact(path, what, places)));
        }
    }
    facts.extend(held_facts(
        &folder_contents::by_command(command, places),
        places,
    ));
    facts
}

/// Describes what is in folders that are removed or replaced; what wasn't examined there isn't
/// known.
fn held_facts(contents: &FolderContents, places: &Places) -> Vec<Fact> {
    let known = contents.paths.iter();
    let known = known.map(|(path, fate)| path_fact(path, fate.word(), places));
    let unknown = contents.in_part.iter().map(|folder| {
        let why = format!("{folder} contains more files and folders than can be checked");
        Fact::Unknown(Rc::from(why))
    });
    known.chain(unknown).collect()
}

fn path_fact(path: &str, what: &str, places: &Places) -> Fact {
    let path = normalize_path(path);
    let root = places.workspace.trim_end_matches('/');
    let inside = path == root
        || path
            .strip_prefix(root)
            .is_some_and(|rest| rest.starts_with('/'));
    Fact::map([
        ("name", Fact::text(path.rsplit('/').next().unwrap_or(""))),
        ("path", Fact::text(&path)),
        ("use", Fact::text(what)),
        ("inside", Fact::Bool(inside)),
    ])
}

fn effect_fact(effect: &Effect) -> Fact {
    debug_assert!(
        EFFECTS.contains(&effect.name.as_str()),
        "\"{}\" isn't one of the effects that conditions can use",
        effect.name
    );
    Fact::map([
        ("name", Fact::text(&effect.name)),
        ("line", Fact::text(&effect.line)),
        ("about", Fact::text(&effect.about)),
    ])
}

/// Finds the paths of a tool that isn't a shell, and what it does to them; nothing if it has too
/// many arguments to look at.
fn tool_facts(
    tool: &str,
    input: &Value,
    folder: &str,
    places: &Places,
) -> Option<(Vec<Fact>, Vec<Fact>)> {
    let writes = WRITES.iter().any(|it| tool.contains(it));
    let what = if writes { "write" } else { "read" };
    let takes_away = TAKES_AWAY.iter().any(|it| tool.contains(it));
    // A tool that lists names and sizes shows nothing of a file's content.
    let only_names = !writes && crate::effects::looks_at_names_of(tool);
    let folder = if folder.is_empty() {
        &places.workspace
    } else {
        folder
    };
    let mut paths = Vec::new();
    let mut effects = Vec::new();
    let mut note = |written: &str, absolute: &str| {
        let done = crate::effects::path_effects(absolute, what, places);
        let done = done.into_iter().filter(|_| !only_names);
        effects.extend(done.map(|name| {
            effect_fact(&Effect {
                name,
                line: format!("{tool} {written}"),
                about: absolute.to_owned(),
            })
        }));
    };
    for key in PATHS {
        let named: Vec<&str> = match input.get(*key) {
            Some(Value::String(text)) => vec![text],
            Some(Value::Array(items)) => items.iter().filter_map(Value::as_str).collect(),
            _ => continue,
        };
        for path in named {
            // `**/*` and the like name no file in particular.
            let is_particular = !path.ends_with('*') || path.contains(".env");
            let path = path
                .strip_prefix("~/")
                .map_or_else(|| path.to_owned(), |rest| format!("{}/{rest}", places.home));
            let absolute = hookloop_shell::join_path(folder, &path);
            let targets = links::targets_of(&absolute, places);
            for absolute in std::iter::once(absolute).chain(targets) {
                if is_particular {
                    paths.push(path_fact(&absolute, what, places));
                }
                if takes_away {
                    paths.extend(held_facts(
                        &folder_contents::by_path(&absolute, places),
                        places,
                    ));
                }
                note(&path, &absolute);
            }
        }
    }
    for absolute in crate::effects::implied_files(tool, input)? {
        let targets = links::targets_of(&absolute, places);
        for absolute in std::iter::once(absolute).chain(targets) {
            note(&absolute, &absolute);
        }
    }
    if let Some(url) = input
        .get("url")
        .or_else(|| input.get("prompt"))
        .and_then(Value::as_str)
        && tool.starts_with("web_")
    {
        effects.push(effect_fact(&Effect {
            name: "network".to_owned(),
            line: format!("{tool} {url}"),
            about: url.to_owned(),
        }));
    }
    Some((paths, effects))
}
