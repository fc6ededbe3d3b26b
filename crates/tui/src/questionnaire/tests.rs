use crossterm::event::KeyCode;

use super::*;
use crate::attention::KeyHandling;
use crate::styled::{Line, width};

const SIZE: Size = Size {
    columns: 40,
    rows: 20,
};

fn question(kind: QuestionKind) -> Question {
    Question {
        question: "Which database shall the service use from now on?".to_owned(),
        header: "Database".to_owned(),
        kind,
    }
}

fn choices() -> Vec<Choice> {
    let choice = |label: &str, description: &str| Choice {
        label: label.to_owned(),
        description: description.to_owned(),
    };
    vec![
        choice("SQLite", "a file beside the program, nothing to install"),
        choice("PostgreSQL", ""),
    ]
}

fn press(asked: &mut Questionnaire, codes: &[KeyCode]) -> Option<Answers> {
    let mut answers = None;
    for code in codes {
        assert_eq!(answers, None);
        answers = asked.key((*code).into(), SIZE);
    }
    answers
}

fn write(asked: &mut Questionnaire, text: &str) -> Option<Answers> {
    let codes: Vec<KeyCode> = text.chars().map(KeyCode::Char).collect();
    press(asked, &codes)
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|it| (*it).to_owned()).collect()
}

/// TU-1: one of the choices, several of them, own words, and yes or no.
#[test]
fn each_kind_of_question_is_answered() {
    let mut one = Questionnaire::new(vec![question(QuestionKind::One(choices()))]);
    assert_eq!(
        press(&mut one, &[KeyCode::Down, KeyCode::Enter]),
        Some(Ok(words(&["PostgreSQL"])))
    );
    let mut several = Questionnaire::new(vec![question(QuestionKind::Several(choices()))]);
    assert_eq!(
        press(
            &mut several,
            &[KeyCode::Char(' '), KeyCode::Char('2'), KeyCode::Enter]
        ),
        Some(Ok(words(&["SQLite, PostgreSQL"])))
    );
    let mut own = Questionnaire::new(vec![question(QuestionKind::Words(String::new()))]);
    assert_eq!(press(&mut own, &[KeyCode::Enter]), None);
    assert_eq!(write(&mut own, "none of them"), None);
    assert_eq!(
        press(&mut own, &[KeyCode::Enter]),
        Some(Ok(words(&["none of them"])))
    );
    let mut sure = Questionnaire::new(vec![question(QuestionKind::YesOrNo)]);
    assert_eq!(
        press(&mut sure, &[KeyCode::Char('n')]),
        Some(Ok(words(&["No"])))
    );
}

/// TU-1: own words are possible beside choices, and Escape there goes back to the choices.
#[test]
fn own_words_are_welcome() {
    let mut asked = Questionnaire::new(vec![question(QuestionKind::One(choices()))]);
    assert_eq!(press(&mut asked, &[KeyCode::Char('3'), KeyCode::Esc]), None);
    assert_eq!(press(&mut asked, &[KeyCode::Char('3')]), None);
    assert_eq!(write(&mut asked, "DuckDB"), None);
    assert_eq!(
        press(&mut asked, &[KeyCode::Enter]),
        Some(Ok(words(&["DuckDB"])))
    );
}

/// TU-1: the questions follow each other, and Escape gives no answer to any of them.
#[test]
fn questions_follow_each_other() {
    let questions = || {
        vec![
            question(QuestionKind::YesOrNo),
            question(QuestionKind::One(choices())),
        ]
    };
    let mut asked = Questionnaire::new(questions());
    assert_eq!(
        press(&mut asked, &[KeyCode::Char('y'), KeyCode::Enter]),
        Some(Ok(words(&["Yes", "SQLite"])))
    );
    let mut asked = Questionnaire::new(questions());
    assert_eq!(
        press(&mut asked, &[KeyCode::Char('y'), KeyCode::Esc]),
        Some(Err(NoAnswer::Dismissed))
    );
}

/// TU-4: the dialog fits at 40 columns.
#[test]
fn the_dialog_fits() {
    let asked = Questionnaire::new(vec![question(QuestionKind::Several(choices()))]);
    let live = asked.live(SIZE, KeyHandling::Keys);
    assert!(live.lines.iter().all(|it| it.width() <= 40), "{live:#?}");
    let rows: Vec<String> = live.lines.iter().map(Line::text).collect();
    let expected = [
        &*"─".repeat(40),
        "Database",
        "Which database shall the service use",
        "from now on?",
        "",
        "❯ 1. [ ] SQLite",
        "     a file beside the program, nothing",
        "     to install",
        "  2. [ ] PostgreSQL",
        "  3. Other, in your own words",
        "Space selects · Enter · Esc dismisses",
    ];
    assert_eq!(rows, expected);
    assert!(width(&rows[10]) <= 40);
}

/// TU-5: if nothing is painted, exactly the choices whose numbers a line names are made; own words
/// among them are written next.
#[test]
fn numbers_take_exactly_those_choices() {
    let numbers = |numbers: &[usize]| numbers.iter().copied().collect();
    let mut several = Questionnaire::new(vec![question(QuestionKind::Several(choices()))]);
    for none in [&[][..], &[0], &[4], &[1, 4]] {
        assert_eq!(several.take_numbers(&numbers(none)), None);
        assert!(!several.is_writing());
    }
    assert_eq!(several.take_numbers(&numbers(&[1, 3])), None);
    assert!(several.is_writing());
    press(&mut several, &[KeyCode::Esc]);
    assert_eq!(
        several.take_numbers(&numbers(&[2])),
        Some(Ok(words(&["PostgreSQL"])))
    );
}
