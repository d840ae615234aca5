// SPDX-License-Identifier: Apache-2.0
// A group whose work is counted while layers that are cut over it are timed.
#pragma once

#include <cmath>
#include <utility>
#include <vector>

#include "core/domain/units.hpp"
#include "core/runtime/transport/transport.hpp"

namespace pipedeck {

class CountedCollective : public Collective {
 public:
  struct Taken {
    Bytes bytes;
    int meetings = 0;  ///< collectives, each of which all members wait for
    Seconds moving{};  ///< of these, from when all were there; on a device that is known later (take_moved)
    bool operator==(const Taken&) const = default;
  };
  /// Since the last time, bytes as TensorParallelPoint counts: of what was gathered or broadcast half, for a ring
  /// all-reduce is a reduce-scatter and a gather of as many bytes.
  Taken take_all_reduced() {
    const Taken taken{Bytes(std::llround(bytes_)), meetings_, moving_};
    bytes_ = 0, meetings_ = 0, moving_ = {};
    return taken;
  }
  /// On a device whose queue is through: how long each of the collectives since the last time took from when all were
  /// there, in their order. All members call it. Empty where Taken::moving says it.
  virtual std::vector<Seconds> take_moved() { return {}; }
  /// Waits until all members are here; not counted.
  virtual void gather_members() {}

 protected:
  void count(double bytes, Seconds moving) { bytes_ += bytes, ++meetings_, moving_ += moving; }

 private:
  double bytes_ = 0;
  int meetings_ = 0;
  Seconds moving_;
};

}  // namespace pipedeck
