//! Which files hold secrets, by their names.

use hookloop_shell::{component_may_meet, fits};

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

/// Names of files that hold keys and credentials.
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
];

/// Paths of files that hold keys and credentials.
const SECRET_PATHS: &[&str] = &[
    "*.aws/credentials",
    "*.aws",
    "*.gnupg",
    "*.kube",
    "*.config/gcloud",
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
];

/// Tells which kind of secret a path names: `env` or `secret`.
pub(super) fn secret_kind(written: &str, pattern: bool) -> Option<&'static str> {
    let path = written.trim_end_matches('/');
    let name = path.rsplit('/').next().unwrap_or("");
    if name.is_empty() || path.contains("://") || name.len() > 120 {
        return None;
    }
    let lower = name.to_lowercase();
    let is_env = lower == ".env"
        || lower.starts_with(".env.")
        || lower
            .strip_prefix(".env")
            .is_some_and(|rest| rest.starts_with(['-', '_', '~', '#', '@', '+', ',']))
        || lower == ".envrc"
        || lower == ".dev.vars"
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
    let public = std::path::Path::new(&lower)
        .extension()
        .is_some_and(|it| it == "pub")
        || lower == "known_hosts"
        || lower == "cacert.pem"
        || lower.contains("public")
        || [
            ".schema.json",
            ".example.json",
            ".sample.json",
            ".template.json",
        ]
        .iter()
        .any(|it| lower.ends_with(it))
        || [
            "go", "ts", "js", "tsx", "py", "rs", "rb", "java", "kt", "ex", "cs", "php", "md",
            "html",
        ]
        .iter()
        .any(|it| lower.ends_with(&format!(".{it}")))
            && lower != "wp-config.php"
        || [".example", ".sample", ".template"]
            .iter()
            .any(|it| lower.ends_with(it))
        || path.ends_with(".ssh/config");
    let named = SECRET_NAMES.iter().any(|it| {
        fits(it, name)
            || pattern && name.len() > 3 && component_may_meet(name, it) && !name.starts_with('*')
    });
    let of_home = [".npmrc", ".yarnrc.yml"].contains(&name)
        && path.starts_with('/')
        && path.matches('/').count() <= 3;
    (!public && (of_home || named || SECRET_PATHS.iter().any(|it| fits(it, path))))
        .then_some("secret")
}
