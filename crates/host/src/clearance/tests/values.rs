//! Program text that names what it calls in other ways than `name(…)`.

use super::trial::{bash, begin, concern, is_installed};
use super::*;

/// Programs, and texts for them. Each removes or empties `.gemini/settings.json`.
const HELD: &[[&str; 2]] = &[
    ["python3", "import os\n(os.remove)('.gemini/settings.json')"],
    [
        "python3",
        "import os\n[os.remove][0]('.gemini/settings.json')",
    ],
    [
        "python3",
        "import os\ngetattr(os,'remove')('.gemini/settings.json')",
    ],
    [
        "python3",
        "import os\nvars(os)['remove']('.gemini/settings.json')",
    ],
    [
        "python3",
        "import os\nlist(map(os.remove,['.gemini/settings.json']))",
    ],
    [
        "python3",
        "import os\nlist(filter(os.remove,['.gemini/settings.json']))",
    ],
    [
        "python3",
        "import os\nsorted(['.gemini/settings.json'],key=os.remove)",
    ],
    [
        "python3",
        "import os\nfor r in [os.remove]:\n  r('.gemini/settings.json')",
    ],
    [
        "python3",
        "import os\nd={'x': os.remove}\nd['x']('.gemini/settings.json')",
    ],
    [
        "python3",
        "import os\nos.remove.__call__('.gemini/settings.json')",
    ],
    [
        "python3",
        "import os, threading\nthreading.Thread(target=os.remove,args=('.gemini/settings.json',)).start()",
    ],
    [
        "python3",
        "import os\n@os.remove\n@(lambda f:'.gemini/settings.json')\ndef x():pass",
    ],
    [
        "python3",
        "from functools import partial\nimport os\np=partial(os.rename,'notes.txt')\np('.gemini/settings.json')",
    ],
    ["python3", "a=['.gemini/settings.json','w']\nopen(*a)"],
    [
        "python3",
        "a={'file':'.gemini/settings.json','mode':'w'}\nopen(**a)",
    ],
    [
        "python3",
        "import os\nf=os.remove\nf(chr(46)+'gemini/settings.json')",
    ],
    [
        "python3",
        "import os as o\nf=g=o.remove\ng(chr(46)+'gemini/settings.json')",
    ],
    [
        "python3",
        "from os import remove as q\nq(chr(46)+'gemini/settings.json')",
    ],
    [
        "python3",
        "from os import (\n  path,\n  remove as q,\n)\nq(chr(46)+'gemini/settings.json')",
    ],
    [
        "python3",
        "import io\nq=io.open\nq(chr(46)+'gemini/settings.json','w')",
    ],
    [
        "python3",
        "from pathlib import Path\nw=Path(chr(46)+'gemini/settings.json').write_text\nw('x')",
    ],
    [
        "python3",
        "import os\nclass A:\n  __call__=staticmethod(os.remove)\nA()(chr(46)+'gemini/settings.json')",
    ],
    [
        "python3",
        "import os\nr=os.remove\nfor e in os.scandir('.gemini'): r(e.path)",
    ],
    [
        "python3",
        "import zipfile\nzipfile.ZipFile(chr(46)+'gemini/settings.json','w')",
    ],
    [
        "python3",
        "import gzip\ngzip.GzipFile(chr(46)+'gemini/settings.json','w').close()",
    ],
    [
        "python3",
        "import fileinput\nfor l in fileinput.input(chr(46)+'gemini/settings.json',inplace=True): pass",
    ],
    [
        "python3",
        "import logging\nlogging.FileHandler(chr(46)+'gemini/settings.json','w')",
    ],
    [
        "python3",
        "import code\ncode.InteractiveInterpreter().runsource('open(\".gemini/settings.json\",\"w\")')",
    ],
    [
        "python3",
        "import timeit\ntimeit.timeit('open(\".gemini/settings.json\",\"w\")',number=1)",
    ],
    [
        "python3",
        "import types\ntypes.FunctionType(compile('import os\\nos.remove(\".gemini/settings.json\")','x','exec'),{})()",
    ],
    [
        "python3",
        "import pickle\npickle.loads(b\"cposix\\nunlink\\n(S'.gemini/settings.json'\\ntR.\")",
    ],
    [
        "node",
        "const fs=require('fs'); fs['unlinkSync']('.gemini/settings.json')",
    ],
    [
        "node",
        "const fs=require('fs'); fs['unlink'+'Sync']('.gemini/settings.json')",
    ],
    [
        "node",
        "const fs=require('fs'); (0,fs.unlinkSync)('.gemini/settings.json')",
    ],
    [
        "node",
        "const fs=require('fs'); fs.unlinkSync?.('.gemini/settings.json')",
    ],
    [
        "node",
        "const fs=require('fs'); fs.unlinkSync.call(fs, '.gemini/settings.json')",
    ],
    [
        "node",
        "const fs=require('fs'); ['.gemini/settings.json'].forEach(fs.unlinkSync)",
    ],
    [
        "node",
        "const {unlinkSync:u}=require('fs'); u('.gem'+String.fromCharCode(105)+'ni/settings.json')",
    ],
    [
        "node",
        "const u=require('fs').promises.unlink; u('.gem'+['i'].join()+'ni/settings.json')",
    ],
    [
        "node",
        "const fs=require('fs'); const r=/'/; fs.unlinkSync('.gemini/settings.json'); const q=/'/",
    ],
    [
        "node",
        "(()=>{}).constructor('r',\"r('fs').unlinkSync('.gemini/settings.json')\")(require)",
    ],
    [
        "node",
        "const M=require('module'); new M('x')._compile(\"require('fs').unlinkSync('.gemini/settings.json')\",'./x')",
    ],
    [
        "node",
        "new (require('worker_threads').Worker)(\"require('fs').unlinkSync('.gemini/settings.json')\",{eval:true})",
    ],
    [
        "node",
        "import('data:text/javascript,import fs from \"fs\";fs.unlinkSync(\".gemini/settings.json\")')",
    ],
    ["perl", "for ('.gemini/settings.json') { unlink }"],
    ["perl", "$_='.gemini/settings.json'; unlink;"],
    ["perl", "(sub { unlink shift })->('.gemini/settings.json')"],
    ["perl", "sub f { unlink shift } f('.gemini/settings.json');"],
    ["perl", "map { unlink } '.gemini/settings.json';"],
    [
        "perl",
        "use IO::File; IO::File->new('.gem'.chr(105).'ni/settings.json','w')",
    ],
    [
        "perl",
        "use Tie::File; tie @a,'Tie::File','.gem'.chr(105).'ni/settings.json'; @a=()",
    ],
    ["perl", "$x =~ s#a##; unlink '.gemini/settings.json'"],
    [
        "perl",
        "$x =~ m{'}; unlink '.gemini/settings.json'; $x =~ m{'}",
    ],
    [
        "perl",
        "my @a=(1); my $n=$#a; unlink '.gemini/settings.json'",
    ],
    ["perl", "open(F,'>.gemini/settings.json')"],
    ["perl", "open(F,'|-','rm .gemini/settings.json'); close F"],
    ["perl", "open(F,'rm .gemini/settings.json|'); <F>"],
    [
        "perl",
        "$_='unlink \".gemini/settings.json\"'; s/(.*)/$1/ee",
    ],
    [
        "perl",
        "use POSIX; no strict; my $c=\\&{'POSIX::remove'}; $c->('.gemini/settings.json')",
    ],
    ["perl", "@ARGV=('>.gemini/settings.json'); <>"],
    [
        "perl",
        "=pod\n'\n=cut\nunlink '.gemini/settings.json';\n=pod\n'\n=cut\n",
    ],
    [
        "awk",
        "BEGIN{c=\"rm .gemini/settings.json\"; print \"\" | c}",
    ],
    ["awk", "BEGIN{c=\"rm .gemini/settings.json\"; c | getline}"],
    ["awk", "BEGIN{\"rm .gemini/settings.json\" | getline x}"],
    ["tclsh", "file delete .gemini/settings.json"],
    ["tclsh", "open .gemini/settings.json w"],
    ["tclsh", "file delete {.gemini/settings.json}"],
    ["tclsh", "set d .gemini; file delete $d/settings.json"],
    ["tclsh", "exec rm .gemini/settings.json"],
];

/// Texts that do no harm.
const FREE: &[[&str; 2]] = &[
    [
        "python3",
        "import os\nlist(map(os.remove,['a.txt','b.txt']))",
    ],
    ["python3", "from os import remove, path\nremove('a.txt')"],
    ["python3", "import os\nrm=os.remove\nrm('a.txt')"],
    [
        "python3",
        "import shutil\ncopy=shutil.copy\ncopy('src/main.rs','b.rs')\nprint('.gemini/settings.json')",
    ],
    [
        "python3",
        "import os\nf=os.remove\nprint(open('.gemini/settings.json').read())",
    ],
    [
        "python3",
        "import timeit\nprint(timeit.timeit('1+1', number=10))",
    ],
    [
        "python3",
        "import timeit\nprint(timeit.timeit(lambda: sum(range(9)), number=10))",
    ],
    [
        "python3",
        "import re\nr=re.compile(r'a(b|c)', re.M)\nprint(r.sub('x', 'ab'))",
    ],
    [
        "python3",
        "import gzip\nprint(gzip.open('a.gz','rt').read())",
    ],
    [
        "python3",
        "import zipfile\nprint(zipfile.ZipFile('a.zip').namelist())",
    ],
    [
        "python3",
        "row={}\nprint(row.get('copy'), row['remove'] if 'remove' in row else 0)",
    ],
    [
        "python3",
        "import pickle\nprint(pickle.load(open('x.pkl','rb')))\npickle.loads(data)",
    ],
    [
        "python3",
        "def f(truncate=False, copy=None):\n  return truncate or copy\nf(copy=1)",
    ],
    [
        "node",
        "const {readFileSync, writeFileSync} = require('fs'); writeFileSync('a', readFileSync('b'))",
    ],
    [
        "node",
        "const fs = require('fs').promises; fs.readFile('a').then(console.log)",
    ],
    [
        "node",
        "const a = 4 / 2; const b = '/x'; console.log(a / 2, b, /it's/.test('x'))",
    ],
    [
        "node",
        "class A { constructor(a) { this.a = a } }; console.log(new A(1).a)",
    ],
    [
        "node",
        "const o = {copy: true, delete: 1, truncate: 80}; console.log(o.copy, o['delete'])",
    ],
    [
        "perl",
        "while (<>) { s/a/b/g; tr/a-z/A-Z/; print if m{x/y} && $h{unlink}; }",
    ],
    [
        "perl",
        "my %s = (a => 1); my @w = qw(a b); print $s{a}, join(',', @w), $#w;",
    ],
    ["perl", "open(my $f, '<', 'src/main.rs'); print <$f>;"],
    [
        "awk",
        "/it.s/ { print $1 / 2 } $1 > 5 || /x/ { n++ } END { print n }",
    ],
    [
        "awk",
        "{ print $1 | \"sort\" } END { while ((\"date\" | getline d) > 0) print d }",
    ],
    [
        "tclsh",
        "puts [file exists .gemini/settings.json]; set f [open src/main.rs r]",
    ],
];

fn line(case: &[&str; 2]) -> String {
    let [program, text] = case;
    if *program == "awk" {
        return format!("awk '{text}'");
    }
    format!("{program} <<'E'\n{text}\nE")
}

/// TR-8: a call that changes a guard is held back however the text names the call.
#[test]
fn calls_are_followed_however_they_are_named() {
    let (mut open, mut idle) = (Vec::new(), Vec::new());
    for case in HELD {
        let fixture = Fixture::new();
        let watch = begin(&fixture);
        fixture.write("project/notes.txt", "x");
        let settings = fixture.path("project/.gemini/settings.json");
        let before = std::fs::read_to_string(&settings).ok();
        if concern(&watch, &line(case)).is_none() {
            open.push(case);
        }
        if is_installed(case[0]) {
            bash(&fixture, &line(case));
            if std::fs::read_to_string(&settings).ok() == before {
                idle.push(case);
            }
        }
    }
    assert!(idle.is_empty(), "change nothing: {idle:#?}");
    assert!(open.is_empty(), "not held: {open:#?}");
}

/// TR-8: everyday texts are let through.
#[test]
fn harmless_texts_hold_nothing_up() {
    let fixture = Fixture::new();
    let watch = begin(&fixture);
    let blocked = FREE.iter().filter_map(|case| {
        let found = concern(&watch, &line(case))?;
        Some(format!("{case:?}: {found:?}"))
    });
    let blocked: Vec<String> = blocked.collect();
    assert!(blocked.is_empty(), "{}", blocked.join("\n"));
}
