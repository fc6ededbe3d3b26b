//! Files that a pipe reads and empties at once, and processes that a command looks up and ends.

use hookloop_shell::{Command, Input, RedirectKind};

use super::places::Places;
use super::{Effect, note};

/// What the commands so far have read and looked up.
#[derive(Debug, Default)]
pub(super) struct Piped {
    /// What the commands of this pipe read.
    reads: Vec<String>,
    /// Processes were looked up.
    looked_up: bool,
}

impl Piped {
    /// Notes what a command reads, and what it empties of that: the shell opens the file to write
    /// before anything is read.
    pub(super) fn by_pipe(
        &mut self,
        command: &Command,
        places: &Places,
        effects: &mut Vec<Effect>,
    ) {
        if !matches!(command.input, Input::Output(_) | Input::Names(_)) {
            self.reads.clear();
        }
        self.reads
            .extend(command.reads.iter().map(|it| it.written.clone()));
        let redirected = command
            .redirects
            .iter()
            .filter(|it| it.kind == RedirectKind::Write && it.takes_output)
            .map(|it| it.target.text.as_str());
        let copied = command.writes.iter().map(|it| it.written.as_str());
        let tees = command.program == "tee" && !command.has_flag("-a");
        for path in redirected.chain(copied.filter(|_| tees)) {
            if self.reads.iter().any(|it| it == path) && places.is_worth_keeping(path) {
                note(effects, "overwrite.project", command, path);
            }
        }
        self.by_process(command, effects);
        // One database client runs what another prints, without anybody seeing it first.
        let is_client = |it: &str| ["psql", "mysql", "mariadb", "sqlite3"].contains(&it);
        if let Input::Output(from) = &command.input
            && is_client(&command.program)
            && is_client(from.split_whitespace().next().unwrap_or(""))
        {
            note(effects, "database", command, "");
        }
    }

    /// Finds processes that are ended because a list of them was searched.
    fn by_process(&mut self, command: &Command, effects: &mut Vec<Effect>) {
        let looks_up = match command.program.as_str() {
            "pgrep" | "pidof" => true,
            "ps" => !command.has_flag("-p"),
            "lsof" => command.has_flag("-t"),
            _ => false,
        };
        self.looked_up |= looks_up;
        let is_own = |text: &str| ["$!", "$$", "$PPID"].contains(&text);
        let unknown = command
            .words_after_program()
            .iter()
            .any(|it| !it.known && it.text.contains('$') && !is_own(&it.text));
        if self.looked_up && command.program == "kill" && unknown {
            note(effects, "process", command, "");
        }
    }
}
