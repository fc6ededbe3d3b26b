//! Programs that are known under several names.

/// The usual name of a program, and others under which distributions and package managers install
/// it, or a program that takes the same arguments.
const NAMES: &[(&str, &[&str])] = &[
    ("find", &["gfind", "bfs"]),
    ("fd", &["fdfind"]),
    ("bat", &["batcat"]),
    ("xargs", &["gxargs"]),
    ("sed", &["gsed"]),
    ("sort", &["gsort"]),
    ("split", &["gsplit"]),
    ("tar", &["gtar", "bsdtar"]),
    (
        "make",
        &[
            "gmake",
            "bmake",
            "pmake",
            "remake",
            "colormake",
            "mingw32-make",
        ],
    ),
    ("node", &["nodejs"]),
    (
        "vim",
        &["vi", "nvim", "gvim", "view", "vimdiff", "rvim", "ex"],
    ),
    ("octave", &["octave-cli"]),
    ("curl", &["curlie"]),
    ("wget", &["wget2"]),
];

/// Returns the usual name of a program: `fd` for `fdfind`.
///
/// ```
/// use hookloop_shell::usual_name;
///
/// assert_eq!(usual_name("fdfind"), "fd");
/// assert_eq!(usual_name("cat"), "cat");
/// ```
#[must_use]
pub fn usual_name(program: &str) -> &str {
    let found = NAMES.iter().find(|(_, others)| others.contains(&program));
    found.map_or(program, |(usual, _)| usual)
}
