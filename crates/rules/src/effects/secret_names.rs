//! Which files contain secrets, judging by their names.

use hookloop_shell::{component_may_meet, matches};

use super::secret_patterns::{is_key_folder, may_lie, may_lie_at, may_mean};
use super::secret_settings::{is_called_secret, is_of_stage, is_public};

/// How many alternatives of a pattern are looked at.
const ALTERNATIVES: usize = 64;

/// Endings of files that only show what such a file looks like.
const EXAMPLES: &[&str] = &[
    "example",
    "sample",
    "template",
    "dist",
    "defaults",
    "schema",
    "d.ts",
    "md",
    "test.example",
];

/// Names of files that contain keys and credentials.
const SECRET_NAMES: &[&str] = &[
    "id_rsa",
    "id_dsa",
    "id_ecdsa",
    "id_ed25519",
    "*.pem",
    "*.p12",
    "*.pfx",
    "*.keystore",
    "*.jks",
    ".netrc",
    "_netrc",
    ".pgpass",
    ".my.cnf",
    ".git-credentials",
    "credentials.json",
    "*oauth*token*.json",
    "*access_token*.json",
    "*refresh_token*.json",
    "auth_token.json",
    "*service-account*.json",
    "*service_account*.json",
    "ssh_host_*_key",
    "key.properties",
    "*.p8",
    ".vault_pass*",
    ".vault-pass*",
    "*.secret.exs",
    ".databrickscfg",
    "kaggle.json",
    "Login Data",
    "logins.json",
    "key4.db",
    "cookies.sqlite",
    "sitemanager.xml",
    "*.agekey",
    ".terraformrc",
    "settings-security.xml",
    ".secrets.y*ml",
    ".secrets.toml",
    "appsettings.Production.json",
    ".npmrc.secret",
    "*.kdbx",
    ".htpasswd",
    "secrets.y*ml",
    "secrets.json",
    "*.ppk",
    "shadow",
    "master.key",
    "credentials.yml.enc",
    "*_rsa",
    "*.key",
    "secring.gpg",
    "kubeconfig",
    ".dockercfg",
    "wallet.dat",
    "serviceAccountKey.json",
    "serviceAccount.json",
    "serviceaccount.json",
    "secrets.toml",
    ".vault-token",
    ".pypirc",
    "client_secret*.json",
    "terraform.tfvars",
    "prod*.tfvars",
    "secret*.tfvars",
    "*.auto.tfvars",
    "*.tfstate",
    "*.tfstate.backup",
    "wp-config.php",
    "credentials.tfrc.json",
    ".s3cfg",
    ".boto",
    "rclone.conf",
    "*adminsdk*.json",
    ".secrets",
    "google-credentials*.json",
    "*.ovpn",
    "*.jceks",
    "id_ed25519_*",
    ".credentials.json",
    "credentials.db",
    ".bash_history",
    ".zsh_history",
    ".psql_history",
    ".mysql_history",
    ".python_history",
    "gshadow",
    ".msmtprc",
    ".mbsyncrc",
    ".fetchmailrc",
    ".offlineimaprc",
    "*.keychain-db",
    "login.keychain",
    "local.settings.json",
    ".mylogin.cnf",
    "*.kubeconfig",
    "kubeconfig.y*ml",
    ".flaskenv",
    "*.keytab",
    "krb5cc_*",
    "chap-secrets",
    ".passwd-s3fs",
    "accessKeys.csv",
    "*_accessKeys.csv",
    "rootkey.csv",
    "credentials.csv",
    "credentials.xml",
    "credentials.sbt",
    "credentials.clj.gpg",
    "pub-credentials.json",
    "gcp-key*.json",
    "gcp_key*.json",
    "google*-key.json",
    "sa-key*.json",
    "*-sa-key.json",
    "keystore.properties",
    "signing.properties",
    ".sentryclirc",
    ".rediscli_history",
    ".node_repl_history",
    ".sqlite_history",
    ".irb_history",
    ".pry_history",
    ".zhistory",
    ".histfile",
    "fish_history",
    "ConsoleHost_history.txt",
    ".pg_service.conf",
    "credentials-config.json",
    "debian.cnf",
    ".modal.toml",
    ".wakatime.cfg",
    "NTDS.dit",
    ".envrc.local",
    "vault_password",
    "vault_pass.txt",
    ".ansible_vault_pass",
    "*.pkcs12",
    "*.jwk",
    "id_ed25519_sk",
    "id_ecdsa_sk",
    "age.key",
    "*.age-key",
    "Web Data",
    "key3.db",
    "signons.sqlite",
    ".curlrc",
    ".smbcredentials",
    "smbcredentials",
    ".rclone.conf",
    ".ghtoken",
    ".github_token",
    "*.ansible_vault",
    ".Renviron",
    "ngrok.yml",
    "state.vscdb",
    "deploy_key",
    "*_deploy_key",
];

/// Paths of files that contain keys and credentials.
const SECRET_PATHS: &[&str] = &[
    "*.aws/credentials",
    "*.aws",
    "*.gnupg",
    "*.kube",
    "*.config/gcloud",
    "*.config/*/credentials",
    "*.azure",
    "*.kube/config",
    "*.docker/config.json",
    "*.config/gcloud/*",
    "*.ssh/*",
    "*.gnupg/*",
    "*.config/gh/hosts.yml",
    "*.azure/*",
    "/proc/*/environ",
    "*.config/op/*",
    "*/secrets/*",
    "secrets/*",
    "*.cargo/credentials*",
    "*.ssh",
    "~/.npmrc",
    "*.m2/settings.xml",
    "*.config/rclone/*",
    "*.config/hub",
    "*.gem/credentials",
    "*.claude/.credentials.json",
    "*.codex/auth.json",
    "*.gemini/oauth_creds.json",
    "*.config/glab-cli/config.yml",
    "*.composer/auth.json",
    "*.config/composer/auth.json",
    "*.gradle/gradle.properties",
    "*.nuget/NuGet/NuGet.Config",
    "*.hex/hex.config",
    "*.config/sops/age/*",
    "*.cache/huggingface/token",
    "*.huggingface/token",
    "*.fly/config.yml",
    "*.config/heroku/*",
    "*com.vercel.cli/auth.json",
    "*.wrangler/config/*",
    "*.config/filezilla/*",
    "*.password-store/*",
    "*.config/doctl/config.yaml",
    "*.config/hcloud/*",
    "*.terraform.d/credentials*",
    "*.config/netlify/config.json",
    "*.netlify/config.json",
    "*.bluemix/config.json",
    "*.snowflake/config*",
    "*.config/configstore/firebase-tools.json",
    "*.local/share/keyrings/*",
    "*.oci/*",
    "~/.bundle/config",
    "/home/*/.bundle/config",
    "*containers/auth.json",
    "*.config/github-copilot/*",
    "*google-chrome*/Cookies",
    "*chromium*/Cookies",
    "*Chrome/*/Cookies",
    "*BraveSoftware/*/Cookies",
    "*Microsoft Edge/*/Cookies",
    "/etc/kubernetes/*.conf",
    "/etc/rancher/*.yaml",
    "*.config/solana/*.json",
    "auth.json",
    "./auth.json",
    "token.json",
    "tokens.json",
    "./tokens.json",
    "./token.json",
    "*pypoetry/auth.toml",
    "*.aws/sso/cache/*",
    "*.aws/cli/cache/*",
    "*.config/git/credentials",
    "*.config/stripe/*",
    "*.config/scw/config.yaml",
    "*.config/linode-cli",
    "*.config/railway/*",
    "*.railway/config.json",
    "*.config/configstore/*",
    "*.config/fly/*",
    "*.config/wrangler/*",
    "*.config/.wrangler/*",
    "*.config/gh/*.yml",
    "*.config/httpie/sessions/*",
    "*.httpie/sessions/*",
    "*.config/remmina/*",
    "*.config/b2/*",
    "*.b2_account_info",
    "*.local/share/kwalletd/*",
    "*.local/share/lpass/*",
    "*.local/share/atuin/*",
    "*.local/share/opencode/auth.json",
    "*.config/Bitwarden*",
    "*.subversion/auth/*",
    "*.vnc/passwd",
    "*.x11vnc/passwd",
    "*.mc/config.json",
    "*.minio/*",
    "*.snowsql/config",
    "*.dbt/profiles.yml",
    "*.twilio-cli/*",
    "*.travis/config.yml",
    "*.circleci/cli.yml",
    "*.ivy2/.credentials",
    "*.sbt/.credentials",
    "*.lein/credentials*",
    "*.chef/*",
    "*.puppetlabs/*private_keys*",
    "*.claude.json",
    "*.anthropic/*",
    "*.openai/*",
    "*.config/openai/*",
    "*.continue/config.*",
    "~/.cursor/mcp.json",
    "*.pulumi/credentials*",
    "*.config/doctl/*",
    "*.config/hub.y*ml",
    "*.kube/cache/*token*",
    "*.jupyter/*config*.json",
    "*.local/share/jupyter/runtime/*",
    "/etc/ssl/private",
    "/etc/ssl/private/*",
    "/etc/pki/tls/private/*",
    "/etc/wireguard",
    "/etc/wireguard/*",
    "/etc/letsencrypt/*privkey*",
    "/etc/NetworkManager/system-connections*",
    "/etc/wpa_supplicant/*",
    "/etc/ppp/*-secrets",
    "/etc/krb5.keytab",
    "/etc/rancher/*",
    "/run/credentials/*",
    "/run/secrets",
    "/run/secrets/*",
    "/var/run/secrets*",
    "*/Library/Keychains*",
    "*Library/Cookies/*",
    "*Library/Application Support/*/Login Data*",
    "*Microsoft/Credentials/*",
    "*Microsoft/Protect/*",
    "*gcloud/application_default_credentials.json",
    "*gcloud/credentials.db",
    "*gcloud/access_tokens.db",
    "*System32/config/SAM",
    "*.aliyun/config.json",
    "*.cloudflared/*.json",
    "*.cloudflared/*.pem",
    "*.kamal/secrets*",
    "*google-chrome/Default*",
    "*.config/chromium/Default*",
    "*.mozilla/firefox",
    "*.mozilla/firefox/*",
    "*.config/helm/registry/*",
    "*.config/Code/User/globalStorage/*",
    "*.secrets/*",
    "*.credentials/*",
    "*openstack/clouds.y*ml",
    "*/etc/kubernetes/*.conf",
    "*app/config/parameters.y*ml",
    "*.electrum/wallets/*",
    "*.ethereum/keystore/*",
    "*.config/fish/fish_variables",
];

/// Returns which kind of secret a path names: `env` or `secret`.
pub(super) fn secret_kind(written: &str, pattern: bool) -> Option<&'static str> {
    let path = written.trim_end_matches('/');
    let name = path.rsplit('/').next().unwrap_or("");
    if name.is_empty() || path.contains("://") || name.len() > 120 {
        return None;
    }
    // A name of a language, not of a file.
    let of_language = ["Rails.env", "process.env", "meta.env"];
    if of_language.iter().any(|it| name.ends_with(it)) {
        return None;
    }
    let lower = name.to_lowercase();
    // `.\.env`, as a shell that knows `/` reads it.
    let lower = match lower.strip_prefix("..env") {
        Some(rest) => format!(".env{rest}"),
        None => lower,
    };
    let is_env = lower == ".env"
        || lower.starts_with(".env.")
        || lower
            .strip_prefix(".env")
            .is_some_and(|rest| rest.starts_with(['-', '_', '~', '#', '@', '+', ',']))
        || lower == ".envrc"
        || lower == ".dev.vars"
        || lower.starts_with(".dev.vars.")
        || pattern && lower.contains(".env") && !lower.contains(".envi")
        || (std::path::Path::new(&lower)
            .extension()
            .is_some_and(|it| it == "env")
            && lower.len() > 4
            && !lower.starts_with("dockerfile"));
    if is_env
        && !EXAMPLES.iter().any(|it| {
            lower.ends_with(&format!(".{it}"))
                || lower.ends_with(&format!("-{it}"))
                || lower.starts_with(&format!("{it}."))
                || lower.contains(".example")
                || lower.contains(".sample")
                || lower.contains(".template")
        })
    {
        return Some("env");
    }
    if pattern
        && lower.starts_with('.')
        && (component_may_meet(&lower, ".env") || component_may_meet(&lower, ".env.local"))
    {
        return Some("env");
    }
    if pattern && !lower.starts_with("*.") && component_may_meet(&lower, ".env") {
        return Some("env");
    }
    if is_of_stage(&lower) {
        return Some("env");
    }
    let public = is_public(path, &lower);
    let named = SECRET_NAMES
        .iter()
        .any(|it| matches(it, name) || pattern && (may_mean(name, it) || may_lie(path, it)))
        || is_called_secret(path, &lower)
        || pattern && is_all_of_keys(path)
        || pattern && SECRET_PATHS.iter().any(|it| may_lie_at(path, it));
    let of_home = [".npmrc", ".yarnrc.yml"].contains(&name)
        && path.starts_with('/')
        && path.matches('/').count() <= 3;
    let lies = || SECRET_PATHS.iter().any(|it| is_at(it, path));
    (!public && (of_home || named || lies())).then_some("secret")
}

/// Returns whether a pattern means all that is in a folder of keys: `~/.aws/*`.
fn is_all_of_keys(path: &str) -> bool {
    let Some((folder, name)) = path.rsplit_once('/') else {
        return false;
    };
    name.chars().all(|it| "*?.".contains(it)) && is_key_folder(folder)
}

/// Returns whether a path matches a pattern. A folder that begins with a dot is matched by its
/// whole name.
fn is_at(pattern: &str, path: &str) -> bool {
    let Some(rest) = pattern.strip_prefix("*.") else {
        return matches(pattern, path);
    };
    let first = path.starts_with('.').then_some(1);
    let others = path.match_indices("/.").map(|(at, _)| at + 2);
    let mut hidden = first.into_iter().chain(others);
    hidden.any(|behind_dot| matches(rest, &path[behind_dot..]))
}

/// Returns whether an absolute path is one of a person's own settings that contain tokens; those of
/// a project contain none.
pub(super) fn is_own_settings(absolute: &str, home: &str) -> bool {
    let own = [
        ".npmrc",
        ".yarnrc.yml",
        ".bundle/config",
        ".pip/pip.conf",
        ".config/pip/pip.conf",
        ".cursor/mcp.json",
    ];
    let below = absolute
        .strip_prefix(home)
        .and_then(|it| it.strip_prefix('/'));
    !home.is_empty() && below.is_some_and(|it| own.contains(&it))
}

/// Returns which kind of secret a tool's pattern means; its `*` matches a leading dot too, and
/// `{a,b}` are alternatives.
pub(super) fn by_glob(written: &str) -> Option<&'static str> {
    const PLAIN: &[&str] = &["README.md", "main.rs", "index"];
    const FILES: &[&str] = &[".env", ".env.local", ".env.production"];
    alternatives(written).iter().find_map(|path| {
        let name = path.trim_end_matches('/').rsplit('/').next().unwrap_or("");
        let lower = name.to_lowercase();
        let is_example = EXAMPLES.iter().any(|it| lower.contains(&format!(".{it}")));
        let means_env = FILES.iter().any(|it| matches(&lower, it)) && !is_example;
        if means_env && !PLAIN.iter().any(|it| matches(name, it)) {
            return Some("env");
        }
        if !path.contains(['*', '?', '[']) {
            return secret_kind(path, false);
        }
        let folder = path.trim_end_matches('*').trim_end_matches('/');
        let whole = || {
            let is_whole = path.ends_with("/*") || path.ends_with("/**");
            is_whole.then(|| secret_kind(folder, false))?
        };
        let named = || {
            let is_public = lower.ends_with("pub");
            let mut literal = SECRET_NAMES.iter().filter(|it| !it.contains('*'));
            (!is_public && literal.any(|it| may_mean(name, it))).then_some("secret")
        };
        secret_kind(path, false).or_else(whole).or_else(named)
    })
}

/// Returns which kind of secret a file counts as when it is written: one that opens the machine to
/// others.
pub(super) fn opens(written: &str) -> Option<&'static str> {
    let name = written.rsplit('/').next().unwrap_or("");
    name.starts_with("authorized_keys").then_some("secret")
}

/// Writes out the alternatives of a pattern: `.env{,.local}` is `.env` and `.env.local`.
fn alternatives(pattern: &str) -> Vec<String> {
    let mut open = vec![pattern.to_owned()];
    let mut done = Vec::new();
    while let Some(text) = open.pop() {
        let inner = text.find('}').and_then(|end| {
            let start = text[..end].rfind('{')?;
            Some((start, end))
        });
        let Some((start, end)) = inner else {
            done.push(text);
            continue;
        };
        if open.len() + done.len() > ALTERNATIVES {
            // The remaining alternatives are replaced by a wildcard.
            done.push(format!("{}*{}", &text[..start], &text[end + 1..]));
            continue;
        }
        for part in text[start + 1..end].split(',') {
            open.push(format!("{}{part}{}", &text[..start], &text[end + 1..]));
        }
    }
    done
}

#[cfg(test)]
mod tests {
    use super::{ALTERNATIVES, alternatives, by_glob, secret_kind};

    /// HT-40: a pattern of a tool means a file of secrets however it is written.
    #[test]
    fn patterns_of_tools_mean_files() {
        for pattern in [
            ".*",
            "**/.*",
            ".e*",
            "[.]env",
            ".[e]nv",
            "*env",
            "{.env,README.md}",
            "./{a,.env}",
            "*.{md,env}",
            "**/*.{pem,key}",
            "/home/u/.ssh/*",
            "/home/u/.ssh/id_*",
            "/root/.aws/**",
        ] {
            assert!(by_glob(pattern).is_some(), "{pattern}");
        }
        for pattern in [
            "*",
            "**/*",
            "src/**/*.ts",
            "src/env*",
            "package*.json",
            "*.{md,toml}",
            ".github/*",
            ".eslintrc*",
            "**/*.{test,spec}.ts",
            ".env.example*",
            "/home/u/.ssh/*.pub",
        ] {
            assert!(by_glob(pattern).is_none(), "{pattern}");
        }
    }

    /// HT-40: however many alternatives a pattern has, few are looked at.
    #[test]
    fn alternatives_are_bounded() {
        let many = "{a,b}".repeat(40);
        assert!(alternatives(&many).len() <= 3 * ALTERNATIVES);
        assert_eq!(alternatives("{a,{b,c}}d").len(), 4);
    }

    /// HT-40: what is public isn't secret.
    #[test]
    fn public_files_of_ssh_are_none() {
        for path in [
            "~/.ssh/allowed_signers",
            "~/.ssh/known_hosts.old",
            "~/.ssh/authorized_keys",
        ] {
            assert_eq!(secret_kind(path, false), None, "{path}");
        }
        assert_eq!(secret_kind("~/.ssh/id_rsa", false), Some("secret"));
    }
}
