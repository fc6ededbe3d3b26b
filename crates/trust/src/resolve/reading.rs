//! The rules by which it is found what a hook names (TR-12).

/// The rules by which texts of scripts are read (TR-12).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reading {
    /// The current rules.
    Today,
    /// Those of agreements from when files that a guard's script only reads didn't count.
    WithoutData,
    /// Those of agreements from when what a command searches for, or what a program text compares,
    /// could name a file.
    WithSearched,
    /// Those of agreements from before the files counted that tell a program what to run for a hook
    /// of the project: makefiles, scripts of packages, sources of what is built.
    WithoutTellers,
    /// Those of agreements from before it was examined what a program runs for a hook of the
    /// project if it takes its tasks from files.
    WithoutTasks,
    /// Those of agreements from before these were examined: functions whose names are in a comment,
    /// scripts that name no interpreter, imports in every form, modules by their language.
    Former,
}

impl Reading {
    /// Returns whether it is examined what a program runs that takes its tasks from files.
    pub(super) fn looks_into_tasks(self) -> bool {
        self.watches_tellers() || self == Self::WithoutTellers
    }

    /// Returns whether the files count that tell a program what to run for a hook of the project.
    pub(crate) const fn watches_tellers(self) -> bool {
        matches!(self, Self::Today | Self::WithoutData | Self::WithSearched)
    }

    /// Returns whether words that are only searched for or compared name no file.
    pub(super) const fn leaves_out_searched(self) -> bool {
        matches!(self, Self::Today | Self::WithoutData)
    }
}
