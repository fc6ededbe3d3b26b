//! Which files and items belong to the product.

use super::*;

fn file(path: &str) -> SourceFile {
    SourceFile::new(path, String::new())
}

#[test]
fn product_code_lies_in_src_of_a_crate() {
    assert_eq!(
        file("crates/engine/src/plan.rs").product_crate(),
        Some("engine")
    );
    for path in [
        "crates/engine/src/plan/tests.rs",
        "crates/engine/src/tests/laws.rs",
        "crates/engine/tests/plan.rs",
        "crates/engine/benches/plan.rs",
        "crates/cli/build.rs",
        "crates/testkit/src/lib.rs",
        "xtask/src/main.rs",
    ] {
        assert_eq!(file(path).product_crate(), None, "{path}");
    }
}

#[test]
fn files_behind_a_test_module_are_tests() {
    let source = SourceFile::new(
        "crates/engine/src/plan.rs",
        "#[cfg(test)]\nmod laws;\n#[cfg(unix)]\nmod order;\n".to_owned(),
    );
    let mut modules = TestModules::default();
    modules.add(&source, &source.syntax().unwrap());
    assert!(modules.contain("crates/engine/src/plan/laws.rs"));
    assert!(modules.contain("crates/engine/src/plan/laws/one.rs"));
    assert!(!modules.contain("crates/engine/src/plan/order.rs"));
    assert!(!modules.contain("crates/engine/src/laws.rs"));
}

#[test]
fn only_a_plain_condition_makes_a_test() {
    let syntax = syn::parse_file(
        "#[cfg(test)] fn a() {} #[tokio::test] fn b() {} #[cfg(all(test, unix))] fn c() {}
         #[cfg(not(test))] fn d() {} #[cfg(feature = \"test\")] fn e() {}",
    )
    .unwrap();
    let found: Vec<bool> = syntax
        .items
        .iter()
        .map(|item| match item {
            Item::Fn(function) => is_for_tests(&function.attrs),
            _ => unreachable!(),
        })
        .collect();
    assert_eq!(found, [true, true, true, false, false]);
}
