//! What commands do in containers and on other machines.

use hookloop_shell::{Command, Place, usual_name};

use super::environment::is_entered;
use super::{Effect, note};

/// What happens in containers and on other machines, where paths aren't ours.
pub(super) fn remote_effects(command: &Command, before: &[Command], effects: &mut Vec<Effect>) {
    if command.place != Place::Remote {
        let whole = command
            .deletes
            .iter()
            .any(|it| ["/", "/*"].contains(&it.written.as_str()));
        if whole {
            note(effects, "delete.root", command, "/");
        }
        // A pod's data is used by others.
        let of_cluster = command
            .through
            .iter()
            .any(|it| ["kubectl", "oc", "k"].contains(&it.as_str()));
        let lasts = of_cluster || !command.deletes.is_empty() && is_entered(command, before);
        let mut kept = command.deletes.iter().filter(|it| {
            let passing = ["/tmp", "/var/tmp", "/var/cache", "/root/.cache"];
            !passing.iter().any(|folder| it.written.starts_with(folder))
        });
        let is_recursive = ["-r", "-R", "-delete"]
            .iter()
            .any(|it| command.has_flag(it))
            || command
                .through
                .iter()
                .any(|it| ["find", "xargs"].contains(&usual_name(it)));
        if lasts && is_recursive && kept.next().is_some() {
            note(effects, "container", command, "");
        }
        return;
    }
    let opens = ["/etc/", "/root/.ssh/"];
    let persists = command.writes.iter().find(|it| {
        it.written.contains(".ssh/authorized_keys")
            || opens.iter().any(|folder| it.written.starts_with(folder))
    });
    if let Some(path) = persists {
        note(effects, "persist", command, &path.written);
    }
    let disk = command
        .writes
        .iter()
        .find(|it| super::places::is_device(&it.written));
    if let Some(path) = disk {
        note(effects, "disk.write", command, &path.written);
    }
    let recursive = command.has_flag("-r") || command.has_flag("-R");
    let shared = [
        "/etc/",
        "/usr/",
        "/var/lib/",
        "/var/www/",
        "/srv/",
        "/opt/",
        "/boot/",
    ];
    let is_shared = command
        .deletes
        .iter()
        .any(|it| shared.iter().any(|folder| it.written.starts_with(folder)));
    if is_shared || !command.deletes.is_empty() && recursive {
        note(effects, "delete.outside", command, "another machine");
    }
}
