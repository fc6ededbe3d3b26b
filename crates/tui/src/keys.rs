//! The meaning of keys while the user types.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use crate::editor::{Direction, Editor, Reach};

/// Whether a key was meant for the editor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Edited {
    Yes,
    No,
}

/// Passes a key to the editor.
pub(crate) fn edit(editor: &mut Editor, key: KeyEvent, columns: usize) -> Edited {
    let control = key.modifiers.contains(KeyModifiers::CONTROL);
    let alt = key.modifiers.contains(KeyModifiers::ALT);
    let by_word = control || alt;
    match key.code {
        KeyCode::Enter => editor.insert("\n"),
        KeyCode::Left if by_word => editor.go(Reach::WordBack),
        KeyCode::Right if by_word => editor.go(Reach::WordForward),
        KeyCode::Left => editor.go(Reach::Back),
        KeyCode::Right => editor.go(Reach::Forward),
        KeyCode::Up => editor.go_row(Direction::Up, columns),
        KeyCode::Down => editor.go_row(Direction::Down, columns),
        KeyCode::Home => editor.go(Reach::LineStart),
        KeyCode::End => editor.go(Reach::LineEnd),
        KeyCode::Backspace if by_word => editor.delete(Reach::WordBack),
        KeyCode::Backspace => editor.delete(Reach::Back),
        KeyCode::Delete if by_word => editor.delete(Reach::WordForward),
        KeyCode::Delete => editor.delete(Reach::Forward),
        KeyCode::Char(letter) if control && !alt => return edit_by_control(editor, letter),
        KeyCode::Char('b') if alt => editor.go(Reach::WordBack),
        KeyCode::Char('f') if alt => editor.go(Reach::WordForward),
        KeyCode::Char('d') if alt => editor.delete(Reach::WordForward),
        // On some keyboards, Control and Alt together produce characters.
        KeyCode::Char(letter) if control == alt => editor.insert(letter.encode_utf8(&mut [0; 4])),
        _ => return Edited::No,
    }
    Edited::Yes
}

fn edit_by_control(editor: &mut Editor, letter: char) -> Edited {
    match letter {
        'a' => editor.go(Reach::LineStart),
        'e' => editor.go(Reach::LineEnd),
        'b' => editor.go(Reach::Back),
        'f' => editor.go(Reach::Forward),
        'h' => editor.delete(Reach::Back),
        'd' => editor.delete(Reach::Forward),
        'w' => editor.delete(Reach::WordBack),
        'u' => editor.delete(Reach::LineStart),
        'k' => editor.delete(Reach::LineEnd),
        'j' => editor.insert("\n"),
        'y' => editor.insert_deleted(),
        // Terminals send the same for Ctrl+_, Ctrl+/ and Ctrl+7.
        '_' | '/' | '7' => editor.undo(),
        'p' => editor.go_history(Direction::Up),
        'n' => editor.go_history(Direction::Down),
        _ => return Edited::No,
    }
    Edited::Yes
}
