//! Places where secret values occur without an assignment. In each expression, the first group
//! identifies the secret and the second is its value, unless they are called `name` and `value`.

/// The ending of a name that indicates a secret, for `@NAME@` in expressions.
const NAME: &str = r"(?:passwor[dt]|passwd|passphrase|[_.-]pass|\bpass|pwd|secret|token|(?:api|auth|secret|access|private|app|signing|encryption)[_.-]?key|psk|_salt|\bjwt|_jwt|(?-i:_KEY|_PAT))";

/// What people call a secret in a sentence, for `@SPOKEN@` in expressions.
const SPOKEN: &str = "password|passphrase|passwd|passcode|pwd|pw|token|secret|api key|access key|passwort|kennwort|contraseña|mot de passe|senha|wachtwoord";

/// The verb of such a sentence, for `@IS@` in expressions.
const IS: &str = "is|was|to|as|ist|lautet|es|est|é|is now|equals";

/// How the name of a group of settings begins whose `key` is a secret, for `@GROUP@` in
/// expressions.
const GROUP: &str = "jwt|(?:azure_?)?open_?ai|cognitive|encryption|signing|crypto|hmac|aes|session|cookie|auth|tokens?";

/// Returns an expression of this module with its placeholders replaced.
pub(super) fn spelt_out(expression: &str) -> String {
    [
        ("@NAME@", NAME),
        ("@SPOKEN@", SPOKEN),
        ("@IS@", IS),
        ("@GROUP@", GROUP),
    ]
    .iter()
    .fold(expression.to_owned(), |text, (word, what)| {
        text.replace(word, what)
    })
}

/// The value of a name that indicates a secret: `#define`, XML, Gradle.
pub(super) const STATED: &[&str] = &[
    r#"(?i)\b([a-z0-9_.-]*@NAME@)(?:["']\]["']?)?\s+["']{1,2}([^"'\n]{6,})["']"#,
    r"(?i)<([a-z0-9_.]*@NAME@)>\s*([^<\s]{6,})\s*</",
    r#"(?i)\blogin\s+\S+\s+(password)\s+([^\s"'\\]{8,})"#,
    r#"(?i)(?:key|name)=["']([^"']*@NAME@)["']\s+(?:\w+:)?(?:value|content)=["']([^"']{6,})["']"#,
    r#"(?i)\bname=["']([^"']*@NAME@)["']\s*>\s*(?:<value>\s*)?([^<\s]{6,})\s*</"#,
    // An element with its value within it or beside it: `<AdminPassword><Value>…`,
    // `<name>a.secret.key</name><value>…`, `<Pass encoding="base64">…`.
    r"(?i)<([a-z0-9_.]*@NAME@)>\s*<value>\s*([^<\s]{6,})\s*</",
    r"(?i)<name>\s*([^<]{0,60}@NAME@)\s*</name>\s*<value>\s*([^<\s]{6,})\s*</",
    r"(?i)<(pass(?:word)?)\s+[^<>]{1,60}>\s*([^<\s]{6,})\s*</",
    // Assignments of R, Lua, Jsonnet, and of TOML and Python over several lines.
    r#"(?i)\b([a-z0-9_.]*@NAME@)\s*<<?-\s*["']([^"'\n]{6,})["']"#,
    r"(?i)\b([a-z0-9_]*@NAME@)\s*=\s*\[=*\[([^\]\s]{8,})\]",
    r#"(?i)\b([a-z0-9_]*@NAME@)["']?\s*:{2,3}\s*["']([^"'\n]{6,})["']"#,
    r#"(?i)\b([a-z0-9_]*@NAME@)\s*[:=]\s*(?:"{3}|'{3})\s*([^\s"']{8,})\s*(?:"{3}|'{3})"#,
    // Settings of Hadoop and Spark end in the name of an account:
    // `fs.azure.account.key.me.host`, `…`.
    r#"\b(fs\.(?:azure|s3a|gs)\.[\w.-]{0,60}(?:key|secret|sas|token)[\w.-]{0,80})["']?\s*[,=\s]\s*["']?([A-Za-z0-9+/=]{20,})"#,
    // Answers of an installer, a switch's settings.
    r"\b(passwd/[a-z]+-password(?:-again)?)\s+(?:password|string)\s+(\S{6,})",
    r"(?im)\b(password|secret)\s+0\s+(\S{6,})\s*$",
    // Settings whose values are secrets, whatever they are called.
    r#"\b(plaintext_value|secret_string|secret_data)\s*=\s*["']([^"'\n$]{8,})["']"#,
    r#"(?i)\b(pragma\s+(?:re)?key)\s*=\s*["']([^"'\s]{8,})["']"#,
    // The cookie of a session.
    r#"(?i)(?:^|\s)(-b|--cookie)[\s=]+["']?(?:\w*sess\w*|[\w.]*sid)=([a-z0-9._%-]{24,})"#,
    r#"(?i)\b(cookie)["']?(?:\s*[:=]\s*\[?|\s)\s*["'`]?(?:\w*sess\w*|[\w.]*sid)=([a-z0-9._%-]{24,})"#,
    // A name with its type: `const API_KEY: &'static str = "…"`, `var token string = "…"`.
    r#"(?i)\b([a-z0-9_]*@NAME@)(?:\s*:\s*|\s+)(?:[&a-z][\w&' <>.:\[\]|?*]{0,40}|\[\w{1,10};\s*\w{1,20}\]\s*)=\s*\*?[bl@]?(?:"([^"\n]{6,})"|'(?P<value>[^'\n]{6,})')"#,
    // A place in a table of Perl or PHP: `$ENV{API_TOKEN} = "…"`.
    r#"(?i)\{\s*["']?([a-z0-9_.-]*@NAME@)["']?\s*\}\s*=\s*["']([^"'\n]{6,})["']"#,
    r#"(?i)\b(identified)\s+(?:with\s+\S+\s+)?by\s+(?:password\s+)?["']([^"'\n]{6,})["']"#,
    r#"(?i)\b(ConvertTo-SecureString)\s+(?:-String\s+)?["']([^"'\n]{6,})["']"#,
    r#"(?i)["'](?P<value>[^"'\n]{6,})["']\s*\|\s*(?P<name>ConvertTo-SecureString)\b"#,
    // `set -gx API_TOKEN …`, `setenv API_TOKEN …`
    r#"\bset(?:env)?\s+(?:-[a-zA-Z]+\s+)*([A-Z0-9_]*(?:KEY|TOKEN|SECRET|PASSWORD|PASS))\s+["']?([^\s"'$=]{8,})"#,
    // A pair whose first half is the name: `- name: API_TOKEN` with its `value: …`.
    r#"(?i)\b(?:parameter)?(?:name|key)["']?\s*[:=]\s*["']?([a-z0-9_.-]*@NAME@)["']?\s*[,;]?\s*["']?(?:parameter)?value["']?\s*[:=]\s*["']?([^\s"'{}$,]{8,})"#,
    r"(?i)<key>\s*([^<]{0,60}@NAME@)\s*</key>\s*<string>\s*([^<\s]{6,})\s*</string>",
    r#"(?i)<entry\s+key=["']([^"']{0,60}@NAME@)["'][^>]{0,40}>\s*([^<\s]{6,})\s*</"#,
    r#"(?i)\bvariable\s+"([^"\n]{0,60}@NAME@)"\s*\{[^{}]{0,400}?\bdefault\s*=\s*"([^"\n]{6,})""#,
    // A value on a line of its own: `password: >-`.
    r"(?i)\b([a-z0-9_.-]*@NAME@)[\x22']?\s*:\s*[|>][+-]?[ \t]*\n[ \t]*(\S{8,})[ \t]*(?:\n|$)",
];

/// What may be something else: a value counts if letters and digits alternate within it.
pub(super) const UNCERTAIN: &[&str] = &[
    // A name and its value one after the other: `define('DB_PASSWORD', '…')`, `set("token", "…")`.
    r#"(?i)["']([#.\[\]=a-z0-9_-]*@NAME@)["']\s*(?:,|->)\s*["'](?:\\["'])?([^"'\n\\]{6,})"#,
    // A call that takes it: `login('me', '…')`, `setPassword("…")`.
    r#"(?i)\b(\w*(?:login|auth|authenticate|authentication(?:token)?|wlan\.connect|ssh\.Password|changeUserPassword|from_secret|new_from_slice|signWith|SymmetricSecurityKey|\w{0,20}Serializer|TOTP|HOTP|pbkdf2_hmac|AES\.(?:new|encrypt)|bcrypt\.hash(?:Sync)?|pgp_sym_(?:en|de)crypt|create(?:C|Dec)ipheriv|setVapidDetails|credentials::new|credentials?|sign_?in|(?:set|check|verify|make|hash)_?password|SecretKeySpec|crypto_(?:secretbox|auth)\w{0,20}|SignedString|with_?password|getConnection|(?:unsafe)?PlainText|SecretValue\.(?:unsafe_)?plain_text|jwt\.(?:sign|encode|verify|decode)|jsonwebtoken["']\)\.(?:sign|verify)|createHmac|hmac\.new|Fernet|cookieParser|WiFi\.begin|softAP|PDO|mysqli(?:_connect)?|DBI->connect|JedisPool|\bMinio|\bbasic|hmacShaKeyFor|openssl_(?:en|de)crypt|SecretString::(?:from|new)|from_?secret_?key))\(\s*(?:(?:\$?[\w.:]+|\{[^{}\n]{0,80}\}|["'][^"'\n]*["'](?:\.\w+\(\))?)\s*,\s*){0,4}(?:Some\(|\[\]byte\(|Buffer\.from\(|(?:\w{1,10}\.)?decode\(|(?:\w+\.){0,3}GetBytes\()?[bB]?["']([^"'\s]{8,})["']"#,
    r#"(?i)\b(basic_auth)(?:\s+|\s*,\s*)["'][^"'\n]{1,60}["']\s*,\s*["']([^"'\s]{8,})["']"#,
    // Sentences: `the password is …`.
    r#"(?i)\b(@SPOKEN@)\s+(?:@IS@)\s*:?\s+["'`]?([^\s"'`<>]{7,}[^\s"'`<>.,;])"#,
    r"(?i)\b(@SPOKEN@)\s+`([^\s`<>]{8,})`",
    r#"(?i)\b(@SPOKEN@|pass)\s+(?:for|of|on|für|von|pour|de|para)\s+[\w.:/@-]{1,60}(?:\s[\w.-]{1,20}){0,3}?\s*(?::|=|\b(?:@IS@)\b)\s*["'`]?([^\s"'`<>]{7,}[^\s"'`<>.,;])"#,
    r#"(?i)\b(login|logins|log in|credentials|creds|zugangsdaten|identifiants|credenciales|account|ssh|s?ftp|rdp|admin|access|vpn|db|database|server|wifi)\b[^\n:=]{0,40}?(?:[:=(]|\b(?:is|are|with|as)\b)\s*["'`]?[\w.@-]{1,40}["'`]?\s*/\s*["'`]?([^\s"'`<>/]{7,}[^\s"'`<>/.,;])"#,
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
    r#"\b(curl|xh|https?)\b[^\n|;]*\s(?:-u|--user|-a|--auth)[=\s]?["']?([A-Za-z0-9_-]{24,}):(?:[xX]|api_token|unused)?["']?(?:\s|$)"#,
    r#"\s(?:-d|--data(?:-\w+)?)[=\s]["']?(?:[^\s"']*&)?((?:\w*_)?key)=([A-Za-z0-9_-]{20,})"#,
    r"\b(vault\s+operator\s+unseal)\s+(?:-\S+\s+)*([A-Za-z0-9+/=]{20,})",
    r#"\b(userid)=\w+/([^\s@/"']{8,})"#,
    // Operands after the account that they belong to: `isql DSN me …`,
    // `dscl . -passwd /Users/me …`.
    r#"\b(isql|iusql|bsqldb|dscl\s+\S+\s+-passwd)\s+(?:[\w.-]+\s+)?[\w./-]+\s+["']?([^\s"'-][^\s"']{7,})"#,
    // `user:…@tcp(host)`
    r#"\b(\w+):([^\s:@"']{6,})@(?:tcp|unix|udp)\("#,
    // Settings of servers: `requirepass …`, `user u insecure-password …`
    r#"(?im)^\s*(?:(?:user|username)\s+\S+\s+|enable\s+|set\s+)?([a-z_-]*(?:requirepass|masterauth|bindpw|password|passwd|secret|psk|passphrase))\s+([^\s"'{};]{8,})\s*$"#,
    // `.pgpass`: `host:5432:db:user:…`
    r#"(?m)(?:^|["'\s])[\w.*-]+:(\d{4,5}|\*):[\w*-]+:[\w*-]+:([^\s"']{8,})(?:$|["'\s])"#,
    // A command that prints it: `--password-file=<(echo …)`, `--password-command 'echo …'`
    r#"(?i)\b([a-z_-]*(?:password|passphrase|secret|token|key))(?:[-_]?(?:file|command|cmd|script|eval))?[=\s]+["']?(?:<\()?\s*(?:echo|printf)\s+["']?([^\s"'()]{8,})"#,
    // Scripts that act as a person: `expect assword; send "…"`
    r#"(?i)\b(p?ass(?:word)?|word|passphrase)\b[^\n]{0,40}\n?[^\n]{0,20}\bsend(?:line)?(?:\s+(?:--\s+)?|\(\s*)\\?["']([^"'\s\\]{8,})(?:\\[rn])*\\?["']"#,
    // Commands in scripts and pipelines: `curl -u me:…`, `sshpass -p …`, `mysql -p…`
    r#"(?i)\b(curl|wget|https?|xh)\b[^\n|;]*\s(?:-u|--user|--proxy-user|-a|--auth)[=\s]?["']?[\w.@-]+:([^\s"'$:]{8,})"#,
    r#"\b(sshpass|mysql\w*|mariadb)\b[^\n|;]*[\s"']-p\s?["']?([^\s"'$]{8,})"#,
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
    r#"\b((?:[A-Z]\w{0,40})?(?:Client|API|Api|SDK)(?:::\w{1,20}){0,3}(?:\.(?:new|create|init|connect|configure))?)\(\s*["']([A-Za-z0-9_.=+/-]{20,})["']"#,
    r#"(?i)\b(\w{0,40}(?:set|with|use|add)_?(?:api_?key|(?:access_?|auth_?|bot_?|bearer_?)?token|secret(?:_?key)?|passphrase))\(\s*["']([^"'\s]{8,})["']"#,
    // A comment that describes the value before it.
    r#"["'](?P<value>[A-Za-z0-9_+/=-]{20,})["'][\s),;}\]]{0,8}(?://|\#|/\*|--)\s*[^\n]{0,40}?\b(?P<name>(?i:(?:admin|api|secret|private|write|signing|access|encryption|aes|master)[ _-]?key|password|secret|token))\b"#,
    // What is written into a file whose name indicates a secret: `echo … > config/master.key`.
    r#"\b(?:echo|printf)\s+(?:-\w+\s+|["']?%s["']?(?:\\n)?["']?\s+)?["']?(?P<value>[A-Za-z0-9_+/=.-]{12,})(?:\\n)?["']?\s*(?:>>?\s*|\|\s*(?:sudo\s+)?tee\s+(?:-a\s+)?)["']?[\w./~$-]{0,120}?(?P<name>(?:master|secret|api|private|auth)?[._-]?(?:key|token|secret|passwd|password|pass|vault_pass|vault-pass))["']?(?:\s|[;&|]|$)"#,
    // Two keys with which something is created, and credentials without a scheme: `me:…@host`.
    r#"\bnew\s+([A-Z]\w{0,40})\(\s*["'][A-Za-z0-9]{16,}["']\s*,\s*["']([A-Za-z0-9+/=_-]{20,})["']"#,
    r#"(?:^|\s)["']?((?:[\w.-]{1,40}/)?(?:\d{1,20}|[\w.-]{0,40}[A-Za-z_][\w.-]{0,40})):([^\s"'@:/]{8,64})@[\w.-]{1,80}(?:["'\s]|$)"#,
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
    r#"(?i)\b(password)["']?\s*(?:=>|[:=])\s*(?:await\s+)?(?:\w+(?:::|\.|->))?(?:bcrypt|make|hash\w*|encode|generate_password_hash)\(\s*["']([^"'\s]{8,})["']"#,
    // What is typed into a field: `getByLabel("Password").fill("…")`, `Input Password  id=pw  …`.
    r#"(?i)["'][^"'\n]{0,40}(passwor[dt]|passphrase|\bpw\b|\bpwd\b)[^"'\n]{0,20}["']\s*\)?\s*\)\s*\.\s*(?:fill|type|send_?keys|set_?value|set|press_?sequentially)\(\s*["']([^"'\s]{8,})["']"#,
    r"(?i)\b(input\s+password)\s+\S+\s{2,}(\S{8,})",
    // What counts if a variable isn't set: `process.env.DB_PASS || '…'`.
    r#"(?i)(?:process\.env\.|getenv\(\s*["'])(\w*(?:PASS\w*|PWD|SECRET|TOKEN|KEY))["']?\s*(?:\|\||\?\?|,)\s*["']([^"'\s]{8,})["']"#,
    // A parameter that is stored as a secret, and a key that is made from its letters.
    r#"\b(SecureString)"[^{}]{0,200}?\bvalue\s*=\s*"([^"\n$]{6,})""#,
    r#"(?i)\b(\w{0,40}(?:key|secret|password))\s*:?=\s*(?:\[\]byte|Buffer\.from|bytes|new\s+String|(?:\w{1,20}\.){0,3}GetBytes)\s*\(\s*["'`]([^"'`\s]{16,})["'`]"#,
    r#"\b(jdbc:oracle:thin):\w{1,40}/([^\s@"'/]{6,})@"#,
    r"(?m)^\s*(user)\s+[\w.@-]{1,40}\s+([^\s;{}]{8,})\s*$",
    // A tuple of Erlang, and what a template hashes.
    r#"(?i)\{\s*(\w{0,30}(?:password|passwd|passphrase))\s*,\s*"([^"\s]{8,})"\s*\}"#,
    r#"["'](?P<value>[^"'\s{}]{8,})["']\s*\|\s*(?P<name>password_hash)\b"#,
    // A default value, and the initial state of a page: `@Value("${a.key:…}")`, `ref("…")`.
    r#"(?i)@Value\(\s*"(?:\$\{[\w.-]{1,60}:)?(?P<value>[^}"$\s]{12,})\}?"\s*\)[^;\n]{0,60}?\b(?P<name>\w{0,40}@NAME@)\b"#,
    r#"(?i)\b(\w{0,40}@NAME@)(?:\s*,\s*\w{1,40})?\s*\]?\s*(?::\s*[\w<>]{1,40}\s*)?=\s*(?:\w{1,20}\.)?(?:ref|shallowRef|useState|useRef|signal|writable|atom|observable|reactive|of)(?:<[^>\n]{0,40}>)?\(\s*["'`]([^"'`\s]{12,})["'`]"#,
    // An option of a command in settings and scripts: `--admin-password …`,
    // `["--requirepass", "…"]`.
    r#"(?i)(?:^|[\s"'\[,])(--(?:[a-z]{1,20}-){0,3}(?:requirepass|masterauth|passw(?:or)?d|passphrase|passwd|pass|secret|token|api-?key))["']?(?:\s*,\s*["']|[=\s]\s*["']?)([^\s"'$<{\[,]{8,})"#,
    // A user with a password, as clients and proxies take both.
    r#"\b(CURLOPT_USERPWD)\s*,\s*["'][\w.@-]{1,60}:([^"'\s$]{8,})["']"#,
    r#"(?im)\b(stats\s+auth|login)(?:\s+|=)(?:\d{2,20}|[\w.@-]{0,40}[a-z_][\w.@-]{0,40}):([^\s"'$:]{8,})\s*$"#,
    r#"(?i)\b(basic auth(?:entication)?)\s+(?:with\s+|as\s+)?["'`]?[\w.@-]{1,40}:([^\s"'`:$]{8,})"#,
    // Settings of switches, and assignments of AppleScript, C++ and Haskell.
    r"(?i)\b(snmp-server\s+community)\s+(\S{8,})\s+r[ow]\b",
    r#"(?i)\bset\s+(\w{0,30}@NAME@)\s+to\s+["']([^"'\s]{8,})["']"#,
    r#"(?i)\b(\w{0,40}@NAME@)\s*\{\s*"([^"\s]{8,})"\s*\}"#,
    r#"(?i)\b(\w{0,40}@NAME@)\s*=\s*(?:\w{1,20}\.)?pack\s+"([^"\s]{8,})""#,
    // What a message authentication begins with: `hmac.New(sha256.New, []byte("…"))`.
    r#"\b(hmac\.New)\(\s*[\w.]{1,30}\s*,\s*\[\]byte\(["`]([^"`\s]{8,})["`]"#,
    // The keys that sign cookies: `cookieSession({ keys: ['…'] })`.
    r#"(?i)\b(cookie\w{0,20})\(\s*\{[^{}\n]{0,80}\bkeys\s*:\s*\[\s*["']([^"'\s]{12,})["']"#,
    // What a builder is given: `.user("me").password("…")`.
    r#"\.(password|passphrase)\(\s*["']([^"'\s]{8,})["']\s*\)"#,
    // What an option means if nobody gives it: `("--token", default="…")`, an attribute of Rust.
    r#"(?i)["'](--?[\w-]{0,40}@NAME@)["'][^()\n]{0,120}?\bdefault\s*=\s*["']([^"'\s]{8,})["']"#,
    r#"(?i)\bdefault_value\s*=\s*"(?P<value>[^"\s]{8,})"\s*\)\s*\]\s*(?:pub\s+)?(?P<name>\w{0,40}@NAME@)\b"#,
    r#"(?m)^\s*-\s+["']?(--?[\w-]{0,40}@NAME@)["']?[ \t]*\n\s*-\s+["']?([^\s"'$]{8,})["']?[ \t]*$"#,
    // Annotations, attributes of pages, objects with one value.
    r#"@(\w{0,30}(?:Secret|Token|ApiKey|Password))\(\s*["']([^"'\s]{12,})["']\s*\)"#,
    r#"(?i)<input\b[^<>]{0,200}\btype=["'](password)["'][^<>]{0,200}?\b(?:default)?value=["']([^"'\s{}]{8,})["']"#,
    r#"(?i)["']?([\w.-]{0,40}@NAME@)["']?\s*:\s*\{\s*["']?(?:value|default|content)["']?\s*:\s*["']([^"'\s]{8,})["']"#,
    r#"(?i)\b(password)["']?\s*[=(:]\s*["']\{noop\}([^\s"'{}]{8,})"#,
    // Literals of Java and Ruby, a scheme that is joined to its value.
    r#"\b(load|getKey|init|PBEKeySpec|PasswordProtection)\(\s*(?:[\w.]{1,40}\s*,\s*)?"([^"\s]{8,})"\.toCharArray\("#,
    r"(?i)\b(\w{0,40}@NAME@)\s*=\s*%[qw]?[({\[<]([^\s(){}\[\]<>]{8,})[)}\]>]",
    r#"(?i)\b(bearer)\s*["'`]\s*[+.]\s*["'`]([A-Za-z0-9._~+/=-]{16,})["'`]"#,
    // Servers of databases.
    r#"\b(\w{0,20}connect)\(\s*["']\w{1,40}/([^\s"'@/]{8,})@"#,
    r"(?i)\b(crypt)\(\s*'([^'\s]{8,})'\s*,\s*gen_salt",
    r"(?i)\b(sp_addlogin)\s+N?'[^'\n]{1,60}'\s*,\s*N?'([^'\s]{8,})'",
    // Headers that a server adds, a user of a machine, a variable of a test.
    r#"(?i)\b(?:proxy_set_header|add_header|RequestHeader\s+set|header_up|\w{2,8}_param)\s+["']?([\w-]{0,40}@NAME@)["']?\s+["']?([A-Za-z0-9._~+/=-]{16,})["']?"#,
    r#"\becho\s+["']?[\w.-]{1,40}:(?P<value>[^\s"'$]{8,})["']?\s*\|\s*(?:sudo\s+)?(?P<name>chpasswd)\b"#,
    r"(?mi)\$\{(\w{0,40}@NAME@)\}\s*=?[ \t]{2,}(\S{8,})[ \t]*$",
    // Commands in the files of a build: `echo … | docker login --password-stdin`.
    r#"\becho\s+["']?(?P<value>[^\s"'$|]{8,})["']?\s*\|[^\n|;]{0,120}(?P<name>--password|--with-token)\b"#,
    r#"\b(htpasswd)\s+-\w{0,4}b\w{0,4}\s+(?:\S+\s+){1,2}["']?([^\s"'$]{8,})"#,
    // What a build replaces, settings of Ruby, a key without another name.
    r#"(?i)\b(\w{0,40}@NAME@\w{0,2})["']?\s*[:=]\s*JSON\.stringify\(\s*["']([^"'\s]{8,})["']"#,
    r#"(?i):(\w{0,40}@NAME@)\s*,\s*["']([^"'\s]{8,})["']"#,
    r#"\b(?:let|const|var|val)\s+(key)\s*(?::\s*\w{1,20}\s*)?=\s*["']([A-Za-z0-9_-]{32,})["']"#,
    // What people write: emphasised, in other languages, in lists, in other orders.
    r#"(?i)[*_]{1,2}(@SPOKEN@)\s*:?[*_]{1,2}\s*:?\s*["'`]?([^\s"'`<>]{7,}[^\s"'`<>.,;])"#,
    r#"(?i)(passwort|kennwort|contraseña|mot de passe|senha|wachtwoord|пароль|パスワード|密码|密碼|hasło|lösenord|şifre)\s*(?::|=|：)\s*["'`]?([^\s"'`<>]{7,}[^\s"'`<>.,;])"#,
    r#"(?i)\b(?:user|login|username)[ \t]*[:=]?[ \t]+\S{1,40}[ \t]+(pass|pw|pwd|password)[ \t]*[:=]?[ \t]+["'`]?([^\s"'`<>]{8,})"#,
    r"(?m)^\s*([\w.+-]{1,60}@[\w.-]{1,60}\.[a-z]{2,10}):([^\s:/]{8,64})[ \t]*$",
    r#"(?i)\b(?:use|enter|type|take)\s+["'`]?(?P<value>[^\s"'`<>]{8,})["'`]?\s+as\s+(?:the\s+|your\s+|my\s+)?(?P<name>@SPOKEN@)\b"#,
    r#"(?i)\b(sign in|log in|login)\s+(?:with|as|using)\s+["'`]?[\w.@-]{1,60}:([^\s"'`:/]{8,})"#,
    r#"(?i)["'][^"'\n]{0,40}(passwor[dt]|passphrase)[^"'\n]{0,20}["']\s*\)\s*\.value\s*=\s*["']([^"'\s]{8,})["']"#,
    // A key that follows its name, or is part of an address.
    r#"(?i)\b((?:api|access|deploy|secret|signing|license|service|auth)[ _-]?key)\s*[:.]?\s+["'`]?([A-Za-z0-9_-]{24,64})["'`]?(?:\s|$)"#,
    r#"[?&](key)=([A-Za-z0-9_-]{32,})(?:[&\s"'#]|$)"#,
    // What a relay logs in with: `[smtp.host.com]:587 me:…`.
    r"(?m)^\s*(\[[\w.-]{1,80}\](?::\d{1,5})?)\s+[\w.@-]{1,60}:(\S{8,})\s*$",
    // In brackets behind its name: `the password ("…")`.
    r#"(?i)\b(@SPOKEN@)\s+\(\s*["'`]([^"'`\s]{8,})["'`]\s*\)"#,
    // What is encoded in the program that uses it: `PASSWORD = b64decode('…')`.
    r#"(?i)\b([a-z0-9_]{0,40}@NAME@)\s*:?=\s*[\w.]{0,30}(?:b64_?decode|atob|base64_decode|decode64)\(\s*b?["'`]([A-Za-z0-9+/=_-]{16,})["'`]"#,
    // 64 bytes, as storage and databases of a cloud take them.
    r#"(?i)\b(key)["']?\s*[:=]\s*["']([A-Za-z0-9+/]{86}==)["']"#,
    // Who may log in, with which password: `basic: me:…`.
    r#"(?i)\b(basic)(?:_?auth)?["']?\s*[:=]\s*["']?[\w.@-]{1,40}:([^\s"':,/]{8,64})(?:["'\s,]|$)"#,
    // A key in a group of settings that says what it is for: `"Jwt": { "Key": "…" }`, `[jwt]`.
    r#"(?i)\b((?:@GROUP@)\w{0,20})["']?\s*(?::|=>?)\s*[\[{][^\[\]{}]{0,300}?\bkey["']?\s*(?:=>|[:=])\s*["']([^"'\s]{20,})["']"#,
    r#"(?im)^[ \t]*\[?((?:@GROUP@)\w{0,20})(?::|\])[ \t]*\n(?:[ \t]*[\w.-]{1,40}[ \t]*[:=][^\n]{0,200}\n){0,8}?[ \t]*key[ \t]*[:=][ \t]*["']?([^\s"']{20,})"#,
    r#"(?i)\bcipher["']?\s*(?:=>|[:=])\s*["'][\w-]{3,20}["']\s*,\s*["']?(key)["']?\s*(?:=>|[:=])\s*["']([^"'\s]{16,})["']"#,
    // A key that a program decodes, and one of Fernet.
    r#"(?i)\b(\w{0,30}key)(?:\s*,\s*\w{1,5})?\s*:?=\s*(?:[\w:.]{1,40}(?:\(\))?(?:\.|::))?\w{0,10}(?:decode\w{0,10}|from_?hex\w{0,10}|unhexlify)\(\s*b?["']([A-Za-z0-9+/=_-]{32,})["']"#,
    r#"\b(key)\s*=\s*b["']([A-Za-z0-9_-]{43}=)["']"#,
    // Servers: who may ask for a certificate, who may use a store, which key a node's address has.
    r"(?m)^\s*(dns\s+(?:cloudflare|digitalocean|hetzner|gandi|linode|vultr|duckdns|porkbun|desec|netlify))\s+([A-Za-z0-9_-]{20,})\s*$",
    r"(?im)^\s*(user|acl\s+setuser)\s+\S{1,40}\s+(?:[^\s>]\S{0,40}\s+){0,6}>(\S{8,})",
    r"\b(infura\.io/(?:ws/)?v3|alchemy\.com/v2|quiknode\.pro)/([A-Za-z0-9_-]{32,40})\b",
    // Keys in a list, and of calls that are written in another way.
    r#"(?i)\b(\w{0,30}(?:api_?keys|access_?keys|tokens|secrets|passwords))["']?\s*(?:=>|[:=])\s*\[\s*["']([^"'\s]{20,})["']"#,
    r#"\b(PlainAuth|mysqli(?:_connect)?|mysql_connect|createConnection)\(\s*["'][^"'\n]*["']\s*,\s*["'][^"'\n]*["']\s*,\s*["']([^"'\s]{8,})["']\s*,"#,
    r#"\b(login)\(\s*(?:api_?)?key\s*=\s*["']([A-Za-z0-9_-]{20,})["']"#,
    r#"\b(JWT\.(?:en|de)code)\s+[\w.@]{1,40}\s*,\s*["']([^"'\s]{12,})["']"#,
    // An account with its name, its address and its password.
    r#"\b(create_?(?:super|staff|admin)?_?user)\(\s*["'][^"'\n]{1,60}["']\s*,\s*["'][^"'\n]{0,80}["']\s*,\s*["']([^"'\s]{8,})["']"#,
];

#[cfg(test)]
mod tests {
    use super::super::in_texts;

    /// HT-40: the name of a group says what its key is for, and so does what decodes the key.
    #[test]
    fn groups_and_calls_tell_what_a_key_is_for() {
        let random = "q7Rk2Vx9LmT4bWz8NcJf5hYs3Gd1Pa6Q";
        for text in [
            format!("\"Jwt\": {{\n  \"Issuer\": \"a\",\n  \"Key\": \"{random}\"\n}}"),
            format!("jwt:\n  issuer: a\n  key: {random}\n"),
            format!("[auth]\nkey = \"{random}\"\n"),
            format!("['cipher' => 'AES-256-CBC', 'key' => '{random}']"),
            format!("key, _ := hex.DecodeString(\"{random}\")"),
            format!("byte[] key = Base64.getDecoder().decode(\"{random}=\");"),
            format!("tls {{\n  dns cloudflare {random}\n}}"),
            format!("user app on >{random} ~* +@all"),
        ] {
            assert_eq!(in_texts([text.as_str()]).len(), 1, "{text}");
        }
        for text in [
            "\"Jwt\": {\"Key\": \"set-in-the-environment\"}".to_owned(),
            "session: { key: \"session.user.preferences.v2\" }".to_owned(),
            format!("colors: {{ key: \"{random}\" }}"),
            format!("public_key = bytes.fromhex(\"{random}\")"),
            "tls {\n  dns cloudflare {env.CLOUDFLARE_API_TOKEN}\n}".to_owned(),
        ] {
            assert_eq!(in_texts([text.as_str()]), [], "{text}");
        }
    }

    /// HT-40: a value that says how to make one is a placeholder, a passphrase isn't.
    #[test]
    fn instructions_are_placeholders() {
        for (value, count) in [
            ("generate-with-openssl-rand-base64-32", 0),
            ("must_be_at_least_32_chars_long", 0),
            ("any-random-string-of-32-chars", 0),
            ("random-q7Rk2Vx9LmT4bWz8NcJf-string", 1),
        ] {
            let text = format!("JWT_SECRET={value}");
            assert_eq!(in_texts([text.as_str()]).len(), count, "{value}");
        }
    }

    /// HT-40: calls take a secret before or behind other arguments, or as the bytes of a text.
    #[test]
    fn calls_take_keys_among_other_arguments() {
        let random = "q7Rk2Vx9LmT4bWz8NcJf5hYs3Gd1Pa6Q";
        for text in [
            format!("smtp.PlainAuth(\"\", \"me\", \"{random}\", \"smtp.host.com\")"),
            format!("new JedisPool(config, \"redis.host.com\", 6379, 2000, \"{random}\")"),
            format!("JWT.encode payload, '{random}', 'HS256'"),
            format!("var key = Encoding.UTF8.GetBytes(\"{random}\");"),
            format!("{{\"apiKeys\": [\"{random}\"]}}"),
        ] {
            assert_eq!(in_texts([text.as_str()]).len(), 1, "{text}");
        }
        for text in [
            "smtp.PlainAuth(\"\", user, os.Getenv(\"SMTP_PASSWORD\"), \"smtp.host.com\")",
            "JWT.encode payload, ENV.fetch('JWT_SECRET_V2'), 'HS256'",
            "Encoding.UTF8.GetBytes(configuration[\"Jwt:Key\"])",
        ] {
            assert_eq!(in_texts([text]), [], "{text}");
        }
    }
}
