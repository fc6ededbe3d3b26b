// The only function that Rust's standard library takes from this library of Windows, for versions of Wine without it.
#include <windows.h>
#include <ntsecapi.h>

__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE buffer, SIZE_T length) {
    while (length > 0) {
        ULONG part = length > 0x7fffffff ? 0x7fffffff : (ULONG)length;
        if (!RtlGenRandom(buffer, part)) return FALSE;
        buffer += part;
        length -= part;
    }
    return TRUE;
}
