use std::num::NonZeroU16;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use proptest::prelude::*;
use vt100::Parser;

use super::{Panel, PanelIntent, PanelItem, PanelMark, PanelSwitch};
use crate::painter::{Painter, Size};
use crate::styled::Palette;

fn item(event: &str, name: &str) -> PanelItem {
    PanelItem {
        id: format!("{event}-{name}"),
        event: event.to_owned(),
        name: name.to_owned(),
        layer: "project".to_owned(),
        command: format!("./{name}.sh --all"),
        mark: PanelMark::Enabled,
        switch: PanelSwitch::Off,
        last_result: Some("proceed".to_owned()),
        times: Some("12/340 ms".to_owned()),
        details: vec![
            (
                "description".to_owned(),
                "It looks after things.".to_owned(),
            ),
            ("command".to_owned(), format!("./{name}.sh\n--all")),
            (
                "source".to_owned(),
                "/p/.gemini/settings.json:5:9".to_owned(),
            ),
        ],
    }
}

fn panel() -> Panel {
    let mut items = vec![
        item("BeforeTool", "guard"),
        item("BeforeTool", "format-everything-that-was-touched"),
        item("SessionEnd", "notes\x1b[2J"),
    ];
    items[1].mark = PanelMark::Disabled;
    items[1].switch = PanelSwitch::On;
    items[1].last_result = None;
    items[1].times = None;
    items[2].mark = PanelMark::Untrusted;
    Panel::new(items, Vec::new())
}

fn many() -> Panel {
    let event = |index: usize| {
        if index < 20 {
            "BeforeTool"
        } else {
            "SessionEnd"
        }
    };
    let items = (0..40).map(|index| item(event(index), &format!("hook-{index:02}")));
    Panel::new(items.collect(), Vec::new())
}

const fn size(columns: usize, rows: usize) -> Size {
    Size { columns, rows }
}

const WIDE: Size = size(80, 24);

fn press(panel: &mut Panel, codes: &[KeyCode]) -> Option<PanelIntent> {
    codes
        .iter()
        .fold(None, |_, code| panel.key((*code).into(), WIDE))
}

fn write(panel: &mut Panel, text: &str) {
    for letter in text.chars() {
        assert_eq!(press(panel, &[KeyCode::Char(letter)]), None);
    }
}

fn nonzero(number: usize) -> NonZeroU16 {
    NonZeroU16::new(u16::try_from(number).unwrap()).unwrap()
}

/// Paints a panel on a terminal; returns its rows, and the bytes.
fn painted(panel: &Panel, size: Size, palette: Palette) -> (Vec<String>, String) {
    let mut bytes = Vec::new();
    let mut painter = Painter::new(&mut bytes, palette, size);
    painter.paint(&[], panel.live(size)).unwrap();
    drop(painter);
    let mut screen = Parser::new(nonzero(size.rows), nonzero(size.columns), 100);
    screen.process(&bytes);
    let rows = screen.screen().rows(0, screen.screen().size().1.get());
    let rows = rows.map(|row| row.trim_end().to_owned()).collect();
    (rows, String::from_utf8(bytes).unwrap())
}

fn rows(panel: &Panel, size: Size) -> Vec<String> {
    let (mut rows, _) = painted(panel, size, Palette::Plain);
    while rows.last().is_some_and(String::is_empty) {
        rows.pop();
    }
    rows
}

/// CM-1: hooks are listed by event, each on one line, at 80 columns.
#[test]
fn hooks_are_listed_by_event() {
    let expected = [
        "────────────────────────────────────────",
        "Hooks · 1 of 3",
        "    HOOK                               LAYER   LAST    p50/p95",
        "BeforeTool",
        "❯ ● guard                              project proceed 12/340 ms",
        "  ○ format-everything-that-was-touched project –       –",
        "SessionEnd",
        "  ? notes\\u{1b}[2J                     project proceed 12/340 ms",
        "● runs  ○ off  ? untrusted  ≡ shadowed",
        "Enter details · Space on/off · r review · t trust · f fire · / search · Esc",
    ];
    assert_eq!(rows(&panel(), WIDE), expected);
}

/// CM-1, TU-4: at 40 columns the layers are omitted and then the names shortened, and each hook
/// stays on one line.
#[test]
fn the_panel_fits_narrow_screens() {
    let expected = [
        "────────────────────────────────────────",
        "Hooks · 1 of 3",
        "    HOOK               LAST    p50/p95",
        "BeforeTool",
        "❯ ● guard              proceed 12/340 ms",
        "  ○ format-everything… –       –",
        "SessionEnd",
        "  ? notes\\u{1b}[2J     proceed 12/340 ms",
        "● runs  ○ off  ? untrusted  ≡ shadowed",
        "Space on/off · r t f · Enter · / · Esc",
    ];
    assert_eq!(rows(&panel(), size(40, 24)), expected);
}

/// CM-1, TU-4: without colour nothing is styled, in the list and in the details.
#[test]
fn no_colour_means_none() {
    let mut panel = panel();
    for _ in 0..2 {
        let (_, plain) = painted(&panel, WIDE, Palette::Plain);
        let (_, coloured) = painted(&panel, WIDE, Palette::Dark);
        assert!(coloured.contains("\x1b[1;36m"));
        assert!(!plain.contains("\x1b[1;36m") && !plain.contains("\x1b[0m"));
        press(&mut panel, &[KeyCode::Enter]);
    }
}

/// CM-1: the list scrolls; the selected hook and the event of the uppermost one stay visible.
#[test]
fn the_list_scrolls() {
    let screen = size(80, 14);
    let mut panel = many();
    let sees = |panel: &Panel, text: &str| rows(panel, screen).iter().any(|it| it.contains(text));
    assert!(sees(&panel, "❯ ● hook-00") && !sees(&panel, "hook-39"));
    for (code, marked, event) in [
        (KeyCode::Down, "hook-01", "BeforeTool"),
        (KeyCode::End, "hook-39", "SessionEnd"),
        (KeyCode::Up, "hook-38", "SessionEnd"),
        (KeyCode::PageUp, "hook-31", "SessionEnd"),
        (KeyCode::Home, "hook-00", "BeforeTool"),
        (KeyCode::PageDown, "hook-07", "BeforeTool"),
    ] {
        panel.key(code.into(), screen);
        assert!(sees(&panel, &format!("❯ ● {marked}")), "{code:?}");
        assert_eq!(rows(&panel, screen)[3], event, "{code:?}");
    }
}

/// CM-1: the search finds names, events and commands, whatever their case; Escape ends it, and
/// letters of it aren't commands.
#[test]
fn the_search_filters() {
    for (text, found) in [
        ("GUARD", "guard"),
        ("sessionend", "notes"),
        ("./format", "format-everything"),
    ] {
        let mut panel = panel();
        write(&mut panel, "/");
        write(&mut panel, text);
        let shown = rows(&panel, WIDE);
        assert_eq!(shown[1], format!("/{text}  1 of 1"));
        assert!(shown[4].contains(found), "{shown:#?}");
        assert_eq!(press(&mut panel, &[KeyCode::Esc]), None);
        assert_eq!(rows(&panel, WIDE).len(), 10);
    }
    let mut panel = panel();
    write(&mut panel, "/q x");
    assert!(rows(&panel, WIDE).contains(&"No hook matches.".to_owned()));
    press(&mut panel, &[KeyCode::Backspace; 3]);
    write(&mut panel, "notes");
    let switched = press(&mut panel, &[KeyCode::Enter, KeyCode::Char(' ')]);
    let name = "notes\x1b[2J".to_owned();
    assert_eq!(
        switched,
        Some(PanelIntent::Switch(PanelSwitch::Off, name)),
        "Enter ends the typing and shows the only hook that is left"
    );
}

/// CM-1: Enter shows all details of the selected hook, and Escape goes back.
#[test]
fn enter_shows_details() {
    let mut panel = panel();
    press(&mut panel, &[KeyCode::Enter]);
    let expected = [
        "────────────────────────────────────────",
        "BeforeTool guard",
        "description: It looks after things.",
        "command: ./guard.sh",
        "  --all",
        "source: /p/.gemini/settings.json:5:9",
    ];
    assert_eq!(rows(&panel, WIDE)[..6], expected);
    assert_eq!(press(&mut panel, &[KeyCode::Esc]), None);
    assert_eq!(rows(&panel, WIDE)[1], "Hooks · 1 of 3");
}

/// CM-1: details that don't fit scroll, but not beyond their end.
#[test]
fn details_scroll() {
    let screen = size(40, 8);
    let mut long = item("BeforeTool", "guard");
    let fields = (0..10).map(|it| (format!("field {it}"), "value".to_owned()));
    long.details = fields.collect();
    let mut panel = Panel::new(vec![long], Vec::new());
    for code in [KeyCode::Enter, KeyCode::End, KeyCode::PageDown] {
        panel.key(code.into(), screen);
    }
    assert_eq!(rows(&panel, screen)[5], "field 9: value");
    panel.key(KeyCode::Up.into(), screen);
    assert_eq!(rows(&panel, screen)[5], "field 8: value");
}

/// CM-1, CM-2: space toggles the selected hook; q, Escape and Ctrl+C close.
#[test]
fn keys_switch_and_close() {
    let off = PanelIntent::Switch(PanelSwitch::Off, "guard".to_owned());
    assert_eq!(
        press(&mut panel(), &[KeyCode::Char(' ')]),
        Some(off.clone())
    );
    let in_details = [KeyCode::Enter, KeyCode::Char(' ')];
    assert_eq!(press(&mut panel(), &in_details), Some(off));
    let name = "format-everything-that-was-touched".to_owned();
    assert_eq!(
        press(&mut panel(), &[KeyCode::Down, KeyCode::Char(' ')]),
        Some(PanelIntent::Switch(PanelSwitch::On, name))
    );
    for code in [KeyCode::Char('q'), KeyCode::Esc] {
        assert_eq!(press(&mut panel(), &[code]), Some(PanelIntent::Close));
    }
    let interrupt = KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL);
    assert_eq!(panel().key(interrupt, WIDE), Some(PanelIntent::Close));
}

/// CM-2: when the hooks were read again the selected one stays selected, unless it is gone.
#[test]
fn the_mark_stays_on_its_hook() {
    let mut panel = panel();
    press(&mut panel, &[KeyCode::Down, KeyCode::Down, KeyCode::Enter]);
    panel.update(vec![item("SessionEnd", "notes\x1b[2J")], Vec::new());
    assert_eq!(rows(&panel, WIDE)[1], "SessionEnd notes\\u{1b}[2J");
    panel.update(vec![item("BeforeTool", "other")], Vec::new());
    assert!(rows(&panel, WIDE)[4].starts_with("❯ ● other"));
    panel.update(Vec::new(), vec!["Hooks are off: a.json:1:2.".to_owned()]);
    let shown = rows(&panel, WIDE);
    assert_eq!(shown[2], "Hooks are off: a.json:1:2.");
    assert_eq!(shown[4], "No hooks are configured.");
    assert_eq!(press(&mut panel, &[KeyCode::Char(' ')]), None);
}

proptest! {
    /// CM-1, TU-4: the panel is lower than any screen and never wider, whatever was pressed.
    #[test]
    fn the_panel_always_fits(
        columns in 20_usize..100,
        rows in 8_usize..40,
        keys in prop::collection::vec(0_usize..9, 0..12),
        notes in 0_usize..6,
    ) {
        let mut panel = many();
        panel.notes = vec!["something is to be said of all hooks".to_owned(); notes];
        let codes = [
            KeyCode::Down, KeyCode::PageDown, KeyCode::End, KeyCode::Up, KeyCode::Enter,
            KeyCode::Char('/'), KeyCode::Char('3'), KeyCode::Esc, KeyCode::PageUp,
        ];
        for key in keys {
            panel.key(codes[key].into(), size(columns, rows));
            let live = panel.live(size(columns, rows));
            prop_assert!(live.lines.len() < rows, "{} of {rows} rows", live.lines.len());
            for line in &live.lines {
                prop_assert!(line.width() <= columns, "{:?}", line.text());
            }
            if let Some((row, column)) = live.cursor {
                prop_assert!(row < live.lines.len() && column < columns);
            }
        }
    }
}

/// TU-6: keys of the panel review, trust and fire the selected hook, in the list and in its
/// details.
#[test]
fn keys_review_trust_and_fire() {
    for opening in [&[][..], &[KeyCode::Enter][..]] {
        for (key, intent) in [
            ('r', PanelIntent::Review("guard".to_owned())),
            ('t', PanelIntent::Trust("BeforeTool-guard".to_owned())),
            ('f', PanelIntent::Fire("BeforeTool".to_owned())),
        ] {
            let mut panel = panel();
            press(&mut panel, opening);
            assert_eq!(press(&mut panel, &[KeyCode::Char(key)]), Some(intent));
        }
    }
}
