use std::time::{Duration, Instant};

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::{TrustAnswer, TrustFile, TrustItem, TrustPrompt, TrustView, list};
use crate::styled::{Line, width};

fn items() -> Vec<TrustItem> {
    let new = TrustItem {
        event: "BeforeTool".to_owned(),
        label: "guard".to_owned(),
        command: "./guard.sh --all\x1b[2J".to_owned(),
        details: vec![
            ("for".to_owned(), "write_file".to_owned()),
            ("env".to_owned(), "BASH_ENV=.rc".to_owned()),
        ],
        place: "/p/.gemini/settings.json:5:9".to_owned(),
        files: vec![TrustFile {
            path: "guard.sh".to_owned(),
            note: "new".to_owned(),
            diff: None,
            text: Some("#!/bin/sh\nexit 2\x1b[2J\n".to_owned()),
        }],
        changes: None,
    };
    let modified = TrustItem {
        label: "format".to_owned(),
        command: "./format.sh".to_owned(),
        details: Vec::new(),
        files: vec![TrustFile {
            path: "format.sh".to_owned(),
            note: "changed".to_owned(),
            diff: Some("--- a\n+++ b\n@@ -1 +1 @@\n-old\n+new\n".to_owned()),
            text: None,
        }],
        changes: Some(vec!["format.sh changed since it was trusted".to_owned()]),
        ..new.clone()
    };
    vec![new, modified]
}

fn texts(columns: usize) -> Vec<String> {
    list(&items(), TrustView::List, columns)
        .iter()
        .map(Line::text)
        .collect()
}

/// TR-2: each hook is listed with its command and file, and for a modified one what changed.
#[test]
fn each_hook_is_listed() {
    let expected = [
        "BeforeTool guard (new)",
        "  runs  ./guard.sh --all\\u{1b}[2J",
        "  for   write_file",
        "  env   BASH_ENV=.rc",
        "  file  guard.sh (new)",
        "  from  /p/.gemini/settings.json:5:9",
        "",
        "BeforeTool format (modified)",
        "  runs  ./format.sh",
        "  file  format.sh (changed)",
        "  from  /p/.gemini/settings.json:5:9",
        "  format.sh changed since it was trusted",
        "    @@ -1 +1 @@",
        "    -old",
        "    +new",
    ];
    assert_eq!(texts(80)[3..], expected);
}

/// TU-4: the list fits at 40 columns.
#[test]
fn the_list_fits_narrow_screens() {
    for line in texts(40) {
        assert!(width(&line) <= 40, "{line:?}");
    }
}

/// TR-2: trust, skip this time, or quit; nothing that is pressed by accident trusts.
#[test]
fn keys_answer() {
    let now = Instant::now();
    let read = now + Duration::from_secs(1);
    let answer = |key: KeyEvent| TrustPrompt::new(&items(), TrustView::List, now).key(key, read);
    assert_eq!(answer(KeyCode::Char('1').into()), Some(TrustAnswer::Trust));
    assert_eq!(answer(KeyCode::Char('2').into()), Some(TrustAnswer::Review));
    assert_eq!(
        answer(KeyCode::Char('3').into()),
        Some(TrustAnswer::SkipThisTime)
    );
    assert_eq!(answer(KeyCode::Char('4').into()), Some(TrustAnswer::Quit));
    assert_eq!(answer(KeyCode::Esc.into()), Some(TrustAnswer::Quit));
    let interrupt = KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL);
    assert_eq!(answer(interrupt), Some(TrustAnswer::Quit));
    assert_eq!(answer(KeyCode::Char('y').into()), None);
    assert_eq!(
        answer(KeyCode::Enter.into()),
        Some(TrustAnswer::SkipThisTime)
    );
}

/// TR-2: a hook that is opened is shown with the content of its files, escaped, and decided
/// individually.
#[test]
fn an_opened_hook_shows_its_files() {
    let lines = list(&items()[..1], TrustView::Opened, 80);
    let texts: Vec<String> = lines.iter().map(Line::text).collect();
    let end = ["  guard.sh:", "    #!/bin/sh", "    exit 2\\u{1b}[2J"];
    assert_eq!(texts[texts.len() - 3..], end);
    let mut prompt = TrustPrompt::new(&items()[..1], TrustView::Opened, Instant::now());
    let read = Instant::now() + Duration::from_secs(1);
    let answer = prompt.key(KeyCode::Char('2').into(), read);
    assert_eq!(answer, Some(TrustAnswer::SkipThisTime));
}

/// TR-2, TU-3: neither what was typed ahead nor a number in a text lets a hook run; an answer that
/// lets none run takes effect at once.
#[test]
fn keys_of_a_text_trust_nothing() {
    let started = Instant::now();
    let at = |tenths: u64| started + Duration::from_millis(tenths * 100);
    let prompt = || TrustPrompt::new(&items(), TrustView::List, started);
    let mut asked = prompt();
    // "1 thing" was typed before; "add 1" begins when the question is visible.
    for (tenths, letter) in [(0, '1'), (2, 't'), (14, 'a'), (16, ' '), (18, '1')] {
        assert_eq!(asked.key(KeyCode::Char(letter).into(), at(tenths)), None);
    }
    assert_eq!(asked.key(KeyCode::Enter.into(), at(19)), None);
    let trusted = asked.key(KeyCode::Char('1').into(), at(29));
    assert_eq!(trusted, Some(TrustAnswer::Trust));
    assert_eq!(
        prompt().key(KeyCode::Esc.into(), at(0)),
        Some(TrustAnswer::Quit)
    );
}
