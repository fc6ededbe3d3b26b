//! How much work program text makes.

use super::super::program::effects;
use super::super::tokens::{Language, tokens};
use super::super::values::Reader;

/// How many steps a text takes.
fn steps(text: &str, language: Language) -> usize {
    let tokens = tokens(text, language);
    let mut reader = Reader::new(&tokens, language, &[]);
    let before = reader.remaining();
    reader.read();
    before - reader.remaining()
}

/// TR-8: a text that is twice as long takes twice the work, however its brackets are nested.
#[test]
fn work_grows_with_the_length_alone() {
    use Language::{JavaScript, Python};
    for (piece, language) in [
        ("))((", Python),
        ("f(", JavaScript),
        ("a=[", Python),
        ("x=y+", Python),
        ("q.open(a,{b:c});", JavaScript),
        ("e.unlinkSync(t+n),r=i(o)?s:a.b(c)||{d:[f]};", JavaScript),
    ] {
        let (once, twice) = (piece.repeat(4000), piece.repeat(8000));
        let (once, twice) = (steps(&once, language), steps(&twice, language));
        assert!(twice <= 3 * once.max(4000), "{piece}: {once} {twice}");
    }
}

/// TR-8: marks of documents in a line that doesn't end aren't looked for the end of it again and again.
#[test]
fn marks_of_documents_in_a_long_line_are_not_read_on() {
    use super::super::tokens::UNREAD;
    let reads = |count: usize| !tokens(&"<<A ".repeat(count), Language::Perl).contains(&UNREAD);
    assert!(reads(100));
    assert!(!reads(30_000));
}

/// TR-8: what takes too much work is unclear.
#[test]
fn what_is_too_entangled_is_unclear() {
    let text = "import os\n".to_owned() + &"a=".repeat(60_000) + "'x'\n";
    assert!(effects(&text, Language::Python, &[]).unclear.is_some());
}
