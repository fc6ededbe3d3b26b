//! Keeps freed memory in this process for the next event.

/// Makes the C library keep up to 16 MiB of freed memory, instead of returning it to the system and
/// requesting it again at each event with a large result, which would cost more than translating
/// the result. Call it once, in a program that keeps running. It has no effect if the C library
/// isn't glibc.
pub fn keep_freed_memory() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        /// From it glibc learns how large a piece may be that it keeps; it keeps twice as much in
        /// all.
        const PIECE: usize = 8 * 1024 * 1024;
        drop(std::hint::black_box(Vec::<u8>::with_capacity(PIECE)));
    }
}
