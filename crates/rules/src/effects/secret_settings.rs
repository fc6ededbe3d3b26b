//! Settings files whose names say that they contain secrets, or that anybody may read them.

/// Returns whether a name is that of certificates of authorities, which are public.
fn is_of_authority(name: &str) -> bool {
    let of_all = [
        "root",
        "cacert",
        "ca-bundle",
        "global-bundle",
        "combined-ca",
        "rds-ca",
        "-ca.",
    ];
    let stem = name.strip_suffix(".pem");
    stem.is_some_and(|it| {
        !it.contains("key") && !it.contains("priv") && of_all.iter().any(|of| name.contains(of))
    })
}

/// Endings of sources and of texts for people.
const SOURCES: &[&str] = &[
    "go", "ts", "js", "tsx", "py", "rs", "rb", "java", "kt", "ex", "cs", "php", "md", "html",
];

/// Returns whether a path that looks like that of a secret names something that anybody may read.
pub(super) fn is_public(path: &str, lower: &str) -> bool {
    std::path::Path::new(lower)
        .extension()
        .is_some_and(|it| it == "pub")
        || ["known_hosts", "allowed_signers", "authorized_keys"]
            .iter()
            .any(|it| lower.starts_with(it))
        || [
            "cacert.pem",
            "ca.pem",
            "cert.pem",
            "chain.pem",
            "fullchain.pem",
            "ca-bundle.pem",
            "ca-cert.pem",
            "debug.keystore",
        ]
        .contains(&lower)
        || ["public", "dhparam"].iter().any(|it| lower.contains(it))
        || lower.contains("pubkey") && !lower.contains("priv")
        || is_of_authority(lower)
        || [".pub.", "_pub.", "-pub."]
            .iter()
            .any(|it| lower.contains(it))
        || [
            ".schema.json",
            ".example.json",
            ".sample.json",
            ".template.json",
        ]
        .iter()
        .any(|it| lower.ends_with(it))
        || lower
            .rsplit_once('.')
            .is_some_and(|(_, ending)| SOURCES.contains(&ending))
            && lower != "wp-config.php"
        || [".example", ".sample", ".template"]
            .iter()
            .any(|it| lower.ends_with(it))
        || path.ends_with(".ssh/config")
        || shows_form(path)
}

/// Returns whether a path is one of a text for people, or of a template:
/// `charts/app/templates/secrets.yaml`.
fn shows_form(path: &str) -> bool {
    const FOLDERS: &[&str] = &["templates", "i18n", "locales", "translations"];
    let is_settings = [".yaml", ".yml", ".json"]
        .iter()
        .any(|it| path.ends_with(it));
    is_settings
        && path
            .split('/')
            .rev()
            .skip(1)
            .any(|it| FOLDERS.contains(&it))
}

/// Returns whether a name is that of the variables of one stage, without the dot in front:
/// `env.production`.
pub(super) fn is_of_stage(lower: &str) -> bool {
    const STAGES: &[&str] = &["production", "prod", "staging", "stage", "local", "live"];
    let stage = lower.strip_prefix("env.");
    stage.is_some_and(|it| STAGES.contains(&it))
}

/// Returns whether a settings file is the one for production, or the one for databases, in both of
/// which frameworks keep passwords: `application-prod.yml`, `config/database.yml`.
pub(super) fn is_of_operation(path: &str) -> bool {
    const STAGES: &[&str] = &["prod", "production", "staging", "stage", "live"];
    let name = path.rsplit('/').next().unwrap_or("");
    if name.len() > 60 {
        return false;
    }
    let lower = name.to_lowercase();
    if lower == "database.yml" {
        return path == lower || path.ends_with("config/database.yml");
    }
    let Some((stem, ending)) = lower.rsplit_once('.') else {
        return false;
    };
    let stage = ["application-", "bootstrap-", "appsettings."]
        .iter()
        .find_map(|it| stem.strip_prefix(it));
    ["yml", "yaml", "properties", "json"].contains(&ending)
        && stage.is_some_and(|it| STAGES.contains(&it))
}

/// Returns whether the name of a settings file says that it contains secrets: `db-secrets.yaml`,
/// `secrets.prod.json`. Templates and sealed files contain none.
pub(super) fn is_called_secret(path: &str, lower: &str) -> bool {
    const SETTINGS: &[&str] = &[
        "json",
        "yml",
        "yaml",
        "toml",
        "ini",
        "conf",
        "cfg",
        "properties",
        "xml",
        "txt",
        "exs",
    ];
    const STAGES: &[&str] = &[
        "prod",
        "production",
        "staging",
        "stage",
        "dev",
        "development",
        "local",
        "live",
    ];
    const OTHERS: &[&str] = &[
        "sealed",
        "external",
        "template",
        "templates",
        "example",
        "examples",
        "sample",
        "fixtures",
        "test",
        "tests",
        "docs",
        "schema",
        "policy",
        "mock",
        "mocks",
        "testdata",
        "i18n",
        "locales",
        "charts",
    ];
    /// What people keep lists of, and in which files.
    const LISTS: &[&str] = &[
        "passwords",
        "password",
        "apikeys",
        "keys",
        "tokens",
        "logins",
    ];
    const LIST_EXTENSIONS: &[&str] = &[
        "txt", "csv", "tsv", "xlsx", "xls", "ods", "numbers", "doc", "docx",
    ];
    if ["htpasswd", ".secret", ".secrets"].contains(&lower) {
        return true;
    }
    let Some((stem, ending)) = lower.rsplit_once('.') else {
        return false;
    };
    let mut folders = path.rsplit('/').skip(1);
    let is_list = LIST_EXTENSIONS.contains(&ending);
    if !SETTINGS.contains(&ending) && !is_list || folders.any(|it| OTHERS.contains(&it)) {
        return false;
    }
    let tells = |it: &str| ["secret", "secrets", "credentials", "creds"].contains(&it);
    let words: Vec<&str> = stem
        .split(['.', '-', '_'])
        .filter(|it| !it.is_empty())
        .collect();
    let is_other = words.iter().any(|it| OTHERS.contains(it));
    let (Some(first), Some(last)) = (words.first(), words.last()) else {
        return false;
    };
    let lists = is_list && LISTS.contains(last);
    !is_other && (lists || tells(last) || tells(first) && STAGES.contains(last))
}

#[cfg(test)]
mod tests {
    use super::{is_called_secret, is_of_operation, is_of_stage};

    /// HT-40: settings for production and for databases are recognised by their names, and those
    /// for development don't count.
    #[test]
    fn settings_of_operation_are_told_by_name() {
        for path in [
            "config/database.yml",
            "src/main/resources/application-prod.yml",
            "application-staging.properties",
            "appsettings.Production.json",
        ] {
            assert!(is_of_operation(path), "{path}");
        }
        for path in [
            "docs/database.yml",
            "config/database.yml.sample",
            "application.yml",
            "application-dev.yml",
            "application-prod.ts",
        ] {
            assert!(!is_of_operation(path), "{path}");
        }
    }

    /// HT-40: a settings file counts as one of secrets if its name says so, and a template doesn't.
    #[test]
    fn settings_are_called_secrets() {
        for path in [
            "k8s/secret.yaml",
            "k8s/db-secrets.yml",
            "config/secrets.prod.json",
            "conf/secret.properties",
            "oauth-credentials.json",
            ".secrets.toml",
            "htpasswd",
        ] {
            let name = path.rsplit('/').next().unwrap();
            assert!(is_called_secret(path, name), "{path}");
        }
        for path in [
            "charts/app/templates/secret.yaml",
            "k8s/sealed-secret.yaml",
            "external-secrets.yaml",
            "secrets.example.yaml",
            "secret-santa.json",
            "src/secrets.py",
            "i18n/credentials.json",
            "secrets.policy.json",
        ] {
            let name = path.rsplit('/').next().unwrap();
            assert!(!is_called_secret(path, name), "{path}");
        }
        assert!(is_of_stage("env.production"));
        assert!(!is_of_stage("env.ts"));
    }
}
