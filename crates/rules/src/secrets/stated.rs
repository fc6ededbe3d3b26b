//! Places where secret values occur without an assignment. In each expression, the first group
//! identifies the secret and the second is its value, unless they are called `name` and `value`.

/// The ending of a name that indicates a secret, for `@NAME@` in expressions.
const NAME: &str = r"(?:passwor[dt]|passwd|passphrase|[_.-]pass|\bpass|pwd|secret|token|(?:api|auth|secret|access|private|app|signing|encryption)[_.-]?key|psk|_salt|\bjwt|_jwt|(?-i:_KEY|_PAT))";

/// What people call a secret in a sentence, for `@SPOKEN@` in expressions.
const SPOKEN: &str = "password|passphrase|passwd|passcode|pwd|pw|token|secret|api key|access key|passwort|kennwort|contraseña|mot de passe|senha|wachtwoord";

/// The verb of such a sentence, for `@IS@` in expressions.
const IS: &str = "is|was|to|as|ist|lautet|es|est|é|is now|equals";

/// Returns an expression of this module with its placeholders replaced.
pub(super) fn spelt_out(expression: &str) -> String {
    [("@NAME@", NAME), ("@SPOKEN@", SPOKEN), ("@IS@", IS)]
        .iter()
        .fold(expression.to_owned(), |text, (word, what)| {
            text.replace(word, what)
        })
}

/// The value of a name that indicates a secret: `#define`, XML, Gradle.
pub(super) const STATED: &[&str] = &[
    r#"(?i)\b([a-z0-9_.-]*@NAME@)(?:["']\])?\s+["']([^"'\n]{6,})["']"#,
    r"(?i)<([a-z0-9_.]*@NAME@)>\s*([^<\s]{6,})\s*</",
    r#"(?i)\blogin\s+\S+\s+(password)\s+([^\s"'\\]{8,})"#,
    r#"(?i)(?:key|name)=["']([^"']*@NAME@)["']\s+value=["']([^"']{6,})["']"#,
    r#"(?i)\bname=["']([^"']*@NAME@)["']\s*>\s*([^<\s]{6,})\s*</"#,
    // A name with its type: `const API_KEY: &'static str = "…"`, `var token string = "…"`.
    r#"(?i)\b([a-z0-9_]*@NAME@)(?:\s*:\s*|\s+)[&a-z][\w&' <>.:\[\]|?*]{0,40}=\s*[bl@]?(?:"([^"\n]{6,})"|'(?P<value>[^'\n]{6,})')"#,
    // A place in a table of Perl or PHP: `$ENV{API_TOKEN} = "…"`.
    r#"(?i)\{\s*["']?([a-z0-9_.-]*@NAME@)["']?\s*\}\s*=\s*["']([^"'\n]{6,})["']"#,
    r#"(?i)\b(identified)\s+(?:with\s+\S+\s+)?by\s+(?:password\s+)?["']([^"'\n]{6,})["']"#,
    r#"(?i)\b(ConvertTo-SecureString)\s+(?:-String\s+)?["']([^"'\n]{6,})["']"#,
    r#"(?i)["'](?P<value>[^"'\n]{6,})["']\s*\|\s*(?P<name>ConvertTo-SecureString)\b"#,
    // `set -gx API_TOKEN …`, `setenv API_TOKEN …`
    r#"\bset(?:env)?\s+(?:-[a-zA-Z]+\s+)*([A-Z0-9_]*(?:KEY|TOKEN|SECRET|PASSWORD|PASS))\s+["']?([^\s"'$=]{8,})"#,
    // A pair whose first half is the name: `- name: API_TOKEN` with its `value: …`.
    r#"(?i)\b(?:name|key)["']?\s*[:=]\s*["']?([a-z0-9_.-]*@NAME@)["']?\s*[,;]?\s*["']?value["']?\s*[:=]\s*["']?([^\s"'{}$,]{8,})"#,
    r"(?i)<key>\s*([^<]{0,60}@NAME@)\s*</key>\s*<string>\s*([^<\s]{6,})\s*</string>",
    r#"(?i)<entry\s+key=["']([^"']{0,60}@NAME@)["'][^>]{0,40}>\s*([^<\s]{6,})\s*</"#,
    r#"(?i)\bvariable\s+"([^"\n]{0,60}@NAME@)"\s*\{[^{}]{0,400}?\bdefault\s*=\s*"([^"\n]{6,})""#,
    // A value on a line of its own: `password: >-`.
    r"(?i)\b([a-z0-9_.-]*@NAME@)[\x22']?\s*:\s*[|>][+-]?[ \t]*\n[ \t]*(\S{8,})[ \t]*(?:\n|$)",
];

/// What may be something else: a value counts if letters and digits alternate within it.
pub(super) const UNCERTAIN: &[&str] = &[
    // A name and its value one after the other: `define('DB_PASSWORD', '…')`, `set("token", "…")`.
    r#"(?i)["']([#.\[\]=a-z0-9_-]*@NAME@)["']\s*,\s*["'](?:\\["'])?([^"'\n\\]{6,})"#,
    // A call that takes it: `login('me', '…')`, `setPassword("…")`.
    r#"(?i)\b(\w*(?:login|auth|authenticate|credentials?|sign_?in|set_?password|with_?password|getConnection|unsafePlainText|jwt\.(?:sign|encode|verify|decode)|jsonwebtoken["']\)\.(?:sign|verify)|createHmac|hmac\.new|Fernet|cookieParser|WiFi\.begin|softAP|PDO|mysqli(?:_connect)?|DBI->connect))\(\s*(?:(?:[\w.]+|\{[^{}\n]{0,80}\})\s*,\s*)?(?:["'][^"'\n]*["']\s*,\s*){0,3}(?:Some\()?[bB]?["']([^"'\s]{8,})["']"#,
    r#"(?i)\b(basic_auth)\s+["'][^"'\n]{1,60}["']\s*,\s*["']([^"'\s]{8,})["']"#,
    // Sentences: `the password is …`.
    r#"(?i)\b(@SPOKEN@)\s+(?:@IS@)\s*:?\s+["'`]?([^\s"'`<>]{7,}[^\s"'`<>.,;])"#,
    r"(?i)\b(@SPOKEN@)\s+`([^\s`<>]{8,})`",
    r#"(?i)\b(@SPOKEN@|pass)\s+(?:for|of|on|für|von|pour|de|para)\s+[\w.-]{1,30}(?:\s[\w.-]{1,20}){0,3}?\s*(?::|=|\b(?:@IS@)\b)\s*["'`]?([^\s"'`<>]{7,}[^\s"'`<>.,;])"#,
    r#"(?i)\b(login|logins|log in|credentials|creds|account|ssh|s?ftp|rdp|admin|access|vpn|db|database|server|wifi)\b[^\n:=]{0,40}?(?:[:=]|\b(?:is|are|with|as)\b)\s*[\w.@-]{1,40}\s*/\s*["'`]?([^\s"'`<>/]{7,}[^\s"'`<>/.,;])"#,
    r"\b(open\s+-u)\s+[\w.@-]+,([^\s;,]{8,})",
    // What replaces a mark: `s|__TOKEN__|…|`.
    r"(?i)\bs[|/#,!@][\w{}$<%. -]{0,40}?(@NAME@)[\w}>%. -]{0,12}[|/#,!@]([^\s|/#,!@]{12,})[|/#,!@]",
    r"(:pserver):[\w.-]{1,40}:([^\s@:]{8,64})@",
    // Commands that create accounts: `rootpw --plaintext …`, `chpasswd:` with `user:…`,
    // `sqlplus me/…@db`.
    r"\b(rootpw)\s+(?:--?\w+\s+)*(\S{8,})",
    r"\b(chpasswd):\s*\n\s*list:\s*\|?\s*\n\s*[\w.-]+:(\S{8,})",
    r"\b(sqlplus|sqlldr|impdp|expdp)\s+(?:-\w+\s+)*\w+/([^\s@/]{8,})@",
    // A server, with a user and a password: `FTP('host', 'me', '…')`.
    r#"(?i)\b(\w*(?:connect(?:ion)?|session|ftp\w*|smtp\w*|imap\w*|ssh\w*|telnet\w*))\(\s*["'][\w.:/-]{1,60}["']\s*,\s*["'][^"'\n]{1,60}["']\s*,\s*["']([^"'\s]{8,})["']"#,
    // A key as the name of a user, and as data that is sent: `curl -u KEY:`, `-d key=…`.
    r#"\b(curl|xh|https?)\b[^\n|;]*\s(?:-u|--user|-a|--auth)[=\s]?["']?([A-Za-z0-9_-]{24,}):["']?(?:\s|$)"#,
    r#"\s(?:-d|--data(?:-\w+)?)[=\s]["']?(?:[^\s"']*&)?((?:\w*_)?key)=([A-Za-z0-9_-]{20,})"#,
    r"\b(vault\s+operator\s+unseal)\s+(?:-\S+\s+)*([A-Za-z0-9+/=]{20,})",
    r#"\b(userid)=\w+/([^\s@/"']{8,})"#,
    // Operands after the account that they belong to: `isql DSN me …`,
    // `dscl . -passwd /Users/me …`.
    r#"\b(isql|iusql|bsqldb|dscl\s+\S+\s+-passwd)\s+(?:[\w.-]+\s+)?[\w./-]+\s+["']?([^\s"'-][^\s"']{7,})"#,
    // `user:…@tcp(host)`
    r#"\b(\w+):([^\s:@"']{6,})@(?:tcp|unix|udp)\("#,
    // Settings of servers: `requirepass …`, `user u insecure-password …`
    r#"(?im)^\s*(?:(?:user|username)\s+\S+\s+|enable\s+)?([a-z_-]*(?:requirepass|masterauth|password|passwd|secret|psk|passphrase))\s+([^\s"'{};]{8,})\s*$"#,
    // `.pgpass`: `host:5432:db:user:…`
    r#"(?m)(?:^|["'\s])[\w.*-]+:(\d{4,5}|\*):[\w*-]+:[\w*-]+:([^\s"']{8,})(?:$|["'\s])"#,
    // A command that prints it: `--password-file=<(echo …)`, `--password-command 'echo …'`
    r#"(?i)\b([a-z_-]*(?:password|passphrase|secret|token|key))(?:[-_]?(?:file|command|cmd|script|eval))?[=\s]+["']?(?:<\()?\s*(?:echo|printf)\s+["']?([^\s"'()]{8,})"#,
    // Scripts that act as a person: `expect assword; send "…"`
    r#"(?i)\b(p?ass(?:word)?|word|passphrase)\b[^\n]{0,40}\n?[^\n]{0,20}\bsend\s+(?:--\s+)?\\?["']([^"'\s\\]{8,})(?:\\[rn])*\\?["']"#,
    // Commands in scripts and pipelines: `curl -u me:…`, `sshpass -p …`, `mysql -p…`
    r#"(?i)\b(curl|wget|https?|xh)\b[^\n|;]*\s(?:-u|--user|--proxy-user|-a|--auth)[=\s]?["']?[\w.@-]+:([^\s"'$:]{8,})"#,
    r#"\b(sshpass|mysql\w*|mariadb)\b[^\n|;]*\s-p\s?["']?([^\s"'$]{8,})"#,
    r#"\b(docker|podman|helm|oc|az|npm)\s[^\n|;]*\blogin\b[^\n|;]*\s-p\s+["']?([^\s"'$]{8,})"#,
    r#"\b(redis-cli)\b[^\n|;]*\s-a\s+["']?([^\s"'$]{8,})"#,
    // Cookies that keep somebody logged in.
    r#"(?i)\b(cookie):\s*[^=;\s"']+=([^;"'\s]{20,})"#,
    r#"(?:^|\s)(-b|--cookie)[\s=]+["']?[\w.-]+=([^;"'\s]{20,})"#,
    // A user and a password: `auth=("me", "…")`, `-auth me:…`, `-U me%…`.
    r#"(?i)\b(\w{0,40}(?:auth|credentials?)\w{0,20})["']?\s*[:=]\s*[(\[{]\s*["'][^"'\n]{0,80}["']\s*,\s*["']([^"'\s]{8,})["']"#,
    r#"(?i)\s(--?(?:auth|basic-auth|auth-cred|http-auth|userpass|userpwd|credentials?|creds|login))[=\s]["']?[\w.@-]{1,60}:([^\s"'$:]{8,})"#,
    r#"(?:^|\s)(-U|--user|-user)[=\s]?["']?[\w.\\/-]{1,60}%([^\s"'$%]{8,})"#,
    // The key with which a client is created, and calls that pass on a key: `Mail::API.new("…")`,
    // `setApiKey("…")`.
    r#"\b([A-Z]\w{0,40}(?:Client|API|Api|SDK)(?:::\w{1,20}){0,3}(?:\.(?:new|create|init|connect|configure))?)\(\s*["']([A-Za-z0-9_.=+/-]{20,})["']"#,
    r#"(?i)\b(\w{0,40}(?:set|with|use|add)_?(?:api_?key|(?:access_?|auth_?|bot_?|bearer_?)?token|secret(?:_?key)?|passphrase))\(\s*["']([^"'\s]{8,})["']"#,
    // A comment that describes the value before it.
    r#"["'](?P<value>[A-Za-z0-9_+/=-]{20,})["'][\s),;}\]]{0,8}(?://|\#|/\*|--)\s*[^\n]{0,40}?\b(?P<name>(?i:(?:admin|api|secret|private|write|signing|access|encryption)[ _-]?key|password|secret|token))\b"#,
    // What is written into a file whose name indicates a secret: `echo … > config/master.key`.
    r#"\b(?:echo|printf)\s+(?:-\w+\s+|["']?%s["']?(?:\\n)?["']?\s+)?["']?(?P<value>[A-Za-z0-9_+/=.-]{12,})(?:\\n)?["']?\s*(?:>>?\s*|\|\s*(?:sudo\s+)?tee\s+(?:-a\s+)?)["']?[\w./~$-]{0,120}?(?P<name>(?:master|secret|api|private|auth)?[._-]?(?:key|token|secret|passwd|password|pass|vault_pass|vault-pass))["']?(?:\s|[;&|]|$)"#,
    // Two keys with which something is created, and credentials without a scheme: `me:…@host`.
    r#"\bnew\s+([A-Z]\w{0,40})\(\s*["'][A-Za-z0-9]{16,}["']\s*,\s*["']([A-Za-z0-9+/=_-]{20,})["']"#,
    r#"(?:^|\s)["']?((?:[\w.-]{1,40}/)?[\w.-]{1,40}):([^\s"'@:/]{8,64})@[\w.-]{1,80}(?:["'\s]|$)"#,
    // Credentials for a server, as code writes them: `btoa('me:…')`.
    r#"\b(btoa|\w{0,20}b64_?encode|base64_encode|\w{0,20}encode64|Buffer\.from)\(\s*b?["'`][\w.@-]{1,40}:([^\s"'`$:{}]{8,64})["'`]"#,
    // Settings of clients: `user = "me:…"`.
    r#"(?im)^\s*-{0,2}((?:proxy-)?user)\s*[=:\s]\s*["']?[\w.@-]{1,60}:([^\s"'$:]{8,})["']?\s*$"#,
    // A name in capitals whose value is in a sentence: `the API_SECRET is …`, `use API_TOKEN …`.
    r#"\b([A-Z][A-Z0-9_]{0,60}_(?:KEY|TOKEN|SECRET|PASSWORD|PASS|PAT))\s+(?:is\s+|to\s+|as\s+)?["'`]?([A-Za-z0-9_.+/=-]{16,})"#,
    // `with password …`
    r#"(?i)(?:\b(?:with|and|use|using|as)|,)\s+(?:the\s+|this\s+)?(@SPOKEN@|pass)\s+["'`]?([^\s"'`<>]{7,}[^\s"'`<>.,;])"#,
    // `Sign in with me@h and …`, in quotes of code.
    r#"(?i)\b(sign in|log in|login|logs in)\s+(?:with|as)\s+["'`]?[\w.@-]{1,60}["'`]?\s+(?:and|with|/)\s+(?:the\s+)?(?:password\s+)?["'`]([^"'`\s]{8,})["'`]"#,
    r#"(?i)\b(set\s+password)\b[^=\n]{0,60}=\s*(?:password\()?\s*["']([^"'\n]{6,})["']"#,
    // Calls that hash it: `'password' => bcrypt('…')`.
    r#"(?i)\b(password)["']?\s*(?:=>|[:=])\s*(?:\w+(?:::|\.|->))?(?:bcrypt|make|hash\w*|encode|generate_password_hash)\(\s*["']([^"'\s]{8,})["']"#,
    // What is typed into a field: `getByLabel("Password").fill("…")`, `Input Password  id=pw  …`.
    r#"(?i)["'][^"'\n]{0,40}(passwor[dt]|passphrase|\bpw\b|\bpwd\b)[^"'\n]{0,20}["']\s*\)?\s*\)\s*\.\s*(?:fill|type|send_?keys|set_?value|set|press_?sequentially)\(\s*["']([^"'\s]{8,})["']"#,
    r"(?i)\b(input\s+password)\s+\S+\s{2,}(\S{8,})",
    // What counts if a variable isn't set: `process.env.DB_PASS || '…'`.
    r#"(?i)(?:process\.env\.|getenv\(\s*["'])(\w*(?:PASS\w*|PWD|SECRET|TOKEN|KEY))["']?\s*(?:\|\||\?\?|,)\s*["']([^"'\s]{8,})["']"#,
    // A parameter that is stored as a secret, and a key that is made from its letters.
    r#"\b(SecureString)"[^{}]{0,200}?\bvalue\s*=\s*"([^"\n$]{6,})""#,
    r#"(?i)\b(\w{0,40}(?:key|secret|password))\s*:?=\s*(?:\[\]byte|Buffer\.from|bytes|new\s+String)\s*\(\s*["'`]([^"'`\s]{16,})["'`]"#,
    r#"\b(jdbc:oracle:thin):\w{1,40}/([^\s@"'/]{6,})@"#,
    r"(?m)^\s*(user)\s+[\w.@-]{1,40}\s+([^\s;{}]{8,})\s*$",
    // A tuple of Erlang, and what a template hashes.
    r#"(?i)\{\s*(\w{0,30}(?:password|passwd|passphrase))\s*,\s*"([^"\s]{8,})"\s*\}"#,
    r#"["'](?P<value>[^"'\s{}]{8,})["']\s*\|\s*(?P<name>password_hash)\b"#,
    // A default value, and the initial state of a page: `@Value("${a.key:…}")`, `ref("…")`.
    r#"(?i)@Value\(\s*"\$\{[\w.-]{1,60}:(?P<value>[^}"\s]{12,})\}"\s*\)[^;\n]{0,60}?\b(?P<name>\w{0,40}@NAME@)\b"#,
    r#"(?i)\b(\w{0,40}@NAME@)(?:\s*,\s*\w{1,40})?\s*\]?\s*(?::\s*[\w<>]{1,40}\s*)?=\s*(?:\w{1,20}\.)?(?:ref|shallowRef|useState|useRef|signal|writable|atom|observable|reactive|of)(?:<[^>\n]{0,40}>)?\(\s*["'`]([^"'`\s]{12,})["'`]"#,
    // An option of a command in settings and scripts: `--admin-password …`,
    // `["--requirepass", "…"]`.
    r#"(?i)(?:^|[\s"'\[,])(--(?:[a-z]{1,20}-){0,3}(?:requirepass|masterauth|passw(?:or)?d|passphrase|passwd|pass|secret|token|api-?key))["']?(?:\s*,\s*["']|[=\s]\s*["']?)([^\s"'$<{\[,]{8,})"#,
    // Who may log in, with which password: `basic: me:…`.
    r#"(?i)\b(basic)(?:_?auth)?["']?\s*[:=]\s*["']?[\w.@-]{1,40}:([^\s"':,/]{8,64})(?:["'\s,]|$)"#,
];
