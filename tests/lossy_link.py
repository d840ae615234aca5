# SPDX-License-Identifier: Apache-2.0
"""Two network namespaces, each a host of its own, joined by a link that delays and loses frames and can be cut.

A thread carries the frames between two TAP devices, since not every kernel has the netem discipline. Needs root.
"""
import fcntl
import heapq
import os
import random
import select
import struct
import subprocess
import threading
import time

TUNSETIFF = 0x400454CA
IFF_TAP, IFF_NO_PI = 0x0002, 0x1000


def ip(*arguments):
    return subprocess.run(["ip", *arguments], capture_output=True, text=True)


class LossyLink:
    """The hosts 10.213.7.1 and 10.213.7.2. `delay` in seconds one way, `loss` the share of frames that is lost."""

    def __init__(self, delay=0.0, loss=0.0, bytes_per_second=float("inf"), seed=1):
        self.delay, self.loss, self.rate = delay, loss, bytes_per_second
        self.random = random.Random(seed)
        self.cut = False
        self.lost = self.carried = 0
        self.names = [f"pipedeck{os.getpid()}{end}" for end in "ab"]

    def __enter__(self):
        self.taps = []
        try:
            for i, name in enumerate(self.names):
                if (made := ip("netns", "add", name)).returncode:
                    raise OSError(f"no network namespaces here: {made.stderr.strip()}")
                tap = f"t{os.getpid()}{'ab'[i]}"
                self.taps.append(os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK))
                fcntl.ioctl(self.taps[-1], TUNSETIFF, struct.pack("16sH", tap.encode(), IFF_TAP | IFF_NO_PI))
                ip("link", "set", tap, "netns", name)
                ip("-n", name, "addr", "add", f"10.213.7.{i + 1}/24", "dev", tap)
                ip("-n", name, "link", "set", tap, "up")
                ip("-n", name, "link", "set", "lo", "up")
        except OSError:
            self.close()
            raise
        self.ended = threading.Event()
        self.thread = threading.Thread(target=self.carry, daemon=True)
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.ended.set()
        self.thread.join()
        self.close()

    def close(self):
        for tap in self.taps:
            os.close(tap)
        for name in self.names:
            ip("netns", "del", name)

    def carry(self):
        waiting, free, number = [], {tap: 0.0 for tap in self.taps}, 0  # frames by the time at which they arrive
        while not self.ended.is_set():
            now = time.monotonic()
            while waiting and waiting[0][0] <= now:
                _, _, to, frame = heapq.heappop(waiting)
                try:
                    os.write(to, frame)
                except OSError:  # the device's queue is full: lost
                    self.lost += 1
            rest = max(0.0, waiting[0][0] - now) if waiting else 0.05
            for tap in select.select(self.taps, [], [], min(rest, 0.05))[0]:
                frame = os.read(tap, 65536)
                if self.cut or self.random.random() < self.loss:
                    self.lost += 1
                    continue
                self.carried += 1
                free[tap] = max(free[tap], time.monotonic()) + len(frame) / self.rate
                number += 1
                heapq.heappush(waiting, (free[tap] + self.delay, number, self.taps[1 - self.taps.index(tap)], frame))

    def on_first(self, command):
        """The command as it runs on the first host, under the host name `first`."""
        return ["ip", "netns", "exec", self.names[0], "unshare", "--uts", "sh", "-c", 'hostname first; exec "$@"', "sh",
                *command]

    def parameters(self):
        """Open MPI's, for two processes on the first host and two on the second, which it starts as by ssh."""
        with open("agent.sh", "w") as agent:  # HOST COMMAND...
            agent.write(f'#!/bin/sh\nshift\nexec ip netns exec {self.names[1]} unshare --uts sh -c "hostname second; $*"\n')
        os.chmod("agent.sh", 0o755)
        with open("hosts", "w") as hosts:
            hosts.write("10.213.7.1 slots=2\n10.213.7.2 slots=2\n")
        return {"plm_rsh_agent": os.path.abspath("agent.sh"), "btl": "tcp,self", "btl_tcp_if_include": "10.213.7.0/24",
                "oob_tcp_if_include": "10.213.7.0/24", "orte_default_hostfile": os.path.abspath("hosts")}

    def mpirun(self, *more):
        """mpirun on the first host, with two processes there and two on the second."""
        network = [word for pair in self.parameters().items() for word in ("--mca", *pair)]
        return self.on_first(["mpirun", "-q", *network, "-n", "4", *more])

    def job(self, script):
        """A job script, as it stands, on the first host. Its mpirun finds the hosts in the environment."""
        return self.on_first(["env", *(f"OMPI_MCA_{name}={value}" for name, value in self.parameters().items()), "bash",
                              script])
