//! Keeps freed memory of this process for the next event.

/// Has the C library keep memory that was freed, as far as 16 MiB of it, instead of giving it back to the system and
/// asking for it again at each event with a large result: that costs more than translating the result does. For a
/// program that stays, called once; nothing happens where the C library isn't glibc.
pub fn keep_freed_memory() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        /// From it glibc learns how large a piece may be that it keeps; it keeps twice as much in all.
        const PIECE: usize = 8 * 1024 * 1024;
        drop(std::hint::black_box(Vec::<u8>::with_capacity(PIECE)));
    }
}
