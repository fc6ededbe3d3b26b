//! A session's hooks as a self-contained HTML page: it needs no network, no script and no other
//! file.
//!
//! What hooks read and wrote is untrusted, so all of it is escaped. In addition, the page's policy
//! forbids scripts, forms and everything from elsewhere.

mod page;
mod timeline;

pub use timeline::RunItem;

use crate::loss::Loss;
use crate::run::StoredRun;

/// The style sheet of the page, with the colours of results, for other pages that show runs.
pub const STYLE: &str = include_str!("html/style.css");

/// Returns a page that shows the runs of a session as a timeline (CM-6), and which wishes of hooks
/// its agent couldn't carry out (BR-21). Both are in the order of the trace.
pub fn report(session_id: &str, runs: &[StoredRun], losses: &[Loss]) -> String {
    page::page(session_id, runs, losses)
}
