//! Words that a command searches for, and files that it searches (TR-1).

use hookloop_hook::EventName;
use hookloop_trust::Standing;

use crate::fixture::Fixture;

/// Returns how a hook is trusted after two files of the project have been written.
fn standing(event: EventName, command: &str) -> Standing {
    let fixture = Fixture::new();
    let mut hook = fixture.command(command);
    hook.event = event;
    fixture.trust(&hook);
    fixture.write("project/src/a.sh", "one");
    fixture.write("project/package.json", "two");
    fixture.vouch(&hook).standing
}

/// TR-1: a word that is searched for, or that filters, names no file, whatever it looks like; what
/// is found may be carried out, and a list of patterns decides.
#[test]
fn what_is_searched_for_is_no_file() {
    for event in [
        EventName::BeforeTool,
        EventName::AfterTool,
        EventName::AfterAgent,
    ] {
        for command in [
            "jq -r .tool_input.file_path | grep -q package.json && exit 2",
            "jq -r .x | grep -qE 'package.json' && { echo no >&2; exit 2; }; exit 0",
            "grep -A 3 -i package.json",
            "if git status --porcelain | grep -q 'src/a.sh'; then echo no; fi",
            "rg -q --fixed-strings src/a.sh",
            "grep -m 1 --include='*.ts' -r package.json .",
            "grep -q -- package.json",
            "grep -q src/a.sh && echo 'look at src/a.sh first'",
            "[ -f package.json ] && grep -q package.json",
            "jq -e '.tool_input.file_path | endswith(\"package.json\")'",
            "jq -r package.json",
        ] {
            assert_eq!(standing(event, command), Standing::Trusted, "{command}");
        }
        for command in [
            "ls | grep package.json | sh",
            "find . | grep src/a.sh | xargs sh",
            "sh \"$(ls | grep src/a.sh)\"",
            "grep -q package.json; sh package.json",
            "grep -q src/a.sh && node -e 'require(\"./src/a.sh\")'",
            "grep -qf package.json",
            "grep -f package.json x",
            "rg --ignore-file package.json x",
            "rg --files-from package.json",
            "jq -f package.json",
            "./grep package.json",
            "PATH=.:$PATH grep package.json",
            "PATH=.:$PATH; grep package.json",
            "export PATH=$PWD:$PATH; grep package.json",
            "export PATH+=:.; grep package.json",
            "grep() { :; }; grep package.json",
            "tool --config=package.json | grep package.json",
        ] {
            assert_ne!(standing(event, command), Standing::Trusted, "{command}");
        }
    }
}

/// TR-1: if what is searched for comes from an option, the first operand is a file, and before an
/// action a file that is searched decides; options can be abbreviated, and follow operands.
#[test]
fn what_is_searched_decides() {
    for command in [
        "grep -e x package.json",
        "grep --regexp x package.json",
        "grep --regex=x package.json",
        "grep --rege x package.json",
        "grep package.json --fil=/dev/null",
        "grep -q --fi=/dev/null package.json",
        "grep package.json -e x",
        "rg -ie x package.json",
        "zgrep -qex package.json",
        "jq -n --slurpfile a package.json .",
        "rg --pre ./x package.json",
        "grep -ief package.json",
        "grep -m1 --exclude-from=/dev/null package.json",
        "jq -n --args package.json",
        "jq -n --rawfile a package.json",
        "grep -q package.json \"$unknown\"",
        "set -- -f/dev/null; grep package.json \"$@\"",
        "jq 'import \"package.json\" as $x; .'",
    ] {
        assert_ne!(
            standing(EventName::BeforeTool, command),
            Standing::Trusted,
            "{command}"
        );
    }
}
