//! What commands make others do: other shells, scripts and tasks of the project, git aliases.

use hookloop_shell::{Command, Understood};

use super::branches::{self, Branches};
use super::scripts::WrittenFiles;
use super::{Effect, Places, effects_within, links, note, scripts, windows};

/// How many texts are followed from one in total: what further ones do can't be known.
const MAX_TEXTS: usize = 32;

/// How many loaded files are remembered: every further command may call a function of any of them.
const MAX_LOADED: usize = 8;

/// What a text shares with the texts that it makes others run.
pub(super) struct Followed<'p> {
    places: &'p Places,
    pub(super) branches: Branches<'p>,
    /// How many more are followed.
    left: usize,
    /// What the texts write to files.
    leaves: WrittenFiles,
    /// What was loaded: its functions can be called from there on.
    loaded: Vec<String>,
}

impl<'p> Followed<'p> {
    pub(super) fn new(places: &'p Places) -> Self {
        Self {
            places,
            branches: Branches::new(places),
            left: MAX_TEXTS,
            leaves: WrittenFiles::default(),
            loaded: Vec::new(),
        }
    }

    /// Notes what a text writes to files: whatever runs them runs that.
    pub(super) fn writes(&mut self, understood: &Understood) {
        self.leaves.written.extend_from_slice(&understood.written);
    }

    /// Uses up one of the texts that may be followed. If none is left, it isn't known what the
    /// command does.
    fn take(&mut self, command: &Command, effects: &mut Vec<Effect>) -> bool {
        let left = self.left.checked_sub(1);
        self.left = left.unwrap_or_default();
        if left.is_none() {
            note(effects, "run.unknown", command, "git");
        }
        left.is_some()
    }

    /// Finds the effects of another text.
    fn effects_of(&mut self, understood: &Understood) -> Vec<Effect> {
        let places = self.places;
        effects_within(&links::follow_links(understood, places), places, self)
    }

    /// Finds what a command makes others do.
    pub(super) fn follow(&mut self, command: &Command, effects: &mut Vec<Effect>) {
        let places = self.places;
        self.leaves.note(command);
        for meant in windows::inner_commands(command, places) {
            if !self.take(command, effects) {
                return;
            }
            effects.extend(self.effects_of(&meant));
        }
        let mut run = scripts::run_by(command, places, &self.leaves);
        if scripts::loads(command) && self.loaded.len() < MAX_LOADED {
            self.loaded
                .extend(run.iter().map(|it| it.text().to_owned()));
        } else {
            run.extend(scripts::function_script(command, places, &self.loaded));
        }
        for script in run {
            if !self.take(command, effects) {
                return;
            }
            let mut done = self.effects_of(&script.understood);
            script.retain_significant(&mut done);
            effects.extend(done);
        }
        if let Some(meant) = self.branches.alias(command)
            && self.take(command, effects)
        {
            if branches::sets_alias(command) {
                // No branch is affected yet.
                let mut later = Self::new(places);
                later.left = 0;
                let mut later = later.effects_of(&meant);
                later.retain(|it| !it.name.starts_with("branch.") && it.name != "run.unknown");
                effects.extend(later);
            } else {
                effects.extend(self.effects_of(&meant));
            }
        }
    }
}
