//! Passes secret settings of extensions from the keyring to their hooks (EX-3).

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use hookloop_engine::{BoxFuture, Completion, Executor, ExecutorLayer, Invocation};
use hookloop_hook::ExtensionOrigin;
use hookloop_settings::{Keyring, KeyringError, SecretName};

/// How long a keyring that failed isn't asked again: events for each chunk of a response must not
/// wait for it each time.
const RETRY_PAUSE: Duration = Duration::from_secs(30);

/// An executor layer that gives hooks the secrets of their extension, and doesn't run a hook whose
/// secrets are missing.
///
/// The keyring is asked when the first such hook runs, so that users without secrets never wait for
/// it. Its answers are cached for the session.
pub struct KeyringSecrets<E> {
    executor: E,
    keyring: Arc<dyn Keyring>,
    asked: Arc<Mutex<CachedAnswer>>,
}

/// The keyring's answer.
#[derive(Default)]
struct CachedAnswer {
    secrets: HashMap<SecretName, String>,
    failure: Option<(Instant, String)>,
}

impl<E> KeyringSecrets<E> {
    /// Wraps an executor.
    pub fn new(executor: E, keyring: Arc<dyn Keyring>) -> Self {
        Self {
            executor,
            keyring,
            asked: Arc::default(),
        }
    }
}

impl<E: Executor> ExecutorLayer for KeyringSecrets<E> {
    type Inner = E;

    fn inner(&self) -> &E {
        &self.executor
    }

    fn execute(&self, mut invocation: Invocation) -> BoxFuture<'_, Completion> {
        Box::pin(async move {
            let Some(extension) = invocation.hook.extension.clone() else {
                return self.executor.execute(invocation).await;
            };
            if extension.in_keyring.is_empty() {
                return self.executor.execute(invocation).await;
            }
            let (keyring, asked) = (Arc::clone(&self.keyring), Arc::clone(&self.asked));
            let read =
                tokio::task::spawn_blocking(move || with_secrets(&extension, &*keyring, &asked));
            match read.await {
                Ok(Ok(extension)) => {
                    let mut hook = (*invocation.hook).clone();
                    hook.extension = Some(Arc::new(extension));
                    invocation.hook = Arc::new(hook);
                    self.executor.execute(invocation).await
                }
                Ok(Err(why)) => Completion::not_started(why),
                Err(error) => Completion::not_started(format!("the keyring failed: {error}")),
            }
        })
    }
}

/// Returns an extension with its secrets added to its settings, or why they can't be read.
fn with_secrets(
    extension: &ExtensionOrigin,
    keyring: &dyn Keyring,
    asked: &Mutex<CachedAnswer>,
) -> Result<ExtensionOrigin, String> {
    let mut asked = asked.lock().unwrap_or_else(PoisonError::into_inner);
    let mut complete = extension.clone();
    for variable in &extension.in_keyring {
        let name = SecretName::new(&extension.name, &extension.path, variable);
        let secret = match asked.secrets.get(&name) {
            Some(secret) => secret.clone(),
            None => ask(&mut asked, keyring, &name, variable)?,
        };
        // The keyring's value counts, not that of an older file.
        complete.settings_env.retain(|(known, _)| known != variable);
        complete.settings_env.push((variable.clone(), secret));
    }
    Ok(complete)
}

fn ask(
    asked: &mut CachedAnswer,
    keyring: &dyn Keyring,
    name: &SecretName,
    variable: &str,
) -> Result<String, String> {
    let still = |(at, _): &&(Instant, String)| at.elapsed() < RETRY_PAUSE;
    if let Some((_, failure)) = asked.failure.as_ref().filter(still) {
        return Err(unreadable(variable, failure));
    }
    match keyring.read(name) {
        Ok(Some(secret)) => {
            asked.secrets.insert(name.clone(), secret.clone());
            Ok(secret)
        }
        Ok(None) => Err(format!(
            "the keyring no longer has a value for the setting {variable}; set it with \
             `hookloop extensions settings`"
        )),
        Err(error) => {
            let failure = error.to_string();
            // A missing keyring costs no time, so its failure isn't cached.
            if !matches!(error, KeyringError::Absent(_)) {
                asked.failure = Some((Instant::now(), failure.clone()));
            }
            Err(unreadable(variable, &failure))
        }
    }
}

fn unreadable(variable: &str, why: &str) -> String {
    format!("the setting {variable} can't be read: {why}")
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use hookloop_hook::{Enablement, ExtensionScope};

    use super::*;

    /// Answers each question in the same way, and counts them.
    #[derive(Debug)]
    struct Always(Result<Option<String>, KeyringError>, AtomicUsize);

    impl Keyring for Always {
        fn read(&self, _name: &SecretName) -> Result<Option<String>, KeyringError> {
            self.1.fetch_add(1, Ordering::SeqCst);
            self.0.clone()
        }

        fn write(&self, _name: &SecretName, _secret: &str) -> Result<(), KeyringError> {
            Ok(())
        }

        fn remove(&self, _name: &SecretName) -> Result<(), KeyringError> {
            Ok(())
        }
    }

    fn extension() -> ExtensionOrigin {
        ExtensionOrigin {
            name: "tools".into(),
            path: std::path::PathBuf::from("/e"),
            scope: ExtensionScope::User,
            enablement: Enablement::Enabled,
            settings_env: vec![("KEY".to_owned(), "old".to_owned())],
            in_keyring: vec!["KEY".to_owned(), "TOKEN".to_owned()],
        }
    }

    /// EX-3: what the keyring stores is added to the settings, once, and is requested once.
    #[test]
    fn secrets_are_among_the_settings() {
        let keyring = Always(Ok(Some("s3cret".to_owned())), AtomicUsize::new(0));
        let asked = Mutex::default();
        for _ in 0..2 {
            let complete = with_secrets(&extension(), &keyring, &asked).unwrap();
            let pair = |name: &str| (name.to_owned(), "s3cret".to_owned());
            assert_eq!(complete.settings_env, [pair("KEY"), pair("TOKEN")]);
        }
        assert_eq!(keyring.1.load(Ordering::SeqCst), 2);
    }

    /// EX-3: what the keyring doesn't supply is reported with the setting's name, and a keyring
    /// that hangs isn't waited for again and again.
    #[test]
    fn a_keyring_that_fails_is_reported_and_left_alone() {
        let failure = KeyringError::TimedOut(Duration::from_secs(2));
        let keyring = Always(Err(failure), AtomicUsize::new(0));
        let asked = Mutex::default();
        for _ in 0..3 {
            let why = with_secrets(&extension(), &keyring, &asked).unwrap_err();
            assert!(
                why.contains("KEY") && why.contains("didn't answer"),
                "{why}"
            );
        }
        assert_eq!(keyring.1.load(Ordering::SeqCst), 1);
        let empty = Always(Ok(None), AtomicUsize::new(0));
        let why = with_secrets(&extension(), &empty, &Mutex::default()).unwrap_err();
        assert!(
            why.contains("KEY") && !why.contains("didn't answer"),
            "{why}"
        );
    }
}
