//! Files that a program text only writes (TR-1).

/// Functions of Node.js that write the file that their first argument names.
const WRITERS: [&str; 5] = [
    "appendFile",
    "appendFileSync",
    "createWriteStream",
    "writeFile",
    "writeFileSync",
];

/// Modes in which `open` lets a program write a file and not read it.
const MODES: [&str; 9] = ["a", "ab", "at", "w", "wb", "wt", "x", "xb", "xt"];

/// Returns a program text without the names of files where it only opens them to write: what the
/// program does with such a file elsewhere still names it.
pub(super) fn without_written(code: &str) -> String {
    let mut left = String::new();
    let mut rest = code;
    while let Some(at) = rest.find('(') {
        let (head, tail) = rest.split_at(at + 1);
        left.push_str(head);
        rest = behind_written(&left, tail).unwrap_or(tail);
    }
    left + rest
}

/// Returns what follows the arguments that name a file and how it is written.
fn behind_written<'c>(head: &str, tail: &'c str) -> Option<&'c str> {
    let called = head.strip_suffix('(')?.trim_end();
    let is_part = |it: char| it.is_alphanumeric() || it == '_';
    let called = called.rsplit(|it| !is_part(it)).next()?;
    let (_, behind) = literal(tail)?;
    if WRITERS.contains(&called) {
        return Some(behind);
    }
    let mode = behind.trim_start().strip_prefix(',')?.trim_start();
    let mode = match mode.strip_prefix("mode") {
        Some(named) => named.trim_start().strip_prefix('=')?,
        None => mode,
    };
    let (mode, behind) = literal(mode)?;
    (called == "open" && MODES.contains(&mode)).then_some(behind)
}

/// Returns the text of a plain literal, and what follows it.
fn literal(code: &str) -> Option<(&str, &str)> {
    let code = code.trim_start();
    let quote = code.chars().next().filter(|it| "'\"`".contains(*it))?;
    let (text, behind) = code[1..].split_once(quote)?;
    (!text.contains(['\\', '$', '{'])).then_some((text, behind))
}

#[cfg(test)]
mod tests {
    use super::without_written;

    /// TR-1: only the places where a file is written are left out.
    #[test]
    fn what_is_only_written_is_left_out() {
        for (code, left) in [
            ("open('.a/x.log', 'a').write(s)", "open().write(s)"),
            ("open(\"x\",mode = \"wb\")", "open()"),
            ("fs.appendFileSync('n.log', d)", "fs.appendFileSync(, d)"),
            (
                "open ('x', 'w'); f(open('x').read())",
                "open (); f(open('x').read())",
            ),
        ] {
            assert_eq!(without_written(code), left);
        }
        for code in [
            "open('x')",
            "open('x', 'r')",
            "open('x', 'a+')",
            "open('x', mode)",
            "open(name, 'a')",
            "open('x' + y, 'a')",
            "run('x', 'a')",
            "reopen('x', 'w')",
            "open(f'{x}', 'w')",
            "readFileSync('x', 'w')",
            "open('x",
            "(((",
        ] {
            assert_eq!(without_written(code), code);
        }
    }
}
