// SPDX-License-Identifier: Apache-2.0
// How long a device takes for counted work, by what its data sheet promises and what kernels reach of it: the roofline
// (Williams et al., CACM 2009) with the efficiency of a product's shape.
#pragma once

#include <string>

#include "core/analytic/layer_count.hpp"
#include "core/domain/device_model.hpp"
#include "core/domain/result.hpp"
#include "core/domain/transformer_origin.hpp"

namespace pipedeck {

struct DeviceRate {
  double operations = 0;  ///< a second, promised at the precision
  BytesPerSecond memory;  ///< promised
  int units = 1;          ///< multiprocessors, which a product's tiles are dealt to
  int element = 2;        ///< bytes of a number
  Reached reached;
};

/// What is trained in on the device: bf16 where it has it, else fp16, else fp32.
std::string usual_precision(const DeviceModel& device);

/// `precision` is one that the device's data sheet has a peak for: else bad_usage, which lists them.
Result<DeviceRate> rate_of(const DeviceModel& device, const std::string& precision);

/// Both times of a layer on one of `degree` tensor-parallel ranks, communication left out.
struct LayerSeconds {
  Seconds forward, backward_input, backward_weight;
};
LayerSeconds layer_time(const LayerCount& layer, const DeviceRate& device, int degree = 1,
                        bool sequence_parallel = false);

/// One product of m x k by k x n, so many times at once.
Seconds product_time(double m, double k, double n, double times, const DeviceRate& device);

}  // namespace pipedeck
