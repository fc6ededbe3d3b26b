use super::*;

fn found(text: &str) -> Option<String> {
    find(text, &|it| it == "HOME").map(|it| it.why)
}

/// CM-3: refusals of shell scripts that get lost, and comparisons that are never true, are found.
#[test]
fn what_can_not_refuse_is_found() {
    for text in [
        "<!DOCTYPE html>\n<html></html>\n",
        "exec 3>&1 >/dev/null\n[[ $c == rm* ]] && echo '{\"decision\":\"deny\"}'",
        "deny() { echo \"{\\\"decision\\\":\\\"deny\\\"}\" ; return; }\n[[ $c == rm* ]] && deny >/dev/null\nexit 0",
        "{\n  echo '{\"decision\":\"deny\"}'\n} >/dev/null",
        "( echo '{\"decision\":\"deny\"}' ) >/dev/null",
        "for i in 1; do\n  echo '{\"decision\":\"deny\"}'\ndone >/dev/null 2>&1",
        "check() { [[ $1 == rm* ]] && exit 2; exit 0; }\ncheck \"$c\" &\nwait\nexit $?",
        "echo \"$c\" | tee /dev/null | check\nexit ${PIPESTATUS[1]}",
        "coproc G { [[ $c == rm* ]] && exit 2; }\nexit 0",
        "exit 0 # later\n[[ $c == rm* ]] && exit 2",
        "exec jq -c \"{}\"\n[[ $c == rm* ]] && exit 2",
        "if false && [[ $c == rm* ]]; then exit 2; fi\nexit 0",
        "python3 - <<'EOF'\nimport json,sys\nd=json.load(sys.stdin)\nsys.exit(2)\nEOF\n",
        "jq -n 'if (.tool_input.command | test(\"rm\")) then {decision:\"deny\"} else {} end'",
        "[ -t 0 ] || exit 0\nexit 2",
        "[ -z \"$CLAUDECODE\" ] && exit 0\nexit 2",
        "[ \"$GEMINI_CLI\" = 1 ] || exit 0\nexit 2",
        "re='rm +-(rf|fr)'\nif [[ $c =~ \"$re\" ]]; then exit 2; fi",
        "if [[ ${c^^} == rm* ]]; then exit 2; fi",
        "if [ \"${file##*.}\" = \".env\" ]; then exit 2; fi",
        "c=$(jq -r .tool_input.command)\nif [ \"$c\" = \"rm -rf \" ]; then exit 2; fi",
        "c=$(jq -r '.tool_input.command // empty')\nif [[ \"$c\" == $'rm -rf x\\n' ]]; then exit 2; fi",
        "jq -n '.tool_input.command | select(test(\"rm\")) | {decision:\"deny\"}'",
        "[ -n \"$CLAUDE_TOOL_INPUT\" ] || exit 0\nexit 2",
        "c=$(jq .tool_input.command)\ncase $c in\n  rm*) exit 2;;\nesac",
        "c=$(jq .tool_input.command)\n[[ $c == rm* ]] && exit 2",
    ] {
        assert!(found(text).is_some(), "{text}");
    }
}

/// CM-3: right guards in the same style aren't accused.
#[test]
fn right_guards_are_not_accused() {
    for text in [
        "exec 3>&1 >/dev/null\necho '{\"decision\":\"deny\"}' >&3",
        "deny() { echo \"{\\\"decision\\\":\\\"deny\\\"}\" ; exit; }\ngrep -q x >/dev/null && deny",
        "deny() { echo '{\"decision\":\"deny\"}'; }\ndeny 2>/dev/null",
        "{\n  log x\n} >/dev/null\necho '{\"decision\":\"deny\"}'",
        "( log x ) >/dev/null; echo '{\"decision\":\"deny\"}'",
        "for i in 1; do\n  log x\ndone >/dev/null\necho '{\"decision\":\"deny\"}'",
        "check() { [[ $1 == rm* ]] && exit 2; exit 0; }\ncheck \"$c\" &\nwait $!\nexit $?",
        "log x &\nwait\nexit 2",
        "echo \"$c\" | tee /dev/null | check\nexit ${PIPESTATUS[2]}",
        "check x | tee log\nexit ${PIPESTATUS[0]}",
        "coproc G { cat; }\nexit 2",
        "if [ -z \"$c\" ]; then\nexit 0\nfi\nexit 2",
        "exec jq -c '\n  if .tool_input.command | test(\"rm\") then {decision: \"deny\"} else {} end'",
        "exec jq -c \\\n  'if .tool_input.command | test(\"rm\") then {decision: \"deny\"} else {} end'",
        "awk '\nNR > 1 {\nexit\n}\n/rm/ { exit 2 }'",
        "deny() {\n  exit 2\n}\ndeny\nexit 0",
        "case $c in\nx)\nexit 0\n;;\nesac\nexit 2",
        "python3 -c 'import sys; sys.stdin.read(); sys.exit(2)'",
        "python3 guard.py <<EOF\nsys.stdin\nEOF\nexit 2",
        "jq -n 'input | if .tool_input.command then {decision:\"deny\"} else {} end'",
        "jq -n --arg x \"$c\" '{decision:\"deny\",reason:$x}'",
        "[ -t 0 ] && exit 1\nexit 2",
        "[ -n \"$HOME\" ] || exit 0\nexit 2",
        "[ -n \"$CI\" ] && exit 0\nexit 2",
        "CHECK=$(date)\n[ -z \"$CHECK\" ] && exit 0\nexit 2",
        "re=rm\nif [[ $c =~ \"$re\" ]]; then exit 2; fi",
        "re='rm +'\nif [[ $c =~ $re ]]; then exit 2; fi",
        "if [[ ${c^^} == RM* ]]; then exit 2; fi",
        "if [[ ${c,,} == rm* ]]; then exit 2; fi",
        "if [ \"${file##*.}\" = env ]; then exit 2; fi",
        "if [[ \"$c\" == \"rm -rf \"* ]]; then exit 2; fi",
        "if [ \"$IFS\" = \" \" ]; then exit 2; fi",
        "c=$(jq -r .tool_input.command)\ncase $c in\n  rm*) exit 2;;\nesac",
        "c=$(jq .tool_input.command)\ncase $c in\n  *rm*) exit 2;;\nesac",
        "c=$(jq .tool_input.command)\n[[ $c == *rm* ]] && exit 2",
        "c=$(jq -r .tool_input.command)\nif [ \"${c:0:3}\" = \"rm \" ]; then exit 2; fi",
        "c=$(jq -r .tool_input.command)\nif [ \"${c%%-*}\" = \"rm \" ]; then exit 2; fi",
        "c=$(jq -r .tool_input.command)\nif [ \"${c#sudo}\" = \" rm\" ]; then exit 2; fi",
        "c=$(jq -r .tool_input.command | cut -c1-3)\nif [ \"$c\" = \"rm \" ]; then exit 2; fi",
        "c=$(jq -r .tool_input.command)\nc=${c:0:3}\nif [ \"$c\" = \"rm \" ]; then exit 2; fi",
        "read -r -n 3 c\nif [ \"$c\" = \"rm \" ]; then exit 2; fi",
        "c=$(jq .tool_input.command)\nc=${c#\\\"}\ncase $c in\n  rm*) exit 2;;\nesac",
        "c=$(jq .tool_input.command)\nc=${c//\\\"/}\n[[ $c == rm* ]] && exit 2",
        "needle='C++'\nif [[ $c =~ \"$needle\" ]]; then exit 2; fi",
        "re='^rm'\nre=rm\nif [[ $c =~ \"$re\" ]]; then exit 2; fi",
        "shopt -s nocasematch\nif [[ ${c^^} == rm* ]]; then exit 2; fi",
        "if [[ ${c^^} == RM* || -f stop ]]; then exit 2; fi",
        "if [[ x-${c^^} == x-RM* ]]; then exit 2; fi",
        "if [[ \".${file##*.}\" == \".env\" ]]; then exit 2; fi",
        "jq -n 'input.tool_input.command | {decision:\"deny\"}'",
        "jq -n '[inputs][0].tool_input.command | {decision:\"deny\"}'",
        "jq -n 'reduce inputs as $e (0; $e.tool_input) | {decision:\"deny\"}'",
        "jq -n 'env.EVENT | fromjson | .tool_input | {decision:\"deny\"}'",
        "jq -n '$ENV.EVENT | fromjson | .tool_input | {decision:\"deny\"}'",
        "jq -n --arg e \"$input\" '$e | fromjson | .tool_input | {decision:\"deny\"}'",
        "jq -n --slurpfile e /dev/stdin '$e[0].tool_input | {decision:\"deny\"}'",
        "jq -n '{tool_input:{}} | .tool_input | {decision:\"deny\"}'",
        "python3 - <<'EOF'\nimport sys\n# not sys.stdin.read(): that is this program\nsys.exit(2)\nEOF\n",
        "python3 - 3<&0 <<'EOF'\nimport os, json, sys\nd = json.load(os.fdopen(3))\nsys.stdin.read()\nsys.exit(2)\nEOF\n",
        "[ -n \"$SSH_CONNECTION\" ] || exit 0\nexit 2",
        "[ -z \"$GUARD_ON\" ] && exit 0\nexit 2",
        "[ \"$CLAUDE_GUARD\" = on ] || exit 0\nexit 2",
    ] {
        assert_eq!(found(text), None, "{text}");
    }
}

/// CM-3: commands that keep a script from running or from reading are found, and others aren't.
#[test]
fn commands_that_keep_a_script_from_its_work_are_found() {
    let script = |name: &str, text: &str| Script {
        path: name.into(),
        text: text.to_owned(),
    };
    let guard = script("guard.sh", "#!/bin/sh\ncat\nexit 2\n");
    let replying = script("reply.sh", "#!/bin/sh\necho '{\"decision\": \"deny\"}'\n");
    let keeping = script(
        "kept.py",
        "d = json.load(open('/tmp/event.json'))\nsys.exit(2)\n",
    );
    let scripts = [&guard, &replying, &keeping];
    for text in [
        "bash -n hooks/guard.sh",
        "hooks/guard.sh < /dev/null",
        "read -r _; hooks/guard.sh",
        "tee -a log >/dev/null; hooks/guard.sh",
        "xargs -0 hooks/guard.sh",
    ] {
        assert!(check_command(text, &scripts).is_some(), "{text}");
    }
    for text in [
        "bash hooks/guard.sh",
        "hooks/guard.sh 2> /dev/null",
        "tee -a log | hooks/guard.sh",
        "read -r line; hooks/guard.sh <<<\"$line\"",
        "bash -x hooks/guard.sh",
        "bash -n hooks/guard.sh && bash hooks/guard.sh",
        "hooks/guard.sh \"$(cat)\"",
        "hooks/guard.sh \"$(cat)\" < /dev/null",
        "EVENT=$(cat) hooks/guard.sh < /dev/null",
        "export EVENT=$(cat); hooks/guard.sh",
        "cat > /tmp/event.json; hooks/guard.sh /tmp/event.json",
        "cat > /tmp/event.json; hooks/kept.py",
        "xargs -0 hooks/guard.sh || exit 2",
        "xargs -0 -I{} hooks/reply.sh {}",
    ] {
        assert_eq!(check_command(text, &scripts), None, "{text}");
    }
}
