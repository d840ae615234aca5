// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/profile/background_load.hpp"

#include <new>
#include <stop_token>
#include <utility>

#include "core/runtime/cpu/layers.hpp"
#include "core/runtime/cpu/matmul.hpp"
#include "core/runtime/machine/cores.hpp"

namespace pipedeck::runtime::profile {

BackgroundLoad::LoadThread::LoadThread(exec::ModelParts made, const ModelSpec& model, int micro_batch)
    : parts(std::move(made)), timer(parts.layers, parts.loss, *parts.source, model.seed, micro_batch) {}

BackgroundLoad::BackgroundLoad(const ModelSpec& model, int micro_batch, int others, std::size_t place) {
  for (int i = 0; i < others; ++i)
    members_.emplace_back(exec::make_parts(model, cpu::cpu_kernel_registry()).value(), model, micro_batch);
  for (std::size_t i = 0; i < members_.size(); ++i)
    threads_.emplace_back([&timer = members_[i].timer, place = place + i](std::stop_token stop) {
      cpu::use_one_thread();
      machine::pin_to_core(place);
      try {
        while (!stop.stop_requested()) timer.warm_up();  // stores no times
      } catch (const std::bad_alloc&) {                  // the timed thread needs the memory more
      }
    });
}

}  // namespace pipedeck::runtime::profile
