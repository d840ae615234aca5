// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QtTest>

#include "core/runtime/cuda/library.hpp"

namespace pipedeck::test {

/// Returns the reason for which a test of `wanted` GPUs can't run here; empty if it can.
inline QByteArray why_no_gpus(int wanted) {
  try {
    const int found = runtime::cuda::count_devices();
    return found >= wanted ? QByteArray() : QByteArray("found 1 GPU, expected 2 or more");
  } catch (const runtime::cuda::CudaError& error) {
    return error.what();
  }
}

}  // namespace pipedeck::test

/// Skips the test, or all of them, with the reason in its output.
#define SKIP_WITHOUT_GPU(wanted) \
  if (const QByteArray why = pipedeck::test::why_no_gpus(wanted); !why.isEmpty()) QSKIP(why.constData())
