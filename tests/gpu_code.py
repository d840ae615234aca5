#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks nvcc's code of the kernels in a module, without a GPU.

usage: tests/gpu_code.py MODULE ARCHITECTURES     (pipedeck-cuda.so "80 90 100 120"; skipped without a module)

Each architecture has code of all kernels, and the newest PTX is there for later GPUs. Only the kernels below spill
registers. No kernel keeps arrays in local memory. Kernels of wide vectors load or store 128 bits of global memory, and
those for tensor cores use them.
"""
import os
import re
import struct
import subprocess
import sys

# Bytes of registers that a kernel may spill: at most those that nvcc 13.0 gives on any architecture.
SPILLS = {
    "attention_kernel<64, 64, 64, float>": 56,
    "attention_kernel<128, 64, 32, __nv_bfloat16>": 32,
    "key_gradient_kernel<64, 32, 64, float>": 16,
    "key_gradient_kernel<64, 32, 64, __nv_bfloat16>": 16,
    "backward_kernel<128, 32, true>": 72,
}
ON_TENSOR_CORES = r"^(forward_kernel|backward_kernel)<"
FRAME_SIZE = 0x11  # EIATTR_FRAME_SIZE in .nv.info: a function's index in .symtab, its bytes of stack
FAT_MAGIC, PTX, ELF = 0xBA55ED50, 1, 2


def sections(elf):
    """Returns {name: bytes} of a 64-bit ELF file (its header: e_shoff, e_shentsize, e_shnum, e_shstrndx)."""
    (table,) = struct.unpack_from("<Q", elf, 0x28)
    size, count, names = struct.unpack_from("<HHH", elf, 0x3A)
    heads = [struct.unpack_from("<IIQQQQ", elf, table + i * size) for i in range(count)]
    content = [elf[offset : offset + length] if kind != 8 else b"" for _, kind, _, _, offset, length in heads]
    return {text(content[names], head[0]): one for head, one in zip(heads, content)}


def text(table, at):
    return table[at : table.index(b"\0", at)].decode()


def parts(fat):
    """Yields (kind, architecture, bytes) of each part of .nv_fatbin."""
    at = 0
    while at + 16 <= len(fat):
        magic, _, header, size = struct.unpack_from("<IHHQ", fat, at)
        if magic != FAT_MAGIC:
            at += 8  # parts are aligned to 8 bytes
            continue
        place, at = at + header, at + header + size
        while place < at:
            kind, _, header, size = struct.unpack_from("<HHIQ", fat, place)
            (architecture,) = struct.unpack_from("<I", fat, place + 28)
            yield kind, architecture, fat[place + header : place + header + size]
            place += header + size


def frames(cubin):
    """Returns {function: bytes of its stack}."""
    of = sections(cubin)
    names = [text(of[".strtab"], *struct.unpack_from("<I", of[".symtab"], i)) for i in range(0, len(of[".symtab"]), 24)]
    info, at, found = of[".nv.info"], 0, {}
    while at < len(info):
        form, attribute, size = struct.unpack_from("<BBH", info, at)
        at += 4
        if form != 4:  # the value is in the header
            continue
        if attribute == FRAME_SIZE:
            function, stack = struct.unpack_from("<II", info, at)
            found[names[function]] = stack
        at += size
    return found


def short_names(names):
    """Returns {mangled: "each_kernel<4, Relu>"}."""
    names = sorted(names)
    plain = subprocess.run(["c++filt"], input="\n".join(names), capture_output=True, text=True, check=True).stdout
    short = [re.sub(r"^void ", "", re.sub(r"pipedeck::runtime::cuda::|\(anonymous namespace\)::", "", name))
             for name in plain.splitlines()]
    return {name: one[: one.index("(")] if "(" in one else one for name, one in zip(names, short)}


def problems_of_frames(code):
    found = []
    for architecture, stacks in sorted(code.items()):
        short = short_names(stacks)
        for name, stack in stacks.items():
            if stack > SPILLS.get(short[name], 0) and not name.startswith("$"):  # a $ is a part of its caller
                found.append(f"sm_{architecture}: {short[name]}: found {stack} bytes of spilled registers, "
                             f"expected at most {SPILLS.get(short[name], 0)}")
    return found


def problems_of_ptx(kernels):
    found, short = [], short_names(kernels)
    for name, body in kernels.items():
        one = short[name]
        if ".local" in body:
            found.append(f"PTX: {one}: found local memory, expected none")
        if re.search(r"<[48][,>]", one) and not re.search(r"(ld|st)\.global[.\w]*\.v4", body):
            found.append(f"PTX: {one}: found no access of 128 bits to global memory, expected some")
        if re.search(ON_TENSOR_CORES, one) and ("mma.sync" not in body or "ldmatrix" not in body):
            found.append(f"PTX: {one}: found no mma.sync or no ldmatrix, expected both")
    found += [f"PTX: found no kernel {name}, expected it: its spills are listed" for name in SPILLS
              if name not in short.values()]
    if not any(re.search(ON_TENSOR_CORES, one) for one in short.values()):
        found.append("PTX: found no kernel for tensor cores, expected some")
    return found


def main():
    module, expected = sys.argv[1], [int(one) for one in sys.argv[2].split()]
    if not os.path.exists(module):
        print("skipped: there is no module for GPUs: nvcc, cuDNN or NCCL is missing")
        return 77
    with open(module, "rb") as file:
        fat = sections(file.read())[".nv_fatbin"]
    code, kernels, newest = {}, {}, set()
    for kind, architecture, body in parts(fat):
        if kind == ELF:
            code.setdefault(architecture, {}).update(frames(body))
        else:
            newest.add(architecture)
            for one in re.split(r"\.entry\s+", body.decode(errors="replace"))[1:]:
                kernels[one[: one.index("(")].strip()] = one
    problems = problems_of_frames(code) + problems_of_ptx(kernels)
    if sorted(code) != expected or newest != {90}:
        problems.append(f"{module}: found code for {sorted(code)} and PTX for {sorted(newest)}, expected {expected}, [90]")
    for architecture, stacks in code.items():
        if missing := kernels.keys() - stacks.keys():
            problems.append(f"sm_{architecture}: found no code of {sorted(missing)[0]}, expected all {len(kernels)} kernels")
    print("\n".join(problems) or f"{len(kernels)} kernels, each for {' '.join(map(str, sorted(code)))}")
    return bool(problems)


sys.exit(main())
