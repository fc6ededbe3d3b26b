//! JavaScript texts that reach no file.

use super::lexer::{Syntax, Token, tokens};

/// What may be used of `process`.
const OF_PROCESS: [&str; 9] = [
    "argv", "cwd", "env", "exit", "exitCode", "platform", "stderr", "stdin", "stdout",
];

/// Names by which a text reaches files, modules or code that it has not written itself, as values and as attributes.
const REACHING: [&str; 26] = [
    "Bun",
    "Deno",
    "Function",
    "Proxy",
    "Reflect",
    "WebAssembly",
    "Worker",
    "arguments",
    "binding",
    "callee",
    "caller",
    "constructor",
    "dlopen",
    "eval",
    "exports",
    "fetch",
    "getBuiltinModule",
    "global",
    "globalThis",
    "import",
    "mainModule",
    "module",
    "prototype",
    "self",
    "this",
    "with",
];

/// How standard input is named as a file.
const STANDARD_INPUT: [&str; 2] = ["/dev/stdin", "/proc/self/fd/0"];

/// Returns whether a text reaches no file but standard input.
pub(super) fn reaches_no_file(text: &str) -> bool {
    let Some(tokens) = tokens(text, Syntax::JavaScript) else {
        return false;
    };
    let tokens: Vec<Token> = tokens.into_iter().filter(|it| !it.is('\n')).collect();
    let named = names_of_files_module(&tokens);
    (0..tokens.len()).all(|at| reaches_none(&tokens, at, &named))
}

/// Returns the names that a text gives to the module of files.
fn names_of_files_module(tokens: &[Token]) -> Vec<String> {
    let mut names = Vec::new();
    for at in 0..tokens.len() {
        if let [Token::Name(name), equals, ..] = &tokens[at..]
            && equals.is('=')
            && requires_files(&tokens[at + 2..])
        {
            names.push(name.clone());
        }
    }
    names
}

/// Returns whether a text begins with `require("fs")`.
fn requires_files(tokens: &[Token]) -> bool {
    let [Token::Name(require), open, Token::Text(module), close, ..] = tokens else {
        return false;
    };
    require == "require"
        && open.is('(')
        && close.is(')')
        && matches!(module.as_str(), "fs" | "node:fs")
}

/// Returns whether what follows reads standard input: `.readFileSync(0, …)`.
fn reads_input(tokens: &[Token]) -> bool {
    let [dot, Token::Name(read), open, input, behind, ..] = tokens else {
        return false;
    };
    let is_input = match input {
        Token::Name(number) => number == "0",
        Token::Text(path) => STANDARD_INPUT.contains(&path.as_str()),
        Token::Sign(_) => false,
    };
    dot.is('.')
        && read == "readFileSync"
        && open.is('(')
        && is_input
        && (behind.is(',') || behind.is(')'))
}

fn reaches_none(tokens: &[Token], at: usize, named: &[String]) -> bool {
    let behind = |length: usize| tokens.get(at + length..).unwrap_or_default();
    let name = match &tokens[at] {
        Token::Name(name) => name.as_str(),
        // In square brackets, a string may name an attribute.
        Token::Text(text) => return !REACHING.contains(&text.as_str()),
        Token::Sign(_) => return true,
    };
    if REACHING.contains(&name) || name.starts_with("__") {
        return false;
    }
    if at > 0 && tokens[at - 1].is('.') {
        return true;
    }
    match name {
        "process" => match behind(1) {
            [dot, Token::Name(part), ..] => dot.is('.') && OF_PROCESS.contains(&part.as_str()),
            _ => false,
        },
        "require" => {
            let is_given_a_name = at > 1
                && tokens[at - 1].is('=')
                && tokens[at - 2]
                    .name()
                    .is_some_and(|it| named.iter().any(|name| name == it))
                && matches!(behind(4).first(), None | Some(Token::Sign(';' | ',')));
            requires_files(behind(0)) && (is_given_a_name || reads_input(behind(4)))
        }
        _ if named.iter().any(|it| it == name) => {
            let is_given =
                behind(1).first().is_some_and(|it| it.is('=')) && requires_files(behind(2));
            is_given || reads_input(behind(1))
        }
        _ => true,
    }
}
