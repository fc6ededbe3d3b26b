use proptest::prelude::*;

use super::{MatchResult, Pattern};

fn find(pattern: &str, text: &str) -> MatchResult {
    Pattern::new(pattern).expect("a valid pattern").find(text)
}

/// Compares our answer with that of the library, which has no bound.
fn agrees(pattern: &str, text: &str) {
    let Ok(regex) = regress::Regex::new(pattern) else {
        return;
    };
    let expected = if regex.find(text).is_some() {
        MatchResult::Yes
    } else {
        MatchResult::No
    };
    assert_eq!(find(pattern, text), expected, "{pattern:?} on {text:?}");
}

/// Texts of all kinds.
const TEXTS: &[&str] = &[
    "",
    "a",
    "ab",
    "aab",
    "abab",
    "read_file",
    "write_file",
    "mcp__git__log",
    "mcp_a_b",
    "run_shell_command",
    "web_feetch",
    "x1",
    "a.b",
    "A-b",
    "a\nb",
    "aa",
    "é",
    "{2}",
    "k<n>",
];

/// Every form that a pattern can have.
const FORMS: &[&str] = &[
    "a",
    "^a",
    "a$",
    "^$",
    ".",
    "a.b",
    "a|b",
    "(a|b)+$",
    "(?:ab)*",
    "a{2}",
    "a{1,2}b",
    "a{,2}",
    "a{",
    "{2}",
    "a*?b",
    "a+?",
    "a??",
    "[a-c]",
    "[^a-c]",
    "[]",
    "[^]",
    r"[\w-]",
    r"[a\-z]",
    r"\d",
    r"\D",
    r"\w+",
    r"\W",
    r"\s",
    r"\S",
    r"\bfile",
    r"\Bfile",
    r"\b",
    r"(\w)\1",
    r"(?<n>a)\k<n>",
    r"\k<n>",
    r"\1",
    r"(a)|\1b",
    r"(?=a)",
    "(?!a)",
    "^(?!write_file$).*",
    "(?<=run_)shell",
    "(?<!run_)shell",
    r"(?<=(\w)\1)t",
    r"\x61",
    r"\u0061",
    r"\x6",
    r"\u{2}",
    r"\cA",
    r"\c",
    r"\0",
    r"\101",
    r"[\b]",
    r"[\d-x]",
    "(a*)*",
    "(a*)+b",
    "(?:a?)*?$",
    r"(?:(a)|b)*\1",
    "((a)|(b))*",
    r"^(?:(a)|b)*$",
    r"mcp_\w+_(?=l)",
    "(?i:READ)_file",
    "a||b",
    "()",
    "(?:)",
    r"\/",
    r"\-",
    "]",
    "}",
    r"(?:a|ab)(?:c|bcd)*$",
    "(?=(a+))a*b\\1",
];

/// PL-1: every form of ECMAScript means what it means there.
#[test]
fn forms_mean_what_they_mean() {
    for pattern in FORMS {
        for text in TEXTS {
            agrees(pattern, text);
        }
    }
}

/// PL-12: a runaway pattern of any form ends.
#[test]
fn a_runaway_pattern_comes_to_an_end() {
    let name = "mcp__server__a_rather_long_name_of_a_tool";
    for pattern in [
        r"^(((\w|_|.)+)+)+!$",
        r"^(\w*)*!$",
        r"^(\w|_)*(\w|_)*(\w|_)*(\w|_)*(\w|_)*(\w|_)*!$",
        r"(?=(\w+)+!)x",
        r"(?<=!(\w+)+)x",
        "(?:a?){200}(?:a?){200}(?:a?){200}b",
        "(?:(?:.{0,900}){0,900}){0,900}b",
    ] {
        assert_eq!(find(pattern, name), MatchResult::Endless, "{pattern}");
    }
    let long = "a".repeat(100_000);
    assert_ne!(find("^(a|b)*$", &long), MatchResult::No);
}

fn pattern() -> impl Strategy<Value = String> {
    let leaf = prop::sample::select(vec![
        "a", "b", "_", ".", r"\w", r"\d", "[ab]", "[^a]", "^", "$", r"\b", r"\B", r"\1", "", r"\W",
        "[a-y_]", r"[^\w]",
    ])
    .prop_map(str::to_owned);
    leaf.prop_recursive(4, 16, 3, |inner| {
        let wraps = prop::sample::select(vec![
            "({})",
            "(?:{})",
            "(?={})",
            "(?!{})",
            "(?<={})",
            "(?<!{})",
            "(?:{})*",
            "({})+",
            "(?:{})?",
            "(?:{}){1,2}",
            "({})*?",
            "(?:{}){2,}?",
        ]);
        prop_oneof![
            prop::collection::vec(inner.clone(), 1..4).prop_map(|parts| parts.concat()),
            prop::collection::vec(inner.clone(), 2..4).prop_map(|parts| parts.join("|")),
            (wraps, inner).prop_map(|(wrap, inner)| wrap.replace("{}", &inner)),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    /// PL-1: patterns mean the same as to the library that reads all of ECMAScript.
    #[test]
    fn it_agrees_with_the_library(pattern in pattern(), text in "[ab_1]{0,6}") {
        agrees(&pattern, &text);
    }

    /// PL-12: no text makes reading or comparing panic or run forever.
    #[test]
    fn any_text_is_read(pattern in r"[a-c(){}\[\]|*+?\\^$.,<=!:0-3kubx-]{0,16}", text in "[a-c]{0,8}") {
        if let Some(pattern) = Pattern::new(&pattern) {
            let _ = pattern.find(&text);
        }
    }
}
