//! Process groups that outlived their first process (IO-32, IO-34).

use std::sync::{Mutex, PoisonError};

use crate::platform::Group;

/// Collects groups whose leader has ended while other processes in them still run. They end with
/// the host.
#[derive(Debug, Default)]
pub struct Leftovers(Mutex<Vec<Group>>);

impl Leftovers {
    /// Adds a group if it still has a process.
    ///
    /// Groups that have become empty are removed at the same time, because the system may reuse
    /// their numbers.
    pub fn remember(&self, group: &Group) {
        let mut groups = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        groups.retain(Group::is_alive);
        if group.is_alive() {
            groups.push(group.clone());
        }
    }

    /// Kills all collected groups, and returns their number.
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
