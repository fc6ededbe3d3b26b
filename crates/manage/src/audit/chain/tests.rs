use std::fs;

use serde_json::{Map, json};

use super::Chain;

fn filled() -> (tempfile::TempDir, Chain) {
    let folder = tempfile::tempdir().unwrap();
    let chain = Chain::new(folder.path().join("audit"));
    for (number, day) in ["2026-01-01", "2026-01-01", "2026-01-01", "2026-01-02"]
        .iter()
        .enumerate()
    {
        let mut entry = Map::new();
        entry.insert("event".to_owned(), json!(format!("event {number}")));
        append_at(&chain, entry, &format!("{day}T00:00:00.000Z"));
    }
    (folder, chain)
}

fn append_at(
    chain: &Chain,
    mut entry: Map<String, serde_json::Value>,
    now: &str,
) -> Option<String> {
    entry.insert("at".to_owned(), json!(now));
    chain.append(entry, now).unwrap()
}

fn joined<'l>(lines: impl Iterator<Item = &'l str>) -> String {
    lines.flat_map(|it| [it, "\n"]).collect()
}

fn without(text: &str, taken: &str) -> String {
    joined(text.lines().filter(|it| !it.contains(taken)))
}

fn found(chain: &Chain) -> Vec<(String, Option<usize>, String)> {
    let problems = chain.verify(None).unwrap().problems;
    problems
        .into_iter()
        .map(|it| (it.file, it.line, it.what))
        .collect()
}

/// HT-40: a chain that nobody touched is complete, over several days.
#[test]
fn a_chain_is_whole() {
    let (_folder, chain) = filled();
    let verified = chain.verify(None).unwrap();
    assert_eq!((verified.files, verified.lines), (2, 4));
    assert_eq!(found(&chain), []);
}

/// HT-40: a line that was changed, cut, removed or moved is found with its place, even at the end
/// of the chain and if a whole day is missing.
#[test]
fn what_was_done_to_a_chain_is_found() {
    type Edit = fn(&str) -> String;
    let cases: &[(&str, Edit, Option<usize>, &str)] = &[
        (
            "2026-01-01",
            |it| it.replace("event 1", "event 9"),
            Some(2),
            "changed",
        ),
        (
            "2026-01-01",
            |it| it[..it.len() - 20].to_owned(),
            Some(3),
            "cut",
        ),
        (
            "2026-01-01",
            |it| without(it, "event 1"),
            Some(2),
            "line 2 is missing",
        ),
        (
            "2026-01-01",
            |it| joined(it.lines().rev()),
            Some(1),
            "missing",
        ),
        (
            "2026-01-01",
            |it| it.replace('\n', "\r\n"),
            Some(2),
            "changed",
        ),
        ("2026-01-02", |_| String::new(), None, "missing at the end"),
        (
            "2026-01-01",
            |_| String::new(),
            Some(1),
            "lines 1 to 3 are missing",
        ),
    ];
    for (day, edit, line, what) in cases {
        let (_folder, chain) = filled();
        let path = chain.folder().join(format!("{day}.jsonl"));
        let text = fs::read_to_string(&path).unwrap();
        fs::write(&path, edit(&text)).unwrap();
        let found = found(&chain);
        let fits = |it: &&(String, Option<usize>, String)| it.1 == *line && it.2.contains(what);
        assert!(found.iter().any(|it| fits(&it)), "{what}: {found:?}");
    }
}

/// HT-40: a file under another day's name is found, and lines that were written while the clock was
/// set back belong to the day that their file began.
#[test]
fn a_file_of_another_day_is_found() {
    for (day, other) in [
        ("2026-01-01", "2025-12-31"),
        ("2026-01-02", "2026-01-03"),
        ("2026-01-02", "x"),
    ] {
        let (_folder, chain) = filled();
        let path = |day: &str| chain.folder().join(format!("{day}.jsonl"));
        fs::rename(path(day), path(other)).unwrap();
        let found = found(&chain);
        let [(file, Some(1), what)] = found.as_slice() else {
            panic!("{found:?}");
        };
        assert_eq!(*file, format!("{other}.jsonl"));
        assert!(what.contains(&format!("{day}.jsonl")), "{what}");
    }
    let (_folder, chain) = filled();
    append_at(&chain, Map::new(), "2025-06-01T00:00:00.000Z");
    append_at(&chain, Map::new(), "2026-01-03T00:00:00.000Z");
    assert_eq!(found(&chain), []);
}

fn notes(chain: &Chain) -> Vec<String> {
    let notes = chain.verify(None).unwrap().notes;
    notes.into_iter().map(|it| it.what).collect()
}

fn next(chain: &Chain) -> Option<String> {
    let mut entry = Map::new();
    entry.insert("event".to_owned(), json!("next"));
    append_at(chain, entry, "2026-01-02T00:00:00.000Z")
}

fn append_text(chain: &Chain, text: &str) {
    let path = chain.folder().join("2026-01-02.jsonl");
    let old = fs::read_to_string(&path).unwrap();
    fs::write(&path, old + text).unwrap();
}

/// HT-40: a line that was cut off while it was written is reported and isn't a sign of tampering,
/// before and after the next one.
#[test]
fn a_line_that_broke_off_is_told_apart() {
    let (_folder, chain) = filled();
    append_text(&chain, "{\"at\":\"x\",\"event\":\"Bef");
    assert_eq!(found(&chain), []);
    assert!(notes(&chain)[0].contains("was cut off"));
    assert!(next(&chain).unwrap().contains("was cut off"));
    assert_eq!(next(&chain), None);
    assert_eq!(found(&chain), []);
    assert!(notes(&chain)[0].contains("was cut off"));
}

/// HT-40: what somebody else cut isn't mistaken for a line that was cut off.
#[test]
fn a_cut_line_is_not_a_line_that_broke_off() {
    let (_folder, chain) = filled();
    let path = chain.folder().join("2026-01-02.jsonl");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, &text[..text.len() - 30]).unwrap();
    assert!(!found(&chain).is_empty());
    assert!(next(&chain).unwrap().contains("doesn't end"));
    assert!(found(&chain).iter().any(|it| it.2.contains("cut")));
    for forged in ["forged\n", "forged\nforged\n", "forged\nforged"] {
        let (_folder, chain) = filled();
        append_text(&chain, forged);
        next(&chain);
        assert_eq!(found(&chain).len(), forged.lines().count(), "{forged}");
    }
}

/// HT-40: a program that was ended between writing a line and recording it has left no gap.
#[test]
fn a_line_that_was_not_noted_counts() {
    let (_folder, chain) = filled();
    let head = fs::read(chain.head()).unwrap();
    next(&chain);
    fs::write(chain.head(), head).unwrap();
    assert_eq!(found(&chain), []);
    assert_eq!(notes(&chain).len(), 1);
    assert_eq!(next(&chain), None);
    assert_eq!(chain.verify(None).unwrap().lines, 6);
    assert!(found(&chain).is_empty() && notes(&chain).is_empty());
}

/// HT-40: a missing or broken end doesn't end the audit: it is reported, the next line follows the
/// last one, and both are found for good.
#[test]
fn a_lost_end_does_not_end_the_audit() {
    for broken in [Some(""), Some("{"), Some("[1]"), None] {
        let (_folder, chain) = filled();
        match broken {
            Some(text) => fs::write(chain.head(), text).unwrap(),
            None => fs::remove_file(chain.head()).unwrap(),
        }
        assert_eq!(found(&chain).len(), 1, "{broken:?}");
        assert!(next(&chain).unwrap().contains("head.json"), "{broken:?}");
        assert_eq!(next(&chain), None);
        let verified = chain.verify(None).unwrap();
        assert_eq!(verified.lines, 6);
        let found = found(&chain);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].2.contains("isn't known"), "{found:?}");
    }
}

/// HT-40: if the guard is configured, a missing audit is a problem; otherwise it isn't.
#[test]
fn an_audit_that_is_gone_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let chain = Chain::new(folder.path().join("audit"));
    let problems = |chain: &Chain, guard| chain.verify(guard).unwrap().problems.len();
    assert_eq!(problems(&chain, None), 0);
    assert_eq!(problems(&chain, Some("settings.json:3")), 1);
    chain.begin().unwrap();
    assert_eq!(problems(&chain, Some("settings.json:3")), 0);
    assert_eq!(next(&chain), None);
    fs::remove_dir_all(chain.folder()).unwrap();
    assert_eq!(problems(&chain, Some("settings.json:3")), 1);
    assert!(next(&chain).unwrap().contains("begins"));
}

/// TR-10: what isn't a regular file is reported, and nothing waits for it.
#[cfg(unix)]
#[test]
fn a_pipe_is_not_waited_for() {
    let (_folder, chain) = filled();
    let path = chain.folder().join("2026-01-02.jsonl");
    fs::remove_file(&path).unwrap();
    let made = std::process::Command::new("mkfifo").arg(&path).status();
    assert!(made.unwrap().success());
    let found = found(&chain);
    assert!(found.iter().any(|it| it.2.contains("regular")), "{found:?}");
    let error = chain.append(Map::new(), "2026-01-02T00:00:00.000Z");
    assert!(error.unwrap_err().to_string().contains("regular"));
}
