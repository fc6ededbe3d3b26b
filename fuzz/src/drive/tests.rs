//! Targets that break on purpose.

use super::*;

fn target(run: fn(&[u8])) -> Target {
    Target {
        name: "sample",
        run,
        words: &[],
    }
}

fn plan(folder: &Path) -> Plan {
    let seeds = folder.join("seeds").join("sample");
    fs::create_dir_all(&seeds).unwrap();
    fs::write(seeds.join("one"), b"good").unwrap();
    let folder = folder.to_owned();
    Plan {
        duration: Duration::ZERO,
        seed: 1,
        record: Record::Broken,
        folder,
    }
}

#[test]
fn every_seed_runs_even_without_time() {
    let folder = tempfile::tempdir().unwrap();
    let plan = plan(folder.path());
    fs::write(folder.path().join("seeds/sample/two"), b"also").unwrap();
    assert_eq!(drive(target(|_| ()), &plan).unwrap(), Ending::Passed(2));
}

#[test]
fn the_input_that_breaks_a_target_is_kept_and_breaks_it_again() {
    let folder = tempfile::tempdir().unwrap();
    let plan = plan(folder.path());
    let fragile = target(|input| assert_ne!(input, b"good"));
    let ending = drive(fragile, &plan).unwrap();
    assert_eq!(ending, Ending::Panicked(b"good".to_vec()));
    let path = keep(folder.path(), "sample", b"good").unwrap();
    assert_eq!(replay(fragile, &path).unwrap(), ending);
}

#[test]
fn a_damaged_seed_finds_what_the_seed_does_not() {
    let folder = tempfile::tempdir().unwrap();
    let plan = Plan {
        duration: Duration::from_hours(1),
        ..plan(folder.path())
    };
    let ending = drive(target(|input| assert_eq!(input, b"good")), &plan).unwrap();
    assert!(matches!(ending, Ending::Panicked(input) if input != b"good"));
}

#[test]
fn each_input_is_recorded_on_request() {
    let folder = tempfile::tempdir().unwrap();
    let plan = Plan {
        record: Record::Every,
        ..plan(folder.path())
    };
    drive(target(|_| ()), &plan).unwrap();
    assert_eq!(
        fs::read(folder.path().join("artifacts/sample/last")).unwrap(),
        b"good"
    );
}

#[test]
fn a_target_without_seeds_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let plan = Plan {
        folder: folder.path().join("none"),
        ..plan(folder.path())
    };
    assert!(drive(target(|_| ()), &plan).is_err());
}
