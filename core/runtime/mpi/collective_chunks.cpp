// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/mpi/collective_chunks.hpp"

#include <utility>

namespace pipedeck::runtime::mpi {

Buffer BufferPool::take(std::size_t floats) {
  std::unique_ptr<std::vector<float>> values;
  {
    const std::lock_guard lock(mutex_);
    if (!kept_.empty()) {
      values = std::move(kept_.back());
      kept_.pop_back();
    }
  }
  if (!values) values = std::make_unique<std::vector<float>>();
  values->resize(floats);
  return {values.release(), [pool = shared_from_this()](std::vector<float>* used) {
            std::unique_ptr<std::vector<float>> back(used);
            const std::lock_guard lock(pool->mutex_);
            pool->kept_.push_back(std::move(back));
          }};
}

void ChunkMailbox::post(Address address, CollectiveChunk piece) {
  {
    const std::lock_guard lock(mutex_);
    ensure(pieces_.emplace(address, std::move(piece)).second, "a piece is sent once");
  }
  arrived_.notify_one();
}

CollectiveChunk ChunkMailbox::take(Address address, transport::RunControl& control) {
  std::unique_lock lock(mutex_);
  control.wait(lock, arrived_, [&] { return pieces_.contains(address); });
  return std::move(pieces_.extract(address).mapped());
}

}  // namespace pipedeck::runtime::mpi
