//! Values that stand for a secret in examples and on machines of developers.

/// Tells whether a value stands in the place of one.
pub(super) fn is_placeholder(value: &str) -> bool {
    let lower = value.to_lowercase();
    [
        "example",
        "placeholder",
        "your",
        "xxxx",
        "dummy",
        "changeme",
        "change_me",
        "change-me",
        "redacted",
        "sample",
        "fake",
        "1234567890abcdef",
        "abcdefghij",
        "insert",
        "replace",
        "todo",
        "****",
        "...",
        "mysecret",
        "my-secret",
        "not-a-real",
        "notreal",
        "00000000",
        "deadbeef",
    ]
    .iter()
    .any(|it| lower.contains(it))
}

/// Tells whether a password is one that examples and local services have.
pub(super) fn is_common(value: &str) -> bool {
    let lower = value.to_lowercase();
    let word = lower.trim_end_matches(|it: char| it.is_ascii_digit() || "!@#.-_".contains(it));
    [
        "",
        "password",
        "passwd",
        "pass",
        "test",
        "testing",
        "admin",
        "root",
        "secret",
        "postgres",
        "mysql",
        "guest",
        "default",
        "demo",
        "letmein",
        "qwerty",
        "user",
        "dev",
        "development",
        "local",
        "abc",
        "foo",
        "bar",
        "testpassword",
        "test_password",
        "testpass",
        "foobar",
        "hunter",
        "redis",
        "mongo",
        "rabbitmq",
        "minio",
        "minioadmin",
        "welcome",
        "token",
        "test-token",
        "test_token",
        "testtoken",
        "test-secret",
        "test-key",
        "key",
        "value",
    ]
    .contains(&word)
}
