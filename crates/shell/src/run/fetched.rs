//! Values that a program downloads and that the shell then evaluates: in arithmetic, as the name of
//! a variable or as a subscript, `a[$(…)]` runs what is in it.

use crate::understood::{OpaqueReason, Word};
use crate::walk::Walker;

/// Programs that print what they download.
const FETCHERS: [&str; 10] = [
    "curl", "wget", "http", "https", "xh", "aria2c", "nc", "ncat", "socat", "lynx",
];

/// Options with which they print something of their own instead, or nothing.
const OTHERWISE: [&str; 8] = [
    "-w",
    "--write-out",
    "-o",
    "--output",
    "-O",
    "--remote-name",
    "-I",
    "--head",
];

/// Programs that print numbers about what they read.
const COUNTERS: [&str; 7] = [
    "wc",
    "cksum",
    "md5sum",
    "sha1sum",
    "sha256sum",
    "sha512sum",
    "b2sum",
];

/// Builtins that evaluate the names of variables in their arguments.
const TAKE_NAMES: [&str; 5] = ["unset", "read", "mapfile", "readarray", "getopts"];

/// Builtins that declare variables, and evaluate names in front of `=`.
const DECLARE: [&str; 5] = ["declare", "export", "local", "readonly", "typeset"];

impl Walker {
    /// Records whether a variable contains what was downloaded.
    pub(crate) fn note_fetched(&mut self, name: &str, value: &Word) {
        if !value.known && self.is_fetched(&value.text) {
            self.fetched.insert(name.to_owned());
        } else {
            self.fetched.remove(name);
        }
    }

    /// Records that a builtin reads the output of a program into variables.
    pub(super) fn read_fetched<'w>(&mut self, from: &str, names: impl Iterator<Item = &'w Word>) {
        if FETCHERS.contains(&from) {
            self.fetched.extend(names.map(|it| it.text.clone()));
        }
    }

    /// Notes a text that the shell evaluates as arithmetic or a name, if it was downloaded.
    pub(crate) fn evaluates(&mut self, text: &str) {
        if self.is_fetched(text) || self.names_fetched(text) {
            self.note_opaque(OpaqueReason::ComputedText, text);
        }
    }

    /// Notes what a builtin evaluates of its arguments.
    pub(super) fn evaluates_arguments(&mut self, name: &str, words: &[Word]) {
        let has = |letter: char| {
            let options = words.iter().filter(|it| it.text.starts_with('-'));
            options.clone().any(|it| it.text.contains(letter))
        };
        let evaluated: Vec<&Word> = match name {
            _ if TAKE_NAMES.contains(&name) => words.iter().collect(),
            "let" => words.iter().collect(),
            "test" | "[" | "printf" => {
                let pairs = words.windows(2).filter(|it| it[0].text == "-v");
                pairs.map(|it| &it[1]).collect()
            }
            _ if DECLARE.contains(&name) => {
                let is_evaluated = has('n') || has('i');
                let begins_unknown = |it: &&Word| is_evaluated || it.text.starts_with(['$', '`']);
                words.iter().filter(begins_unknown).collect()
            }
            _ => return,
        };
        for word in evaluated
            .into_iter()
            .filter(|it| !it.known || name == "let")
        {
            let text = word.text.clone();
            self.evaluates(&text);
        }
    }

    /// Returns whether a text contains, as a whole or in part, what a program downloads.
    fn is_fetched(&self, text: &str) -> bool {
        if self.variables_in(text) {
            return true;
        }
        let parts = text
            .split("$(")
            .skip(1)
            .chain(text.split('`').skip(1).step_by(2));
        parts.into_iter().any(prints_download)
    }

    /// Returns whether a text uses a variable that contains what was downloaded.
    fn variables_in(&self, text: &str) -> bool {
        let uses = |name: &String| {
            let mut places = text.match_indices(name.as_str());
            places.any(|(at, _)| {
                let before = text[..at].chars().next_back();
                let behind = text[at + name.len()..].chars().next();
                let is_part = |it: char| it.is_alphanumeric() || it == '_';
                matches!(before, Some('$' | '{' | '!')) && !behind.is_some_and(is_part)
            })
        };
        !self.fetched.is_empty() && text.contains('$') && self.fetched.iter().any(uses)
    }

    /// Returns whether arithmetic uses such a variable without a dollar sign.
    fn names_fetched(&self, text: &str) -> bool {
        if self.fetched.is_empty() {
            return false;
        }
        let mut names = text.split(|it: char| !(it.is_alphanumeric() || it == '_'));
        names.any(|it| self.fetched.contains(it))
    }
}

/// Returns whether a substitution, without what opens it, prints what one of its programs
/// downloads.
fn prints_download(inner: &str) -> bool {
    let inner = inner.split_once(')').map_or(inner, |(inner, _)| inner);
    let programs: Vec<Vec<&str>> = inner
        .split(['|', ';', '&', '\n'])
        .map(|it| it.split_whitespace().collect())
        .collect();
    let is_fetcher = |words: &Vec<&str>| {
        let program = words.first().and_then(|it| it.rsplit('/').next());
        let tells_otherwise = |word: &&str| {
            let is_to_output = word.ends_with('-');
            !is_to_output && OTHERWISE.contains(word)
        };
        let to_output = words.windows(2).any(|it| it[1] == "-") || words.contains(&"-O-");
        program.is_some_and(|it| FETCHERS.contains(&it))
            && (to_output || !words.iter().any(tells_otherwise))
    };
    let counts = |words: &Vec<&str>| words.first().is_some_and(|it| COUNTERS.contains(it));
    programs.iter().any(is_fetcher) && !programs.last().is_some_and(counts)
}

#[cfg(test)]
mod tests {
    use crate::{Surroundings, understand};

    fn is_opaque(text: &str) -> bool {
        let around = Surroundings {
            folder: Some("/p"),
            ..Surroundings::default()
        };
        understand(text, around).opaque()
    }

    /// HT-30: what is downloaded is code if the shell evaluates it; that it is only printed,
    /// written or counted isn't that.
    #[test]
    fn downloaded_values_that_are_evaluated_are_opaque() {
        for text in [
            "(( $(curl -s u) ))",
            "x=$(curl -s u); (( x ))",
            "x=`curl -s u`; (( x > 1 ))",
            "x=$(curl -s u); echo $(( x + 1 ))",
            "x=$(curl -s u | tr -d ' '); echo $(( $x + 1 ))",
            "x=$(curl -s u); y=$x; (( y ))",
            "x=$(wget -qO- u); [[ $x -gt 1 ]]",
            "x=$(curl -s u); for ((i=x; i<3; i++)); do :; done",
            "x=$(curl -s u); let x",
            "x=$(curl -s u); let \"y = x + 1\"",
            "x=$(curl -s u); printf -v \"$x\" y",
            "x=$(curl -s u); test -v \"$x\"",
            "x=$(curl -s u); unset \"$x\"",
            "x=$(curl -s u); declare \"$x\"",
            "x=$(curl -s u); declare -n r=$x; echo $r",
            "x=$(curl -s u); declare -i n=$x",
            "export $(curl -s u); make",
            "read -r x < <(curl -s u); (( x ))",
            "curl -s u | { read -r x; (( x )); }",
            "read \"a[$(curl -s u)]\" <<< 1",
        ] {
            assert!(is_opaque(text), "{text}");
        }
        for text in [
            "x=$(curl -s u); echo \"$x\"",
            "x=$(curl -s u); printf '%s' \"$x\" > v.txt",
            "x=$(curl -s u); [[ $x == ok ]]",
            "x=$(curl -s u); test -n \"$x\"",
            "export X=$(curl -s u)",
            "n=$(curl -s u | wc -l); echo $(( n + 1 ))",
            "code=$(curl -s -o /dev/null -w '%{http_code}' u); [[ $code -eq 200 ]]",
            "x=$(date +%s); echo $(( x + 1 ))",
            "x=$(curl -s u); x=1; (( x ))",
            "x=$(curl -s u); y=2; (( y ))",
            "read -r x < f; echo $(( x + 1 ))",
        ] {
            assert!(!is_opaque(text), "{text}");
        }
    }
}
