"""System calls by their numbers, and to whom they are refused.

The numbers are the kernel's: `arch/x86/entry/syscalls/syscall_64.tbl` and
`include/uapi/asm-generic/unistd.h`.
"""

from __future__ import annotations

from typing import Final

_REFUSED_ANYWHERE = {
    "io_uring_setup": 425,
    "io_uring_enter": 426,
    "io_uring_register": 427,
    "open_tree": 428,
    "move_mount": 429,
    "fsopen": 430,
    "fsconfig": 431,
    "fsmount": 432,
    "pidfd_getfd": 438,
    "mount_setattr": 442,
    "memfd_secret": 447,
}
_REFUSED_X86_64 = {
    "shmget": 29,
    "ptrace": 101,
    "syslog": 103,
    "mount": 165,
    "umount2": 166,
    "add_key": 248,
    "request_key": 249,
    "keyctl": 250,
    "unshare": 272,
    "perf_event_open": 298,
    "setns": 308,
    "process_vm_readv": 310,
    "process_vm_writev": 311,
    "kcmp": 312,
    "memfd_create": 319,
    "bpf": 321,
    "userfaultfd": 323,
}
_REFUSED_AARCH64 = {
    "umount2": 39,
    "mount": 40,
    "unshare": 97,
    "syslog": 116,
    "ptrace": 117,
    "shmget": 194,
    "add_key": 217,
    "request_key": 218,
    "keyctl": 219,
    "perf_event_open": 241,
    "setns": 268,
    "process_vm_readv": 270,
    "process_vm_writev": 271,
    "kcmp": 272,
    "memfd_create": 279,
    "bpf": 280,
    "userfaultfd": 282,
}
REFUSED: Final = {
    "x86_64": _REFUSED_X86_64 | _REFUSED_ANYWHERE,
    "aarch64": _REFUSED_AARCH64 | _REFUSED_ANYWHERE,
}
"""Machine → name and number of what is refused on it."""
_APART_X86_64 = {
    "socket": 41,
    "socketpair": 53,
    "execve": 59,
    "kill": 62,
    "truncate": 76,
    "chmod": 90,
    "chown": 92,
    "lchown": 94,
    "setpgid": 109,
    "setsid": 112,
    "rt_sigqueueinfo": 129,
    "utime": 132,
    "setpriority": 141,
    "sched_setparam": 142,
    "sched_setscheduler": 144,
    "setxattr": 188,
    "lsetxattr": 189,
    "removexattr": 197,
    "lremovexattr": 198,
    "tkill": 200,
    "sched_setaffinity": 203,
    "tgkill": 234,
    "utimes": 235,
    "ioprio_set": 251,
    "fchownat": 260,
    "futimesat": 261,
    "fchmodat": 268,
    "utimensat": 280,
    "rt_tgsigqueueinfo": 297,
    "sched_setattr": 314,
    "execveat": 322,
}
_APART_AARCH64 = {
    "setxattr": 5,
    "lsetxattr": 6,
    "removexattr": 14,
    "lremovexattr": 15,
    "ioprio_set": 30,
    "truncate": 45,
    "fchmodat": 53,
    "fchownat": 54,
    "utimensat": 88,
    "sched_setparam": 118,
    "sched_setscheduler": 119,
    "sched_setaffinity": 122,
    "kill": 129,
    "tkill": 130,
    "tgkill": 131,
    "rt_sigqueueinfo": 138,
    "setpriority": 140,
    "setpgid": 154,
    "setsid": 157,
    "socket": 198,
    "socketpair": 199,
    "execve": 221,
    "rt_tgsigqueueinfo": 240,
    "sched_setattr": 274,
    "execveat": 281,
}
_APART_ANYWHERE = {
    "pidfd_send_signal": 424,
    "fchmodat2": 452,
    "setxattrat": 463,
    "removexattrat": 466,
}
APART: Final = {
    "x86_64": _APART_X86_64 | _APART_ANYWHERE,
    "aarch64": _APART_AARCH64 | _APART_ANYWHERE,
}
"""The same for what is refused besides to a process that works alone: to start programs, to reach
others or weigh on them, and to change files by their names in ways that Landlock does not know."""
IOCTL: Final = {"x86_64": 16, "aarch64": 29}
CLONE: Final = {"x86_64": 56, "aarch64": 220}
PRLIMIT: Final = {"x86_64": 302, "aarch64": 261}
CLONE3: Final = 435
"""Those of which an argument decides."""
