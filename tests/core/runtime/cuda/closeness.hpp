// SPDX-License-Identifier: Apache-2.0
// How close what a GPU, or its stand-in, computes has to be to what the processor computes.
#pragma once

#include <QtTest>

#include <algorithm>
#include <cmath>

#include "core/model/model.hpp"

#ifdef PIPEDECK_CUDA_STAND_IN
#include "tests/support/cuda_stand_in/stand_in.hpp"
#endif

/// Fails with both figures.
#define VERIFY_BELOW(found, most)                                                                            \
  do {                                                                                                       \
    const double figure = (found), limit = (most);                                                           \
    QVERIFY2(figure < limit,                                                                                 \
             qPrintable(QString("%1: found %2, expected less than %3").arg(#found).arg(figure).arg(limit))); \
  } while (false)

namespace pipedeck::test {

/// An order in which products are summed. The stand-in sums in double precision, as good as the processor. A GPU's
/// libraries sum 32-bit floats in an order of their own, and the stand-in can be off by as much.
enum class Sums { exact, of_a_gpu };

/// Returns the orders that can be had here: rows of a test's data.
inline QList<Sums> sums_here() {
#ifdef PIPEDECK_CUDA_STAND_IN
  return {Sums::exact, Sums::of_a_gpu};
#else
  return {Sums::of_a_gpu};
#endif
}
inline const char* words_of(Sums sums) { return sums == Sums::exact ? "" : ", a GPU's sums"; }

/// Sets the stand-in's order. A GPU's is taken to be off by up to 16 units: as far as 256 random roundings.
inline void sum_as([[maybe_unused]] Sums sums) {
#ifdef PIPEDECK_CUDA_STAND_IN
  cuda_stand_in::set_summation_error(sums == Sums::exact ? 0 : 16);
#endif
}

/// Returns by how much trained parameters and losses may differ. Rounding that carries a value over relu's kink changes
/// its gradient as a whole: sums that are off moved resnet-tiny by 8e-4 in two steps, which training moves by 3e-2.
inline double trained_within(const ModelSpec& model, Sums sums) {
  const bool kinks = std::ranges::any_of(model.layers, [](const ModelLayer& layer) {
    const auto activation = layer.sizes.find("activation");
    return layer.kind == "residual" || layer.kind == "bottleneck" ||
           (activation != layer.sizes.end() && activation->second == 1);
  });
  return kinks && sums == Sums::of_a_gpu ? 3e-3 : 1e-5;
}

}  // namespace pipedeck::test

Q_DECLARE_METATYPE(pipedeck::test::Sums)
