//! Runs file operations outside the async runtime.

use tokio_util::sync::CancellationToken;

use crate::{BoxFuture, ErrorKind, Output, ToolError};

/// Runs work that only reads; a cancelled call answers at once and the work stops at its next
/// check.
pub(crate) fn reading<'a>(
    cancel: CancellationToken,
    work: impl FnOnce(&CancellationToken) -> Result<Output, ToolError> + Send + 'static,
) -> BoxFuture<'a, Output> {
    Box::pin(async move {
        let seen_by_work = cancel.child_token();
        // Dropping the call also cancels the work.
        let _stop_work = seen_by_work.clone().drop_guard();
        let handle = tokio::task::spawn_blocking(move || work(&seen_by_work));
        tokio::select! {
            biased;
            () = cancel.cancelled() => Output::failed(ToolError::cancelled()),
            joined = handle => output(joined),
        }
    })
}

/// Runs work that changes files; once begun it is finished, so that its result is true.
pub(crate) fn writing<'a>(
    cancel: CancellationToken,
    work: impl FnOnce() -> Result<Output, ToolError> + Send + 'static,
) -> BoxFuture<'a, Output> {
    Box::pin(async move {
        if cancel.is_cancelled() {
            return Output::failed(ToolError::cancelled());
        }
        output(
            tokio::task::spawn_blocking(move || {
                if cancel.is_cancelled() {
                    return Err(ToolError::cancelled());
                }
                work()
            })
            .await,
        )
    })
}

fn output(joined: Result<Result<Output, ToolError>, tokio::task::JoinError>) -> Output {
    match joined {
        Ok(result) => result.unwrap_or_else(Output::failed),
        Err(failure) => Output::failed(ToolError::new(
            ErrorKind::ExecutionFailed,
            format!("the tool was aborted: {failure}"),
        )),
    }
}
