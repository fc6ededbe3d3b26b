//! A keyring with a time limit.

use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use hookloop_settings::{Keyring, KeyringError, SecretName};

/// Limits the wait for a keyring: a call that takes longer is abandoned, in a thread that nobody
/// waits for.
#[derive(Debug)]
pub(super) struct Bounded<K> {
    keyring: Arc<K>,
    limit: Duration,
}

impl<K: Keyring + 'static> Bounded<K> {
    pub(super) fn new(keyring: K, limit: Duration) -> Self {
        Self {
            keyring: Arc::new(keyring),
            limit,
        }
    }

    fn ask<T: Send + 'static>(
        &self,
        question: impl FnOnce(&K) -> Result<T, KeyringError> + Send + 'static,
    ) -> Result<T, KeyringError> {
        let (sender, receiver) = channel();
        let keyring = Arc::clone(&self.keyring);
        let failed = |what: String| Err(KeyringError::Failed(what));
        let started = thread::Builder::new()
            .name("keyring".to_owned())
            // After the limit has passed, nobody receives the answer.
            .spawn(move || drop(sender.send(question(&keyring))));
        if let Err(error) = started {
            return failed(format!("it can't be asked: {error}"));
        }
        match receiver.recv_timeout(self.limit) {
            Ok(answer) => answer,
            Err(RecvTimeoutError::Timeout) => Err(KeyringError::TimedOut(self.limit)),
            Err(RecvTimeoutError::Disconnected) => failed("it exited without an answer".to_owned()),
        }
    }
}

impl<K: Keyring + 'static> Keyring for Bounded<K> {
    fn read(&self, name: &SecretName) -> Result<Option<String>, KeyringError> {
        let name = name.clone();
        self.ask(move |keyring| keyring.read(&name))
    }

    fn write(&self, name: &SecretName, secret: &str) -> Result<(), KeyringError> {
        let (name, secret) = (name.clone(), secret.to_owned());
        self.ask(move |keyring| keyring.write(&name, &secret))
    }

    fn remove(&self, name: &SecretName) -> Result<(), KeyringError> {
        let name = name.clone();
        self.ask(move |keyring| keyring.remove(&name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Never answers.
    #[derive(Debug)]
    struct Hanging;

    impl Keyring for Hanging {
        fn read(&self, _name: &SecretName) -> Result<Option<String>, KeyringError> {
            loop {
                thread::park();
            }
        }

        fn write(&self, name: &SecretName, _secret: &str) -> Result<(), KeyringError> {
            self.read(name).map(drop)
        }

        fn remove(&self, name: &SecretName) -> Result<(), KeyringError> {
            self.read(name).map(drop)
        }
    }

    /// EX-3: a call of a keyring that hangs is abandoned, which is reported.
    #[test]
    fn a_keyring_that_hangs_is_given_up() {
        let limit = Duration::from_millis(20);
        let keyring = Bounded::new(Hanging, limit);
        let name = SecretName::new("tools", "/e".as_ref(), "KEY");
        let timed_out = KeyringError::TimedOut(limit);
        assert_eq!(keyring.read(&name), Err(timed_out.clone()));
        assert_eq!(keyring.write(&name, "x"), Err(timed_out.clone()));
        assert_eq!(keyring.remove(&name), Err(timed_out));
    }
}
