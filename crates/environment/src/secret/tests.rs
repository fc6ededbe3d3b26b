use super::looks_secret;

/// ENV-3: names that say that the value is a secret are recognised.
#[test]
fn names_of_secrets_are_recognised() {
    for name in [
        "GITHUB_TOKEN",
        "NPM_AUTHTOKEN",
        "AWS_SECRET_ACCESS_KEY",
        "GEMINI_API_KEY",
        "OPENAI_APIKEY",
        "apiKey",
        "DB_PASSWORD",
        "MYSQL_PWD",
        "DB_PASS",
        "BASIC_AUTH",
        "OAUTH2",
        "SSH_AUTH_SOCK",
        "GOOGLE_APPLICATION_CREDENTIALS",
        "AWS_CREDS",
        "PRIVATE_DATA",
        "TLS_CERT",
        "SENTRY_DSN",
        "SESSION_COOKIE",
        "SESSION_TOKEN_2",
        "SIGNING_KEYS",
        "GH_PAT",
        "MY_PAT",
        "AZURE_DEVOPS_EXT_PAT",
        "AZURE_STORAGE_CONNECTION_STRING",
        "ConnectionString",
        "SLACK_WEBHOOK",
        "SLACK_WEBHOOK_URL",
        "DISCORD_WEBHOOKS",
        "DOCKER_CONFIG_JSON",
        "DOCKER_AUTH_CONFIG",
        "BW_SESSION",
        "OP_SESSION_my",
        "PIN",
        "MFA_SEED",
        "SIGNING_SALT",
        "CLIENT_CERT",
    ] {
        assert!(looks_secret(name, "value"), "{name}");
    }
}

/// ENV-3: variables that programs can't do without, and those that only resemble a secret, are
/// kept.
#[test]
fn ordinary_names_stay() {
    for name in [
        "PATH",
        "HOME",
        "USER",
        "LANG",
        "TERM",
        "SHELL",
        "PWD",
        "OLDPWD",
        "GIT_AUTHOR_NAME",
        "KEYBOARD_LAYOUT",
        "TOKENIZERS_PARALLELISM",
        "SSL_CERT_FILE",
        "EDITOR",
        "SECRETARY",
        "XDG_SESSION_ID",
        "CERTAIN",
        "PIP_CERT",
        "NIX_SSL_CERT_FILE",
        "HTTPLIB2_CA_CERTS",
        "CLOUDSDK_CORE_CUSTOM_CA_CERTS_FILE",
        "NODE_EXTRA_CA_CERTS",
        "REQUESTS_CA_BUNDLE",
        "GIT_SSL_CAINFO",
        "GIT_ASKPASS",
        "SSL_CERT_DIR",
        "NVIM_AUTH_SOCK",
        "XDG_SESSION_TYPE",
        "PYTHONHASHSEED",
        "PATTERN",
        "SPINNER",
    ] {
        assert!(!looks_secret(name, "value"), "{name}");
    }
}

/// ENV-3: values in the shape of a secret are recognised, wherever they are in the text.
#[test]
fn values_of_secrets_are_recognised() {
    for value in [
        "ghp_0123456789abcdefghij0123456789abcdef",
        "Bearer github_pat_11ABCDEFG0123456789abcdef",
        "AKIAIOSFODNN7EXAMPLE",
        "AIzaSyA0123456789abcdefghijklmnopqrstuv",
        "sk-proj-0123456789abcdefghij",
        "xoxb-123456789012-abcdef",
        "-----BEGIN RSA PRIVATE KEY-----\nabc",
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl",
        "--from=ghp_0123456789abcdefghij0123456789abcdef",
        "[\"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl\"]",
        "first,ähm_ghp_0123456789abcdefghij0123456789abcdef",
        "postgres://admin:hunter2@db.example.org/main",
        "redis://:hunter2@cache:6379",
        "u:pw@host",
        "https://0123456789abcdefghij@git.example/x",
        "DefaultEndpointsProtocol=https;AccountName=a;AccountKey=Zm9v==;EndpointSuffix=x",
        "jdbc:postgresql://db/x?user=a&password=hunter2",
        "Server=db;User Id=a;Password = hunter2;",
        "-Djavax.net.ssl.keyStorePassword=changeit",
        "https://x.blob.example/c?sv=1&sig=abc%3D",
        "https://hooks.slack.com/services/T0/B0/x",
        "https://discord.com/api/webhooks/1/x",
        r#"{"auths":{"ghcr.io":{"auth":"dTpw"}}}"#,
        r#"{"type": "service_account", "private_key": "x"}"#,
    ] {
        assert!(looks_secret("PLAIN", value), "{value}");
    }
}

/// ENV-3: values that resemble a secret only at a glance are kept.
#[test]
fn ordinary_values_stay() {
    for value in [
        "https://example.org/a:b@c",
        "https://user@example.org",
        "git@example.org:project.git",
        "task-0123456789abcdefghij",
        "sk-short",
        "eyJust a word",
        "tell me your password: now",
        "user@example.org",
        "12:30@noon but later",
        "password=",
        "a=b&design=c",
        "https://hooks.slack.com/services/",
        "npm:alias",
        "",
    ] {
        assert!(!looks_secret("PLAIN", value), "{value}");
    }
}
