//! Headers of programs, made by hand.

use super::*;

/// A header of `kind` with one segment for each of `segments`.
fn program(kind: u16, segments: &[u32]) -> Vec<u8> {
    let mut bytes = b"\x7fELF\x02\x01".to_vec();
    bytes.resize(64, 0);
    bytes[16..18].copy_from_slice(&kind.to_le_bytes());
    bytes[32..36].copy_from_slice(&64u32.to_le_bytes());
    bytes[54..56].copy_from_slice(&56u16.to_le_bytes());
    bytes[56..58].copy_from_slice(&u16::try_from(segments.len()).unwrap().to_le_bytes());
    for segment in segments {
        bytes.extend(segment.to_le_bytes());
        bytes.resize(bytes.len() + 52, 0);
    }
    bytes
}

#[test]
fn a_program_without_interpreter_is_static() {
    assert_eq!(linking(&program(2, &[6, 1, 1])), Linking::Static);
    assert_eq!(
        linking(&program(3, &[6, 1, 1])),
        Linking::StaticAtAnyPosition
    );
}

#[test]
fn a_program_with_an_interpreter_is_dynamic() {
    assert_eq!(linking(&program(3, &[6, 3, 1])), Linking::Dynamic);
    assert_eq!(linking(&program(2, &[6, 1, 3])), Linking::Dynamic);
}

#[test]
fn anything_else_is_not_a_program() {
    assert_eq!(linking(b""), Linking::NotElf);
    assert_eq!(linking(b"\x7fELF\x02\x01"), Linking::NotElf);
    assert_eq!(linking(b"MZ and so on"), Linking::NotElf);
}
