//! Letters that don't occur side by side in words.

/// Which letters seldom follow each other in words and names of programs, a bit for each from `a`
/// on.
const SELDOM: [u32; 26] = [
    0x0001_4280, // a
    0x02e1_b6e8, // b
    0x02e1_2262, // c
    0x02e1_2280, // d
    0x0200_0200, // e
    0x02e1_b6ce, // f
    0x03e9_062a, // g
    0x02e1_aeee, // h
    0x0141_0380, // i
    0x03eb_bfee, // j
    0x03e3_96ee, // k
    0x02c1_22c0, // l
    0x02e3_26e0, // m
    0x02c1_0200, // n
    0x0301_0080, // o
    0x02e1_3662, // p
    0x03ef_f7ff, // q
    0x02c1_0280, // r
    0x0280_0240, // s
    0x02a1_0600, // t
    0x03f1_4680, // u
    0x03ff_beee, // v
    0x03f9_9e6e, // w
    0x0377_7eea, // x
    0x03f1_06c0, // y
    0x03ff_feee, // z
];

/// How many of ten pairs of letters are unusual at least in a random text; in words it is one or
/// two.
const MIN_SELDOM_OF_TEN: usize = 3;

/// Returns whether a value consists of letters, with special characters as in passwords, that don't
/// occur side by side in words.
pub(super) fn are_no_words(value: &str, least: usize) -> bool {
    let bytes = value.as_bytes();
    let letters = bytes.iter().filter(|it| it.is_ascii_alphabetic()).count();
    letters >= least && letters * 5 >= bytes.len() * 4 && have_seldom_pairs(value)
}

/// Returns whether many neighbouring letters of a value don't occur side by side in words.
pub(super) fn have_seldom_pairs(value: &str) -> bool {
    let pairs = value
        .as_bytes()
        .windows(2)
        .filter(|pair| pair.iter().all(u8::is_ascii_alphabetic));
    let seldom = pairs.clone().filter(|pair| is_seldom(pair)).count();
    seldom >= 3 && seldom * 10 >= pairs.count() * MIN_SELDOM_OF_TEN
}

fn is_seldom(pair: &[u8]) -> bool {
    let place = |it: u8| u32::from(it.to_ascii_lowercase().saturating_sub(b'a'));
    let followers = SELDOM.get(place(pair[0]) as usize);
    followers.is_some_and(|it| it >> place(pair[1]).min(31) & 1 == 1)
}

#[cfg(test)]
mod tests {
    use super::are_no_words;

    /// HT-40: words, and names of several words, don't count as random letters.
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
