//! What `hooks check` prints about every mistake in the catalogue, as people read it.

#![cfg(unix)]

use std::collections::BTreeMap;
use std::fmt::Write as _;

/// CM-3, CM-10: each diagnostic says what is wrong, shows the place, and says what would be right.
#[test]
fn diagnostics_read_well() {
    let mut areas: BTreeMap<String, String> = BTreeMap::new();
    for mistake in hookloop_conformance::find_mistakes() {
        let (area, name) = mistake.name.split_once("::").expect("an area and a name");
        let (title, printed) =
            hookloop_conformance::diagnose_mistake(&mistake).expect(&mistake.name);
        let text = areas.entry(area.to_owned()).or_default();
        let _ = write!(text, "## {name}: {title}\n\n{}\n\n", printed.trim_end());
    }
    insta::with_settings!({
        prepend_module_to_snapshot => false,
        omit_expression => true,
        filters => [(r"\b[0-9a-f]{32,}\b", "[fingerprint]")],
    }, {
        for (area, text) in areas {
            insta::assert_snapshot!(area, text);
        }
    });
}
