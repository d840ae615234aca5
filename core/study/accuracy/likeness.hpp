// SPDX-License-Identifier: Apache-2.0
// The distance between two training steps: how unlike their models, machines and mappings are.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/mesh/question.hpp"
#include "core/model/device_model.hpp"

namespace pipedeck::study::accuracy {

/// A set of traits of a training step, most as base-2 logarithms.
struct Traits {
  std::string device;     ///< type
  double speed = 0;       ///< its peak in 16 bits, TFLOP/s
  std::string precision;  ///< of large products, with the scaling of fp8
  double bits = 4;        ///< of a number in large products
  bool experts = false, latent = false, adapters = false;
  double weights = 0, gpus = 0, sequence = 0, tokens = 0;  ///< tokens: of a micro-batch on a rank
  double tensor = 0, context = 0, expert = 0, pipeline = 0;
  int sharding = 0;   ///< level; 1 where weights are whole between steps
  int recompute = 0;  ///< 0 nothing, 1 modules or some blocks, 2 every block
};
Traits traits_of(const mesh::Question& question, const DeviceType& type);

struct Difference {
  std::string_view of;  ///< "GPU", "tensor degree"
  double value = 0;     ///< part of the distance
};

/// Returns what is unlike, largest first. One step of tensor, context, expert or pipeline degree (twice or half) counts
/// 0.25, twice the weights 0.5, twice the speed of a GPU 1, experts against none 3.
std::vector<Difference> differences_of(const Traits& one, const Traits& other);
/// Returns the sum of all differences; 0 for equal traits.
double distance_of(const Traits& one, const Traits& other);

}  // namespace pipedeck::study::accuracy
