//! A second look at a hook, right before it runs (TR-6).

use std::path::Path;

use crate::fingerprint::Fingerprint;
use crate::named_files::FileReader;
use crate::record::TrustRecord;
use crate::standing::{Acceptance, Change, Vouched};

impl Vouched {
    /// Returns what of the hook has changed since it was vouched for: a person agreed to what it
    /// was then (TR-6). Reads the files that its command names, and runs nothing.
    ///
    /// Nothing has changed where trust is not needed, or given to whatever the workspace holds in
    /// this run (TR-3).
    pub fn changes_since(&self, project_root: &Path) -> Vec<Change> {
        let rests_on_content = match self.accepted {
            Acceptance::ByStore | Acceptance::ByUpstream => true,
            Acceptance::NotNeeded | Acceptance::ThisRun | Acceptance::No => false,
        };
        let Some(then) = self.fingerprint.as_deref().filter(|_| rests_on_content) else {
            return Vec::new();
        };
        let now = Fingerprint::take(&self.hook, &mut FileReader::new(project_root));
        if now.digest == then.digest {
            return Vec::new();
        }
        TrustRecord::new(&self.hook, then).changes(&self.hook, &now)
    }
}
