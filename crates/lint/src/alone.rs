//! What a text would run with nothing around it.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

use hookloop_shell::{Surroundings, Understood, understand};

/// How many texts are remembered: a command, and a few scripts that it runs.
const REMEMBERED: usize = 4;

thread_local! {
    static LAST: RefCell<VecDeque<(String, Rc<Understood>)>> = const { RefCell::new(VecDeque::new()) };
}

/// Understands a text with nothing around it.
///
/// Many rules ask about the same script, one after the other, and a session asks them all before
/// its first prompt, so the last texts are remembered. The result depends only on the text.
pub(super) fn understand_alone(text: &str) -> Rc<Understood> {
    LAST.with_borrow_mut(|last| {
        if let Some((_, known)) = last.iter().find(|(known, _)| known == text) {
            return Rc::clone(known);
        }
        let understood = Rc::new(understand(text, Surroundings::default()));
        last.truncate(REMEMBERED - 1);
        last.push_front((text.to_owned(), Rc::clone(&understood)));
        understood
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// CM-3: a text is understood once, however many others are between, up to a limit.
    #[test]
    fn the_last_texts_are_remembered() {
        let first = understand_alone("grep -q a b");
        for text in ["a", "b", "c"] {
            understand_alone(text);
        }
        assert!(Rc::ptr_eq(&first, &understand_alone("grep -q a b")));
        for text in ["d", "e", "f", "g"] {
            assert_eq!(understand_alone(text).commands[0].program, text);
        }
        assert!(!Rc::ptr_eq(&first, &understand_alone("grep -q a b")));
    }
}
