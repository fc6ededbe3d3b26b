//! The environment block of the process, as the system laid it out at the start.
//!
//! The part of an environment that other programs see (`/proc/<pid>/environ`, `ps e`) is that
//! block, whatever the process sets or removes later. To take a secret out of it, its bytes have to
//! be overwritten where they are; no safe interface does that, and this module is the one place
//! that does.

use std::ffi::{CStr, c_char};
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether the block was overwritten already.
static IS_DONE: AtomicBool = AtomicBool::new(false);

/// Overwrites the values that a judge of names and values calls secret, with as many NULs.
///
/// It does nothing if the process has other threads, which might be reading.
pub(super) fn overwrite(is_secret: fn(&str, &str) -> bool) {
    if !is_alone() || IS_DONE.swap(true, Ordering::SeqCst) {
        return;
    }
    #[expect(
        unsafe_code,
        reason = "the bytes of the block are reached by its pointers alone"
    )]
    // SAFETY: This is the only thread, as was just checked, and no other is started before this
    // function returns, so nobody reads or changes the environment meanwhile.
    unsafe {
        overwrite_alone(is_secret);
    }
}

/// Overwrites the secrets of the block.
///
/// # Safety
/// The process must have one thread.
#[expect(
    unsafe_code,
    reason = "the bytes of the block are reached by its pointers alone"
)]
unsafe fn overwrite_alone(is_secret: fn(&str, &str) -> bool) {
    // SAFETY: The C library keeps a list of pointers that ends with a null pointer, or none.
    let mut entry = unsafe { entries() };
    if entry.is_null() {
        return;
    }
    // SAFETY: `entry` points into that list, and advances only as long as the end isn't reached.
    while let Some(text) = std::ptr::NonNull::new(unsafe { *entry }) {
        // SAFETY: Each pointer of the list leads to text that ends with NUL.
        let bytes = unsafe { CStr::from_ptr(text.as_ptr()) }.to_bytes();
        if let Some((place, length)) = secret_part(bytes, is_secret) {
            for index in place..place + length {
                // SAFETY: The byte is part of the text whose length was just measured. The system
                // gives the process its environment to write to, as `setenv` and `putenv` do, and
                // `bytes` isn't used again. A volatile write isn't optimised away, although nobody
                // reads the byte.
                unsafe { text.as_ptr().add(index).write_volatile(0) };
            }
        }
        // SAFETY: The entry wasn't the null pointer at the end, so another follows it.
        entry = unsafe { entry.add(1) };
    }
}

/// Returns the place and length of an entry's value if it is a secret.
fn secret_part(entry: &[u8], is_secret: fn(&str, &str) -> bool) -> Option<(usize, usize)> {
    // A name may begin with `=`, which otherwise ends it.
    let end = 1 + entry.get(1..)?.iter().position(|byte| *byte == b'=')?;
    let (name, value) = (&entry[..end], &entry[end + 1..]);
    let (name, value) = (
        String::from_utf8_lossy(name),
        String::from_utf8_lossy(value),
    );
    is_secret(&name, &value).then(|| (end + 1, entry.len() - end - 1))
}

/// Returns the list of the environment's entries, as the C library has it.
///
/// # Safety
/// The process must have one thread.
#[cfg(target_os = "linux")]
#[expect(unsafe_code, reason = "the C library's own variable")]
unsafe fn entries() -> *const *mut c_char {
    unsafe extern "C" {
        static environ: *const *mut c_char;
    }
    // SAFETY: The C library defines it, and nobody changes it meanwhile.
    unsafe { environ }
}

/// Returns the list of the environment's entries, as the C library has it.
///
/// # Safety
/// The process must have one thread.
#[cfg(target_os = "macos")]
#[expect(unsafe_code, reason = "the C library's own variable")]
unsafe fn entries() -> *const *mut c_char {
    unsafe extern "C" {
        fn _NSGetEnviron() -> *const *const *mut c_char;
    }
    // SAFETY: The function returns the place of the C library's variable, which lives as long as
    // the process.
    unsafe { *_NSGetEnviron() }
}

/// Returns whether the process has one thread; `false` if that can't be determined.
#[cfg(target_os = "linux")]
fn is_alone() -> bool {
    std::fs::read_dir("/proc/self/task").is_ok_and(|threads| threads.count() == 1)
}

/// Returns whether the process has one thread, and never had more.
#[cfg(target_os = "macos")]
#[expect(unsafe_code, reason = "a function of the C library")]
fn is_alone() -> bool {
    unsafe extern "C" {
        fn pthread_is_threaded_np() -> std::ffi::c_int;
    }
    // SAFETY: It takes nothing and only reads a number.
    unsafe { pthread_is_threaded_np() == 0 }
}

#[cfg(test)]
mod tests {
    use super::secret_part;

    /// ENV-3: the value is found after the name, whatever both contain.
    #[test]
    fn the_value_is_found() {
        let all = |_: &str, _: &str| true;
        assert_eq!(secret_part(b"A=bc=d", all), Some((2, 4)));
        assert_eq!(secret_part(b"A=", all), Some((2, 0)));
        assert_eq!(secret_part(b"=C:=x", all), Some((4, 1)));
        assert_eq!(secret_part(b"A", all), None);
        assert_eq!(secret_part(b"", all), None);
        assert_eq!(secret_part(b"A=b", |_, _| false), None);
    }
}
