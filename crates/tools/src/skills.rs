//! Skills: instructions that the model loads on demand (TO-5).

mod discovery;

use std::fs;
use std::path::Path;
use std::sync::Arc;

use hookloop_events::McpContext;
use serde_json::json;

pub use discovery::{Skill, SkillFolders, SkillProblem, Skills};

use crate::arguments::required_text;
use crate::files::text;
use crate::front_matter;
use crate::wording::append;
use crate::{
    Access, Arguments, BoxFuture, Declaration, EditsFile, ErrorKind, Output, Preview, RunContext,
    Tool, ToolError, blocking, schema,
};
use discovery::is_hidden;

/// The maximum number of files besides a skill's instructions that are listed.
const MAX_FILES: usize = 200;

/// How deep they are searched.
const MAX_DEPTH: usize = 5;

/// Gives the model the instructions of a skill (TO-5).
pub struct ActivateSkill {
    declaration: Declaration,
    skills: Arc<Skills>,
}

impl ActivateSkill {
    /// Creates the tool for the skills of a session.
    pub fn new(skills: Arc<Skills>) -> Self {
        let names: Vec<&str> = skills.iter().map(|skill| skill.name.as_str()).collect();
        let mut name = json!({
            "type": "string",
            "minLength": 1,
            "description": "The skill's name.",
        });
        if !names.is_empty() {
            name["enum"] = json!(names);
        }
        Self {
            declaration: Declaration {
                name: "activate_skill".to_owned(),
                description:
                    "Returns the instructions of a skill, and the files that belong to it."
                        .to_owned(),
                parameters: json!({
                    "type": "object",
                    "properties": { "name": name },
                    "required": ["name"],
                }),
                access: Access::Read,
            },
            skills,
        }
    }
}

impl Tool for ActivateSkill {
    fn declaration(&self) -> &Declaration {
        &self.declaration
    }

    fn mcp_context(&self) -> Option<&McpContext> {
        None
    }

    fn validate(&self, arguments: &Arguments) -> Result<(), ToolError> {
        schema::check(&self.declaration.parameters, arguments)?;
        find(&self.skills, required_text(arguments, "name")?).map(drop)
    }

    fn edits(&self) -> Option<&dyn EditsFile> {
        None
    }

    fn needs_person(&self, _arguments: &Arguments) -> bool {
        false
    }

    fn preview(&self, arguments: &Arguments) -> Preview {
        let name = required_text(arguments, "name").unwrap_or_default();
        Preview::info(format!("Activate the skill {name}"))
    }

    fn run<'a>(
        &'a self,
        arguments: Arc<Arguments>,
        context: RunContext<'a>,
    ) -> BoxFuture<'a, Output> {
        let skills = Arc::clone(&self.skills);
        blocking::reading(context.cancel, move |_| {
            let skill = find(&skills, required_text(&arguments, "name")?)?;
            activate(skill)
        })
    }
}

fn find<'a>(skills: &'a Skills, name: &str) -> Result<&'a Skill, ToolError> {
    skills.get(name).ok_or_else(|| {
        let names: Vec<&str> = skills.iter().map(|skill| skill.name.as_str()).collect();
        let known = if names.is_empty() {
            "there are none".to_owned()
        } else {
            format!("there are: {}", names.join(", "))
        };
        ToolError::invalid(format!("Skill \"{name}\" not found; {known}"))
    })
}

fn activate(skill: &Skill) -> Result<Output, ToolError> {
    // The file is read again: it may have been improved since the session began.
    let content = text::read(&skill.file)?.content;
    let head = front_matter::read(&content).map_err(|(line, message)| {
        let place = skill.file.display();
        ToolError::new(ErrorKind::ReadFailed, format!("{place}:{line}: {message}"))
    })?;
    let folder = skill.file.parent().unwrap_or(Path::new("."));
    let mut files = Vec::new();
    list(folder, folder, 0, &mut files);
    let mut resources = String::new();
    for file in files.iter().take(MAX_FILES) {
        append(&mut resources, format_args!("{file}\n"));
    }
    if files.len() > MAX_FILES {
        resources.push_str("… more files, not listed\n");
    }
    let for_model = format!(
        "<activated_skill name=\"{}\">\n<instructions>\n{}\n</instructions>\n\
         <available_resources folder=\"{}\">\n{resources}</available_resources>\n</activated_skill>",
        skill.name,
        head.body.trim(),
        folder.display(),
    );
    let shown = format!("Skill {} is active ({})", skill.name, skill.file.display());
    Ok(Output::new(for_model, shown))
}

/// Lists the files in a folder by name; links are listed and never followed.
fn list(root: &Path, folder: &Path, depth: usize, files: &mut Vec<String>) {
    let mut entries: Vec<_> = fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .collect();
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let path = entry.path();
        if is_hidden(&path) || files.len() > MAX_FILES {
            continue;
        }
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        if is_folder && depth < MAX_DEPTH {
            list(root, &path, depth + 1, files);
        } else {
            let name = path.strip_prefix(root).unwrap_or(&path);
            files.push(name.display().to_string());
        }
    }
}
