// SPDX-License-Identifier: Apache-2.0
// Copies of weights that a device keeps between passes.
#pragma once

#include "core/base/units.hpp"

namespace pipedeck::runtime::tensor {

/// A copy of a worker's weights in the form in which the products of a device take them. The device finds it by the
/// weights' address, and writes it where it updates the weights (ComputeDevice::update). It lives no longer than they.
class WeightCopy {
 public:
  virtual ~WeightCopy() = default;
  /// Enqueues what brings the copy up to date. Called before passes, outside a capture.
  virtual void refresh() = 0;
  /// Notes that weights were changed, other than by ComputeDevice::update.
  virtual void weights_changed() = 0;
  /// Returns the bytes that the copy holds now. Passes may add to them.
  virtual Bytes bytes() const = 0;
};

}  // namespace pipedeck::runtime::tensor
