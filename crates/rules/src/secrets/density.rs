//! How much information a value contains for its length.

/// Returns whether letters and digits alternate within a part without other characters: in words
/// they seldom do.
pub(super) fn is_dense(value: &str) -> bool {
    let class = |it: u8| (it.is_ascii_digit(), it.is_ascii_uppercase());
    let changes = value
        .as_bytes()
        .windows(2)
        .filter(|pair| pair.iter().all(u8::is_ascii_alphanumeric))
        .filter(|pair| class(pair[0]) != class(pair[1]))
        .count();
    changes >= 4.max(value.len() / 4)
}
