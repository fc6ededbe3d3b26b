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
pub(super) const DATABASES: [&str; 8] = [
    "sqlite3.connect(",
    "DatabaseSync(",
    "dbi:SQLite",
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
