//! Strings in a hook's output: where they end, and what their escapes mean.

/// Returns where the string that a quote opens ends. It may contain line breaks.
pub(super) fn end_of_string(text: &str, opening: usize, quote: char) -> Option<usize> {
    let start = opening + quote.len_utf8();
    let mut is_escaped = false;
    for (index, byte) in text.as_bytes().get(start..)?.iter().enumerate() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = true,
            byte if char::from(*byte) == quote => return Some(start + index),
            _ => {}
        }
    }
    None
}

/// Reads the escapes of a text. What isn't an escape stays as it is; half a surrogate pair becomes
/// U+FFFD.
pub(super) fn unescaped(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut units: Vec<u16> = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find('\\') {
        if start > 0 {
            take_units(&mut units, &mut plain);
        }
        plain.push_str(&rest[..start]);
        rest = &rest[start + 1..];
        let unit = rest
            .strip_prefix('u')
            .and_then(|digits| digits.get(..4))
            .and_then(|digits| u16::from_str_radix(digits, 16).ok());
        if let Some(unit) = unit {
            units.push(unit);
            rest = &rest[5..];
            continue;
        }
        take_units(&mut units, &mut plain);
        let Some(sign) = rest.chars().next() else {
            break;
        };
        plain.push(match sign {
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'b' => '\u{8}',
            'f' => '\u{c}',
            other => other,
        });
        rest = &rest[sign.len_utf8()..];
    }
    take_units(&mut units, &mut plain);
    plain.push_str(rest);
    plain
}

fn take_units(units: &mut Vec<u16>, plain: &mut String) {
    plain.push_str(&String::from_utf16_lossy(units));
    units.clear();
}
