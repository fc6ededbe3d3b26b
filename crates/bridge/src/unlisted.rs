//! Interprets tools that no table lists by their names and arguments (BR-10): agents gain tools
//! with each build, and a guard of commands or files must not miss one because of its name. If a
//! call can mean several things, all of them are planned, so no argument hides another.

mod diffs;
mod level;
mod lines;
mod roles;
#[cfg(test)]
mod tests;
mod tool;
mod words;

use hookloop_shell::join;
use serde_json::{Map, Value};

use crate::planned::PlannedCall;
use level::{Level, levels, parse_nested};
use lines::{calls_from_name, commands, typed_texts};
use roles::Role;
use tool::Tool;
use words::Deed;

/// Returns which of our tools a tool is equivalent to, judging by its name: it runs commands, or it
/// reads or writes files (BR-10). Its arguments reveal more, but only in a call.
pub fn kin_of_tool(name: &str) -> Vec<&'static str> {
    let tool = Tool::from_name(name);
    let runs = tool.is_shell() && !tool.looks_after_shells() && !tool.has_own_commands();
    let mut kin = Vec::from_iter(runs.then_some("run_shell_command"));
    if tool.is_about_files() && !tool.is_beside_files() && !tool.only_searches() {
        for deed in tool.deeds() {
            let ours: &[&'static str] = match deed {
                Deed::Read => &["read_file"],
                Deed::Write => &["write_file", "replace"],
                Deed::Delete | Deed::Move | Deed::Copy => &[],
            };
            let new = ours.iter().filter(|it| !kin.contains(*it));
            kin.extend(new.copied().collect::<Vec<_>>());
        }
    }
    kin
}

/// How many parts of one call hooks are asked about: a call that does more can't be judged in time.
const MAX_CALLS: usize = 256;

/// What a call of an unlisted tool would do.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct GuessedCall {
    /// The calls of ours, at most [`MAX_CALLS`].
    pub(crate) calls: Vec<PlannedCall>,
    /// Why these aren't all, if they aren't.
    pub(crate) rest: Option<String>,
}

/// There is more than can be judged.
struct Full;

/// Returns what a call of an unlisted tool would do, in our words: nothing if, judging by its name
/// and arguments, it neither runs commands nor touches files.
pub(crate) fn calls(name: &str, arguments: &Map<String, Value>) -> GuessedCall {
    let mut meant = GuessedCall::default();
    if let Err(Full) = collect(&mut meant.calls, name, arguments) {
        meant.rest = Some(format!(
            "`{name}` makes more than {MAX_CALLS} calls at once, which is too many to judge"
        ));
    }
    meant
}

fn collect(
    calls: &mut Vec<PlannedCall>,
    name: &str,
    arguments: &Map<String, Value>,
) -> Result<(), Full> {
    let tool = Tool::from_name(name);
    let arguments = parse_nested(arguments);
    let all = levels(&arguments);
    let mut add = |found: Vec<PlannedCall>| {
        for call in found {
            if calls.contains(&call) {
                continue;
            }
            if calls.len() == MAX_CALLS {
                return Err(Full);
            }
            calls.push(call);
        }
        Ok(())
    };
    for level in &all {
        add(commands(&tool, level))?;
    }
    add(typed_texts(&tool, &all))?;
    let texts = Texts::of(&all);
    for level in &all {
        add(on_files(&tool, level, &texts))?;
    }
    for level in &all {
        let is_written = |role: Role| {
            matches!(
                role,
                Role::Content | Role::FurtherContent | Role::Old | Role::New | Role::Aside
            )
        };
        let texts = level.all_texts().into_iter();
        let patches = texts.filter(|(role, _)| tool.is_about_patches() || !is_written(*role));
        patches
            .map(|(_, text)| diffs::calls(&text))
            .try_for_each(&mut add)?;
    }
    add(calls_from_name(&tool, &all))
}

/// Makes a call of a command.
fn command_call(command: &str, folder: Option<&str>) -> PlannedCall {
    let folder = folder.map(|it| ("dir_path", it));
    let arguments: Vec<_> = std::iter::once(("command", command))
        .chain(folder)
        .collect();
    PlannedCall::of("run_shell_command", &arguments)
}

/// The texts of edits in a whole call: one object may name the file, and another the new content.
struct Texts {
    content: String,
    further: String,
    old: String,
    new: String,
    has_content: bool,
    has_old: bool,
    has_new: bool,
}

impl Texts {
    fn of(all: &[Level<'_>]) -> Self {
        let texts = |role: Role| {
            let found = all.iter().flat_map(|it| it.texts(role));
            found.collect::<Vec<_>>().join("\n")
        };
        let has = |role: Role| all.iter().any(|it| it.has(role));
        Self {
            content: [Role::Content, Role::Patch]
                .map(texts)
                .join("\n")
                .trim_matches('\n')
                .to_owned(),
            further: texts(Role::FurtherContent),
            old: texts(Role::Old),
            new: texts(Role::New),
            has_content: has(Role::Content) || has(Role::Patch),
            has_old: has(Role::Old),
            has_new: has(Role::New),
        }
    }

    /// Returns everything that is written.
    fn written(&self) -> String {
        let all = [&self.content, &self.further, &self.new];
        all.map(String::as_str)
            .join("\n")
            .trim_matches('\n')
            .to_owned()
    }
}

/// Returns what is done to the files that an object names.
fn on_files(tool: &Tool, level: &Level<'_>, whole: &Texts) -> Vec<PlannedCall> {
    let mut deeds = level.deeds();
    // What an editor tool does depends on its arguments.
    let is_told = tool.is_editor() && !deeds.is_empty();
    // A git command is planned as that command.
    let is_planned = tool.is_git_command() && !level.has(Role::FurtherContent);
    if !is_told && !is_planned {
        deeds.extend(tool.deeds());
    }
    if tool.is_beside_files() {
        deeds.retain(|it| *it == Deed::Read);
    }
    let searches = tool.only_searches() && deeds.iter().all(|it| *it == Deed::Read);
    let goes = deeds.iter().any(|it| matches!(it, Deed::Move | Deed::Copy));
    let mut paths = level.paths();
    if goes || paths.is_empty() && deeds.contains(&Deed::Delete) {
        paths.extend(level.paths_of(Role::Source));
    }
    if paths.is_empty() && tool.is_about_files() {
        paths.extend(level.paths_of(Role::Name));
    }
    if paths.is_empty() {
        paths.extend(level.paths_of(Role::Destination));
    }
    let own = Texts::of(std::slice::from_ref(level));
    let edit = Edit {
        deeds: &deeds,
        own: &own,
        whole,
        searches,
        is_of_folders: tool.makes_folders(),
        level,
    };
    let mut calls: Vec<PlannedCall> = paths.iter().flat_map(|it| edit.of(it)).collect();
    let is_written = |calls: &[PlannedCall], path: &str| {
        let mut written = calls.iter().filter(|it| it.tool == "write_file");
        written.any(|it| it.arguments.get("file_path").is_some_and(|it| it == path))
    };
    for (deed, path) in level.affected_paths() {
        if deed == Deed::Delete {
            calls.push(command_call(&join(["rm", "-rf", "--", &path]), None));
        } else if !is_written(&calls, &path) {
            let fields = [("file_path", path.as_str()), ("content", "")];
            calls.push(PlannedCall::of("write_file", &fields));
        }
    }
    calls
}

/// What is done to files.
struct Edit<'e> {
    deeds: &'e [Deed],
    /// The texts beside the path.
    own: &'e Texts,
    /// Those of the whole call.
    whole: &'e Texts,
    /// Whether the tool only looks for something.
    searches: bool,
    /// Whether it creates folders.
    is_of_folders: bool,
    level: &'e Level<'e>,
}

impl Edit<'_> {
    /// Returns everything that is done to a file.
    fn of(&self, path: &str) -> Vec<PlannedCall> {
        let is = |deed: Deed| self.deeds.contains(&deed);
        let mut calls = Vec::new();
        if is(Deed::Delete) {
            calls.push(command_call(&join(["rm", "-rf", "--", path]), None));
        }
        let goals = self.level.paths_of(Role::Destination);
        for goal in goals.iter().filter(|it| *it != path) {
            if is(Deed::Move) {
                calls.push(command_call(&join(["mv", "--", path, goal]), None));
            }
            if is(Deed::Copy) {
                calls.push(command_call(&join(["cp", "-r", "--", path, goal]), None));
            }
        }
        let goes_nowhere = goals.is_empty() && (is(Deed::Move) || is(Deed::Copy));
        let texts = if self.own.has_old || self.own.has_new || self.own.has_content {
            self.own
        } else {
            self.whole
        };
        if texts.has_new && texts.has_old {
            let fields = [
                ("file_path", path),
                ("old_string", &texts.old),
                ("new_string", &texts.new),
            ];
            calls.push(PlannedCall::of("replace", &fields));
        }
        let is_edited = texts.has_new && texts.has_old && !texts.has_content;
        let named = self.level.content_of(path);
        let has_text = texts.has_content || texts.has_new || named.is_some();
        if self.is_of_folders && is(Deed::Write) && !has_text {
            calls.push(command_call(&join(["mkdir", "-p", "--", path]), None));
            return calls;
        }
        let writes = is(Deed::Write) || texts.has_content || texts.has_new || named.is_some();
        if (writes || goes_nowhere) && !is_edited && !self.searches {
            let content = named.unwrap_or_else(|| {
                let own = self.own.written();
                if own.is_empty() {
                    self.whole.written()
                } else {
                    own
                }
            });
            calls.push(PlannedCall::of(
                "write_file",
                &[("file_path", path), ("content", &content)],
            ));
        }
        if is(Deed::Read) && !self.searches && !texts.has_content {
            calls.push(PlannedCall::of("read_file", &[("file_path", path)]));
        }
        calls
    }
}
