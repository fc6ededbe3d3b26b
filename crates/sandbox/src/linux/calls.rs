//! Which system calls the seccomp filter refuses: those that reach other processes, and those that
//! bypass the file system's rules.

use std::collections::BTreeMap;

use nix::libc;
use seccompiler::{
    BackendError, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch, sock_filter,
};

use crate::confinement::Network;

/// Calls that no confined program needs: they affect the whole system, open files without paths, or
/// make calls that no filter sees.
const REFUSED: [i64; 15] = [
    libc::SYS_io_uring_setup,
    libc::SYS_open_by_handle_at,
    libc::SYS_bpf,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_kexec_load,
    libc::SYS_kexec_file_load,
    libc::SYS_reboot,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_acct,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_sethostname,
];

/// Terminal requests that inject input.
const TYPING: [u64; 2] = [libc::TIOCSTI, libc::TIOCLINUX];

/// Types of socket pairs whose ends can each reach any other socket of their type, by a path or a
/// name.
const STRAYING: [i32; 2] = [libc::SOCK_DGRAM, libc::SOCK_RAW];

/// The bits of a socket's type that contain the type; the rest are flags.
const KIND_OF_SOCKET: u64 = 0xf;

/// Calls that change the scheduling of another process, which is their first argument.
const SCHEDULING: [i64; 3] = [
    libc::SYS_sched_setscheduler,
    libc::SYS_sched_setparam,
    libc::SYS_sched_setattr,
];

/// Calls that change the priority of processes, and the value of their first argument if the second
/// names a single process.
const RANKING: [(i64, u64); 2] = [(libc::SYS_setpriority, 0), (libc::SYS_ioprio_set, 1)];

/// From this number on, calls belong to the x32 interface, for which there are no rules.
#[cfg(target_arch = "x86_64")]
const OTHER_NUMBERS: Option<u32> = Some(0x4000_0000);
#[cfg(not(target_arch = "x86_64"))]
const OTHER_NUMBERS: Option<u32> = None;

/// Installs the filter, for this process and everything that it starts.
pub(super) fn filter(network: Network) -> Result<(), String> {
    let architecture = TargetArch::try_from(std::env::consts::ARCH)
        .map_err(|error| format!("seccomp: {error}"))?;
    let rules = rules(network).map_err(|error| format!("seccomp: {error}"))?;
    let refusal = SeccompAction::Errno(libc::EPERM.unsigned_abs());
    let filter = SeccompFilter::new(rules, SeccompAction::Allow, refusal, architecture)
        .and_then(seccompiler::BpfProgram::try_from)
        .map_err(|error| format!("seccomp: {error}"))?;
    let failed = |error| format!("seccomp: {error}");
    if let Some(first) = OTHER_NUMBERS {
        seccompiler::apply_filter(&below(first)).map_err(failed)?;
    }
    seccompiler::apply_filter(&filter).map_err(failed)
}

/// Returns a filter that refuses every call from a number on.
fn below(first: u32) -> [sock_filter; 4] {
    let statement = |code: u32, k: u32| sock_filter {
        // All of these codes fit into a byte.
        code: u16::try_from(code).unwrap_or_default(),
        jt: 0,
        jf: 0,
        k,
    };
    let refusal = libc::SECCOMP_RET_ERRNO | libc::EPERM.unsigned_abs();
    [
        // The call's number is the first field of the data that the kernel passes to a filter.
        statement(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0),
        sock_filter {
            jf: 1,
            ..statement(libc::BPF_JMP | libc::BPF_JGE | libc::BPF_K, first)
        },
        statement(libc::BPF_RET | libc::BPF_K, refusal),
        statement(libc::BPF_RET | libc::BPF_K, libc::SECCOMP_RET_ALLOW),
    ]
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
        // A program with access to other programs' sockets could make them do what it may not.
        Network::Open => {
            let families = [libc::AF_INET, libc::AF_INET6, libc::AF_NETLINK];
            let families = families.map(|it| u64::from(it.unsigned_abs()));
            vec![rule(0, &SeccompCmpOp::Ne, &families)?]
        }
    };
    rules.insert(libc::SYS_socket, sockets);
    let pairs = STRAYING.map(|kind| {
        let how = SeccompCmpOp::MaskedEq(KIND_OF_SOCKET);
        rule(1, &how, &[u64::from(kind.unsigned_abs())])
    });
    let pairs = pairs.into_iter().collect::<Result<_, _>>()?;
    rules.insert(libc::SYS_socketpair, pairs);
    // 0 means the calling process. A program that could name another one could kill the agent, or
    // starve its hooks.
    for call in SCHEDULING {
        rules.insert(call, vec![rule(0, &SeccompCmpOp::Ne, &[0])?]);
    }
    for (call, process) in RANKING {
        let others = rule(0, &SeccompCmpOp::Ne, &[process])?;
        rules.insert(call, vec![others, rule(1, &SeccompCmpOp::Ne, &[0])?]);
    }
    let is_other = SeccompCondition::new(0, SeccompCmpArgLen::Dword, SeccompCmpOp::Ne, 0)?;
    let is_change = SeccompCondition::new(2, SeccompCmpArgLen::Qword, SeccompCmpOp::Ne, 0)?;
    let limits = SeccompRule::new(vec![is_other, is_change])?;
    rules.insert(libc::SYS_prlimit64, vec![limits]);
    Ok(rules)
}

/// Creates a rule that matches if the comparison of an argument with each of the values is true.
fn rule(argument: u8, how: &SeccompCmpOp, values: &[u64]) -> Result<SeccompRule, BackendError> {
    let conditions = values
        .iter()
        .map(|value| SeccompCondition::new(argument, SeccompCmpArgLen::Dword, how.clone(), *value));
    SeccompRule::new(conditions.collect::<Result<_, _>>()?)
}
