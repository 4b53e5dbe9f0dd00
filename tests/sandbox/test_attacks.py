"""What a command may try against the machine, the bot and its neighbours, tried for real."""

from __future__ import annotations

import asyncio
import os
import platform
import socket
from pathlib import Path

import pytest

from bot.process_restrictions import REFUSED
from tests.support.sandbox import Opened

MIB = 1024 * 1024
CANARY = f"griot-test-{os.getpid()}"
CLONE_NEWUSER, SIGCHLD = 0x10000000, 17


async def test_it_finds_no_secret_in_the_environment_of_any_process(
    sandbox: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A process is given its environment by the operating system: there is nothing to pass in.
    monkeypatch.setenv("OPENAI_API_KEY", "very-secret")
    outcome = await sandbox.do("cat /proc/[0-9]*/environ | tr '\\0' '\\n'; env")
    names = {line.partition("=")[0] for line in outcome.output.split()}
    assert names == {"PATH", "HOME", "LANG", "PWD", "SHLVL", "_"}
    assert "very-secret" not in outcome.output


async def test_it_reaches_no_network_and_no_service_of_the_machine(sandbox: Opened) -> None:
    reached: list[object] = []
    server = await asyncio.start_server(lambda *pipes: reached.append(pipes), "127.0.0.1", 0)
    async with server:
        port = server.sockets[0].getsockname()[1]
        targets = f"169.254.169.254/80 127.0.0.1/{port} ::1/{port} 127.0.0.1/5432 127.0.0.1/6379"
        outcome = await sandbox.do(
            f"for target in {targets} 1.1.1.1/443; do\n"
            "  (exec 3<> /dev/tcp/$target) 2> /dev/null && echo reached $target\n"
            "done; getent hosts example.com && echo resolved; echo tried"
        )
    assert outcome.output.strip() == "tried"
    assert reached == []


async def test_it_reaches_no_socket_without_an_address_of_its_own(sandbox: Opened) -> None:
    name = f"griot-test-{os.getpid()}"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(f"\0{name}")
        listener.listen()
        outcome = await sandbox.do(
            "perl -MSocket -e 'socket(S, PF_UNIX, SOCK_STREAM, 0) or die;"
            f'print connect(S, pack_sockaddr_un("\\0{name}")) ? "reached" : "refused"\''
        )
    assert outcome.output == "refused"


async def test_it_reaches_no_host_of_a_virtual_machine(sandbox: Opened) -> None:
    outcome = await sandbox.do(
        "for family in 1 2 10 16 17 29 31 38 40 44; do\n"
        "  perl -e 'socket(S, $ARGV[0], 1, 0) || socket(S, $ARGV[0], 3, 0) or exit 1' $family"
        " && echo opened $family\n"
        "done"
    )
    opened = {int(line.split()[1]) for line in outcome.output.splitlines()}
    assert opened <= {1, 2, 10, 16}
    assert {1, 2} <= opened


async def test_it_writes_nowhere_else(sandbox: Opened) -> None:
    outcome = await sandbox.do(
        "for folder in / /usr /usr/bin /dev /proc /proc/sys /lib /etc /home; do\n"
        f"  (echo x > $folder/{CANARY}) 2> /dev/null && echo wrote to $folder\n"
        "done; echo tried"
    )
    assert outcome.output.strip() == "tried"
    assert is_nowhere(CANARY)


async def test_links_lead_to_no_file_of_the_machine(sandbox: Opened, tmp_path: Path) -> None:
    secret = tmp_path / "griot.db"
    secret.write_text("root:x:0:0 of the database")
    secret.chmod(0o644)
    outcome = await sandbox.do(
        f"ln -s /etc/passwd a; ln -s {secret} b; ln -s /proc/1/root/etc/passwd c\n"
        "ln -s ../../../../../../etc/passwd d; cat a b c d /proc/*/root/etc/passwd "
        "/proc/*/cwd/../etc/passwd /proc/*/task/*/fd/3/etc/passwd\n"
        f"cat {secret} {Path.cwd()}/pyproject.toml; ls {tmp_path} {Path.cwd()} /home /root /var"
    )
    assert outcome.status
    assert "root:x" not in outcome.output
    assert 'griot"' not in outcome.output
    assert outcome.output.count("No such file or directory") >= 12


async def test_setuid_programs_give_it_nothing(sandbox: Opened) -> None:
    outcome = await sandbox.do(
        "cp /usr/bin/id . && chmod 6755 id && ./id -u; su -c id < /dev/null; "
        "grep -hP '^Cap\\w+:\\s+0*[1-9a-f]' /proc/[0-9]*/status; grep NoNewPrivs /proc/self/status"
    )
    assert "NoNewPrivs:\t1" in outcome.output
    assert "65534" in outcome.output
    assert "uid=0" not in outcome.output
    assert "Cap" not in outcome.output


async def test_it_changes_nothing_in_the_kernel(sandbox: Opened) -> None:
    before = core_pattern()
    outcome = await sandbox.do(
        "for file in /proc/sys/kernel/core_pattern /proc/sys/kernel/hostname "
        "/proc/sys/vm/drop_caches /proc/sys/net/ipv4/ip_forward /proc/sysrq-trigger "
        "/proc/irq/default_smp_affinity /proc/self/uid_map /proc/self/setgroups; do\n"
        "  (echo 0 > $file) 2> /dev/null && echo wrote to $file\n"
        "done\n"
        "hostname griot-test 2> /dev/null && echo renamed\n"
        "dmesg > /dev/null 2>&1 && echo read; echo tried"
    )
    assert outcome.output == "tried\n"
    assert core_pattern() == before


async def test_it_makes_no_namespaces_and_no_sandboxes(sandbox: Opened) -> None:
    clone = {"x86_64": 56, "aarch64": 220}[platform.machine()]
    outcome = await sandbox.do(
        "for kind in user 'user --map-root-user' net mount pid ipc uts cgroup; do\n"
        "  unshare --$kind true 2> /dev/null && echo made $kind\n"
        "done\n"
        "bwrap --ro-bind / / true 2> /dev/null && echo nested\n"
        "nsenter -t 1 -a true 2> /dev/null && echo entered\n"
        f"perl -e 'print syscall({clone}, {CLONE_NEWUSER | SIGCHLD}, 0, 0, 0, 0)'"
    )
    assert outcome.output == "-1"


async def test_it_neither_sees_nor_touches_the_bot(sandbox: Opened) -> None:
    pid = os.getpid()
    outcome = await sandbox.do(
        f"cat /proc/{pid}/environ /proc/{pid}/mem /proc/{pid}/cmdline; ls /proc/{pid}/fd\n"
        f"kill -9 {pid} {os.getppid()} && echo killed; ls -d /proc/[0-9]* | wc -l"
    )
    assert "killed" not in outcome.output
    assert outcome.output.count(f"/proc/{pid}") == 4
    assert int(outcome.output.split()[-1]) < 10


async def test_killing_everything_kills_only_itself(sandbox: Opened) -> None:
    outcome = await sandbox.do(
        "kill -9 -1 2> /dev/null; kill -9 1; kill -STOP 1; sleep 0.1; echo alive"
    )
    assert (outcome.output, outcome.status) == ("alive\n", 0)


async def test_system_calls_that_open_doors_are_refused(sandbox: Opened) -> None:
    numbers = REFUSED[platform.machine()]
    calls = ", ".join(f"{name} => {number}" for name, number in sorted(numbers.items()))
    outcome = await sandbox.do(
        f"perl -e 'my %calls = ({calls}); for (sort keys %calls) "
        '{ $! = 0; print "$_\\n" if syscall($calls{$_}, 0, 1, 0, 0, 0) != -1 or $! != 1 }'
        ' print "tried"\''
    )
    assert outcome.output == "tried"


async def test_it_mounts_nothing_and_makes_no_device(sandbox: Opened) -> None:
    outcome = await sandbox.do(
        "mount -t tmpfs none /work && echo done; mount --bind /usr /work && echo done\n"
        "umount /usr && echo done; mount -o remount,rw /usr && echo done\n"
        "mknod sda b 8 0 && echo done; mknod mem c 1 1 && echo done; chroot / true && echo done\n"
        "echo tried; ls -1 /dev"
    )
    seen = outcome.output.splitlines()
    assert "done" not in seen
    assert set(seen[seen.index("tried") + 1 :]) == {
        *("core", "fd", "full", "null", "ptmx", "pts", "random", "shm", "stderr", "stdin"),
        *("stdout", "tty", "urandom", "zero"),
    }


async def test_it_has_no_terminal_and_types_into_none(sandbox: Opened) -> None:
    outcome = await sandbox.do(
        "(exec 3<> /dev/tty) 2> /dev/null && echo has a terminal\n"
        'perl -e \'for (0x5412, 0x541C) { $c = "x"; ioctl(STDIN, $_, $c) and print "typed";'
        ' print $! + 0, " " }\''
    )
    assert outcome.output == "1 1 "


async def test_it_inherits_nothing_that_is_open(sandbox: Opened, tmp_path: Path) -> None:
    with (tmp_path / "open").open("w") as file:
        os.set_inheritable(file.fileno(), True)
        outcome = await sandbox.do("ls -l /proc/1/fd /proc/self/fd | sed 's/.* -> //'")
    assert "open" not in outcome.output
    targets = {line.partition(":")[0] for line in outcome.output.split() if line.startswith("/")}
    assert {target for target in targets if not target.startswith("/proc")} == {"/dev/null"}


def is_nowhere(name: str) -> bool:
    return not any(Path(folder, name).exists() for folder in ("/", "/usr", "/usr/bin", "/dev"))


def core_pattern() -> str:
    return Path("/proc/sys/kernel/core_pattern").read_text()
