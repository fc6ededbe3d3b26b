//! Rules for files, in the syntax of `.gitignore`.

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use hookloop_shell::normalize_path;

/// Returns whether a path matches a rule in the syntax of `.gitignore`; `//` begins at the root of
/// the file system, everything else in the project. Where the project begins isn't known here, so
/// it may be the working directory or any folder above. What can't be read matches.
pub(super) fn matches_path(rule: &str, path: &str, cwd: &str) -> bool {
    if rule.starts_with(['!', '~']) {
        // What a rule excludes, or whose home folder is meant, isn't known here.
        return true;
    }
    let absolute = |path: &str| {
        if path.starts_with('/') {
            normalize_path(path)
        } else {
            normalize_path(&format!("{cwd}/{path}"))
        }
    };
    let path = absolute(path);
    let climbs = |rule: &str| rule.split('/').any(|component| component == "..");
    let from_root = match rule.strip_prefix("//") {
        Some(within) => Some(normalize_path(within)),
        None if climbs(rule) => Some(absolute(rule)),
        None => None,
    };
    let begins_here = rule.starts_with('/') || rule.starts_with("./");
    let within = from_root.as_deref().unwrap_or(rule);
    let within = within.trim_start_matches("./").trim_start_matches('/');
    let Some(globs) = globs(within, begins_here || from_root.is_some()) else {
        return true;
    };
    let fits_below = |root: &str| {
        let rest = path.strip_prefix(root.trim_end_matches('/'));
        let rest = rest.and_then(|rest| rest.strip_prefix('/'));
        rest.is_some_and(|rest| globs.is_match(rest))
    };
    if from_root.is_some() {
        return fits_below("/");
    }
    let cwd = normalize_path(cwd);
    let mut above = Some(cwd.as_str());
    while let Some(root) = above {
        if fits_below(root) {
            return true;
        }
        above = root.rsplit_once('/').map(|(above, _)| above);
    }
    false
}

/// Compiles a rule: a name alone means that name in any folder, and a folder means everything in
/// it.
fn globs(within: &str, is_anchored: bool) -> Option<GlobSet> {
    let body = within.trim_end_matches('/');
    if body.is_empty() {
        return None;
    }
    let begin = if is_anchored || body.contains('/') {
        ""
    } else {
        "**/"
    };
    let mut globs = GlobSetBuilder::new();
    let mut add = |pattern: &str| {
        let mut glob = GlobBuilder::new(pattern);
        let glob = glob.literal_separator(true).backslash_escape(true).build();
        globs.add(glob.ok()?);
        Some(())
    };
    if within == body {
        add(&format!("{begin}{body}"))?;
    }
    add(&format!("{begin}{body}/**"))?;
    globs.build().ok()
}
