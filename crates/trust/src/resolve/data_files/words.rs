//! Words of programs that say what happens to files.

/// Words with which a text opens a file.
pub(super) const OPENING: [&str; 16] = [
    "open(",
    "open (",
    "open my",
    "read_text(",
    "read_bytes(",
    "File.read",
    "File.foreach",
    "IO.read",
    "get_data(",
    "getline <",
    "getline<",
    "load_file",
    "file_get_contents",
    "read_csv(",
    "loadtxt(",
    "getlines(",
];

/// Functions with which a text opens a file if it calls them: their names are also imported.
pub(super) const OPENING_FUNCTIONS: [&str; 4] =
    ["readFile", "createReadStream", "readTextFile", "Bun.file"];

/// Words by which standard input is opened.
pub(super) const STANDARD_INPUT: [&str; 5] = [
    "readFileSync(0",
    "readFile(0",
    "open(0",
    "/dev/stdin",
    "stdin.fd",
];

/// Words with which it may also read one that it is given by name.
pub(super) const READING: [&str; 6] = [
    ".read(",
    "load(",
    "readlines",
    "from_file",
    "slurp",
    "fileinput",
];

/// Words with which a text writes files.
pub(super) const WRITING: [&str; 47] = [
    ".write(",
    "write_text",
    "write_bytes",
    "writeFile",
    "appendFile",
    "createWriteStream",
    "openSync",
    "'w'",
    "\"w\"",
    "'a'",
    "\"a\"",
    "'w+",
    "\"w+",
    "'a+",
    "\"a+",
    "'r+",
    "\"r+",
    "'wb",
    "\"wb",
    "'wt",
    "\"wt",
    "'ab",
    "\"ab",
    "'at",
    "\"at",
    "'x'",
    "\"x\"",
    "'>",
    "\">",
    "'+<",
    "\"+<",
    "dump(",
    "touch(",
    "shelve",
    "FileHandler",
    "logging",
    "O_WRONLY",
    "O_RDWR",
    "O_APPEND",
    "O_CREAT",
    "os.replace(",
    "os.rename(",
    "renameSync",
    "shutil.",
    "copyFile",
    "writeTextFile",
    "File.write",
];

/// Words by which a text finds the place where it is.
pub(super) const OWN_PLACE: [&str; 9] = [
    "__file__",
    "__dir",
    "__filename",
    "import.meta",
    "FindBin",
    "$0",
    "argv[0]",
    "argv[1]",
    "sys.path[0]",
];

/// Words for what a hook is given, which it judges.
pub(super) const GIVEN: [&str; 13] = [
    "stdin",
    "STDIN",
    "tool_input",
    "readFileSync(0",
    "input(",
    "gets",
    "environ",
    "getenv",
    "process.env",
    "ENV",
    "argv",
    "payload",
    "tool_response",
];

/// Words for the project's folder.
pub(super) const PROJECT: [&str; 2] = ["PROJECT_DIR", "GEMINI_CWD"];

/// Words with which a text opens a database in a file.
pub(super) const DATABASES: [&str; 9] = [
    "sqlite3.connect(",
    "DatabaseSync(",
    "dbi:SQLite",
    "DBI:SQLite",
    "SQLite3::Database",
    "apsw.Connection(",
    "aiosqlite.connect(",
    "duckdb.connect(",
    "sqlite3.Database(",
];

/// Modules whose names show that a text opens such a database, and how it does.
pub(super) const OF_DATABASES: [(&str, &str); 4] = [
    ("better-sqlite3", "new "),
    ("bun:sqlite", "new "),
    ("from sqlite3", "connect("),
    ("sqlite3 as ", ".connect("),
];

/// Words of a query that reads.
pub(super) const QUERIES: [&str; 2] = ["select ", "fetch"];

/// Words of a query that changes a database.
pub(super) const CHANGES: [&str; 8] = [
    "insert ",
    "update ",
    "delete from",
    "replace into",
    "create table",
    "drop table",
    "alter table",
    ".commit(",
];

/// Returns the file that an address of a database names: `dbi:SQLite:dbname=x.db`,
/// `sqlite:///x.db`, `file:x.db?mode=ro`. Any other text stays as it is.
pub(super) fn in_address(text: &str) -> &str {
    const SCHEMES: [&str; 5] = ["dbi:sqlite", "sqlite://", "sqlite:", "file://", "file:"];
    const KEYS: [&str; 4] = ["dbname=", "database=", "db=", "uri="];
    let begins = |text: &str, start: &str| {
        let given = text.get(..start.len());
        given.is_some_and(|it| it.eq_ignore_ascii_case(start))
    };
    let Some(scheme) = SCHEMES.iter().find(|it| begins(text, it)) else {
        return text;
    };
    let rest = &text[scheme.len()..];
    if *scheme != SCHEMES[0] {
        let file = rest.split('?').next().unwrap_or(rest);
        // `sqlite:///x.db` is a relative path.
        return file
            .strip_prefix('/')
            .filter(|_| *scheme == SCHEMES[1])
            .unwrap_or(file);
    }
    // Attributes of the driver: `dbi:SQLite(RaiseError=>1):dbname=x.db`.
    let Some((_, parts)) = rest.split_once(':') else {
        return text;
    };
    let mut parts = parts.split(';').map(str::trim);
    let named = parts.clone().find_map(|part| {
        let key = KEYS.iter().find(|it| begins(part, it))?;
        Some(in_address(&part[key.len()..]))
    });
    let file = named.or_else(|| parts.next()).unwrap_or(text);
    match file.strip_prefix('$') {
        // `dbname=$dir/rules.db`: what is known of it.
        Some(rest) => rest.trim_start_matches(|it: char| it.is_alphanumeric() || "_:".contains(it)),
        None => file,
    }
}
