//! What conditions can read: the payload, and what is known about a command.

mod paths;
mod tools;

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::sync::Arc;

use hookloop_shell::{Command, PathUse, Surroundings, Understood, normalize_path, understand};
use serde_json::Value;

use crate::effects::{Places, call_effects, effects_with_targets, is_foreign, links, shell_text};
use crate::fact::{Fact, List};
use paths::{effect_fact, paths_of};
use tools::tool_facts;

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
#[expect(
    clippy::struct_excessive_bools,
    reason = "facts that a condition reads or doesn't, independent of each other"
)]
pub struct Asks {
    secrets: bool,
    shell: bool,
    paths: bool,
    effects: bool,
}

impl Asks {
    /// Determines what condition texts read. They can't read a fact that they don't name.
    pub fn of<'t>(texts: impl IntoIterator<Item = &'t str>) -> Self {
        let mut asks = Self::default();
        for text in texts {
            asks.secrets |= text.contains("secrets");
            asks.shell |= text.contains("shell");
            asks.paths |= text.contains("paths");
            asks.effects |= text.contains("effects");
        }
        asks
    }

    /// Returns what is asked here and not there.
    const fn without(self, known: Self) -> Self {
        Self {
            secrets: self.secrets && !known.secrets,
            shell: self.shell && !known.shell,
            paths: self.paths && !known.paths,
            effects: self.effects && !known.effects,
        }
    }

    /// Returns what is asked here or there.
    const fn with(self, other: Self) -> Self {
        Self {
            secrets: self.secrets || other.secrets,
            shell: self.shell || other.shell,
            paths: self.paths || other.paths,
            effects: self.effects || other.effects,
        }
    }

    /// Returns whether any fact is read that depends on what a command does.
    const fn needs_command(self) -> bool {
        self.shell || self.paths || self.effects
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

/// Computes the facts that conditions read.
pub fn facts_of(call: &Call<'_>) -> BTreeMap<String, Fact> {
    let mut facts = Facts::default();
    facts.complete(call);
    facts.values
}

/// The facts of one event, for all that judge it: each is computed once, for the first that reads
/// it.
#[derive(Debug, Default)]
pub struct Facts {
    values: BTreeMap<String, Fact>,
    /// Those of the expensive ones that are there.
    known: Asks,
    /// The call's command, once it was read; nothing if the call has none.
    command: OnceCell<Option<CallCommand>>,
}

/// The command of a call.
#[derive(Debug)]
struct CallCommand {
    understood: Understood,
    /// The same with the targets of links, once they were looked up; nothing if there are none.
    with_targets: OnceCell<Option<Understood>>,
}

impl CallCommand {
    /// Reads the command of a call; nothing if it has none.
    fn of(call: &Call<'_>) -> Option<Self> {
        let command = command_of(call)?;
        let folder = folder_of(input_of(call), text_of(call.payload, "cwd"), call.places);
        Some(Self {
            understood: understood_in(&command, &folder, call.places),
            with_targets: OnceCell::new(),
        })
    }

    /// Returns what the command does, with the targets of the links that it uses.
    fn with_targets(&self, places: &Places) -> &Understood {
        let found =
            self.with_targets
                .get_or_init(|| match links::follow_links(&self.understood, places) {
                    Cow::Owned(followed) => Some(followed),
                    Cow::Borrowed(_) => None,
                });
        found.as_ref().unwrap_or(&self.understood)
    }
}

impl Facts {
    /// Adds what a call's conditions read and isn't there yet, and returns all. The payload and the
    /// places have to be the same each time.
    pub fn complete(&mut self, call: &Call<'_>) -> &BTreeMap<String, Fact> {
        if self.values.is_empty() {
            self.values = cheap_facts(call);
        }
        let missing = call.asks.without(self.known);
        self.known = self.known.with(missing);
        if missing.secrets {
            let secrets = self.secrets_of(call);
            self.values.insert("secrets".to_owned(), secrets);
        }
        if missing.needs_command() {
            self.add_effects(call, missing);
        }
        &self.values
    }

    /// Returns the call's command; it is read once.
    fn command(&self, call: &Call<'_>) -> Option<&CallCommand> {
        self.command.get_or_init(|| CallCommand::of(call)).as_ref()
    }

    /// Finds the keys and tokens of a call. Those that an edit removes don't count.
    fn secrets_of(&self, call: &Call<'_>) -> Fact {
        // The arguments of a call were looked at before it ran.
        let ran = text_of(call.payload, "hook_event_name") == "AfterTool";
        let mut found = crate::secrets::in_texts(texts_with_secrets(call, ran));
        if !ran {
            let tool = text_of(call.payload, "tool_name");
            found.extend(crate::secrets::in_fields(input_of(call)));
            found.extend(crate::secrets::in_store(tool, input_of(call)));
            if let Some(command) = self.command(call) {
                found.extend(crate::secrets::in_command(&command.understood));
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

    /// Adds the facts that depend on what a call does.
    fn add_effects(&mut self, call: &Call<'_>, missing: Asks) {
        let tool = text_of(call.payload, "tool_name");
        let cwd = text_of(call.payload, "cwd");
        let input = input_of(call);
        let (mut shell, mut paths, mut effects) =
            (Fact::Null, Fact::list(vec![]), Fact::list(vec![]));
        let command = self.command(call);
        if let Some(command) = command {
            let understood = command.with_targets(call.places);
            (shell, paths, effects) = command_facts(understood, call.places, missing);
        }
        // A tool of a server may do more than its command says.
        if command.is_none() || !runs_shell(tool) && is_foreign(tool) {
            let named = tool_facts(tool, input, cwd, call.places);
            (paths, effects) = if let Some((named, mut more)) = named {
                let done = call_effects(tool, input, call.places);
                more.extend(done.iter().map(effect_fact));
                (append(paths, named), append(effects, more))
            } else {
                let why = Fact::Unknown(Arc::from("the call has more arguments than are checked"));
                (why.clone(), why)
            };
        }
        let found = [
            ("shell", shell, missing.shell),
            ("paths", paths, missing.paths),
            ("effects", effects, missing.effects),
        ];
        for (name, fact, is_missing) in found {
            if is_missing && fact != Fact::Null {
                self.values.insert(name.to_owned(), fact);
            }
        }
    }
}

/// Returns the facts that cost little: those of the payload, and where the event happens.
fn cheap_facts(call: &Call<'_>) -> BTreeMap<String, Fact> {
    let mut facts: BTreeMap<String, Fact> = BTreeMap::new();
    if let Value::Object(payload) = call.payload {
        for (key, value) in payload {
            facts.insert(key.clone(), Fact::from(value));
        }
    }
    let text = |key: &str| text_of(call.payload, key);
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
            None => Fact::Unknown(Arc::from("the branch isn't known")),
        },
    );
    facts.insert(
        "tool".to_owned(),
        Fact::map([
            ("name", Fact::text(text("tool_name"))),
            ("input", Fact::from(input)),
        ]),
    );
    facts.insert("payload".to_owned(), Fact::from(call.payload));
    facts.insert("texts".to_owned(), texts_of(input, text));
    facts
}

/// Returns a text of a payload; an empty one if it isn't there.
fn text_of<'p>(payload: &'p Value, key: &str) -> &'p str {
    let value = payload.get(key).and_then(Value::as_str);
    value.unwrap_or_default()
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
    Fact::List(Arc::new(List { known, more }))
}

/// Returns the texts of a call, or of its result, in which keys and tokens may be.
fn texts_with_secrets<'p>(call: &Call<'p>, ran: bool) -> Vec<&'p str> {
    let mut texts = Vec::new();
    let part = |key: &str| call.payload.get(key).unwrap_or(&Value::Null);
    collect_texts(part("tool_response"), &mut texts);
    match input_of(call) {
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
    collect_texts(part("llm_response"), &mut texts);
    texts
}

/// Returns the arguments of a call.
fn input_of<'p>(call: &Call<'p>) -> &'p Value {
    call.payload.get("tool_input").unwrap_or(&Value::Null)
}

/// Returns whether the command of a tool is shell text.
fn runs_shell(tool: &str) -> bool {
    SHELL_TOOLS.contains(&tool)
}

/// Returns the shell text that a call runs; nothing if it runs none.
fn command_of<'p>(call: &Call<'p>) -> Option<Cow<'p, str>> {
    let tool = text_of(call.payload, "tool_name");
    let input = input_of(call);
    let command = input.get("command").and_then(Value::as_str);
    match command.filter(|_| runs_shell(tool)) {
        Some(command) => Some(Cow::Borrowed(command)),
        None => shell_text(tool, input).map(Cow::Owned),
    }
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

/// Understands a command that runs in a folder.
fn understood_in(command: &str, folder: &str, places: &Places) -> Understood {
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
    understand(command, around)
}

/// Describes a command with the targets of links: `shell`, `paths` and `effects`, as far as they
/// are read.
fn command_facts(understood: &Understood, places: &Places, asks: Asks) -> (Fact, Fact, Fact) {
    let effects = if asks.effects {
        let effects = effects_with_targets(understood, places);
        Fact::list(effects.iter().map(effect_fact).collect())
    } else {
        Fact::Null
    };
    let why: Option<Arc<str>> = if !understood.parsed {
        Some(Arc::from("the command can't be parsed"))
    } else if understood.opaque() {
        Some(Arc::from("part of the command can't be analysed"))
    } else {
        None
    };
    let commands = understood.commands.iter().filter(|_| asks.paths);
    let paths = commands.flat_map(|it| paths_of(it, places)).collect();
    let paths = Fact::List(Arc::new(List {
        known: paths,
        more: why.clone(),
    }));
    let shell = if asks.shell {
        shell_fact(understood, why)
    } else {
        Fact::Null
    };
    (shell, paths, effects)
}

fn shell_fact(understood: &Understood, why: Option<Arc<str>>) -> Fact {
    let commands = understood.commands.iter().filter(|it| !it.words.is_empty());
    let commands = if understood.parsed {
        Fact::List(Arc::new(List {
            known: commands.map(command_fact).collect(),
            more: why,
        }))
    } else {
        Fact::Unknown(Arc::from("the command can't be parsed"))
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
            Fact::Unknown(Arc::from(format!("{text} is only known when it runs")))
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
            Fact::Map(Arc::new(
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
        Fact::Unknown(Arc::from(format!("{text} is only known when it runs")))
    });
    let known = command.flags.iter().filter(|it| !it.contains(['$', '`']));
    Fact::list(known.map(Fact::text).chain(unknown).collect())
}
