//! Errors with their causes.

use std::error::Error;

/// Returns an error with all its causes, without repetitions: some libraries include the cause in
/// their own messages.
///
/// ```
/// let error = "1.0x".parse::<f64>().expect_err("a letter is no digit");
/// let error = std::io::Error::other(error);
/// // It says what its cause says, once.
/// assert_eq!(hookloop_text::causes(&error), "invalid float literal");
/// ```
pub fn causes(error: &(dyn Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let more = error.to_string();
        if !text.contains(&more) {
            text = format!("{text}: {more}");
        }
        cause = error.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use std::fmt;

    use super::*;

    #[derive(Debug)]
    struct Link(&'static str, Option<Box<Self>>);

    impl fmt::Display for Link {
        fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
            formatter.write_str(self.0)
        }
    }

    impl Error for Link {
        fn source(&self) -> Option<&(dyn Error + 'static)> {
            let cause = self.1.as_deref()?;
            Some(cause)
        }
    }

    /// CM-10: a cause that a library repeats in its message is shown once.
    #[test]
    fn what_led_to_an_error_is_said_once() {
        let refused = Link("connection refused", None);
        let connecting = Link("connecting: connection refused", Some(Box::new(refused)));
        let sending = Link("sending", Some(Box::new(connecting)));
        assert_eq!(causes(&sending), "sending: connecting: connection refused");
    }
}
