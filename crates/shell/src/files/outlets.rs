//! Which options of programs name an output file.

use crate::scripts::module_of;
use crate::understood::{Command, Word};

/// What the options of a program write.
struct Outlet {
    programs: &'static [&'static str],
    /// Options whose value is a file that is written.
    files: &'static [&'static str],
    /// Options whose value is a folder in which files are created whose names no word shows.
    folders: &'static [&'static str],
}

const fn outlet(
    programs: &'static [&'static str],
    files: &'static [&'static str],
    folders: &'static [&'static str],
) -> Outlet {
    Outlet {
        programs,
        files,
        folders,
    }
}

const OUTLETS: &[Outlet] = &[
    outlet(
        &["curl", "curlie"],
        &[
            "-o",
            "--output",
            "-D",
            "--dump-header",
            "-c",
            "--cookie-jar",
            "--trace",
            "--trace-ascii",
            "--stderr",
            "--hsts",
            "--alt-svc",
            "--etag-save",
            "--libcurl",
        ],
        &["--output-dir"],
    ),
    outlet(
        &["wget", "wget2"],
        &[
            "-O",
            "--output-document",
            "-o",
            "--output-file",
            "-a",
            "--append-output",
            "--save-cookies",
            "--hsts-file",
            "--warc-file",
            "--rejected-log",
        ],
        &["-P", "--directory-prefix", "--warc-tempdir"],
    ),
    outlet(
        &["aria2c"],
        &["-o", "--out", "-l", "--log", "--save-session"],
        &["-d", "--dir"],
    ),
    outlet(&["axel", "xh", "http", "https"], &["-o", "--output"], &[]),
    outlet(&["sort"], &["-o", "--output"], &[]),
    outlet(
        &[
            "gcc", "g++", "cc", "c++", "clang", "clang++", "ld", "as", "rustc", "go", "swiftc",
            "ghc", "ocamlc", "nasm", "tcc",
        ],
        &[
            "-o",
            "-MF",
            "-Map",
            "--emit",
            "-coverprofile",
            "-cpuprofile",
            "-memprofile",
            "-trace",
        ],
        &[
            "--out-dir",
            "-dumpdir",
            "-outputdir",
            "-pkgdir",
            "-odir",
            "-hidir",
        ],
    ),
    outlet(&["javac", "kotlinc", "scalac"], &[], &["-d", "-s", "-h"]),
    outlet(
        &["openssl"],
        &[
            "-out",
            "-keyout",
            "-writerand",
            "-CAserial",
            "-sess_out",
            "-keylogfile",
        ],
        &[],
    ),
    outlet(
        &["gpg", "gpg2", "age", "minisign", "signify"],
        &[
            "-o",
            "--output",
            "--logger-file",
            "--log-file",
            "--status-file",
        ],
        &[],
    ),
    outlet(&["patch"], &["-o", "--output", "-r", "--reject-file"], &[]),
    outlet(
        &[
            "pandoc",
            "esbuild",
            "tsc",
            "dot",
            "protoc",
            "rsvg-convert",
            "yacc",
            "bison",
            "flex",
            "m4",
        ],
        &["-o", "--output", "--outfile", "--outFile"],
        &[
            "--outdir",
            "--outDir",
            "--out-dir",
            "--output-dir",
            "--extract-media",
        ],
    ),
    outlet(
        &["rsync"],
        &["--log-file", "--write-batch", "--only-write-batch"],
        &["--backup-dir", "--partial-dir", "-T", "--temp-dir"],
    ),
    outlet(
        &["tar", "bsdtar", "gtar"],
        &["-g", "--listed-incremental", "--index-file", "--volno-file"],
        &[],
    ),
    outlet(
        &["tree", "time", "strace", "ltrace", "perf", "valgrind"],
        &["-o", "--output", "--log-file"],
        &[],
    ),
    outlet(
        &["base64", "base32", "uudecode", "uuencode", "iconv"],
        &["-o", "--output"],
        &[],
    ),
    outlet(
        &["find", "gfind", "bfs"],
        &["-fprint", "-fprintf", "-fls", "-fprint0"],
        &[],
    ),
    outlet(&["ssh"], &["-E"], &[]),
    outlet(&["less"], &["-o", "-O", "--log-file", "--LOG-FILE"], &[]),
    outlet(&["say"], &["-o", "--output-file"], &[]),
    outlet(&["ugrep"], &["--save-config"], &[]),
    outlet(&["scc"], &["-o", "--output"], &[]),
    outlet(
        &["cloc"],
        &[
            "--out",
            "--report-file",
            "--report_file",
            "--counted",
            "--ignored",
            "--found",
            "--categorized",
            "--sql",
            "--write-lang-def",
            "--diff-list-file",
        ],
        &[],
    ),
    outlet(&["parallel"], &["--joblog"], &["--results", "--tmpdir"]),
    outlet(
        &["node", "nodejs"],
        &[
            "--redirect-warnings",
            "--report-filename",
            "--cpu-prof-name",
            "--heap-prof-name",
            "--trace-event-file-pattern",
            "--test-reporter-destination",
        ],
        &[
            "--cpu-prof-dir",
            "--heap-prof-dir",
            "--diagnostic-dir",
            "--report-directory",
            "--report-dir",
        ],
    ),
    outlet(
        &["docker", "podman"],
        &["-o", "--output", "--cidfile", "--iidfile"],
        &[],
    ),
];

/// Programs that write what they make of their first operand to the second: `xxd -r IN OUT`.
const INTO_SECOND: &[&str] = &["xxd", "uniq", "pdftotext", "pdftops", "ps2pdf", "ps2ascii"];

/// Options of git subcommands whose value is a file.
const GIT_OUTPUT_OPTIONS: &[&str] = &["--output", "--export-marks", "--export-pack-edges"];

/// Returns the files to which a command writes because of its options.
pub(super) fn files(command: &Command) -> Vec<Word> {
    let mut found = values(command, |it| it.files);
    if command.program == "git" {
        found.extend(command.values_of(GIT_OUTPUT_OPTIONS));
        match command.subcommand.as_deref() {
            Some("archive") => found.extend(command.values_of(&["-o"])),
            Some("bundle") => {
                let mut operands = command.operands().filter(|it| it.text != "create");
                found.extend(operands.next().cloned());
            }
            _ => {}
        }
    }
    if command.program == "yq" {
        let named = command.values_of(&["-s", "--split-exp"]).into_iter();
        found.extend(named.map(|it| Word {
            text: it.text.trim_matches(['"', '\'']).to_owned(),
            ..it
        }));
    }
    if INTO_SECOND.contains(&command.program.as_str()) {
        found.extend(command.operands().nth(1).cloned());
    }
    found.extend(dumped_by_awk(command));
    found.extend(by_module(command));
    if command.program == "split" {
        found.extend(pieces(command));
    }
    if command.program == "csplit" {
        let prefixes = command.values_of(&["-f", "--prefix"]);
        found.extend(prefixes.iter().map(prefixed_word));
    }
    found.extend(named_like_addresses(command));
    found.retain(|it| {
        it.text != "-" && (it.known || !it.text.is_empty()) && it.text != "/dev/stdout"
    });
    found
}

/// Returns the folders into which a command puts files because of its options.
pub(super) fn folders(command: &Command) -> Vec<Word> {
    let mut found = values(command, |it| it.folders);
    let has = |options: &[&str]| command.has_option(options);
    let names_itself = match command.program.as_str() {
        "curl" | "curlie" => has(&["-J", "--remote-header-name"]),
        "wget" | "wget2" => has(&[
            "-i",
            "--input-file",
            "--content-disposition",
            "--trust-server-names",
            "-r",
            "--recursive",
            "-m",
            "--mirror",
            "-p",
            "--page-requisites",
        ]),
        _ => false,
    };
    // Only the remote side determines the names of the files.
    if names_itself && found.is_empty() {
        found.push(Word::plain("."));
    }
    if command.program == "git" && command.subcommand.as_deref() == Some("format-patch") {
        found.extend(command.values_of(&["-o", "--output-directory"]));
    }
    if command.program == "git" && command.subcommand.as_deref() == Some("checkout-index") {
        found.extend(command.values_of(&["--prefix"]));
    }
    found
}

fn values(command: &Command, of: impl Fn(&Outlet) -> &'static [&'static str]) -> Vec<Word> {
    let program = command.program.as_str();
    let outlets = OUTLETS.iter().filter(|it| it.programs.contains(&program));
    let options: Vec<&str> = outlets.flat_map(of).copied().collect();
    if options.is_empty() {
        return Vec::new();
    }
    command.values_of(&options)
}

/// `gawk -dFILE`, `gawk --profile=FILE`: options whose value, which may be missing, is in the same
/// word.
fn dumped_by_awk(command: &Command) -> Vec<Word> {
    const OPTIONS: [&str; 6] = [
        "--dump-variables=",
        "--pretty-print=",
        "--profile=",
        "-d",
        "-o",
        "-p",
    ];
    if !["awk", "gawk"].contains(&command.program.as_str()) {
        return Vec::new();
    }
    let named = command.words_after_program().iter().filter_map(|word| {
        let file = OPTIONS.iter().find_map(|it| word.text.strip_prefix(it))?;
        (!file.is_empty()).then(|| Word {
            text: file.to_owned(),
            ..word.clone()
        })
    });
    named.collect()
}

/// `python3 -m zipfile -c ARCHIVE FILE`: what Python modules that act as programs write.
fn by_module(command: &Command) -> Vec<Word> {
    let Some((module, rest)) = module_of(&command.program, command.words_after_program()) else {
        return Vec::new();
    };
    let behind = |options: &[&str]| {
        let mut found = Vec::new();
        for (at, word) in rest.iter().enumerate() {
            let text = word.text.as_str();
            for option in options {
                if text == *option {
                    found.extend(rest.get(at + 1).cloned());
                } else if let Some(value) = text.strip_prefix(option)
                    && (value.starts_with('=') || !option.starts_with("--"))
                {
                    let text = value.trim_start_matches('=').to_owned();
                    found.push(Word {
                        text,
                        ..word.clone()
                    });
                }
            }
        }
        found
    };
    match module {
        "zipfile" | "tarfile" => behind(&["-c", "--create"]),
        "cProfile" | "profile" | "zipapp" | "pickletools" => {
            behind(&["-o", "--outfile", "--output"])
        }
        "trace" => behind(&["-f", "--file", "-C", "--coverdir"]),
        "coverage" => behind(&["-o", "--data-file"]),
        // `json.tool [IN [OUT]]`
        "json.tool" | "tabnanny" => {
            let files = rest
                .iter()
                .filter(|it| it.text == "-" || !it.text.starts_with('-'));
            files.skip(1).cloned().collect()
        }
        _ => Vec::new(),
    }
}

/// `split [FILE [PREFIX]]`: files whose names begin with the prefix.
fn pieces(command: &Command) -> Vec<Word> {
    let prefix = command.operands().nth(1);
    prefix.into_iter().map(prefixed_word).collect()
}

fn prefixed_word(prefix: &Word) -> Word {
    Word {
        text: format!("{}*", prefix.text),
        pattern: true,
        ..prefix.clone()
    }
}

/// `wget URL`, `curl -O URL`: a file named after the end of the address.
fn named_like_addresses(command: &Command) -> Vec<Word> {
    let (is_named, folders) = match command.program.as_str() {
        "curl" | "curlie" => (
            command.has_option(&["-O", "--remote-name", "--remote-name-all"]),
            command.values_of(&["--output-dir"]),
        ),
        "wget" | "wget2" => (
            !command.has_option(&["-O", "--output-document", "--spider"]),
            command.values_of(&["-P", "--directory-prefix"]),
        ),
        "aria2c" | "axel" => (true, command.values_of(&["-d", "--dir"])),
        _ => return Vec::new(),
    };
    if !is_named {
        return Vec::new();
    }
    let folder = folders.first().map_or(".", |it| it.text.as_str());
    let addresses = command.operands().filter(|it| it.text.contains('/'));
    let named = addresses.filter_map(|word| {
        let bare = word.text.split(['?', '#']).next().unwrap_or_default();
        let name = bare.split_once("://").map_or(bare, |(_, rest)| rest);
        let (_, name) = name.rsplit_once('/')?;
        (!name.is_empty()).then(|| Word {
            text: format!("{}/{name}", folder.trim_end_matches('/')),
            ..word.clone()
        })
    });
    named.collect()
}
