use super::*;
use crate::lint_commands::refusal::Language;

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

/// CM-3: comparisons that may be true aren't reported.
#[test]
fn comparisons_that_may_fit_are_not_reported() {
    use Language::{JavaScript, Python};
    for (language, text) in [
        (Python, "if 'rm -rf' in cmd.lower():"),
        (Python, "if 'RM' in name:\n    low = cmd.lower()"),
        (Python, "low = cmd.lower()\nif low == 'rm' or cmd == 'RM':"),
        (Python, "x = a.lower()\nx = b\nif x == 'Rm':"),
        (JavaScript, "if(cmd.toUpperCase().includes('RM -RF')) x();"),
        (Python, "if p.suffix == '.pem':"),
        (Python, "if p.name == '.env' or p.suffix == '.env':"),
        (JavaScript, "if (path.extname(f) === '.key') x();"),
        (Python, "if shlex.split(cmd)[0] == 'rm':"),
        (Python, "if shlex.split(cmd)[:2] == ['rm', '-rf']:"),
        (JavaScript, "if (cmd.split(' ')[0] === 'rm') x();"),
        (
            Python,
            "cmd = data['tool_input']['command']\nif cmd.startswith('rm '):",
        ),
        (Python, "sep = x['separator']\nif sep == ' ':"),
        (Python, "line = f.readline()\nif line == 'quit\\n':"),
        (Python, "if cmd.find('rm -rf') >= 0:"),
        (Python, "if cmd.find('rm') > 0x1:"),
        (JavaScript, "if(cmd.indexOf('rm -rf') > -1) x();"),
        (
            Python,
            "cmd = data['tool_input']['command']\nif 'rm -rf' in cmd:",
        ),
        (
            Python,
            "tool = data['tool_name']\nif tool in 'write_file|replace':",
        ),
        (Python, "bad = cmd.startswith(('rm','dd'))"),
        (
            Python,
            "bad = any(cmd.startswith(it) for it in ['rm','dd'])",
        ),
        (JavaScript, "if(cmd.match(/rm -rf/)) x();"),
        (JavaScript, "if(file.match('/etc/')) x();"),
        (JavaScript, "new RegExp('\\\\brm\\\\b').test(cmd)"),
        (
            Python,
            "tool = d['tool_name']\nif tool in 'write_file replace'.split():",
        ),
        (
            Python,
            "cmd = d['tool_input']['command']\nif cmd in 'rm -rf /'.split():",
        ),
        (
            Python,
            "cmd = d['tool_input']['command']\nfor cmd in 'rm -rf /':",
        ),
        (
            Python,
            "cmd = d['tool_input']['command']\nif cmd in 'ls pwd whoami':",
        ),
        (
            Python,
            "tool = d['tool_name']\nif tool in 'write_file replace':",
        ),
        (
            JavaScript,
            "if (cmd.includes('curl') && cmd.indexOf('| sh') > 0) x();",
        ),
        (JavaScript, "if (args.indexOf('--force') > 0) x();"),
        (JavaScript, "if (args.indexOf('push') > 0) x();"),
        (
            JavaScript,
            "const cmd = s.split(' ');\nif (cmd.indexOf('rm') > 0) x();",
        ),
        (
            JavaScript,
            "if (cmd.startsWith('rm ') || cmd.indexOf('rm ') > 0) x();",
        ),
        (Python, "if path.find('/../') > 0:"),
        (Python, "if cmd.find(' --force') > 0:"),
        (Python, "if cmd.find('rm ') > 0 or cmd.startswith('rm '):"),
        (Python, "if tool.lower() == 'WebFetch'.lower():"),
        (Python, "if tool.lower() in ('x', 'WebFetch'.lower()):"),
        (Python, "if f'{NAME}' in cmd.lower():"),
        (Python, "low = cmd.lower()\nif 'Rm' in lowered:"),
        (Python, "if 'Rm' in tool.lower().title():"),
        (
            Python,
            "for low in [a.lower()]:\n    x\ndef f(low):\n    low == 'Rm'",
        ),
        (
            JavaScript,
            "if (tool.toLowerCase() === 'WebFetch'.toLowerCase()) x();",
        ),
        (
            JavaScript,
            "if (tool.toLowerCase() === `${PREFIX}fetch`) x();",
        ),
        (Python, "if p.suffix in {'.pem', '.env', '.key'}:"),
        (Python, "if os.path.splitext(p)[1] in ('.env','.pem'):"),
        (Python, "if os.path.splitext(p)[0] == '.env':"),
        (
            Python,
            "if p.suffix == '.env' or p.name.startswith(SECRET):",
        ),
        (
            JavaScript,
            "if (['.env', '.pem'].includes(path.extname(f))) x();",
        ),
        (
            JavaScript,
            "if (path.extname(f) === '.env' || path.basename(f) === NAME) x();",
        ),
        (
            Python,
            "cmd = d['tool_input']['command']\nif cmd == 'rm ' + target:",
        ),
        (
            Python,
            "cmd = d['tool_input']['command']\nif cmd[:3] == 'rm ':",
        ),
        (
            JavaScript,
            "const cmd = d.tool_input.command;\nif (cmd.slice(0, 3) === 'rm ') x();",
        ),
        (Python, "if shlex.split(cmd)[0] == 'My Tool':"),
        (Python, "if cmd.split()[0] == 'rm -rf'.split()[0]:"),
        (Python, "bad = cmd.startswith(['rm', 'dd'][at])"),
        (JavaScript, "if(file.match('/My Documents/')) x();"),
        (JavaScript, "if(file.match('/[id]/')) x();"),
        (Python, "if re.search(tool, 'write_file|replace'):"),
        (Python, "if re.match(r'.*[;&|]\\s*rm', cmd):"),
        (Python, "if re.match(r'(?:^|.*[;&|])\\s*rm', cmd):"),
        (Python, "if re.match(r'(.*;|^)\\s*rm', cmd):"),
        (Python, "if re.match(r'(^|sudo )rm', cmd):"),
        (Python, "if re.match(r'(?:\\s*sudo\\s+)?rm', cmd):"),
        (Python, "if re.match(r'(\\s+|sudo )*rm', cmd):"),
        (Python, "if re.match(r'\\s*rm', cmd):"),
        (Python, "if re.match(r'[;&|]*rm', cmd):"),
        (Python, "if re.match(r'\\s+rm|rm', cmd):"),
        (Python, "if re.match(r'[;&|]+', token):"),
        (
            Python,
            "for cmd in parts:\n    if re.match(r'\\s+rm', cmd): x()",
        ),
        (Python, "def bad(cmd):\n    return re.match(r'\\s+rm', cmd)"),
        (Python, "if re.fullmatch(r'(^|\\s)rm', cmd):"),
    ] {
        assert_eq!(found(language, text), None, "{text}");
    }
}
