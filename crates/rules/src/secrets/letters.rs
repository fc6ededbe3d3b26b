//! Letters that words don't have side by side.

/// Which letters seldom follow each other in words and names of programs, a bit for each from `a` on.
const SELDOM: [u32; 26] = [
    0x0014280, // a
    0x2e1b6e8, // b
    0x2e12262, // c
    0x2e12280, // d
    0x2000200, // e
    0x2e1b6ce, // f
    0x3e9062a, // g
    0x2e1aeee, // h
    0x1410380, // i
    0x3ebbfee, // j
    0x3e396ee, // k
    0x2c122c0, // l
    0x2e326e0, // m
    0x2c10200, // n
    0x3010080, // o
    0x2e13662, // p
    0x3eff7ff, // q
    0x2c10280, // r
    0x2800240, // s
    0x2a10600, // t
    0x3f14680, // u
    0x3ffbeee, // v
    0x3f99e6e, // w
    0x3777eea, // x
    0x3f106c0, // y
    0x3fffeee, // z
];

/// How many of ten pairs of letters chance makes seldom at least, where words have one or two.
const LEAST_OF_TEN: usize = 3;

/// Tells whether a value is made of letters, and of signs that passwords hold, which words don't have side by
/// side.
pub(super) fn are_no_words(value: &str, least: usize) -> bool {
    let bytes = value.as_bytes();
    let letters = bytes.iter().filter(|it| it.is_ascii_alphabetic()).count();
    letters >= least && letters * 5 >= bytes.len() * 4 && have_seldom_pairs(value)
}

/// Tells whether many of a value's letters stand side by side that words don't have so.
pub(super) fn have_seldom_pairs(value: &str) -> bool {
    let pairs = value
        .as_bytes()
        .windows(2)
        .filter(|pair| pair.iter().all(u8::is_ascii_alphabetic));
    let seldom = pairs.clone().filter(|pair| is_seldom(pair)).count();
    seldom >= 3 && seldom * 10 >= pairs.count() * LEAST_OF_TEN
}

fn is_seldom(pair: &[u8]) -> bool {
    let place = |it: u8| u32::from(it.to_ascii_lowercase().saturating_sub(b'a'));
    let followers = SELDOM.get(place(pair[0]) as usize);
    followers.is_some_and(|it| it >> place(pair[1]).min(31) & 1 == 1)
}

#[cfg(test)]
mod tests {
    use super::are_no_words;

    /// HT-40: words and names of several words are none of chance's letters.
    #[test]
    fn words_are_known_by_their_letters() {
        for random in ["PgigDZXOOYUNFc", "jUDAxqitdtkQMS", "NFaPCjzRnhnZEg"] {
            assert!(are_no_words(random, 12), "{random}");
        }
        for words in [
            "prod/db/password",
            "CorrectHorseBattery",
            "correct-horse-battery",
            "StringBuilderFactory",
            "getAccessTokenSilently",
            "thisIsMyPassphrase",
            "short",
        ] {
            assert!(!are_no_words(words, 12), "{words}");
        }
    }
}
