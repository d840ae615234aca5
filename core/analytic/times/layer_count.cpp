// SPDX-License-Identifier: Apache-2.0
#include "core/analytic/times/layer_count.hpp"

namespace pipedeck::analytic::times {

double forward_operations(const LayerCount& layer) {
  double sum = 0;
  for (const GemmCount& product : layer.gemms) sum += product.operations();
  return sum;
}

double weight_count(const LayerCount& layer) {
  double sum = 0;
  for (const WeightItem& item : layer.weights) sum += item.count;
  return sum;
}

double replicated_parameter_count(const LayerCount& layer) {
  double sum = 0;
  for (const WeightItem& item : layer.weights) sum += item.whole;
  return sum;
}

double saved_bytes(const LayerCount& layer, int degree, bool sequence_parallel) {
  double sum = 0;
  for (const SavedItem& item : layer.saved) sum += item.divided || sequence_parallel ? item.bytes / degree : item.bytes;
  return sum;
}

}  // namespace pipedeck::analytic::times
