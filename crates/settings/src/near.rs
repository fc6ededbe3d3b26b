//! Suggestions for misspelt words.

use std::borrow::Borrow;

use strsim::osa_distance;

/// Longest word for which a near match is looked for; longer ones aren't typing mistakes.
const MAX_LENGTH: usize = 64;

/// A name that is as long, in bytes, is meant by a word that begins with it.
const LONG: usize = 8;

/// Returns the candidate that a misspelt word most probably means (ST-3): one that differs only in
/// case or `_`/`-`, or else one that the word begins with, or else the one with the smallest edit
/// distance, up to a third of its length.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // Most words are looked up once among few names.
    let candidates = candidates.into_iter().filter_map(Candidate::of);
    nearest_of(word, candidates)
}

/// Names prepared for looking up many words.
#[derive(Debug, Clone)]
pub struct NearNames<'a>(Vec<Candidate<'a>>);

impl<'a> NearNames<'a> {
    /// Prepares names.
    pub fn new(names: impl IntoIterator<Item = &'a str>) -> Self {
        Self(names.into_iter().filter_map(Candidate::of).collect())
    }

    /// Returns the name that a misspelt word most probably means, like [`nearest`] (ST-3).
    pub fn nearest(&self, word: &str) -> Option<&'a str> {
        nearest_of(word, &self.0)
    }
}

/// A name, and how it is compared.
#[derive(Debug, Clone)]
struct Candidate<'a> {
    name: &'a str,
    folded: String,
    /// The length of what is compared, in characters.
    length: usize,
    letters: Letters,
}

/// How often each letter is in a text; letters whose codes end alike are counted as one.
#[derive(Debug, Clone)]
struct Letters([u8; 32]);

impl Letters {
    fn of(text: &str) -> Self {
        let mut counts = [0_u8; 32];
        for letter in text.chars() {
            let count = &mut counts[letter as usize % counts.len()];
            *count = count.saturating_add(1);
        }
        Self(counts)
    }

    /// Returns how many edits there are at least between two texts: each one adds or removes at
    /// most one letter.
    fn fewest_edits(&self, other: &Self) -> usize {
        let (mut more, mut less) = (0_u16, 0_u16);
        for (own, other) in self.0.iter().zip(&other.0) {
            more += u16::from(own.saturating_sub(*other));
            less += u16::from(other.saturating_sub(*own));
        }
        usize::from(more.max(less))
    }
}

impl<'a> Candidate<'a> {
    fn of(name: &'a str) -> Option<Self> {
        let folded = fold(name)?;
        let length = folded.chars().count();
        Some(Self {
            name,
            letters: Letters::of(&folded),
            folded,
            length,
        })
    }
}

fn nearest_of<'a, C: Borrow<Candidate<'a>>>(
    word: &str,
    candidates: impl IntoIterator<Item = C>,
) -> Option<&'a str> {
    let word = Candidate::of(word)?;
    let mut nearest: Option<(usize, &str)> = None;
    let mut beginning: Option<(usize, &str)> = None;
    for candidate in candidates {
        let candidate = candidate.borrow();
        let other = &candidate.folded;
        let longest = beginning.map_or(LONG - 1, |(length, _)| length);
        if other.len() > longest && word.folded.starts_with(other) {
            beginning = Some((other.len(), candidate.name));
        }
        let limit = (candidate.length.max(word.length) / 3).clamp(1, 4);
        // Only what is closer than the closest so far counts.
        let limit = match nearest {
            None => limit,
            Some((0, _)) => break,
            Some((distance, _)) => limit.min(distance - 1),
        };
        // What differs more in length or letters can't be as close; most candidates end here.
        if candidate.length.abs_diff(word.length) > limit
            || candidate.letters.fewest_edits(&word.letters) > limit
        {
            continue;
        }
        let distance = osa_distance(&word.folded, other);
        if distance <= limit {
            nearest = Some((distance, candidate.name));
        }
    }
    // A name with more after it is meant, rather than one that differs there.
    let is_clear = nearest.is_some_and(|(distance, _)| distance <= 2);
    let completed = beginning.filter(|_| !is_clear);
    completed.or(nearest).map(|(_, candidate)| candidate)
}

/// Returns whether a word is one edit away from a name: its case, a `_` or `-` too many, one letter
/// more, less or other, or two swapped (IO-21). The name itself isn't.
pub fn is_one_edit(word: &str, name: &str) -> bool {
    word != name
        && !differ_in_length(word, name)
        && match (fold(word), fold(name)) {
            (Some(word), Some(name)) => osa_distance(&word, &name) <= 1,
            _ => false,
        }
}

/// Returns whether the lengths of two texts alone show that more than one edit is between them.
/// Most fields are compared with names that they don't resemble.
fn differ_in_length(one: &str, other: &str) -> bool {
    let length = |text: &str| {
        let counts = |it: &u8| !matches!(it, b'_' | b'-' | b' ');
        text.is_ascii().then(|| text.bytes().filter(counts).count())
    };
    let lengths = length(one).zip(length(other));
    lengths.is_some_and(|(one, other)| one.abs_diff(other) > 1)
}

fn fold(word: &str) -> Option<String> {
    let folded: String = word
        .chars()
        .filter(|character| !matches!(character, '_' | '-' | ' ') && !is_invisible(*character))
        // One more than the longest word is enough to know that it is too long.
        .take(MAX_LENGTH + 1)
        .map(latin)
        .flat_map(char::to_lowercase)
        .collect();
    (!folded.is_empty() && folded.len() <= MAX_LENGTH).then_some(folded)
}

/// Letters of other alphabets in the shapes of Latin ones, each before the one that it looks like.
const LOOK_ALIKES: &str = "аaАAВBвbсcСCԁdеeЕEҽeɡgһhНHнhіiІIїiјjЈJкkКKҚKмmМMԛqоoОOӨOрpРPѕsЅSтtТTуyУYѵvԝwхxХX\
                           αaΑAΒBεeΕEΖZηnΗHιiΙIκkΚKΜMνvΝNοoΟOρpΡPτtΤTυuΥYχxΧXıiſsⅼl";

/// Returns the Latin letter that another one looks like, or the letter itself.
fn latin(letter: char) -> char {
    if letter.is_ascii() {
        return letter;
    }
    // The full-width forms are in the order of ASCII.
    if let Some(narrow) = u32::from(letter).checked_sub(0xFEE0)
        && ('\u{FF01}'..='\u{FF5E}').contains(&letter)
    {
        return char::from_u32(narrow).unwrap_or(letter);
    }
    let mut pairs = LOOK_ALIKES.chars();
    while let (Some(other), Some(own)) = (pairs.next(), pairs.next()) {
        if other == letter {
            return own;
        }
    }
    letter
}

/// Returns whether a character is invisible: soft hyphens, zero-width ones and marks of direction.
const fn is_invisible(character: char) -> bool {
    matches!(
        character,
        '\u{AD}' | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{2064}' | '\u{FEFF}'
    )
}

/// Returns which characters of a name look like others or are invisible, so that a name that looks
/// right can be distinguished from the right one.
pub(crate) fn look_alikes(word: &str) -> Option<String> {
    let mut found: Vec<String> = Vec::new();
    for character in word.chars() {
        let code = u32::from(character);
        let description = match latin(character) {
            own if own != character => {
                format!("its \"{character}\" (U+{code:04X}) isn't the letter \"{own}\"")
            }
            _ if is_invisible(character) => format!("it contains U+{code:04X}, which is invisible"),
            _ => continue,
        };
        if !found.contains(&description) {
            found.push(description);
        }
    }
    (!found.is_empty()).then(|| found.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// ST-3: the right spelling is suggested for another case and for typing mistakes.
    #[test]
    fn finds_what_was_meant() {
        let names = ["BeforeTool", "AfterTool", "BeforeModel"];
        assert_eq!(nearest("beforetool", names), Some("BeforeTool"));
        assert_eq!(nearest("before_tool", names), Some("BeforeTool"));
        assert_eq!(nearest("BeforTool", names), Some("BeforeTool"));
        assert_eq!(nearest("BeforeTolo", names), Some("BeforeTool"));
        assert_eq!(nearest("Zebra", names), None);
        // An event that can't refuse isn't a better suggestion for being closer.
        let events = ["BeforeToolSelection", "BeforeTool"];
        assert_eq!(nearest("BeforeToolExecution", events), Some("BeforeTool"));
        assert_eq!(
            nearest("BeforeToolSelektion", events),
            Some("BeforeToolSelection")
        );
        assert_eq!(nearest("", names), None);
        assert_eq!(nearest(&"x".repeat(100_000), names), None);
    }

    /// ST-3: of several near names it is the nearest one, and the first of those as near.
    #[test]
    fn the_nearest_is_meant() {
        assert_eq!(nearest("fiel", ["fill", "file", "fell"]), Some("fill"));
        assert_eq!(
            nearest("toolbar", ["toolbox", "toolbars"]),
            Some("toolbars")
        );
        assert_eq!(
            nearest("a_file", ["afire", "afile", "afile2"]),
            Some("afile")
        );
    }

    /// IO-21: letters that look like others, and invisible characters, count as what they look
    /// like.
    #[test]
    fn look_alikes_are_recognised() {
        for word in [
            "BeforeT\u{43e}\u{43e}l",
            "ВеfоrеТооl",
            "ＢeforeＴool",
            "Before\u{200b}T\u{200b}ool",
        ] {
            assert!(is_one_edit(word, "BeforeTool"), "{word}");
            assert_eq!(
                nearest(word, ["AfterTool", "BeforeTool"]),
                Some("BeforeTool")
            );
            assert!(look_alikes(word).is_some(), "{word}");
        }
        assert_eq!(look_alikes("BeforTool"), None);
        assert_eq!(look_alikes("größe"), None);
    }

    /// IO-21: case, one letter more, less or other, and two swapped are single edits.
    #[test]
    fn single_edits_are_recognised() {
        for word in [
            "beforeTool",
            "BeforeTools",
            "BeforTool",
            "BeforeTopl",
            "BefroeTool",
        ] {
            assert!(is_one_edit(word, "BeforeTool"), "{word}");
        }
        for word in ["BeforeTool", "PreToolUse", "AfterTool", "Tool", ""] {
            assert!(!is_one_edit(word, "BeforeTool"), "{word}");
        }
    }
}
