//! Options and subcommands.

use crate::understood::Command;

/// Programs that take subcommands: how many words make one, and which options in front of it have
/// their value in the next word.
const WITH_SUBCOMMANDS: &[(&str, usize, &[&str])] = &[
    (
        "git",
        1,
        &[
            "-C",
            "-c",
            "--git-dir",
            "--work-tree",
            "--namespace",
            "--exec-path",
            "--config-env",
            "--super-prefix",
            "--attr-source",
        ],
    ),
    (
        "docker",
        1,
        &[
            "-H",
            "--host",
            "--config",
            "--context",
            "-c",
            "-l",
            "--log-level",
            "--tlscacert",
            "--tlscert",
            "--tlskey",
        ],
    ),
    (
        "podman",
        1,
        &["--url", "--connection", "-c", "--log-level", "--root"],
    ),
    ("nerdctl", 1, &["-n", "--namespace", "-a", "--address"]),
    (
        "docker-compose",
        1,
        &[
            "-f",
            "--file",
            "-p",
            "--project-name",
            "--env-file",
            "--profile",
        ],
    ),
    (
        "kubectl",
        1,
        &[
            "-n",
            "--namespace",
            "--context",
            "--kubeconfig",
            "--cluster",
            "--user",
            "-s",
            "--server",
        ],
    ),
    ("oc", 1, &["-n", "--namespace", "--context", "--kubeconfig"]),
    (
        "helm",
        1,
        &["-n", "--namespace", "--kube-context", "--kubeconfig"],
    ),
    ("terraform", 1, &[]),
    ("tofu", 1, &[]),
    ("terragrunt", 1, &[]),
    ("pulumi", 1, &["-s", "--stack", "-C", "--cwd"]),
    ("cdk", 1, &["-a", "--app", "-c", "--context"]),
    (
        "aws",
        2,
        &[
            "--profile",
            "--region",
            "--output",
            "--endpoint-url",
            "--query",
            "--color",
        ],
    ),
    (
        "gcloud",
        3,
        &["--project", "--account", "--configuration", "--format"],
    ),
    ("gsutil", 1, &["-o", "-u", "-h"]),
    ("az", 3, &["--subscription", "-o", "--output", "--query"]),
    ("gh", 2, &["-R", "--repo"]),
    ("glab", 2, &["-R", "--repo"]),
    (
        "npm",
        1,
        &["--prefix", "-C", "-w", "--workspace", "--registry"],
    ),
    ("pnpm", 1, &["-C", "--dir", "-F", "--filter"]),
    ("yarn", 1, &["--cwd"]),
    ("bun", 1, &["--cwd"]),
    ("deno", 1, &[]),
    ("cargo", 1, &["-C", "--config", "--color", "-Z"]),
    ("go", 1, &["-C"]),
    ("pip", 1, &["--python", "--proxy", "--log"]),
    ("pip3", 1, &["--python", "--proxy", "--log"]),
    ("uv", 1, &["--directory", "--project", "--config-file"]),
    ("poetry", 1, &["-C", "--directory", "-P", "--project"]),
    ("pipenv", 1, &[]),
    ("pdm", 1, &["-p", "--project"]),
    ("pipx", 1, &[]),
    ("conda", 1, &[]),
    ("mamba", 1, &[]),
    ("gem", 1, &[]),
    ("bundle", 1, &[]),
    ("composer", 1, &["-d", "--working-dir"]),
    ("brew", 1, &[]),
    ("apt", 1, &["-o", "-c", "-t"]),
    ("apt-get", 1, &["-o", "-c", "-t"]),
    ("aptitude", 1, &["-o", "-t"]),
    ("dnf", 1, &["-c", "--releasever"]),
    ("yum", 1, &["-c"]),
    ("zypper", 1, &["-R", "--root"]),
    ("apk", 1, &["-p", "--root", "-X"]),
    ("snap", 1, &[]),
    ("flatpak", 1, &[]),
    ("nix", 1, &[]),
    ("port", 1, &[]),
    ("choco", 1, &[]),
    ("winget", 1, &[]),
    ("scoop", 1, &[]),
    (
        "systemctl",
        1,
        &["-H", "--host", "-M", "--machine", "-t", "--type", "--root"],
    ),
    ("launchctl", 1, &[]),
    ("rustup", 1, &[]),
    ("svn", 1, &[]),
    ("hg", 1, &["-R", "--repository", "--cwd", "--config"]),
    ("jj", 1, &["-R", "--repository", "--config"]),
    ("heroku", 1, &["-a", "--app"]),
    ("fly", 1, &["-a", "--app", "-c"]),
    ("flyctl", 1, &["-a", "--app", "-c"]),
    ("vercel", 1, &["--cwd", "-t", "--token", "-S", "--scope"]),
    ("netlify", 1, &[]),
    ("wrangler", 1, &["-c", "--config"]),
    ("firebase", 1, &["-P", "--project"]),
    ("supabase", 2, &[]),
    ("doctl", 3, &[]),
    (
        "redis-cli",
        1,
        &["-h", "-p", "-a", "-n", "-u", "-s", "--user", "--pass"],
    ),
    ("ip", 2, &[]),
    ("zfs", 1, &[]),
    ("zpool", 1, &[]),
    ("lvm", 1, &[]),
    ("virsh", 1, &["-c", "--connect"]),
    ("vagrant", 1, &[]),
    ("multipass", 1, &[]),
    ("dotnet", 1, &[]),
    ("mix", 1, &[]),
    ("rails", 1, &[]),
    ("rake", 1, &["-f", "-C"]),
    ("prisma", 2, &[]),
    ("twine", 1, &[]),
    ("crontab", 0, &[]),
    ("diskutil", 1, &[]),
    ("restic", 1, &["-r", "--repo"]),
    ("borg", 1, &[]),
    ("rclone", 1, &["--config"]),
    ("mc", 1, &[]),
    ("s3cmd", 1, &["-c"]),
    ("ufw", 1, &[]),
    ("nmcli", 2, &[]),
    ("busybox", 0, &[]),
    ("pm2", 1, &[]),
    ("supervisorctl", 1, &[]),
    ("rabbitmqctl", 1, &[]),
    ("etcdctl", 1, &["--endpoints"]),
    ("consul", 2, &[]),
    ("vault", 2, &[]),
    ("nomad", 2, &[]),
    ("argocd", 2, &[]),
    ("flux", 1, &[]),
    ("eksctl", 2, &[]),
    ("kind", 2, &[]),
    ("minikube", 1, &["-p"]),
    ("k3d", 2, &[]),
];

/// Words that only say what kind of thing a further word is about: `docker container rm`.
const GROUPS: &[(&str, &[&str])] = &[
    (
        "docker",
        &[
            "container",
            "image",
            "volume",
            "network",
            "system",
            "compose",
            "builder",
            "buildx",
            "context",
            "swarm",
            "stack",
            "service",
            "node",
            "secret",
            "config",
        ],
    ),
    (
        "podman",
        &[
            "container",
            "image",
            "volume",
            "network",
            "system",
            "pod",
            "machine",
            "secret",
        ],
    ),
    (
        "git",
        &[
            "stash",
            "worktree",
            "remote",
            "submodule",
            "reflog",
            "branch-never",
            "lfs",
            "notes",
            "bisect",
            "sparse-checkout",
        ],
    ),
    ("cargo", &[]),
    ("uv", &["pip", "tool", "python"]),
    ("helm", &["repo", "plugin"]),
    ("terraform", &["state", "workspace"]),
    ("tofu", &["state", "workspace"]),
    ("pulumi", &["stack", "state"]),
    (
        "npm",
        &[
            "dist-tag", "owner", "team", "access", "token", "cache", "config",
        ],
    ),
    ("kubectl", &["rollout", "config"]),
    ("rclone", &["config"]),
];

/// Programs whose options with one dash are words: never split.
const ONE_DASH: &[&str] = &[
    "find",
    "gfind",
    "java",
    "javac",
    "terraform",
    "tofu",
    "terragrunt",
    "go",
    "ffmpeg",
    "ffprobe",
    "convert",
    "magick",
    "xcodebuild",
    "openssl",
    "ld",
    "gcc",
    "g++",
    "clang",
    "clang++",
    "cc",
    "c++",
    "rustc",
    "dd",
    "mvn",
    "ant",
    "gradle",
    "X",
    "qemu-img",
    "qemu-system-x86_64",
    "nomad",
    "vault",
    "consul",
    "packer",
    "adb",
    "erl",
    "xset",
    "xrandr",
    "pwsh",
    "powershell",
    "sysbench",
    "php",
    "ps",
    "tar-never",
    "iptables-never",
    "msiexec",
    "lsof-never",
    "cmake",
    "ctest",
    "bazel",
    "protoc",
    "swiftc",
    "scutil",
    "security",
    "defaults",
    "osascript",
    "nmap-never",
    "hdiutil",
];

/// Finds the subcommand and the flags of a command.
pub(crate) fn analyse(command: &mut Command) {
    command.head = 1;
    find_subcommand(command);
    mark_values(command);
    let splits = !ONE_DASH.contains(&command.program.as_str());
    let mut flags: Vec<String> = Vec::new();
    let mut note = |flag: &str| {
        if !flags.iter().any(|it| it == flag) {
            flags.push(flag.to_owned());
        }
    };
    for word in command.words.iter().skip(1) {
        let text = word.text.as_str();
        if text == "--" {
            break;
        }
        if word.is_option_value || text == "-" || !text.starts_with('-') {
            continue;
        }
        if text.starts_with("--") {
            note(text.split_once('=').map_or(text, |(name, _)| name));
            continue;
        }
        let name = text.split_once('=').map_or(text, |(name, _)| name);
        if splits && name.chars().skip(1).all(char::is_alphanumeric) {
            for letter in name.chars().skip(1) {
                note(&format!("-{letter}"));
            }
        } else {
            note(name);
        }
    }
    // `tar xzf`, `ps aux`: a first word without a dash is a cluster all the same.
    if command.program == "tar"
        && let Some(first) = command.words.get(1)
        && !first.text.starts_with('-')
        && first.text.chars().all(char::is_alphabetic)
    {
        for letter in first.text.chars() {
            note(&format!("-{letter}"));
        }
    }
    command.flags = flags;
}

fn find_subcommand(command: &mut Command) {
    let known = WITH_SUBCOMMANDS.iter().find(|it| it.0 == command.program);
    let Some((program, count, valued)) = known else {
        return;
    };
    let mut at = 1;
    let mut names: Vec<String> = Vec::new();
    let mut wanted = *count;
    while names.len() < wanted {
        let Some(word) = command.words.get(at) else {
            break;
        };
        let text = word.text.as_str();
        if text == "--" {
            break;
        }
        if text.starts_with('-') {
            // Options between the words of a subcommand belong to it.
            if names.is_empty() {
                at += if valued.contains(&text) { 2 } else { 1 };
                continue;
            }
            break;
        }
        if !word.known {
            break;
        }
        let is_group = |name: &str| {
            let groups = GROUPS.iter().find(|it| it.0 == *program);
            groups.is_some_and(|(_, groups)| groups.contains(&name))
        };
        if names.is_empty() && *count == 1 && is_group(text) {
            wanted = 2;
        }
        names.push(text.to_owned());
        at += 1;
    }
    for (place, word) in command.words.iter_mut().enumerate().take(at).skip(1) {
        let _ = place;
        word.is_option_value = false;
    }
    if !names.is_empty() {
        command.subcommand = Some(names.join(" "));
        command.head = at;
    }
}

/// Options that have their value in the next word, by program.
const VALUED: &[(&str, &[&str])] = &[
    (
        "git",
        &[
            "-m",
            "--message",
            "-F",
            "--file",
            "--author",
            "--date",
            "-b",
            "-B",
            "-c",
            "-C",
            "--onto",
            "-s",
            "--strategy",
            "-X",
            "--depth",
            "--branch",
            "-o",
            "--push-option",
            "-n",
            "--max-count",
            "--since",
            "--until",
            "--grep",
            "--format",
            "--pretty",
            "-S",
            "-G",
            "-L",
        ],
    ),
    (
        "grep",
        &[
            "-e",
            "-f",
            "-A",
            "-B",
            "-C",
            "-m",
            "--regexp",
            "--file",
            "--include",
            "--exclude",
            "--exclude-dir",
        ],
    ),
    (
        "rg",
        &[
            "-e",
            "-f",
            "-A",
            "-B",
            "-C",
            "-m",
            "-g",
            "-t",
            "-T",
            "--glob",
            "--type",
            "-r",
            "--replace",
        ],
    ),
    (
        "curl",
        &[
            "-o",
            "--output",
            "-H",
            "--header",
            "-d",
            "--data",
            "--data-raw",
            "--data-binary",
            "--data-urlencode",
            "-X",
            "--request",
            "-u",
            "--user",
            "-A",
            "--user-agent",
            "-e",
            "--referer",
            "-b",
            "--cookie",
            "-c",
            "--cookie-jar",
            "-F",
            "--form",
            "-T",
            "--upload-file",
            "-x",
            "--proxy",
            "-K",
            "--config",
            "-m",
            "--max-time",
            "--connect-timeout",
            "--retry",
            "-w",
            "--write-out",
            "--cacert",
            "--cert",
            "-E",
            "--key",
            "-r",
            "--range",
            "--url",
            "--resolve",
            "-D",
            "--dump-header",
        ],
    ),
    (
        "wget",
        &[
            "-O",
            "--output-document",
            "-P",
            "--directory-prefix",
            "-o",
            "--header",
            "--post-data",
            "--post-file",
            "-U",
            "-T",
            "-t",
            "-i",
            "--input-file",
        ],
    ),
    ("head", &["-n", "-c"]),
    ("tail", &["-n", "-c"]),
    ("cut", &["-d", "-f", "-c", "-b"]),
    ("sort", &["-k", "-t", "-o", "-S", "-T"]),
    ("sed", &["-e", "-f", "-l", "--expression", "--file"]),
    ("awk", &["-F", "-v", "-f"]),
    ("gawk", &["-F", "-v", "-f"]),
    (
        "tar",
        &["-f", "-C", "--file", "--directory", "-T", "--exclude", "-I"],
    ),
    ("unzip", &["-d", "-x"]),
    ("zip", &["-x", "-i"]),
    ("cp", &["-t", "--target-directory", "-S"]),
    ("mv", &["-t", "--target-directory", "-S"]),
    (
        "install",
        &["-m", "-o", "-g", "-t", "--mode", "--owner", "--group"],
    ),
    ("ln", &["-t", "--target-directory", "-S"]),
    ("mkdir", &["-m", "--mode"]),
    ("truncate", &["-s", "--size", "-r"]),
    ("touch", &["-t", "-d", "-r", "--date", "--reference"]),
    ("chmod", &["--reference"]),
    ("chown", &["--reference", "--from"]),
    ("kill", &["-s", "-n"]),
    ("pkill", &["-u", "-U", "-g", "-P", "-t", "--signal"]),
    (
        "rsync",
        &[
            "-e",
            "--rsh",
            "--exclude",
            "--include",
            "--filter",
            "--backup-dir",
            "--log-file",
            "--exclude-from",
            "--files-from",
        ],
    ),
    ("scp", &["-i", "-P", "-F", "-o", "-l", "-c", "-J"]),
    ("ssh-keygen", &["-f", "-t", "-b", "-C", "-N", "-P"]),
    (
        "openssl",
        &[
            "-in", "-out", "-key", "-inkey", "-keyout", "-pass", "-passin", "-passout", "-days",
            "-subj", "-CAfile", "-cert",
        ],
    ),
    (
        "npm",
        &["-w", "--workspace", "--registry", "--prefix", "--tag"],
    ),
    (
        "pip",
        &[
            "-r",
            "--requirement",
            "-c",
            "-i",
            "--index-url",
            "--extra-index-url",
            "-t",
            "--target",
            "-e",
        ],
    ),
    (
        "pip3",
        &[
            "-r",
            "--requirement",
            "-c",
            "-i",
            "--index-url",
            "--extra-index-url",
            "-t",
            "--target",
            "-e",
        ],
    ),
    ("shred", &["-n", "-s", "--iterations", "--size"]),
    ("split", &["-l", "-b", "-n", "-a"]),
    (
        "gpg",
        &[
            "-o",
            "--output",
            "-r",
            "--recipient",
            "-u",
            "--passphrase-file",
            "--homedir",
        ],
    ),
    ("patch", &["-p", "-i", "-d", "-o", "--input", "--directory"]),
    ("date", &["-d", "--date", "-s", "--set", "-r"]),
    (
        "jq",
        &[
            "--arg",
            "--argjson",
            "-f",
            "--from-file",
            "--slurpfile",
            "--indent",
        ],
    ),
    ("make", &["-C", "-f", "-j", "--directory", "--file"]),
    (
        "docker",
        &[
            "-f", "--file", "-t", "--tag", "-v", "--volume", "-p", "-e", "--env", "--name",
            "--filter", "-w", "-u",
        ],
    ),
    (
        "kubectl",
        &[
            "-n",
            "--namespace",
            "-f",
            "--filename",
            "-l",
            "--selector",
            "-o",
            "--output",
            "-c",
            "--context",
            "--kubeconfig",
        ],
    ),
];

fn mark_values(command: &mut Command) {
    mark_program_text(command);
    let known = VALUED.iter().find(|it| it.0 == command.program);
    let Some((_, valued)) = known else {
        return;
    };
    let start = command.head.max(1);
    let mut at = start;
    while at + 1 < command.words.len() {
        let text = command.words[at].text.as_str();
        if text == "--" {
            break;
        }
        let takes = valued.contains(&text)
            || text.starts_with('-')
                && !text.starts_with("--")
                && !ONE_DASH.contains(&command.program.as_str())
                && text.chars().count() > 2
                && text.chars().skip(1).all(char::is_alphabetic)
                && text
                    .chars()
                    .next_back()
                    .is_some_and(|last| valued.contains(&format!("-{last}").as_str()));
        if takes {
            command.words[at + 1].is_option_value = true;
            at += 2;
        } else {
            at += 1;
        }
    }
}

/// Program text is no operand.
fn mark_program_text(command: &mut Command) {
    let is_shell = crate::run::is_shell(&command.program);
    let options = crate::run::text_options(&command.program).unwrap_or_default();
    for at in 1..command.words.len().saturating_sub(1) {
        let text = command.words[at].text.as_str();
        let is_cluster = text.starts_with('-') && !text.starts_with("--") && text.contains('c');
        if is_shell && is_cluster || options.contains(&text) {
            command.words[at + 1].is_option_value = true;
            if is_shell {
                return;
            }
        }
    }
}
