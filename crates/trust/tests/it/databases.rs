//! Databases in files that a guard's scripts ask.

use hookloop_trust::Standing;

use crate::data_files::{Case, node, python, shell};
use crate::fixture::Fixture;

const PERL_ASK: &str = "print $db->selectrow_array('SELECT 1 FROM deny');\n";
const PERL_ADD: &str = "$db->do('INSERT INTO calls VALUES (1)');\n";

/// A script in Perl that opens a database beside itself by an address.
fn by_perl(address: &str, rest: &str) -> Case {
    perl(&format!(
        "my $db = DBI->connect(\"{address}\", '', '');\n{rest}"
    ))
}

/// Scripts that ask a database which they name in an address, or in the project's root.
fn asked_by_address() -> Vec<Case> {
    vec![
        python(
            "import sqlite3\ndb = sqlite3.connect('file:g/rules.db?mode=ro', uri=True)\ndb.execute('select 1')",
            "g/rules.db",
        ),
        by_perl("dbi:SQLite:dbname=g/rules.db", PERL_ASK),
        by_perl("DBI:SQLite:database=g/rules.db;mode=ro", PERL_ASK),
        by_perl("dbi:SQLite:g/rules.db", PERL_ASK),
        by_perl(
            "dbi:SQLite(RaiseError=>1):dbname=$FindBin::Bin/rules.db",
            PERL_ASK,
        ),
        by_perl("dbi:SQLite:uri=file:g/rules.db?mode=ro", PERL_ASK),
        perl(
            "my $dsn = 'dbi:SQLite:dbname=' . $FindBin::Bin . '/rules.db';\nmy $db = DBI->connect($dsn);\nprint $db->selectrow_array('select 1');",
        ),
        (
            "ruby guard.rb",
            "guard.rb",
            "require 'sqlite3'\ndb = SQLite3::Database.new('rules.db')\ndb.execute('select 1')"
                .to_owned(),
            "rules.db",
        ),
    ]
}

/// A script in Perl that asks a database beside itself.
fn perl(text: &str) -> Case {
    (
        "perl g/guard.pl",
        "g/guard.pl",
        format!("use DBI;\nuse FindBin;\n{text}"),
        "g/rules.db",
    )
}

/// TR-1: a database is a file like any other: one that a guard's script only asks belongs to what a
/// person agreed to, one to which it only adds doesn't, and one with which it does both is said.
#[test]
fn databases_that_a_guard_asks_belong_to_it() {
    let open = "db = sqlite3.connect(os.path.join(HERE, 'rules.db'))\n";
    let ask = "db.execute('select 1 from deny').fetchone()\n";
    let add = "db.execute('insert into calls values (1)')\n";
    let by_python = |rest: &str| python(&format!("import sqlite3\n{open}{rest}"), "g/rules.db");
    let by_node = |open: &str, rest: &str| node(&format!("{open}{rest}"), "g/rules.db");
    let node_open = "const { DatabaseSync } = require('node:sqlite');\nconst db = new DatabaseSync(__dirname + '/rules.db');\n";
    let better_open = "const Database = require('better-sqlite3');\nconst db = new Database(path.join(__dirname, 'rules.db'), { readonly: true });\n";
    let node_ask = "db.prepare('SELECT 1 FROM deny').get();";
    let asked = [
        by_python(ask),
        python(
            "from sqlite3 import connect\ndb = connect('g/rules.db')\ndb.execute('select 1')",
            "g/rules.db",
        ),
        by_node(node_open, node_ask),
        by_node(better_open, node_ask),
        shell(
            "sqlite3 g/rules.db 'select 1 from deny' | grep -q 1 && exit 2",
            "g/rules.db",
        ),
    ];
    let added = [
        by_python(add),
        by_node(node_open, "db.exec('INSERT INTO calls VALUES (1)');"),
        shell(
            "sqlite3 g/rules.db 'insert into calls values (1)'",
            "g/rules.db",
        ),
        by_perl("dbi:SQLite:dbname=g/rules.db", PERL_ADD),
    ];
    let both = [
        by_python(&format!("{ask}{add}")),
        by_perl(
            "dbi:SQLite:dbname=g/rules.db",
            &format!("{PERL_ASK}{PERL_ADD}"),
        ),
        by_python("check(db)\n"),
    ];
    let is_asked = asked
        .into_iter()
        .chain(asked_by_address())
        .map(|it| (it, true, false));
    let is_added = added.into_iter().map(|it| (it, false, false));
    let is_both = both.into_iter().map(|it| (it, false, true));
    for ((command, script, text, file), decides, is_said) in is_asked.chain(is_added).chain(is_both)
    {
        let fixture = Fixture::new();
        fixture.write(&format!("project/{file}"), "1");
        fixture.write(&format!("project/{script}"), &text);
        let hook = fixture.command(command);
        fixture.trust(&hook);
        fixture.write(&format!("project/{file}"), "2");
        let vouched = fixture.vouch(&hook);
        let is_modified = matches!(vouched.standing, Standing::Modified { .. });
        assert_eq!(is_modified, decides, "{text}");
        let unpinned = vouched.fingerprint.expect("one").unpinned.clone();
        assert_eq!(!unpinned.is_empty(), is_said, "{text}: {unpinned:?}");
    }
}
