//! Process groups that outlived their first process (IO-32, IO-34).

use std::sync::{Mutex, PoisonError};

use crate::platform::Group;

/// Remembers groups whose leader has ended while others in it live on; they end with the host.
#[derive(Debug, Default)]
pub struct Leftovers(Mutex<Vec<Group>>);

impl Leftovers {
    /// Remembers a group if anybody is left in it.
    ///
    /// Groups that have become empty are forgotten on the way: the system may give their number
    /// to somebody else.
    pub fn remember(&self, group: &Group) {
        let mut groups = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        groups.retain(Group::is_alive);
        if group.is_alive() {
            groups.push(group.clone());
        }
    }

    /// Kills all remembered groups, and returns how many were left.
    pub fn end(&self) -> usize {
        let mut groups = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let alive = groups.drain(..).filter(Group::is_alive);
        alive.inspect(Group::kill).count()
    }
}

impl Drop for Leftovers {
    fn drop(&mut self) {
        self.end();
    }
}
