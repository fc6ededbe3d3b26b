//! Where values of secrets stand without a sign that gives them to a name. In each expression the first
//! group tells of the secret, and the second is its value.

/// What a telling name is given: `#define`, XML, Gradle.
pub(super) const STATED: &[&str] = &[
    r#"(?i)\b([a-z0-9_.]*(?:password|passwd|_pass|secret|token|api_?key|psk))\s+["']([^"'\n]{6,})["']"#,
    r"(?i)<([a-z0-9_.]*(?:password|secret|token|apikey|passphrase))>\s*([^<\s]{6,})\s*</",
    r#"(?i)\blogin\s+\S+\s+(password)\s+([^\s"'\\]{8,})"#,
    r#"(?i)(?:key|name)="([^"]*(?:password|secret|token|apikey))"\s+value="([^"]{6,})""#,
    r#"(?i)\bname="([^"]*(?:password|secret|token|apikey))"\s*>\s*([^<\s]{6,})\s*</"#,
    // A name with its type: `const API_KEY: &'static str = "…"`, `var token string = "…"`.
    r#"(?i)\b([a-z0-9_]*(?:password|passwd|secret|token|api_?key|passphrase|(?-i:_KEY)))(?:\s*:\s*|\s+)[&a-z][\w&' <>.:\[\]|?*]{0,40}=\s*[bl@]?"([^"\n]{6,})""#,
    r#"(?i)\b(identified)\s+(?:with\s+\S+\s+)?by\s+(?:password\s+)?["']([^"'\n]{6,})["']"#,
    r#"(?i)\b(ConvertTo-SecureString)\s+(?:-String\s+)?["']([^"'\n]{6,})["']"#,
    // `set -gx API_TOKEN …`, `setenv API_TOKEN …`
    r#"\bset(?:env)?\s+(?:-[a-zA-Z]+\s+)*([A-Z0-9_]*(?:KEY|TOKEN|SECRET|PASSWORD|PASS))\s+["']?([^\s"'$=]{8,})"#,
];

/// What may be something else: a value counts where letters and digits change within it.
pub(super) const TOLD: &[&str] = &[
    // A name and its value one after the other: `define('DB_PASSWORD', '…')`, `set("token", "…")`.
    r#"(?i)["']([a-z0-9_.-]*(?:password|passwd|secret|token|(?:api|auth|secret|access|private|app)[_-]?key|_salt|passphrase))["']\s*,\s*["']([^"'\n]{6,})["']"#,
    // A call that takes it: `login('me', '…')`, `setPassword("…")`.
    r#"(?i)\b(\w*(?:login|auth|authenticate|credentials?|sign_?in|set_?password|with_?password|getConnection|PDO|mysqli(?:_connect)?))\(\s*(?:[\w.]+\s*,\s*)?(?:["'][^"'\n]*["']\s*,\s*){0,2}["']([^"'\s]{8,})["']"#,
    // `user:…@tcp(host)`
    r#"\b(\w+):([^\s:@"']{6,})@(?:tcp|unix|udp)\("#,
    // Settings of servers: `requirepass …`, `user u insecure-password …`
    r#"(?im)^\s*(?:user\s+\S+\s+)?([a-z_-]*(?:requirepass|masterauth|password|passwd|secret|psk|passphrase))\s+([^\s"'{};]{8,})\s*$"#,
    // `.pgpass`: `host:5432:db:user:…`
    r"(?m)^[\w.*-]+:(\d{4,5}|\*):[\w*-]+:[\w*-]+:(\S{8,})$",
    // A command that prints it: `--password-file=<(echo …)`, `--password-command 'echo …'`
    r#"(?i)\b([a-z_-]*(?:password|passphrase|secret|token|key))(?:-file|-command|-cmd|-script)?[=\s]+["']?(?:<\()?\s*(?:echo|printf)\s+["']?([^\s"'()]{8,})"#,
    // Whoever plays a person: `expect assword; send "…"`
    r#"(?i)\b(p?assword|passphrase)\b[^\n]{0,40}\bsend\s+(?:--\s+)?\\?["']([^"'\s\\]{8,})"#,
    // Commands in scripts and pipelines: `curl -u me:…`, `sshpass -p …`, `mysql -p…`
    r#"(?i)\b(curl|wget|https?|xh)\b[^\n|;]*\s(?:-u|--user|--proxy-user|-a|--auth)[=\s]?["']?[\w.@-]+:([^\s"'$:]{8,})"#,
    r#"\b(sshpass|mysql\w*|mariadb)\b[^\n|;]*\s-p\s?["']?([^\s"'$]{8,})"#,
    r#"\b(docker|podman|helm|oc|az|npm)\s[^\n|;]*\blogin\b[^\n|;]*\s-p\s+["']?([^\s"'$]{8,})"#,
    r#"\b(redis-cli)\b[^\n|;]*\s-a\s+["']?([^\s"'$]{8,})"#,
    // Cookies that keep somebody logged in.
    r#"(?i)\b(cookie):\s*[^=;\s"']+=([^;"'\s]{20,})"#,
    r#"(?:^|\s)(-b|--cookie)[\s=]+["']?[\w.-]+=([^;"'\s]{20,})"#,
];
