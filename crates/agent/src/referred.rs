//! The files that a prompt refers to with `@path` (TU-1). Each one is read as if the model had
//! asked for it, through the hooks of `read_file`, the policy and the tool (EV-4).

use std::collections::BTreeSet;
use std::sync::Arc;

use futures_util::future::join_all;
use hookloop_engine::BoxFuture;
use hookloop_events::ToolCall;
use hookloop_model::{AllowedTools, FunctionCall};
use hookloop_tools::{References, ReferredFile};
use serde_json::{Map, Value};

use crate::frontend::{Audience, Confirmation, Consent, Frontend, SessionEvent};
use crate::offer::Offer;
use crate::scope::{Scope, Services};
use crate::tool_call::{self, Admission};
use crate::turn_end::TurnEnd;

/// The tool that reads files.
const READ: &str = "read_file";

/// The argument of the tool that names the file.
const PATH: &str = "file_path";

/// How many files are read at once.
const AT_ONCE: usize = 8;

/// Returns the files that hooks and policy let the model read, as they left them.
///
/// # Errors
/// A hook ended the loop, or the turn was cancelled.
pub(crate) async fn judge(
    scope: &Scope,
    offer: &Offer,
    references: References,
) -> Result<References, TurnEnd> {
    if references.files.is_empty() {
        return Ok(references);
    }
    let scope = &named_by_user(scope, &references.files);
    let mut files = Vec::with_capacity(references.files.len());
    for some in references.files.chunks(AT_ONCE) {
        scope.proceed()?;
        let reading = some.iter().map(|file| read(scope, offer, file));
        for file in join_all(reading).await {
            files.extend(file?);
        }
    }
    Ok(References {
        files,
        ..references
    })
}

/// Reads one file; returns `None` if it is left out, which is reported.
async fn read(
    scope: &Scope,
    offer: &Offer,
    file: &ReferredFile,
) -> Result<Option<ReferredFile>, TurnEnd> {
    let arguments = Map::from_iter([(PATH.to_owned(), path_of(file))]);
    let call = FunctionCall::new(READ, arguments);
    let ended = tool_call::run(scope, offer, &call, &Admission::Within(AllowedTools::All)).await;
    let mut output = ended.result?;
    if let Some(error) = &output.error {
        let text = format!("{} is left out: {}", file.name, error.message);
        scope.show(&SessionEvent::Warning(&text));
        return Ok(None);
    }
    let media = output.media.pop();
    let text = match (&file.media, &media) {
        // What hooks added follows the tool's own text.
        (Some(_), Some(_)) => match output.llm_content.split_once("\n\n") {
            Some((_, added)) => format!("{}{added}\n", file.text),
            None => file.text.clone(),
        },
        _ => output.llm_content,
    };
    Ok(Some(ReferredFile {
        text,
        media,
        ..file.clone()
    }))
}

fn path_of(file: &ReferredFile) -> Value {
    Value::from(file.path.to_string_lossy())
}

fn named_by_user(scope: &Scope, files: &[ReferredFile]) -> Scope {
    let frontend = Named {
        inner: Arc::clone(&scope.services.frontend),
        paths: files
            .iter()
            .map(|it| it.path.to_string_lossy().into_owned())
            .collect(),
    };
    let services = Services {
        frontend: Arc::new(frontend),
        ..(*scope.services).clone()
    };
    Scope {
        services: Arc::new(services),
        ..scope.clone()
    }
}

/// The screen of a person who named files, and needn't be asked whether they are meant; they aren't
/// shown as calls either.
struct Named {
    inner: Arc<dyn Frontend>,
    paths: BTreeSet<String>,
}

impl Frontend for Named {
    fn show(&self, event: &SessionEvent<'_>) {
        if !matches!(
            event,
            SessionEvent::ToolRequested(_)
                | SessionEvent::ToolProgress { .. }
                | SessionEvent::ToolProgressHeld { .. }
                | SessionEvent::ToolFinished(_)
        ) {
            self.inner.show(event);
        }
    }

    fn confirm<'a>(&'a self, request: Confirmation<'a>) -> BoxFuture<'a, Consent> {
        let call = request.call;
        // Nobody has agreed to a hook's question, or to a path that a hook rewrote.
        let path = call.arguments.get(PATH).and_then(Value::as_str);
        let is_named = path.is_some_and(|it| self.paths.contains(it));
        if request.reason.is_none() && call.name == READ && is_named {
            return Box::pin(std::future::ready(Consent::Given));
        }
        self.inner.confirm(request)
    }

    fn typed_by_person(&self, call: &ToolCall) {
        self.inner.typed_by_person(call);
    }

    fn audience(&self) -> Audience {
        self.inner.audience()
    }
}
