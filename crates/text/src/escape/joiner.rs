//! Joiners and variation selectors whose neighbours need them.

/// Returns whether a dangerous character has an honest use between its neighbours: a joiner inside
/// an emoji or a word of a script that writes with joiners, or one variation selector after a sign
/// that has variants.
pub(super) fn is_honest(character: char, before: Option<char>, behind: Option<&char>) -> bool {
    let Some(before) = before else { return false };
    match character {
        '\u{FE0E}' | '\u{FE0F}' => is_pictograph(before) || is_keycap_base(before),
        '\u{200D}' => behind.is_some_and(|behind| {
            let in_emoji = (is_pictograph(before) || is_modifier(before)) && is_pictograph(*behind);
            in_emoji || (joins(before) && joins(*behind))
        }),
        '\u{200C}' => behind.is_some_and(|behind| joins(before) && joins(*behind)),
        _ => false,
    }
}

/// Returns whether a character is in a block of signs and emoji.
const fn is_pictograph(character: char) -> bool {
    matches!(character,
        '\u{A9}' | '\u{AE}' | '\u{203C}' | '\u{2049}' | '\u{2122}' | '\u{2139}'
        | '\u{2190}'..='\u{23FF}' | '\u{24C2}' | '\u{25A0}'..='\u{27BF}'
        | '\u{2900}'..='\u{297F}' | '\u{2B00}'..='\u{2BFF}' | '\u{3030}' | '\u{303D}'
        | '\u{3297}' | '\u{3299}' | '\u{1F000}'..='\u{1FAFF}')
}

/// Returns whether a character ends the first half of an emoji.
const fn is_modifier(character: char) -> bool {
    matches!(character, '\u{FE0F}' | '\u{1F3FB}'..='\u{1F3FF}')
}

/// Returns whether a character becomes a key when a selector follows it.
const fn is_keycap_base(character: char) -> bool {
    matches!(character, '0'..='9' | '#' | '*')
}

/// Returns whether a character is of a script that writes with joiners: Arabic, Syriac, N'Ko,
/// Mandaic, the scripts of India and their neighbours, Mongolian.
const fn joins(character: char) -> bool {
    matches!(character,
        '\u{620}'..='\u{6FF}' | '\u{710}'..='\u{77F}' | '\u{7CA}'..='\u{7F5}'
        | '\u{840}'..='\u{85B}' | '\u{8A0}'..='\u{8E1}' | '\u{8E3}'..='\u{DFF}'
        | '\u{1000}'..='\u{109F}' | '\u{1780}'..='\u{17B3}' | '\u{17B6}'..='\u{17DD}'
        | '\u{1820}'..='\u{18AA}')
}
