//! Which calls of the kernel a seccomp filter refuses: those that reach others, and the ones that
//! go around the file system's rules.

use std::collections::BTreeMap;

use nix::libc;
use seccompiler::{
    BackendError, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch,
};

use crate::confinement::Network;

/// Calls that nobody confined makes: they work on the whole system, open files past their paths,
/// or make calls of their own that no filter sees.
const REFUSED: [i64; 14] = [
    libc::SYS_io_uring_setup,
    libc::SYS_open_by_handle_at,
    libc::SYS_bpf,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_kexec_load,
    libc::SYS_reboot,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_acct,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_sethostname,
];

/// Requests to a terminal that type into it, or into the screen.
const TYPING: [u64; 2] = [libc::TIOCSTI, libc::TIOCLINUX];

/// Calls of the other size of numbers on this processor, by this bit.
#[cfg(target_arch = "x86_64")]
const OTHER_NUMBERS: Option<i64> = Some(0x4000_0000);
#[cfg(not(target_arch = "x86_64"))]
const OTHER_NUMBERS: Option<i64> = None;

/// Puts the filter on, for this process and all that it starts.
pub(super) fn filter(network: Network) -> Result<(), String> {
    let architecture = TargetArch::try_from(std::env::consts::ARCH)
        .map_err(|error| format!("seccomp: {error}"))?;
    let rules = rules(network).map_err(|error| format!("seccomp: {error}"))?;
    let refusal = SeccompAction::Errno(libc::EPERM.unsigned_abs());
    let filter = SeccompFilter::new(rules, SeccompAction::Allow, refusal, architecture)
        .and_then(seccompiler::BpfProgram::try_from)
        .map_err(|error| format!("seccomp: {error}"))?;
    seccompiler::apply_filter(&filter).map_err(|error| format!("seccomp: {error}"))
}

/// Returns the rules by call; a call without a rule is always refused.
fn rules(network: Network) -> Result<BTreeMap<i64, Vec<SeccompRule>>, BackendError> {
    let mut rules: BTreeMap<i64, Vec<SeccompRule>> =
        REFUSED.into_iter().map(|call| (call, Vec::new())).collect();
    let typing = TYPING.map(|request| rule(1, &SeccompCmpOp::Eq, &[request]));
    let typing = typing.into_iter().collect::<Result<_, _>>()?;
    rules.insert(libc::SYS_ioctl, typing);
    let sockets = match network {
        Network::Closed => Vec::new(),
        // Whoever reaches the sockets of other programs lets them do what it may not.
        Network::Open => {
            let families = [libc::AF_INET, libc::AF_INET6, libc::AF_NETLINK];
            let families = families.map(|it| u64::from(it.unsigned_abs()));
            vec![rule(0, &SeccompCmpOp::Ne, &families)?]
        }
    };
    rules.insert(libc::SYS_socket, sockets);
    if let Some(bit) = OTHER_NUMBERS {
        let others: Vec<_> = rules
            .iter()
            .map(|(call, it)| (call | bit, it.clone()))
            .collect();
        rules.extend(others);
    }
    Ok(rules)
}

/// Makes a rule that fits where an argument compares so with every one of some values.
fn rule(argument: u8, how: &SeccompCmpOp, values: &[u64]) -> Result<SeccompRule, BackendError> {
    let conditions = values
        .iter()
        .map(|value| SeccompCondition::new(argument, SeccompCmpArgLen::Dword, how.clone(), *value));
    SeccompRule::new(conditions.collect::<Result<_, _>>()?)
}
