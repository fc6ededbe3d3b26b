//! The platforms that there are packages for, under the name that each registry gives them.

use crate::error::PackageError;

/// A platform.
#[derive(Debug)]
pub(crate) struct Platform {
    /// As the compiler calls it.
    pub(crate) triple: &'static str,
    /// The tag of a wheel (PEP 425, PEP 656).
    pub(crate) wheel: &'static str,
    /// `os` and `cpu` of a package for npm.
    pub(crate) npm: (&'static str, &'static str),
    /// The architecture of a Debian package, where there is one.
    pub(crate) deb: Option<&'static str>,
    /// What the program's file is called.
    pub(crate) program: &'static str,
}

/// The Linux programs are static, so they run beside any C library.
const PLATFORMS: [Platform; 5] = [
    Platform {
        triple: "x86_64-unknown-linux-gnu",
        wheel: "manylinux_2_17_x86_64.manylinux2014_x86_64.musllinux_1_1_x86_64",
        npm: ("linux", "x64"),
        deb: Some("amd64"),
        program: "hookloop",
    },
    Platform {
        triple: "aarch64-unknown-linux-gnu",
        wheel: "manylinux_2_17_aarch64.manylinux2014_aarch64.musllinux_1_1_aarch64",
        npm: ("linux", "arm64"),
        deb: Some("arm64"),
        program: "hookloop",
    },
    Platform {
        triple: "x86_64-apple-darwin",
        wheel: "macosx_10_12_x86_64",
        npm: ("darwin", "x64"),
        deb: None,
        program: "hookloop",
    },
    Platform {
        triple: "aarch64-apple-darwin",
        wheel: "macosx_11_0_arm64",
        npm: ("darwin", "arm64"),
        deb: None,
        program: "hookloop",
    },
    Platform {
        triple: "x86_64-pc-windows-msvc",
        wheel: "win_amd64",
        npm: ("win32", "x64"),
        deb: None,
        program: "hookloop.exe",
    },
];

impl Platform {
    /// The platform that this program was built for.
    pub(crate) const HERE: &'static str = if cfg!(windows) {
        "x86_64-pc-windows-msvc"
    } else if cfg!(target_os = "macos") {
        if cfg!(target_arch = "aarch64") {
            "aarch64-apple-darwin"
        } else {
            "x86_64-apple-darwin"
        }
    } else if cfg!(target_arch = "aarch64") {
        "aarch64-unknown-linux-gnu"
    } else {
        "x86_64-unknown-linux-gnu"
    };

    /// Returns all platforms.
    pub(crate) const fn all() -> &'static [Self] {
        &PLATFORMS
    }

    /// Finds a platform by the compiler's name for it, whichever C library that names.
    pub(crate) fn find(triple: &str) -> Result<&'static Self, PackageError> {
        let asked = match triple.strip_suffix("-musl") {
            Some(rest) => format!("{rest}-gnu"),
            None if triple.ends_with("-windows-gnu") => triple.replace("-gnu", "-msvc"),
            None => triple.to_owned(),
        };
        let found = PLATFORMS.iter().find(|it| it.triple == asked);
        found.ok_or_else(|| PackageError::Platform {
            asked: triple.to_owned(),
            known: PLATFORMS.map(|it| it.triple).join(", "),
        })
    }

    /// Returns the name of the npm package that contains the program for this platform.
    pub(crate) fn npm_package(&self) -> String {
        format!("@hookloop/{}-{}", self.npm.0, self.npm.1)
    }
}
