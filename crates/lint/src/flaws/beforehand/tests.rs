use super::*;

fn found(language: Language, text: &str) -> Option<String> {
    let plain = match language {
        Language::Shell => text.to_owned(),
        _ => Source::read(text, language).plain,
    };
    find(text, &plain, language).map(|it| it.why)
}

/// CM-3: a condition that is settled beforehand, and a result that is never used, are found.
#[test]
fn what_is_settled_beforehand_is_found() {
    for (language, text) in [
        (
            Language::Python,
            "DRY_RUN = True\nif 'rm' in cmd and not DRY_RUN:\n    sys.exit(2)\n",
        ),
        (
            Language::Python,
            "ENABLED = False\nif ENABLED and 'rm' in cmd:\n    sys.exit(2)\n",
        ),
        (
            Language::Python,
            "ENABLED = False\nif ENABLED and 'rm' in cmd:\n    sys.exit(2)\nif ENABLED and 'dd' in cmd:\n    sys.exit(2)\n",
        ),
        (
            Language::Python,
            "RULES = []\nhit = any(it in cmd for it in RULES)\nif hit:\n    sys.exit(2)\n",
        ),
        (
            Language::Python,
            "RULES = []\nif any(r in cmd for r in RULES):\n    sys.exit(2)\n",
        ),
        (
            Language::Python,
            "RULES = []\nfor r in RULES:\n    if r in cmd:\n        sys.exit(2)\n",
        ),
        (
            Language::JavaScript,
            "const ENABLED = false;\nif (ENABLED && cmd.includes('rm')) process.exit(2);\n",
        ),
        (
            Language::JavaScript,
            "const BAD = [];\nif (BAD.some((it) => cmd.includes(it))) process.exit(2);\n",
        ),
        (
            Language::Python,
            "blocked = 'rm' in cmd\nprint(json.dumps({}))\n",
        ),
        (
            Language::JavaScript,
            "const blocked = cmd.includes('rm');\nconsole.log('{}');\n",
        ),
        (
            Language::Shell,
            "blocked=false\n[[ $cmd == *rm* ]] && blocked=true\necho '{}'\n",
        ),
    ] {
        assert!(found(language, text).is_some(), "{text}");
    }
}

/// CM-3: what may change, and what is used, isn't reported.
#[test]
fn what_may_change_is_not_reported() {
    for (language, text) in [
        (
            Language::Python,
            "blocked = False\nfor r in RULES:\n    if r in cmd:\n        blocked = True\nif blocked:\n    sys.exit(2)\n",
        ),
        (
            Language::Python,
            "DRY_RUN = False\nif 'rm' in cmd and not DRY_RUN:\n    sys.exit(2)\n",
        ),
        (
            Language::Python,
            "ENABLED = True\nif ENABLED and 'rm' in cmd:\n    sys.exit(2)\n",
        ),
        (
            Language::Python,
            "hits = []\nfor r in RULES:\n    hits.append(r)\nfor h in hits:\n    sys.exit(2)\n",
        ),
        (
            Language::Python,
            "hits = []\ncollect(cmd, hits)\nfor h in hits:\n    sys.exit(2)\n",
        ),
        (
            Language::Python,
            "ALLOWED = []\nif cmd not in ALLOWED:\n    sys.exit(2)\n",
        ),
        (
            Language::Python,
            "blocked = 'rm' in cmd\nprint(f'{{\"decision\": \"{blocked}\"}}')\n",
        ),
        (
            Language::JavaScript,
            "const blocked = cmd.includes('rm') ? 'deny' : 'allow';\nconsole.log(`{\"decision\": \"${blocked}\"}`);\n",
        ),
    ] {
        assert_eq!(found(language, text), None, "{text}");
    }
}

/// CM-3: what is one reason of several, and what is used, isn't reported.
#[test]
fn what_is_one_reason_of_several_is_not_reported() {
    for (language, text) in [
        (
            Language::JavaScript,
            "const EXTRA = [];\nif (EXTRA.concat(DENY).some((it) => cmd.includes(it))) process.exit(2);\n",
        ),
        (
            Language::JavaScript,
            "const EXTRA = [];\nfor (const it of EXTRA.concat(DENY)) {\n  if (cmd.includes(it)) process.exit(2);\n}\n",
        ),
        (
            Language::JavaScript,
            "const EXTRA = [];\nfor (const it of [...EXTRA, ...DENY]) {\n  if (cmd.includes(it)) process.exit(2);\n}\n",
        ),
        (
            Language::Python,
            "EXTRA = []\nfor it in EXTRA + DENY:\n    if it in cmd:\n        sys.exit(2)\n",
        ),
        (
            Language::Python,
            "EXTRA = []\nif any(it in cmd for it in DENY) or any(it in cmd for it in EXTRA):\n    sys.exit(2)\n",
        ),
        (
            Language::Python,
            "EXTRA = []\nif any(it in cmd for it in EXTRA):\n    sys.exit(2)\nif 'rm' in cmd:\n    sys.exit(2)\n",
        ),
        (
            Language::Python,
            "EXTRA = []\nhit = any(it in cmd for it in EXTRA)\nif hit: sys.exit(2)\nif 'rm' in cmd: sys.exit(2)\n",
        ),
        (
            Language::Python,
            "ALLOWED = []\nok = any(cmd.startswith(it) for it in ALLOWED)\nif not ok:\n    sys.exit(2)\n",
        ),
        (
            Language::Python,
            "ALLOWED = []\nif cmd in ALLOWED:\n    sys.exit(0)\nsys.exit(2)\n",
        ),
        (
            Language::Python,
            "ALLOWED = []\nsys.exit(0 if cmd in ALLOWED else 2)\n",
        ),
        (
            Language::JavaScript,
            "const ALLOWED = [];\nif (ALLOWED.includes(cmd)) process.exit(0);\nprocess.exit(2);\n",
        ),
        (
            Language::JavaScript,
            "const KNOWN = [];\nconst known = KNOWN.some((it) => cmd.startsWith(it));\nif (!known) process.exit(2);\n",
        ),
    ] {
        assert_eq!(found(language, text), None, "{text}");
    }
}

/// CM-3: what a constant decides beside the refusal isn't reported.
#[test]
fn what_is_decided_beside_a_refusal_is_not_reported() {
    for (language, text) in [
        (
            Language::Python,
            "DEBUG = False\nif DEBUG: print(cmd, file=sys.stderr)\nif 'rm' in cmd:\n    sys.exit(2)\n",
        ),
        (
            Language::Python,
            "DEBUG = False\nif DEBUG:\n    print(cmd, file=sys.stderr)\nif 'rm' in cmd: sys.exit(2)\n",
        ),
        (
            Language::JavaScript,
            "const DEBUG = false;\nif (DEBUG) console.error(cmd);\nif (cmd.includes('rm')) process.exit(2);\n",
        ),
        (
            Language::Python,
            "ENABLED = True\nif not ENABLED:\n    sys.exit(0)\nif 'rm' in cmd: sys.exit(2)\n",
        ),
        (
            Language::Python,
            "STRICT = False\nif STRICT and 'mv' in cmd:\n    sys.exit(2)\nif 'rm' in cmd:\n    sys.exit(2)\n",
        ),
        (
            Language::Python,
            "VERBOSE = False\nif VERBOSE:\n    print(cmd, file=sys.stderr)\nif 'rm' in cmd:\n    sys.exit(2)\n",
        ),
        (
            Language::JavaScript,
            "let blocked = false;\nBAD.forEach((it) => { if (cmd.includes(it)) blocked = true; });\nif (blocked) process.exit(2);\n",
        ),
        (
            Language::JavaScript,
            "const blocked = cmd.includes('rm');\nconsole.log(JSON.stringify({ decision: blocked ? 'deny' : 'allow' }));\n",
        ),
        (
            Language::JavaScript,
            "const seen = [];\nvisit(cmd, seen);\nif (seen.some((it) => it)) process.exit(2);\n",
        ),
        (
            Language::Shell,
            "blocked=false\n[[ $cmd == *rm* ]] && blocked=true\nif $blocked; then exit 2; fi\n",
        ),
        (
            Language::Shell,
            "deny() { exit 2; }\n[[ $cmd == *rm* ]] && deny\n",
        ),
    ] {
        assert_eq!(found(language, text), None, "{text}");
    }
}
