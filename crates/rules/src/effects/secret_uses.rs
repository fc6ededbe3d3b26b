//! What commands do with secret files without showing them, and which git commands show them.

use hookloop_shell::{Command, Word};

use super::secret_names;

/// Returns whether a command of git shows what is in files.
pub(super) fn shows_changes(command: &Command) -> bool {
    ["-p", "--patch", "-u"]
        .iter()
        .any(|it| command.has_flag(it))
}

/// Returns whether a git command adds or shows the content of the files that it names.
pub(super) fn with_contents(command: &Command) -> bool {
    match command.subcommand.as_deref() {
        Some("commit" | "annotate" | "difftool" | "format-patch" | "fast-export") => true,
        Some("update-index") => command.has_flag("--add"),
        Some(it) if it.starts_with("stash") => command
            .words_after_program()
            .iter()
            .any(|it| it.text == "push" || it.text == "save"),
        Some("log") => command
            .words_after_program()
            .iter()
            .any(|it| it.text.starts_with("-L")),
        _ => false,
    }
}

/// Returns whether a git command compares files and shows no more than their names.
pub(super) fn is_left_of(command: &Command) -> bool {
    let only_names = [
        "--name-only",
        "--name-status",
        "--stat",
        "--shortstat",
        "--numstat",
        "--quiet",
    ];
    let compares = ["diff", "show", "diff-tree", "diff-index", "whatchanged"];
    command
        .subcommand
        .as_deref()
        .is_some_and(|it| compares.contains(&it))
        && only_names.iter().any(|it| command.has_flag(it))
        && !shows_changes(command)
}

/// Returns whether a command encrypts what it reads, or makes an environment of Python under the
/// name of a file of secrets: `sops -e secrets.yaml`, `python -m venv .env`.
pub(super) fn only_hides(command: &Command) -> bool {
    let has = |words: &[&str]| {
        let mut args = command.words_after_program().iter();
        args.any(|it| words.contains(&it.text.as_str()))
    };
    match command.program.as_str() {
        "sops" => has(&["-e", "--encrypt", "encrypt"]),
        "ansible-vault" => has(&["encrypt", "rekey", "create"]),
        // They print only the public part of a key, or whether it is valid.
        "openssl" => {
            let is_key = command
                .words_after_program()
                .first()
                .is_some_and(|it| ["rsa", "pkey", "ec"].contains(&it.text.as_str()));
            let first = command
                .words_after_program()
                .first()
                .map_or("", |it| it.text.as_str());
            let compares = ["verify", "s_client", "crl", "ocsp"].contains(&first);
            // With `-pubin`, it reads nothing but the public part.
            let is_public = has(&["-pubin", "-RSAPublicKey_in"]);
            compares || is_key && (is_public || !has(&["-text"]) && has(&["-noout", "-pubout"]))
        }
        "virtualenv" | "kubeseal" => true,
        "python" | "python3" => {
            command
                .words_after_program()
                .first()
                .is_some_and(|it| it.text == "-m")
                && has(&["venv", "virtualenv"])
        }
        "uv" => command
            .words_after_program()
            .first()
            .is_some_and(|it| it.text == "venv"),
        _ => false,
    }
}

/// Returns the keys that a command uses without showing them: `ssh -i key`.
pub(super) fn used_keys(command: &Command) -> Vec<&str> {
    let behind = |flags: &[&str]| -> Vec<&str> {
        let pairs = command.words.windows(2);
        pairs
            .filter(|it| flags.contains(&it[0].text.as_str()))
            .map(|it| it[1].text.as_str())
            .collect()
    };
    let mut keys = match command.program.as_str() {
        "ssh" | "scp" | "sftp" | "autossh" | "mosh" | "sshfs" | "ssh-copy-id" => behind(&["-i"]),
        // They sign with it.
        "openssl"
            if !["rsa", "pkey", "ec", "pkcs8", "pkcs12"].iter().any(|it| {
                command
                    .words_after_program()
                    .first()
                    .is_some_and(|first| first.text == *it)
            }) =>
        {
            behind(&["-key", "-inkey", "-CAkey", "-signkey", "-sign", "-cert_key"])
        }
        // The value is the command that rsync runs.
        "rsync" => behind(&["-e", "--rsh"]),
        "ansible" | "ansible-playbook" => behind(&["--private-key", "--key-file"]),
        "ssh-add" => command.operands().map(|it| it.text.as_str()).collect(),
        // These show whom a store trusts, not its keys.
        "keytool"
            if command
                .words_after_program()
                .first()
                .is_some_and(|it| ["-list", "-printcert"].contains(&it.text.as_str()))
                && !command
                    .words_after_program()
                    .iter()
                    .any(|it| it.text == "-v") =>
        {
            behind(&["-keystore"])
        }
        "kubectl" | "oc"
            if !command
                .words_after_program()
                .iter()
                .any(|it| it.text == "config") =>
        {
            behind(&["--kubeconfig"])
        }
        "curl" => behind(&["-E", "--cert", "--key", "--proxy-cert", "--proxy-key"]),
        _ => Vec::new(),
    };
    keys.extend(shown_to_peers(command));
    keys.retain(|it| secret_names::secret_kind(it, false) != Some("env"));
    keys
}

/// Clients that identify themselves with a key, which stays with them.
const CLIENTS: &[&str] = &[
    "argocd",
    "cockroach",
    "consul",
    "curl",
    "curlie",
    "docker",
    "etcdctl",
    "fluxctl",
    "grpcurl",
    "helm",
    "http",
    "https",
    "influx",
    "kafkacat",
    "kcat",
    "linkerd",
    "mariadb",
    "mariadb-dump",
    "mongo",
    "mongodump",
    "mongosh",
    "mosquitto_pub",
    "mosquitto_sub",
    "mqttui",
    "mysql",
    "mysqladmin",
    "mysqldump",
    "nats",
    "nomad",
    "openvpn",
    "pgcli",
    "psql",
    "rabbitmqadmin",
    "redis-cli",
    "talosctl",
    "temporal",
    "vault",
    "websocat",
    "wget",
    "wscat",
    "xh",
    "xhs",
];

/// Returns the keys with which a client identifies itself, according to its options:
/// `--client-key key.pem`.
fn shown_to_peers(command: &Command) -> Vec<&str> {
    const OPTIONS: &[&str] = &[
        "--client-key",
        "--client-certificate",
        "--ssl-key",
        "--ssl-cert",
        "--ssl-ca",
        "--tls-key",
        "--tls-cert",
        "--cacert",
        "--cafile",
        "--ca-file",
        "--cert",
        "--key",
        "-cert",
        "-key",
        "-cacert",
        "--private-key",
        "--identity",
        "--identity-file",
        "--key-file",
        "--cert-file",
        "--tlskey",
        "--tlscert",
        "--sslcert",
        "--sslkey",
    ];
    // Another program may show or send the values of the same options.
    if !CLIENTS.contains(&command.program.as_str()) {
        return Vec::new();
    }
    let ends = command.words.iter().position(|it| it.text == "--");
    let words = &command.words[..ends.unwrap_or(command.words.len())];
    let pairs = words.windows(2);
    let behind = pairs.filter(|it| OPTIONS.contains(&it[0].text.as_str()));
    let attached = words.iter().filter(|it| {
        it.text
            .split_once('=')
            .is_some_and(|(option, _)| OPTIONS.contains(&option))
    });
    let values = attached.filter_map(|it| it.text.split_once('=').map(|(_, value)| value));
    behind.map(|it| it[1].text.as_str()).chain(values).collect()
}

/// Returns the keys that a command creates for the project: `openssl genrsa -out key.pem`.
pub(super) fn keys_made(command: &Command) -> Vec<&Word> {
    let pairs = command.words.windows(2);
    let outputs = pairs.filter(|it| ["-out", "-keyout"].contains(&it[0].text.as_str()));
    let outputs = outputs.map(|it| &it[1]);
    let is_own = |text: &str| !text.starts_with(['/', '~', '$']) || text.starts_with("/tmp/");
    let is_key = |text: &str| secret_names::secret_kind(text, false) == Some("secret");
    outputs
        .filter(|it| command.program == "openssl" && is_own(&it.text) && is_key(&it.text))
        .collect()
}
