// SPDX-License-Identifier: Apache-2.0
// The time of counted work on a device, from its data sheet and the fractions that kernels reach: the roofline
// (Williams et al., CACM 2009) with the efficiency of a matmul's shape.
#pragma once

#include <string>

#include "core/analytic/times/layer_count.hpp"
#include "core/base/result.hpp"
#include "core/model/device_model.hpp"
#include "core/model/transformer_origin.hpp"

namespace pipedeck::analytic::times {

struct DeviceRate {
  double operations = 0;  ///< per second, peak at the precision
  BytesPerSecond memory;  ///< peak
  int units = 1;          ///< multiprocessors, over which a matmul's tiles are distributed
  int element = 2;        ///< bytes per element
  EfficiencyFactors reached;
};

/// Returns the usual training precision of the device: bf16 if supported, otherwise fp16, otherwise fp32.
std::string usual_precision(const DeviceModel& device);

/// Returns the device's rate. bad_usage if its data sheet has no peak for `precision`; the message lists the valid
/// ones.
Result<DeviceRate> rate_of(const DeviceModel& device, const std::string& precision);

/// A layer's times on one of `degree` tensor-parallel ranks, without communication.
struct LayerSeconds {
  Seconds forward, backward_input, backward_weight;
};
LayerSeconds layer_time(const LayerCount& layer, const DeviceRate& device, int degree = 1,
                        bool sequence_parallel = false);

/// Returns the time of `times` simultaneous matmuls of m x k by k x n.
Seconds product_time(double m, double k, double n, double times, const DeviceRate& device);

}  // namespace pipedeck::analytic::times
