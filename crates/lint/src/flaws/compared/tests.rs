use super::*;
use crate::refusal::Language;

fn found(language: Language, text: &str) -> Option<String> {
    find(&Source::read(text, language)).map(|it| it.why)
}

/// CM-3: comparisons that are never true are found.
#[test]
fn comparisons_that_never_fit_are_found() {
    use Language::{JavaScript, Python};
    for (language, text) in [
        (Python, "if 'RM -RF' in cmd.lower():"),
        (Python, "low = cmd.lower()\nif low.startswith('Rm'):"),
        (Python, "if cmd.upper() == 'rm':"),
        (JavaScript, "if(cmd.toLowerCase().includes('Rm -rf')) x();"),
        (Python, "if p.suffix == '.env':"),
        (Python, "if os.path.splitext(p)[1] == '.env':"),
        (Python, "if 'WebFetch' in tool.lower().split():"),
        (JavaScript, "if(require('path').extname(f)==='.env') x();"),
        (Python, "if shlex.split(cmd)[0] == 'rm -rf':"),
        (JavaScript, "if (cmd.split(' ')[0] === 'rm -rf') x();"),
        (
            Python,
            "cmd = data['tool_input']['command']\nif cmd == 'rm -rf x\\n':",
        ),
        (
            JavaScript,
            "const cmd = d.tool_input.command;\nif (cmd === 'rm ') x();",
        ),
        (Python, "if cmd.find('rm -rf') > 0:"),
        (JavaScript, "if(cmd.indexOf('rm -rf')>0) x();"),
        (
            Python,
            "cmd = data['tool_input']['command']\nif cmd in 'rm -rf /':",
        ),
        (Python, "bad = cmd.startswith(['rm','dd'])"),
        (JavaScript, "if(cmd.match('/rm -rf/')) x();"),
        (JavaScript, "new RegExp('\\brm\\b').test(cmd)"),
        (Python, "if re.match(r'(?:^|[;&|])\\s*rm.*', cmd):"),
        (Python, "if re.match(r'(?i)(\\s|;)rm', command):"),
        (
            Python,
            "cmd = d.get('tool_input', {}).get('command') or ''\nif cmd.find('sudo ') > 0:",
        ),
        (
            Python,
            "def main():\n    cmd: str = d['tool_input']['command'].strip()\n    if cmd in 'rm -rf /': x()",
        ),
    ] {
        assert!(found(language, text).is_some(), "{text}");
    }
}

/// CM-3: comparisons of Python that may be true aren't reported.
#[test]
fn comparisons_of_python_that_may_fit_are_not_reported() {
    for text in [
        "if 'rm -rf' in cmd.lower():",
        "if 'RM' in name:\n    low = cmd.lower()",
        "low = cmd.lower()\nif low == 'rm' or cmd == 'RM':",
        "x = a.lower()\nx = b\nif x == 'Rm':",
        "if p.suffix == '.pem':",
        "if p.name == '.env' or p.suffix == '.env':",
        "if shlex.split(cmd)[0] == 'rm':",
        "if shlex.split(cmd)[:2] == ['rm', '-rf']:",
        "cmd = data['tool_input']['command']\nif cmd.startswith('rm '):",
        "sep = x['separator']\nif sep == ' ':",
        "line = f.readline()\nif line == 'quit\\n':",
        "if cmd.find('rm -rf') >= 0:",
        "if cmd.find('rm') > 0x1:",
        "cmd = data['tool_input']['command']\nif 'rm -rf' in cmd:",
        "tool = data['tool_name']\nif tool in 'write_file|replace':",
        "bad = cmd.startswith(('rm','dd'))",
        "bad = any(cmd.startswith(it) for it in ['rm','dd'])",
        "tool = d['tool_name']\nif tool in 'write_file replace'.split():",
        "cmd = d['tool_input']['command']\nif cmd in 'rm -rf /'.split():",
        "cmd = d['tool_input']['command']\nfor cmd in 'rm -rf /':",
        "cmd = d['tool_input']['command']\nif cmd in 'ls pwd whoami':",
        "tool = d['tool_name']\nif tool in 'write_file replace':",
        "if path.find('/../') > 0:",
        "if cmd.find(' --force') > 0:",
        "if cmd.find('rm ') > 0 or cmd.startswith('rm '):",
        "if tool.lower() == 'WebFetch'.lower():",
        "if tool.lower() in ('x', 'WebFetch'.lower()):",
        "if f'{NAME}' in cmd.lower():",
        "low = cmd.lower()\nif 'Rm' in lowered:",
        "if 'Rm' in tool.lower().title():",
        "for low in [a.lower()]:\n    x\ndef f(low):\n    low == 'Rm'",
        "if p.suffix in {'.pem', '.env', '.key'}:",
        "if os.path.splitext(p)[1] in ('.env','.pem'):",
        "if os.path.splitext(p)[0] == '.env':",
        "if p.suffix == '.env' or p.name.startswith(SECRET):",
        "cmd = d['tool_input']['command']\nif cmd == 'rm ' + target:",
        "cmd = d['tool_input']['command']\nif cmd[:3] == 'rm ':",
        "if shlex.split(cmd)[0] == 'My Tool':",
        "if cmd.split()[0] == 'rm -rf'.split()[0]:",
        "bad = cmd.startswith(['rm', 'dd'][at])",
    ] {
        assert_eq!(found(Language::Python, text), None, "{text}");
    }
}

/// CM-3: patterns of Python that may match aren't reported.
#[test]
fn patterns_that_may_fit_are_not_reported() {
    for text in [
        "if re.search(tool, 'write_file|replace'):",
        "if re.match(r'.*[;&|]\\s*rm', cmd):",
        "if re.match(r'(?:^|.*[;&|])\\s*rm', cmd):",
        "if re.match(r'(.*;|^)\\s*rm', cmd):",
        "if re.match(r'(^|sudo )rm', cmd):",
        "if re.match(r'(?:\\s*sudo\\s+)?rm', cmd):",
        "if re.match(r'(\\s+|sudo )*rm', cmd):",
        "if re.match(r'\\s*rm', cmd):",
        "if re.match(r'[;&|]*rm', cmd):",
        "if re.match(r'\\s+rm|rm', cmd):",
        "if re.match(r'[;&|]+', token):",
        "for cmd in parts:\n    if re.match(r'\\s+rm', cmd): x()",
        "def bad(cmd):\n    return re.match(r'\\s+rm', cmd)",
        "if re.fullmatch(r'(^|\\s)rm', cmd):",
    ] {
        assert_eq!(found(Language::Python, text), None, "{text}");
    }
}

/// CM-3: comparisons of JavaScript that may be true aren't reported.
#[test]
fn comparisons_of_javascript_that_may_fit_are_not_reported() {
    for text in [
        "if(cmd.toUpperCase().includes('RM -RF')) x();",
        "if (path.extname(f) === '.key') x();",
        "if (cmd.split(' ')[0] === 'rm') x();",
        "if(cmd.indexOf('rm -rf') > -1) x();",
        "if(cmd.match(/rm -rf/)) x();",
        "if(file.match('/etc/')) x();",
        "new RegExp('\\\\brm\\\\b').test(cmd)",
        "if (cmd.includes('curl') && cmd.indexOf('| sh') > 0) x();",
        "if (args.indexOf('--force') > 0) x();",
        "if (args.indexOf('push') > 0) x();",
        "const cmd = s.split(' ');\nif (cmd.indexOf('rm') > 0) x();",
        "if (cmd.startsWith('rm ') || cmd.indexOf('rm ') > 0) x();",
        "if (tool.toLowerCase() === 'WebFetch'.toLowerCase()) x();",
        "if (tool.toLowerCase() === `${PREFIX}fetch`) x();",
        "if (['.env', '.pem'].includes(path.extname(f))) x();",
        "if (path.extname(f) === '.env' || path.basename(f) === NAME) x();",
        "const cmd = d.tool_input.command;\nif (cmd.slice(0, 3) === 'rm ') x();",
        "if(file.match('/My Documents/')) x();",
        "if(file.match('/[id]/')) x();",
    ] {
        assert_eq!(found(Language::JavaScript, text), None, "{text}");
    }
}
