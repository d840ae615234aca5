// SPDX-License-Identifier: Apache-2.0
// A collective that counts its bytes and calls while layers that are sharded over the group are timed.
#pragma once

#include <cmath>
#include <utility>
#include <vector>

#include "core/base/units.hpp"
#include "core/runtime/transport/transport.hpp"

namespace pipedeck::runtime::transport {

class CountingCollective : public Collective {
 public:
  struct Taken {
    Bytes bytes;
    int meetings = 0;  ///< collectives, each a barrier of all members
    Seconds moving{};  ///< time from the arrival of all members; on a device it is known later (collective_durations)
    bool operator==(const Taken&) const = default;
  };
  /// Returns the counts since the last call. Bytes are counted as in TensorParallelPoint: all-gathers and broadcasts
  /// count half, because a ring all-reduce is a reduce-scatter and an all-gather of that many bytes.
  Taken all_reduce_counts() {
    const Taken taken{Bytes(std::llround(bytes_)), meetings_, moving_};
    bytes_ = 0, meetings_ = 0, moving_ = {};
    return taken;
  }
  /// Returns the duration of each collective since the last call, in order, from the arrival of all members. The
  /// device's queue must be empty. All members call it. Empty if Taken::moving holds the durations.
  virtual std::vector<Seconds> collective_durations() { return {}; }
  /// Waits until all members have arrived. It is not counted.
  virtual void barrier() {}

 protected:
  void count(double bytes, Seconds moving) { bytes_ += bytes, ++meetings_, moving_ += moving; }

 private:
  double bytes_ = 0;
  int meetings_ = 0;
  Seconds moving_;
};

}  // namespace pipedeck::runtime::transport
