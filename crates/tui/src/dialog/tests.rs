use crossterm::event::{KeyCode, KeyEvent};
use hookloop_agent::Consent;
use serde_json::json;

use super::{Dialog, Fit};
use crate::attention::KeyHandling;
use crate::painter::Size;
use crate::question::{Matter, Question};
use crate::styled::{Line, Palette, width};

const WIDE: Size = Size {
    columns: 80,
    rows: 24,
};
const NARROW: Size = Size {
    columns: 40,
    rows: 24,
};

fn question(subject: Vec<Line>) -> Question {
    let arguments = json!({"command": "rm -rf build"});
    Question {
        call: "1".to_owned(),
        matter: Matter::Call {
            tool: "run_shell_command".to_owned(),
            subject,
        },
        arguments: arguments.as_object().cloned().unwrap().into(),
        remarks: vec![Line::plain("A hook asks: deleting needs a person")],
        always: Some("commands \"rm …\"".to_owned()),
    }
}

fn dialog() -> Dialog {
    Dialog::new(
        question(vec![Line::plain("$ rm -rf build")]),
        Palette::Plain,
    )
}

fn press(dialog: &mut Dialog, code: KeyCode) -> Option<Consent> {
    dialog.key(KeyEvent::from(code), 80)
}

fn rows(dialog: &Dialog, size: Size) -> Vec<String> {
    dialog
        .live(size, KeyHandling::Keys)
        .lines
        .iter()
        .map(Line::text)
        .collect()
}

/// TU-3: tool, arguments, the hook's reason and the four choices.
#[test]
fn the_dialog_shows_everything() {
    let expected = [
        &*"─".repeat(40),
        "Allow run_shell_command?",
        "$ rm -rf build",
        "A hook asks: deleting needs a person",
        "",
        "❯ 1. Allow once",
        "  2. Allow always (commands \"rm …\")",
        "  3. Edit",
        "  4. No, suggest changes (esc)",
    ];
    assert_eq!(rows(&dialog(), NARROW), expected);
}

/// TU-3: each choice gives its answer.
#[test]
fn choices_answer() {
    let answer = |code| press(&mut dialog(), code);
    assert_eq!(answer(KeyCode::Char('1')), Some(Consent::Given));
    assert_eq!(answer(KeyCode::Char('2')), Some(Consent::GivenForSession));
    assert_eq!(answer(KeyCode::Char('4')), Some(Consent::Declined));
    assert_eq!(answer(KeyCode::Esc), Some(Consent::Declined));
    assert_eq!(answer(KeyCode::Char('3')), None);
}

/// TU-3, BT-8: edited arguments are taken as JSON, and only as an object.
#[test]
fn arguments_are_edited_as_json() {
    let mut dialog = dialog();
    press(&mut dialog, KeyCode::Char('3'));
    assert!(rows(&dialog, WIDE).contains(&"    \"command\": \"rm -rf build\"".to_owned()));
    dialog.paste("x");
    assert_eq!(press(&mut dialog, KeyCode::Enter), None);
    assert!(
        rows(&dialog, WIDE)
            .iter()
            .any(|it| it.contains("not a JSON object"))
    );
    press(&mut dialog, KeyCode::Backspace);
    for _ in 0..3 {
        press(&mut dialog, KeyCode::Left);
    }
    dialog.paste("!");
    let edited = json!({"command": "rm -rf build!"});
    let expected = Consent::Edited(edited.as_object().cloned().unwrap());
    assert_eq!(press(&mut dialog, KeyCode::Enter), Some(expected));
}

/// TU-3: Escape leaves the editor, not the dialog.
#[test]
fn escape_leaves_the_editor_first() {
    let mut dialog = dialog();
    press(&mut dialog, KeyCode::Char('3'));
    assert_eq!(press(&mut dialog, KeyCode::Esc), None);
    assert_eq!(press(&mut dialog, KeyCode::Esc), Some(Consent::Declined));
}

/// TU-3, TU-4: what is too long is cut with a note, and the choices stay on the screen.
#[test]
fn a_long_question_keeps_its_choices() {
    let subject = (0..100)
        .map(|it| Line::plain(format!("+line {it}")))
        .collect();
    let dialog = Dialog::new(question(subject), Palette::Plain);
    for size in [WIDE, NARROW] {
        assert_eq!(dialog.fit(size), Fit::Cut);
        let rows = rows(&dialog, size);
        assert!(rows.len() < size.rows, "{}", rows.len());
        assert!(rows.iter().any(|it| it.contains("the full text is above")));
        assert_eq!(rows.last().unwrap(), "  4. No, suggest changes (esc)");
        assert!(rows.iter().all(|it| width(it) <= size.columns));
    }
    assert_eq!(dialog.whole(80).len(), 101);
}

/// TU-3, AG-CLI-9: if nothing may be allowed for the session, that isn't offered, and no key
/// selects it.
#[test]
fn what_may_not_be_said_is_not_offered() {
    let mut question = question(vec![Line::plain("$ rm -rf build")]);
    question.always = None;
    let mut dialog = Dialog::new(question, Palette::Plain);
    let shown = rows(&dialog, NARROW);
    let expected = [
        "❯ 1. Allow once",
        "  2. Edit",
        "  3. No, suggest changes (esc)",
    ];
    assert_eq!(shown[shown.len() - 3..], expected);
    assert_eq!(press(&mut dialog, KeyCode::Char('4')), None);
    assert_eq!(
        press(&mut dialog, KeyCode::Char('3')),
        Some(Consent::Declined)
    );
}

/// TO-6: a plan is shown as text, and is accepted or not: there are no arguments to edit.
#[test]
fn a_plan_is_shown_as_it_reads() {
    let question = Question {
        matter: Matter::Plan(
            "# Plan\n\n1. Read `a`\n\n| step | risk |\n|---|---|\n| 2 | low |".to_owned(),
        ),
        remarks: Vec::new(),
        always: None,
        ..question(Vec::new())
    };
    let mut dialog = Dialog::new(question, Palette::Plain);
    let expected = [
        &*"─".repeat(40),
        "Carry out this plan?",
        "",
        "Plan",
        "",
        "1. Read `a`",
        "",
        "step  risk",
        "──────────",
        "2     low",
        "",
        "❯ 1. Yes, carry it out",
        "  2. No, suggest changes (esc)",
    ];
    assert_eq!(rows(&dialog, WIDE), expected);
    assert_eq!(
        press(&mut dialog, KeyCode::Char('2')),
        Some(Consent::Declined)
    );
}
