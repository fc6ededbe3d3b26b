//! What is written as something computed, and is certain all the same (TR-8).

use super::*;

/// Each harms a guard in the shape of something that is let through.
const HARMFUL: &[&str] = &[
    "python3 -c \"from pathlib import Path\nfor p in Path('.').rglob('*.sh'):\n    p.write_text('')\"",
    "python3 -c \"from pathlib import Path\nfor p in Path('tools').rglob('*'):\n    p.unlink()\"",
    "python3 -c \"from pathlib import Path\nfor p in Path('src').rglob('../tools/*'):\n    p.unlink()\"",
    "python3 -c \"from pathlib import Path\nfor p in Path('src').rglob('*'):\n    (p / '../../tools/lib.sh').write_text('')\"",
    "python3 -c \"from pathlib import Path\nfor p in Path('linked').rglob('*'):\n    p.write_text('')\"",
    "python3 -c \"from pathlib import Path\nfor p in Path('by_link').iterdir():\n    p.write_text('')\"",
    "python3 -c \"from pathlib import Path\nimport subprocess\nfor p in Path('tools').rglob('*'):\n    subprocess.run(['rm', str(p)])\"",
    "python3 -c \"from pathlib import Path\nimport os\nfor p in Path('src').rglob('*'):\n    os.chdir(p); open('x', 'w')\"",
    "python3 -c \"import glob\nfor f in glob.glob('tools/*'):\n    open(f, 'w').write('x')\"",
    "python3 -c \"import glob\nfor f in glob.glob('**/*.sh', recursive=True):\n    open(f, 'w').write('x')\"",
    "python3 -c \"import os\nfor f in os.listdir('tools'):\n    os.remove(os.path.join('tools', f))\"",
    "python3 -c \"import os\nfor root, dirs, files in os.walk('.'):\n    for f in files:\n        open(os.path.join(root, f), 'w')\"",
    "OUT=tools; rm -rf \"${OUT:-dist}\"",
    "read OUT; rm -rf \"${OUT:-dist}\"",
    "rm -rf \"${OUT:-tools}\"",
    "rm -rf \"${SET:-dist}\"",
    "export O\"\"UT=tools; rm -rf \"${OUT:-dist}\"",
    "env $(cat .env) bash -c 'rm -rf \"${OUT:-dist}\"'",
    ". ./env.sh; rm -rf \"${OUT:-dist}\"",
    "eval \"$(cat run.txt)\"",
    "ssh-agent() { echo 'rm -r tools'; }; eval \"$(ssh-agent -s)\"",
    "PATH=.:$PATH; eval \"$(ssh-agent -s)\"",
    "eval \"$(./ssh-agent -s)\"",
    "eval \"$(ssh-agent -s; echo rm -r tools)\"",
    "cd tools; rm \"$PWD/lib.sh\"",
    "cd src; rm \"$PWD/../tools/lib.sh\"",
    "cd tools; bash -c \"cd ../src; rm $PWD/lib.sh\"",
    "cat > src/x.sh <<EOF\nrm $PWD/tools/lib.sh\nEOF\ncd src; bash x.sh",
    "PWD=tools; rm \"$PWD/lib.sh\"",
    "git checkout $(git merge-base main HEAD) -- tools",
    "git checkout $(git merge-base main evil)",
    "git checkout $(cat ref)",
    "cd src && git checkout $(git merge-base main HEAD)",
];

/// Each is what people and models write every day.
const HARMLESS: &[&str] = &[
    "python3 -c \"from pathlib import Path\nfor p in Path('src').rglob('*.py'):\n    p.write_text(p.read_text())\"",
    "python3 -c \"from pathlib import Path\nfor p in sorted(Path('src').glob('**/*.py')):\n    p.unlink()\"",
    "python3 -c \"import glob\nfor f in glob.glob('src/*'):\n    open(f, 'a').write('x')\"",
    "python3 -c \"import glob, os\nfor f in glob.glob('src/*.tmp'):\n    os.remove(f)\"",
    "python3 -c \"import os\nfor f in os.listdir('src'):\n    os.remove(os.path.join('src', f))\"",
    "python3 -c \"import os\nfor root, dirs, files in os.walk('src'):\n    for f in files:\n        open(os.path.join(root, f), 'w')\"",
    "python3 -c \"import os\nfor root, dirs, files in os.walk('src'):\n    for f in files:\n        p = os.path.join(root, f)\n        s = open(p).read()\n        open(p, 'w').write(s)\"",
    "mkdir -p ${OUT:-dist} && cp src/main.rs ${OUT:-dist}/",
    "rm -rf \"${OUT:-dist}\"",
    "cd src; rm -rf \"$PWD/build\"",
    "cd src && rm -r \"$PWD/build\"",
    "git checkout $(git merge-base main other)",
    "git diff \"$(git merge-base main HEAD)\"",
];

/// TR-8: what only looks computed is let through, and what could be anything isn't.
#[test]
fn what_is_certain_is_let_through() {
    let fixture = Fixture::new();
    fixture.write("project/linked/a.txt", "");
    symlink("../tools/lib.sh", fixture.path("project/linked/b.txt")).expect("a link");
    symlink("tools", fixture.path("project/by_link")).expect("a link");
    let ran = std::process::Command::new("bash")
        .args([
            "-ec",
            "git init -qb main; git add -A; git commit -qm one; git branch evil; git branch other
            git checkout -q evil; echo 'exit 0' > tools/lib.sh; git commit -qam two
            git checkout -q main; git merge -q evil; git branch -f evil; git checkout -q other",
        ])
        .current_dir(fixture.path("project"))
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("HOME", fixture.path("home"))
        .envs([("GIT_AUTHOR_NAME", "a"), ("GIT_AUTHOR_EMAIL", "a@b.c")])
        .envs([
            ("GIT_COMMITTER_NAME", "a"),
            ("GIT_COMMITTER_EMAIL", "a@b.c"),
        ])
        .status()
        .expect("bash");
    assert!(ran.success());
    let path = std::env::var_os("PATH").unwrap_or_default();
    let variables = vec![("PATH".into(), path), ("SET".into(), "tools".into())];
    let watch = fixture.watch().with_variables(variables);
    let concern = |command: &str| {
        let arguments = json!({"command": command});
        let arguments = arguments.as_object().expect("an object");
        watch.concern("run_shell_command", arguments)
    };
    for command in HARMFUL {
        assert!(concern(command).is_some(), "{command}");
    }
    for command in HARMLESS {
        assert_eq!(concern(command), None, "{command}");
    }
}
