#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes dumps as PyTorch writes them, with what is true of them as JSON:

  make_dumps.py values FOLDER SEED     random values as pickles of protocols 2 to 5, and as JSON
  make_dumps.py snapshot FOLDER SEED [SCALE]   a memory snapshot of an allocator that is played here, with blocks of
                                               SCALE MiB: snapshot.pickle, true.json
  make_dumps.py flight FOLDER SEED     dumps of the flight recorder of all ranks of a hung job: nccl_trace_rank_N
"""
import json
import os
import pickle
import random
import sys

MIB = (1 << 20) * int(sys.argv[4] if len(sys.argv) > 4 else 1)


def random_value(rng, depth):
    kind = rng.randrange(10 if depth < 4 else 7)
    if kind == 0:
        return None
    if kind == 1:
        return rng.random() < 0.5
    if kind in (2, 3):
        return rng.choice([rng.randrange(256), rng.randrange(1 << 16), -rng.randrange(1 << 31), rng.randrange(1 << 62),
                           -rng.randrange(1 << 62)])
    if kind == 4:
        return rng.uniform(-1e9, 1e9)
    if kind in (5, 6):
        return "".join(rng.choice("abcdefgh/é日 _") for _ in range(rng.choice([3, 20, 300])))
    if kind in (7, 8):
        items = [random_value(rng, depth + 1) for _ in range(rng.randrange(6))]
        return items if kind == 7 or depth % 2 else tuple(items)
    return {f"key{i}": random_value(rng, depth + 1) for i in range(rng.randrange(6))}


def write_values(folder, rng):
    for number in range(60):
        value = random_value(rng, 0)
        shared = [value, value, {"again": value}]  # the memo
        for protocol in range(2, 6):
            with open(f"{folder}/{number}-{protocol}.pickle", "wb") as file:
                pickle.dump(shared, file, protocol=protocol)
        with open(f"{folder}/{number}.json", "w", encoding="utf-8") as file:
            json.dump(shared, file)


def frames(*functions):
    return [{"filename": file, "line": line, "name": name} for file, line, name in functions]


TORCH = "/usr/lib/python3/dist-packages/torch"
STACKS = {
    "weights": frames((f"{TORCH}/nn/modules/module.py", 1160, "convert"), (f"{TORCH}/nn/modules/module.py", 900, "_apply"),
                      ("/home/a/train.py", 12, "main")),
    "optimizer": frames((f"{TORCH}/optim/adam.py", 130, "_init_group"), ("/home/a/train.py", 31, "step")),
    "activations": frames((f"{TORCH}/nn/functional.py", 1, "gelu"), (f"{TORCH}/nn/modules/module.py", 1500, "_call_impl"),
                          ("/home/a/model.py", 41, "forward")),
    "backward": frames(("??", 0, "torch::autograd::Engine::evaluate_function(...)")),
    "other": [],
}


class Device:
    """A caching allocator: 20 MiB segments, blocks found first fit, in one piece."""

    def __init__(self, rng):
        self.rng, self.segments, self.live, self.events, self.next = rng, [], {}, [], 0x7F0000000000
        self.recording, self.time = False, 1_700_000_000_000_000
        self.reserved_peak = self.reserved = 0

    def record(self, action, address, size, stack=None):
        self.time += self.rng.randrange(1, 50)
        if not self.recording:
            return
        event = {"action": action, "addr": address, "size": size, "stream": 0, "time_us": self.time}
        if stack is not None:
            event["frames"] = stack
        self.events.append(event)

    def place(self, size):
        for start, length in self.segments:
            at = start
            for address in sorted(a for a in self.live if start <= a < start + length):
                if address - at >= size:
                    return at
                at = address + self.live[address][0]
            if start + length - at >= size:
                return at
        length = max(20 * MIB, size)
        start, self.next = self.next, self.next + 4 * length
        self.segments.append((start, length))
        self.reserved += length
        self.record("segment_alloc", start, length, [])
        return start

    def allocate(self, size, use):
        address = self.place(size)
        self.live[address] = (size, use)
        self.record("alloc", address, size, STACKS[use])
        return address

    def free(self, address):
        size, _ = self.live[address]
        self.record("free_requested", address, size, [])
        self.record("free_completed", address, size, [])
        del self.live[address]

    def blocks(self, start, length):
        found, at = [], start
        for address in sorted(a for a in self.live if start <= a < start + length):
            if address > at:
                found.append({"address": at, "size": address - at, "state": "inactive", "frames": []})
            size, use = self.live[address]
            found.append({"address": address, "size": size, "requested_size": size - 8, "state": "active_allocated",
                          "frames": STACKS[use]})
            at = address + size
        if at < start + length:
            found.append({"address": at, "size": start + length - at, "state": "inactive", "frames": []})
        return found


def write_snapshot(folder, rng):
    device = Device(rng)
    for _ in range(10):
        device.allocate(rng.randrange(1, 8) * MIB, "weights")
    lost = [device.allocate(rng.randrange(1, 4) * MIB, "other") for _ in range(3)]  # freed while it is recorded: no stack
    device.recording = True
    peak = {"bytes": 0}

    def look():
        total = sum(size for size, _ in device.live.values())
        if total > peak["bytes"]:
            uses = {}
            for size, use in device.live.values():
                uses[use] = uses.get(use, 0) + size
            peak.update(bytes=total, uses=uses, time_us=device.time, reserved=device.reserved)

    look()
    for step in range(4):
        kept = [device.allocate(rng.randrange(1, 9 + step) * MIB // 2, "activations") for _ in range(rng.randrange(5, 12))]
        look()
        for address in lost + kept[::-1]:
            temporary = device.allocate(rng.randrange(1, 5) * MIB, rng.choice(["backward", "other"]))
            look()
            device.free(address)
            device.free(temporary)
        lost = []
        if step == 0:
            for _ in range(4):
                device.allocate(rng.randrange(2, 6) * MIB, "optimizer")
                look()
    device.events.append({"action": "oom", "device_free": 3 * MIB, "size": 900 * MIB, "stream": 0, "time_us": device.time})
    device.events.append({"action": "snapshot", "addr": 0, "size": 0, "stream": 0, "time_us": device.time})
    segments = [{"device": 0, "address": start, "total_size": length, "stream": 0, "segment_type": "large",
                 "segment_pool_id": (0, 0), "blocks": device.blocks(start, length), "frames": []}
                for start, length in device.segments]
    with open(f"{folder}/snapshot.pickle", "wb") as file:
        pickle.dump({"segments": segments, "device_traces": [device.events, []], "allocator_settings": {}}, file)
    inactive = [block["size"] for segment in segments for block in segment["blocks"] if block["state"] == "inactive"]
    true = {"peak": peak["bytes"], "uses": peak["uses"], "reserved": device.reserved,
            "active": sum(size for size, _ in device.live.values()), "largest_free": max(inactive, default=0)}
    with open(f"{folder}/true.json", "w", encoding="utf-8") as file:
        json.dump(true, file)


def entry(record, group, sequence, name, sizes, state, p2p=False):
    return {"frames": frames((f"{TORCH}/distributed/distributed_c10d.py", 2696, "all_reduce"), ("/home/a/train.py", 44, "main")),
            "record_id": record, "pg_id": group[0], "process_group": (group[1], group[2]), "collective_seq_id": sequence,
            "p2p_seq_id": 0, "op_id": sequence, "profiling_name": name, "time_created_ns": 1_724_779_239_936_775_119 + record,
            "input_sizes": [sizes], "input_dtypes": ["Float"], "output_sizes": [sizes], "output_dtypes": ["Float"],
            "state": state, "time_discovered_started_ns": None, "time_discovered_completed_ns": None,
            "retired": state == "completed", "timeout_ms": 600000, "is_p2p": p2p}


def write_flight(folder, rng):
    """Two tensor-parallel groups of a job of 4 ranks, and one of all: one rank does not join its group's last one."""
    missing, last = rng.randrange(4), rng.randrange(5, 40)
    pairs = [(0, 1), (2, 3)]
    for rank in range(4):
        pair = rank // 2
        groups = {"0": {"name": "0", "desc": "default_pg", "ranks": "[0, 1, 2, 3]"},
                  f"{1 + pair}": {"name": f"{1 + pair}", "desc": "tp", "ranks": str(list(pairs[pair]))}}
        entries, record = [], 0
        for sequence in range(1, last + 1):
            stuck = sequence == last and pair == missing // 2
            if not (stuck and rank == missing):
                entries.append(entry(record, (1 + pair, f"{1 + pair}", "tp"), sequence, "nccl:all_reduce", [4, sequence],
                                     "started" if stuck else "completed"))
                record += 1
            if sequence < last:
                entries.append(entry(record, (0, "0", "default_pg"), sequence, "nccl:_all_gather_base", [sequence],
                                     "completed"))
                record += 1
            elif pair != missing // 2:  # the other pair waits for all
                entries.append(entry(record, (0, "0", "default_pg"), sequence, "nccl:_all_gather_base", [sequence],
                                     "scheduled"))
                record += 1
        kept = entries[-(last + 4):]  # the buffer is round
        status = {str(g): {"last_enqueued_collective": max([e["collective_seq_id"] for e in kept if e["pg_id"] == g],
                                                           default=-1),
                           "last_started_collective": -1, "last_completed_collective": last - 1} for g in (0, 1 + pair)}
        dump = {"version": "2.10", "pg_config": groups, "comm_lib_version": "2.21.5", "pg_status": status, "entries": kept}
        if rank == 3:  # one as JSON
            with open(f"{folder}/nccl_trace_rank_{rank}.json", "w", encoding="utf-8") as file:
                json.dump(dump, file)
        else:
            with open(f"{folder}/nccl_trace_rank_{rank}", "wb") as file:
                pickle.dump(dump, file, protocol=2)
    with open(f"{folder}/true.json", "w", encoding="utf-8") as file:
        json.dump({"missing": missing, "sequence": last, "group": f"{1 + missing // 2}"}, file)


if __name__ == "__main__":
    os.makedirs(sys.argv[2], exist_ok=True)
    {"values": write_values, "snapshot": write_snapshot, "flight": write_flight}[sys.argv[1]](
        sys.argv[2], random.Random(int(sys.argv[3])))
