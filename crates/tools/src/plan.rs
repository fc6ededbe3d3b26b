//! The tools that begin plan mode, and end it with a plan that the user has agreed to (TO-6).

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hookloop_events::McpContext;
use hookloop_settings::bounded::read_inside;
use serde_json::json;

use crate::arguments::text;
use crate::{
    Access, Arguments, BoxFuture, Declaration, EditsFile, ErrorKind, Output, Preview, RunContext,
    Subject, Tool, ToolError, schema,
};

/// The largest plan that is shown for consent, in bytes: nobody reads more.
const MAX_PLAN_BYTES: u64 = 256 * 1024;

/// Begins plan mode: from then on, the agent only reads, and writes plans (TO-6).
pub struct EnterPlanMode {
    declaration: Declaration,
    folder: PathBuf,
}

/// Ends plan mode, after the user agreed to a plan (TO-6).
pub struct ExitPlanMode {
    declaration: Declaration,
    folder: PathBuf,
}

impl EnterPlanMode {
    /// The tool's name.
    pub const NAME: &'static str = "enter_plan_mode";

    /// Creates the tool. Plans are written below `folder`.
    pub fn new(folder: PathBuf) -> Self {
        Self {
            declaration: Declaration {
                name: Self::NAME.to_owned(),
                description: "Starts plan mode, for work that deserves a plan which the user \
                    agrees to first: until it ends, you read, and write only plans."
                    .to_owned(),
                parameters: json!({
                    "type": "object",
                    "properties": {
                        "reason": {
                            "type": "string",
                            "description": "Why a plan is worth it, for the user.",
                        },
                    },
                }),
                access: Access::Read,
            },
            folder,
        }
    }
}

impl Tool for EnterPlanMode {
    fn declaration(&self) -> &Declaration {
        &self.declaration
    }

    fn mcp_context(&self) -> Option<&McpContext> {
        None
    }

    fn validate(&self, arguments: &Arguments) -> Result<(), ToolError> {
        self.declaration().check(arguments)
    }

    fn edits(&self) -> Option<&dyn EditsFile> {
        None
    }

    fn needs_person(&self, _arguments: &Arguments) -> bool {
        false
    }

    fn preview(&self, arguments: &Arguments) -> Preview {
        Preview::info(match text(arguments, "reason") {
            Some(reason) => format!("Start plan mode: {reason}"),
            None => "Start plan mode".to_owned(),
        })
    }

    fn run<'a>(
        &'a self,
        _arguments: Arc<Arguments>,
        context: RunContext<'a>,
    ) -> BoxFuture<'a, Output> {
        Box::pin(async move {
            if let Err(error) = context.services.begin_plan_mode() {
                return Output::failed(error);
            }
            let folder = self.folder.display();
            Output::new(
                format!(
                    "Switching to Plan mode. Read what you need, write the plan as a Markdown file \
                     below {folder} with write_file, and then call exit_plan_mode with its name."
                ),
                "Switching to Plan mode",
            )
        })
    }
}

impl ExitPlanMode {
    /// The tool's name.
    pub const NAME: &'static str = "exit_plan_mode";

    /// Creates the tool. Plans are read below `folder`.
    pub fn new(folder: PathBuf) -> Self {
        let file = json!({
            "type": "string",
            "minLength": 1,
            "description": format!("The file of the plan, below {}.", folder.display()),
        });
        Self {
            declaration: Declaration {
                name: Self::NAME.to_owned(),
                description: "Shows the user a finished plan, and ends plan mode if the user \
                    agrees to it."
                    .to_owned(),
                parameters: json!({
                    "type": "object",
                    "properties": { "plan_filename": file, "plan_path": file },
                }),
                access: Access::Plan,
            },
            folder,
        }
    }

    /// Returns the plan and its place, if it can be shown for consent.
    fn plan(&self, arguments: &Arguments) -> Result<(PathBuf, String), ToolError> {
        let named = text(arguments, "plan_filename").or_else(|| text(arguments, "plan_path"));
        let named = named.ok_or_else(|| {
            ToolError::invalid("params must have required property 'plan_filename'")
        })?;
        // A path into the folder counts like a name in it.
        let place = self.folder.join(Path::new(named));
        let place = match Path::new(named).file_name() {
            Some(name) if !place.exists() => self.folder.join(name),
            _ => place,
        };
        let unusable = |why: String| {
            let place = place.display();
            ToolError::new(
                ErrorKind::ReadFailed,
                format!("the plan {place} can't be shown to the user: {why}"),
            )
        };
        let folder = fs::canonicalize(&self.folder).map_err(|it| unusable(it.to_string()))?;
        let bytes = read_inside(&place, &folder, MAX_PLAN_BYTES)
            .map_err(|why| unusable(why.to_string()))?
            .ok_or_else(|| unusable("there is no such file; write it first".to_owned()))?;
        let plan = String::from_utf8(bytes).map_err(|_| unusable("it isn't UTF-8".to_owned()))?;
        if plan.trim().is_empty() {
            return Err(unusable("it is empty".to_owned()));
        }
        Ok((place, plan))
    }
}

impl Tool for ExitPlanMode {
    fn declaration(&self) -> &Declaration {
        &self.declaration
    }

    fn mcp_context(&self) -> Option<&McpContext> {
        None
    }

    fn validate(&self, arguments: &Arguments) -> Result<(), ToolError> {
        schema::check(&self.declaration.parameters, arguments)?;
        self.plan(arguments).map(drop)
    }

    fn edits(&self) -> Option<&dyn EditsFile> {
        None
    }

    fn needs_person(&self, _arguments: &Arguments) -> bool {
        false
    }

    fn preview(&self, arguments: &Arguments) -> Preview {
        match self.plan(arguments) {
            Ok((_, plan)) => Preview::new("Carry out this plan?", Subject::Plan { plan }),
            Err(error) => Preview {
                problem: Some(error),
                ..Preview::info("Carry out a plan")
            },
        }
    }

    fn run<'a>(
        &'a self,
        arguments: Arc<Arguments>,
        context: RunContext<'a>,
    ) -> BoxFuture<'a, Output> {
        Box::pin(async move {
            let ended = self.plan(&arguments).and_then(|(place, _)| {
                let mode = context.services.end_plan_mode()?;
                Ok((place, mode))
            });
            match ended {
                Ok((place, mode)) => Output::new(
                    format!(
                        "Plan approved. Switching to {mode} mode.\n\nThe approved implementation \
                         plan is stored at: {}\nRead and follow the plan strictly during \
                         implementation.",
                        place.display()
                    ),
                    format!("Plan approved; the approval mode is {mode}"),
                ),
                Err(error) => Output::failed(error),
            }
        })
    }
}
