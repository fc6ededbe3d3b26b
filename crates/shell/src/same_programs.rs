//! Programs that are known under several names.

/// Returns the usual name of a program that distributions and package managers install under
/// another one, or of one that takes the same arguments: `fd` for `fdfind`.
///
/// ```
/// use hookloop_shell::usual_name;
///
/// assert_eq!(usual_name("fdfind"), "fd");
/// assert_eq!(usual_name("cat"), "cat");
/// ```
#[must_use]
pub fn usual_name(program: &str) -> &str {
    match program {
        "gfind" | "bfs" => "find",
        "fdfind" => "fd",
        "batcat" => "bat",
        "gxargs" => "xargs",
        "gsed" => "sed",
        "gsort" => "sort",
        "gsplit" => "split",
        "gtar" | "bsdtar" => "tar",
        "gmake" | "bmake" | "pmake" | "remake" | "colormake" | "mingw32-make" => "make",
        "nodejs" => "node",
        "vi" | "nvim" | "gvim" | "view" | "vimdiff" | "rvim" | "ex" => "vim",
        "octave-cli" => "octave",
        "curlie" => "curl",
        "wget2" => "wget",
        usual => usual,
    }
}
