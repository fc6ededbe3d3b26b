//! What the arrow forbids and what it allows.

use super::*;

fn package(name: &str, dependencies: &[(&str, DependencyKind)]) -> Package {
    let mut text = format!("[package]\nname = \"{name}\"\n\n[dependencies]\n");
    for (dependency, _) in dependencies {
        text.push_str(dependency);
        text.push_str(".workspace = true\n");
    }
    Package {
        name: name.to_owned(),
        manifest: "crates/x/Cargo.toml".to_owned(),
        text,
        dependencies: dependencies
            .iter()
            .map(|(name, kind)| Dependency {
                name: (*name).to_owned(),
                kind: *kind,
            })
            .collect(),
    }
}

#[test]
fn a_crate_may_depend_on_those_before_it() {
    let agent = package(
        "hookloop-agent",
        &[
            ("hookloop-events", DependencyKind::Normal),
            ("hookloop-tools", DependencyKind::Normal),
            ("hookloop-testkit", DependencyKind::Development),
            ("hookloop-exec", DependencyKind::Development),
            ("serde", DependencyKind::Normal),
        ],
    );
    assert_eq!(check(&[agent]), []);
}

#[test]
fn an_arrow_outward_is_reported_at_its_line() {
    let engine = package(
        "hookloop-engine",
        &[
            ("serde", DependencyKind::Normal),
            ("hookloop-exec", DependencyKind::Normal),
        ],
    );
    let found = check(&[engine]);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].line, 6);
    assert!(
        found[0]
            .wrong
            .contains("`hookloop-engine` depends on `hookloop-exec`")
    );
    let inward = ORDER.iter().take_while(|name| **name != "engine");
    for name in inward.clone() {
        assert!(found[0].right.contains(name), "{name}");
    }
    assert_eq!(found[0].right.matches(", ").count() + 1, inward.count());
}

#[test]
fn nothing_depends_on_the_program() {
    let found = check(&[package(
        "hookloop-agent",
        &[("hookloop", DependencyKind::Normal)],
    )]);
    assert_eq!(found.len(), 1);
}

#[test]
fn the_testkit_is_for_tests_only() {
    for kind in [DependencyKind::Normal, DependencyKind::Build] {
        let found = check(&[package("hookloop", &[("hookloop-testkit", kind)])]);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].right, "list it under [dev-dependencies]");
    }
}

#[test]
fn xtask_depends_on_nothing_of_ours() {
    let found = check(&[package(
        "xtask",
        &[("hookloop-events", DependencyKind::Development)],
    )]);
    assert_eq!(found.len(), 1);
}

#[test]
fn a_crate_without_a_place_is_reported() {
    let found = check(&[package("hookloop-odds", &[])]);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].line, 2);
}
