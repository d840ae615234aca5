// SPDX-License-Identifier: Apache-2.0
// Clones of plain loops for several instruction sets, selected at start, so that one binary runs on any x86-64. They
// are selected by CPU features (AVX-512, AVX2 with FMA): the name of one CPU model would exclude all others.
#pragma once

// The loader selects a clone before sanitizers are initialised: they get the plain function.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
#define PIPEDECK_KERNEL __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define PIPEDECK_KERNEL
#endif
