// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/layers/lstm_by_steps.hpp"

#include "core/runtime/cpu/cpu_ops.hpp"
#include "core/runtime/cpu/layers.hpp"
#include "core/runtime/layers/size_reader.hpp"

namespace pipedeck::runtime::cpu {
namespace {

struct LstmSize {
  std::int64_t in, hidden, sequence, directions;
};

Result<LstmSize> size_of_lstm(const ModelLayer& layer) {
  layers::SizeReader size(layer);
  const LstmSize lstm{size("in"), size("hidden"), size("sequence"), size("directions")};
  const auto real = [](std::int64_t value) { return static_cast<double>(value); };
  size.bounded("weights", 8 * real(lstm.hidden) * (real(lstm.in) + real(lstm.hidden) + 2));
  size.bounded("values per sample", real(lstm.sequence) * (real(lstm.in) + 8 * real(lstm.hidden)));
  TRY_VOID(size.result());
  return lstm;
}

}  // namespace

Result<std::unique_ptr<layers::LayerKernel>> make_lstm(const ModelLayer& layer) {
  TRY(const auto size, size_of_lstm(layer));
  return std::make_unique<layers::UnrolledLstm<CpuOps>>(size.in, size.hidden, size.sequence, size.directions);
}

Result<std::unique_ptr<layers::LayerKernel>> make_sharded_lstm(const ModelLayer& layer,
                                                               const layers::LayerSharding& sharding) {
  TRY(const auto size, size_of_lstm(layer));
  TRY_VOID(layers::check_shardable(layer, size.hidden, "hidden values", sharding.partners.shard()));
  return std::make_unique<layers::UnrolledLstm<CpuOps>>(size.in, size.hidden, size.sequence, size.directions,
                                                        sharding.partners);
}

}  // namespace pipedeck::runtime::cpu
