//! Hooks of other agents, read from their own files, each in its dialect (FD-2).

use std::path::Path;
use std::sync::Arc;

use hookloop_dialects::{
    Addition, Agent, Fault, Item, Manner, MigrationResult, SourceText, calls_bridge, migrate,
};
use hookloop_hook::{
    Broken, Enablement, EventName, ExtensionOrigin, Grouping, HookDeclaration, Layer, Position,
    Problem, ProblemCode, Severity, Source,
};
use jsonc_parser::ast::Value;
use serde_json::json;

use crate::adopted_file::{
    AdoptedFile, adoptable_files, folder_of_hooks, is_turned_off, leads_out, turned_off_by_person,
};
use crate::file_text::FileText;
use crate::hook_read::HookReader;
use crate::load_request::LoadRequest;
use crate::load_request::is_same_folder;
use crate::loader::{BrokenFile, Loader};
use crate::misplaced::report_misspelt;
use crate::near::{is_one_edit, nearest};
use crate::provided::Provided;
use crate::read_file::{FileContent, read_file};
use crate::report::Report;
use crate::resolve::Contents;
use crate::settings::Settings;
use crate::substitution::Substitution;
use crate::syntax::{member, parse};

/// The extension that hooks belong to, with its variables.
pub(crate) type OfExtension = (Arc<ExtensionOrigin>, Substitution);

/// Returns the agents that lists name, each once, in their order.
pub(crate) fn agents_of<'a>(lists: impl IntoIterator<Item = &'a Provided<String>>) -> Vec<Agent> {
    let mut agents = Vec::new();
    for agent in lists
        .into_iter()
        .filter_map(|it| Agent::from_word(&it.value))
    {
        if !agents.contains(&agent) {
            agents.push(agent);
        }
    }
    agents
}

impl Loader {
    /// Reads the hooks of agents in the files of a project, except those of agents whose hooks the
    /// person turned off: that is reported if there are any (FD-2).
    fn adopted_of_project(
        &mut self,
        project: &Path,
        home: &Path,
        agents: &[Agent],
    ) -> Vec<HookDeclaration> {
        let mut hooks = Vec::new();
        for agent in agents {
            let Some(switch) = turned_off_by_person(*agent, project, home) else {
                hooks.extend(self.read_adopted_hooks(Layer::Project, project, &[*agent]));
                continue;
            };
            let files = adoptable_files(*agent, Layer::Project, project);
            if let Some(file) = files.iter().find(|it| it.exists()) {
                let message = format!(
                    "{}: {} disables its hooks, and no setting of the project enables them, so those of {} \
                     don't run",
                    agent.name(),
                    switch.display(),
                    file.display()
                );
                let help = "remove the switch from that file to let them run, there and here";
                let source = Source {
                    layer: Some(Layer::Project),
                    ..Source::of_file(file.as_path())
                };
                let mut problem = Problem::new(ProblemCode::HooksOff, source, message, help);
                problem.severity = Severity::Warning;
                self.problems.push(problem);
            }
            let layer = Layer::Project;
            let agent = *agent;
            self.adopted.extend(
                files
                    .into_iter()
                    .map(|file| AdoptedFile { agent, layer, file }),
            );
        }
        hooks
    }

    /// Reads the hooks of agents in the files below a folder.
    pub(crate) fn read_adopted_hooks(
        &mut self,
        layer: Layer,
        above: &Path,
        agents: &[Agent],
    ) -> Vec<HookDeclaration> {
        let mut hooks = Vec::new();
        for agent in agents {
            for file in adoptable_files(*agent, layer, above) {
                // If a file turns hooks off, that is reported for it.
                if !is_turned_off(*agent, layer, above, &file) {
                    hooks.extend(self.adopted_file(*agent, layer, above, &file));
                }
                self.adopted.push(AdoptedFile {
                    agent: *agent,
                    layer,
                    file,
                });
            }
        }
        hooks
    }

    fn adopted_file(
        &mut self,
        agent: Agent,
        layer: Layer,
        above: &Path,
        file: &Path,
    ) -> Vec<HookDeclaration> {
        let origin = Source {
            layer: Some(layer),
            ..Source::of_file(file)
        };
        if layer == Layer::Project && leads_out(file, above) {
            let message = "the file is a link out of the project, so it isn't read";
            let help = "put the file itself into the project";
            let code = ProblemCode::UnreadableFile;
            self.add_broken(layer, None, vec![Problem::new(code, origin, message, help)]);
            return Vec::new();
        }
        let text = match read_file(&mut self.documents, &origin) {
            FileContent::Missing => return Vec::new(),
            FileContent::Text(text) => text,
            FileContent::Unreadable(reason) => {
                let message = format!("the file can't be read: {reason}");
                let help = "make the file readable, or remove it: it may contain a guard";
                let code = ProblemCode::UnreadableFile;
                self.add_broken(layer, None, vec![Problem::new(code, origin, message, help)]);
                return Vec::new();
            }
            FileContent::NotUnicode(..) => {
                let message = "the file isn't UTF-8 text";
                let help = "save the file as UTF-8: it may contain a guard";
                let code = ProblemCode::InvalidJson;
                self.add_broken(layer, None, vec![Problem::new(code, origin, message, help)]);
                return Vec::new();
            }
        };
        let folder = folder_of_hooks(agent, layer, above);
        let source = SourceText {
            path: file,
            text: text.text(),
            runs_in: folder.as_deref(),
        };
        let migration = migrate(agent, Manner::InPlace, &[source]);
        self.tell_misspelt(agent, &text);
        let mut hooks = Vec::new();
        for item in &migration.items {
            self.tell(agent, Owner::Layer(layer), &text, item);
            hooks.extend(self.declare_hook(agent, &text, item, None));
        }
        hooks
    }

    /// Reports hooks that are beside the key in which they are read.
    fn tell_misspelt(&mut self, agent: Agent, text: &FileText) {
        if let Ok(Value::Object(root)) = parse(text.text()) {
            let mut report = Report::new(text);
            report_misspelt(&mut report, &root, agent.dialect());
            self.problems.extend(report.finish());
        }
    }

    /// Reads the hooks of a plugin in the form of Claude Code (FD-3). That the file is an object is
    /// known.
    pub(crate) fn plugin_hooks(
        &mut self,
        text: &FileText,
        file: &Path,
        plugin: &dyn Fn() -> OfExtension,
    ) -> Vec<HookDeclaration> {
        let source = SourceText {
            path: file,
            text: text.text(),
            runs_in: None,
        };
        let agent = Agent::ClaudeCode;
        let mut hooks = Vec::new();
        for item in &migrate(agent, Manner::InPlugin, &[source]).items {
            let of = plugin();
            self.tell(agent, Owner::Extension(&of.0), text, item);
            hooks.extend(self.declare_hook(agent, text, item, Some(of)));
        }
        hooks
    }

    /// Reports what is different about a hook here, and what never happens (FD-11, FD-23).
    fn tell(&mut self, agent: Agent, owner: Owner<'_>, text: &FileText, item: &Item) {
        let Some(message) = &item.message else {
            return;
        };
        if item.fault == Fault::None && item.command.as_deref().is_some_and(calls_bridge) {
            return; // it is for that agent alone, and no hook here (BR-12)
        }
        let place = position(item);
        let source = text.source_at(text.offset(place));
        let named = match &item.event_from {
            Some(event) => format!("\"{event}\" of {}: {message}", agent.name()),
            None => format!("{}: {message}", agent.name()),
        };
        let (code, help) = remedy(agent, item);
        let mut problem = Problem::new(code, source, named, help);
        problem.snippet = text.snippet(place);
        if item.result == MigrationResult::Converted && code == ProblemCode::Lossy {
            // The translation means the same, so this is only information.
            problem.severity = Severity::Info;
        }
        if item.fault == Fault::Off {
            // Hooks that don't run are reported even if that was intended.
            problem.severity = Severity::Warning;
        }
        if item.fault == Fault::File {
            self.broken_files.extend(owner.broken_file(&problem));
        }
        self.problems.push(problem);
    }

    /// Declares a hook as if it were in our own settings, at its own place. One that can't be built
    /// is replaced by one that can't start, with what could be read of it (IO-21).
    fn declare_hook(
        &mut self,
        agent: Agent,
        text: &FileText,
        item: &Item,
        extension: Option<OfExtension>,
    ) -> Vec<HookDeclaration> {
        let Some(addition) = item
            .addition
            .clone()
            .or_else(|| mistyped_event_hook(agent, item))
        else {
            return Vec::new();
        };
        let is_broken = matches!(item.fault, Fault::Entry | Fault::Event);
        let place = position(item);
        let source = text.source_at(text.offset(place));
        let mut group = json!({"hooks": [addition.hook]});
        if let Some(matcher) = &addition.matcher {
            group["matcher"] = json!(matcher);
        }
        if addition.grouping == Grouping::Sequential {
            group["sequential"] = json!(true);
        }
        let hooks = json!({addition.event.as_str(): [group]});
        let written = FileText::new(
            Source {
                position: None,
                ..source.clone()
            },
            json!({ "hooks": hooks }).to_string(),
        );
        let mut report = Report::new(&written);
        let mut reader = HookReader {
            dialect: Ok(None),
            report: &mut report,
            hook_ids: &mut self.hook_ids,
            extension,
            hooks: Vec::new(),
        };
        if let Ok(Value::Object(root)) = parse(written.text())
            && let Some(property) = member(&root, "hooks")
        {
            let _ = reader.read(&property.value);
        }
        let mut hooks = reader.hooks;
        for hook in &mut hooks {
            hook.in_their_file = true;
            hook.source = source.clone();
            hook.places = hookloop_hook::HookPlaces::default();
            let known = hook.broken.take().map(|broken| (*broken).clone());
            let broken = if is_broken {
                Some(Broken {
                    cause: item.message.clone().unwrap_or_default(),
                    help: CORRECT.to_owned(),
                    source: source.clone(),
                })
            } else {
                known
            };
            hook.broken = broken.map(|broken| {
                Arc::new(Broken {
                    source: source.clone(),
                    ..broken
                })
            });
        }
        // The cause is reported with the item.
        let problems = report.finish();
        for mut problem in problems.into_iter().filter(|_| !is_broken) {
            problem.source = source.clone();
            problem.snippet = text.snippet(place);
            self.problems.push(problem);
        }
        hooks
    }
}

/// Returns what kind of a problem there is with a hook, and what to do about it where it is.
fn remedy(agent: Agent, item: &Item) -> (ProblemCode, String) {
    let (code, help) = match (item.fault, item.result) {
        (Fault::File, _) => (
            ProblemCode::InvalidJson,
            "correct it here: the file may contain a guard",
        ),
        (Fault::Entry, _) => (ProblemCode::InvalidValue, CORRECT),
        (Fault::Repeated, _) => (
            ProblemCode::DuplicateKey,
            "merge the two; both are read, one after the other",
        ),
        (Fault::Event, _) if let Some((theirs, _)) = nearest_event(agent, item) => {
            let help = format!("did you mean \"{theirs}\"? {CORRECT}");
            return (ProblemCode::UnknownEvent, help);
        }
        (Fault::Off, _) => (
            ProblemCode::HooksOff,
            "remove the switch from the file to let its hooks run, there and here",
        ),
        (_, MigrationResult::NotPossible) if item.event_to.is_none() => (
            ProblemCode::EventNeverHappens,
            "the hook never runs here; write it for an event that happens",
        ),
        _ if let Some(unfit) = &item.unfit => {
            let word = unfit.part.trim_matches(['^', '$', '(', ')']);
            let what = match nearest(word, agent.tool_names()) {
                Some(meant) => format!("did you mean \"{meant}\"?"),
                None if item.result == MigrationResult::Converted => {
                    let help = "write the full name of a tool if you mean one of the agent's own";
                    return (ProblemCode::Lossy, help.to_owned());
                }
                None => format!("write the name of a tool as {} calls it", agent.name()),
            };
            let so_far = if unfit.is_all {
                "; until then, the hook never runs"
            } else {
                ""
            };
            return (ProblemCode::MatcherNoTool, format!("{what}{so_far}"));
        }
        (_, MigrationResult::NotPossible) => (
            ProblemCode::Lossy,
            "the hook never runs here: the events that it is for don't happen here",
        ),
        _ => (
            ProblemCode::Lossy,
            "check whether the hook still does what it should",
        ),
    };
    (code, help.to_owned())
}

/// What is to be done about an entry that can't be built.
const CORRECT: &str = "correct it: until then, it counts as a hook that couldn't start";

/// Whose file is read.
#[derive(Clone, Copy)]
enum Owner<'o> {
    Layer(Layer),
    Extension(&'o ExtensionOrigin),
}

impl Owner<'_> {
    /// Describes a file of it that can't be read; that of a disabled extension contains no guard.
    fn broken_file(self, problem: &Problem) -> Option<BrokenFile> {
        let (layer, scope) = match self {
            Self::Layer(layer) => (layer, None),
            Self::Extension(it) if it.enablement == Enablement::Enabled => {
                (Layer::Extension, Some(it.scope))
            }
            Self::Extension(_) => return None,
        };
        Some(BrokenFile {
            layer,
            scope,
            problem: problem.clone(),
        })
    }
}

/// Returns the event of an agent whose name is one edit away from the one in a file (IO-21).
fn nearest_event(agent: Agent, item: &Item) -> Option<(&'static str, EventName)> {
    let name = item.event_from.as_deref()?;
    agent.event_like(|event| is_one_edit(name, event))
}

/// Returns what is under a mistyped name of an event: a hook that matches everything.
fn mistyped_event_hook(agent: Agent, item: &Item) -> Option<Addition> {
    if item.fault != Fault::Event {
        return None;
    }
    let (theirs, event) = nearest_event(agent, item)?;
    let hook = json!({
        "type": "command",
        "command": item.command,
        "dialect": agent.dialect().as_str(),
        "dialectEvent": theirs,
    });
    Some(Addition {
        event,
        matcher: None,
        grouping: Grouping::Parallel,
        hook: hook.as_object().cloned().unwrap_or_default(),
    })
}

const fn position(item: &Item) -> Position {
    Position {
        line: item.source.line,
        column: item.source.column,
    }
}

/// Reports agents that are adopted but have no file here whose hooks could be read (FD-2). What the
/// user and the system adopt is for all projects: only `check` reports it.
pub(crate) fn report_ineffective(settings: &Settings) -> Vec<Problem> {
    let adopting = settings.switches.adopt.iter();
    let in_vain = adopting.filter_map(|entry| {
        let agent = Agent::from_word(&entry.value)?;
        let source = entry.source.clone()?;
        let mut files = settings.adopted.iter().filter(|it| it.agent == agent);
        if files.any(|it| it.file.exists()) {
            return None;
        }
        let is_own = source.layer == Some(Layer::Project);
        let mut names: Vec<String> = agent
            .project_files()
            .iter()
            .map(ToString::to_string)
            .collect();
        if !is_own {
            names.extend(agent.user_files().iter().map(|it| format!("~/{it}")));
        }
        let message = format!(
            "\"adopt\" names \"{}\", but none of the files with its hooks exists: {}",
            entry.value,
            names.join(", ")
        );
        let help = "write its hooks into one of them, or remove the name from \"adopt\"";
        Some(settings.problem(ProblemCode::NothingToRun, source, message, help))
    });
    in_vain.collect()
}

/// What `adopt` of the layers says, and what it applies to.
pub(crate) struct Adoption<'a> {
    /// What the project's settings name: its own files only.
    pub(crate) project: &'a [Provided<String>],
    /// What the settings of the user and the system name.
    pub(crate) others: Vec<&'a Provided<String>>,
    pub(crate) project_root: &'a Path,
    pub(crate) home: &'a Path,
}

impl<'a> Adoption<'a> {
    /// Returns what the layers say.
    pub(crate) fn of(request: &'a LoadRequest, contents: &'a Contents) -> Self {
        let others = [&contents.user, &contents.system];
        Self {
            project: &contents.project.config.adopt,
            others: others.into_iter().flat_map(|it| &it.config.adopt).collect(),
            project_root: &request.project_root,
            home: &request.home,
        }
    }

    /// Reads the project's foreign hooks, then those of the user.
    pub(crate) fn read(&self, loader: &mut Loader) -> (Vec<HookDeclaration>, Vec<HookDeclaration>) {
        let others = || self.others.iter().copied();
        let of_project = if is_same_folder(self.project_root, self.home) {
            Vec::new()
        } else {
            let agents = agents_of(self.project.iter().chain(others()));
            loader.adopted_of_project(self.project_root, self.home, &agents)
        };
        let of_user = loader.read_adopted_hooks(Layer::User, self.home, &agents_of(others()));
        (of_project, of_user)
    }
}
