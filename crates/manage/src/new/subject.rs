//! Chooses a subject that matches a matcher, for the sample payload.

use std::path::Path;

use hookloop_engine::{Registry, RunSwitch, Subject};
use hookloop_events::{EventName, SubjectKind, tool_name};
use hookloop_hook::HookDeclaration;
use hookloop_settings::HookSwitches;
use hookloop_trust::Vouched;

/// The tools for samples, in order of preference.
const TOOLS: [&str; 4] = ["read_file", "run_shell_command", "write_file", "replace"];

/// Returns a subject of an event that matches a matcher; `None` for an event without a subject.
pub(super) fn matching_subject(event: EventName, matcher: Option<&str>) -> Option<String> {
    let known: Vec<&'static str> = match event.subject_kind() {
        SubjectKind::None => return None,
        SubjectKind::Word => event.subject_words().to_vec(),
        SubjectKind::Tool => TOOLS.into_iter().chain(tool_name::built_in()).collect(),
    };
    // A matcher may be the exact name of an unknown tool.
    let known = known.iter().copied();
    let candidates: Vec<&str> = known.chain(matcher).chain(["mcp__server__tool"]).collect();
    let mut hook = HookDeclaration::in_process(event, "sample");
    hook.matcher = matcher.map(str::to_owned);
    let registry = Registry::new(
        vec![Vouched::by_host(hook)],
        &HookSwitches::default(),
        RunSwitch::AsConfigured,
        Path::new(""),
    );
    let fits = |subject: &&&str| {
        let explanation = registry.explain(event, Subject::Known(subject));
        explanation.planned().next().is_some()
    };
    let fitting = candidates.iter().find(fits).or(candidates.first());
    fitting.map(|subject| (*subject).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// CM-8: the sample is about a tool that the matcher fits.
    #[test]
    fn the_sample_fits_the_matcher() {
        let of = |event, matcher| matching_subject(event, matcher);
        assert_eq!(
            of(EventName::BeforeTool, None).as_deref(),
            Some("read_file")
        );
        let glob = of(EventName::BeforeTool, Some("^glob$"));
        assert_eq!(glob.as_deref(), Some("glob"));
        let own = of(EventName::AfterTool, Some("mcp__mine__x"));
        assert_eq!(own.as_deref(), Some("mcp__mine__x"));
        let word = of(EventName::SessionStart, Some("resume|clear"));
        assert_eq!(word.as_deref(), Some("resume"));
        assert_eq!(of(EventName::BeforeAgent, None), None);
    }
}
