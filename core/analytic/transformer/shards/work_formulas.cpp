// SPDX-License-Identifier: Apache-2.0
#include "core/analytic/transformer/shards/work_formulas.hpp"

#include <string_view>

#include <fmt/format.h>

namespace pipedeck::analytic::transformer::shards {
namespace {

class Formulas {
 public:
  explicit Formulas(const Rates& rates) : rates_(rates) {}

  /// Adds those of a pass. `product_of`: words between the pass and a product's name.
  void add(std::string_view pass, std::string_view product_of, const PassWork& work, const WorkTime& time) {
    for (const NamedTime& one : time.products)
      say(fmt::format("{}, {}{}", pass, product_of, one.name),
          arithmetic(
              work,
              [&](const ShardProduct& product) {
                return product.kind != WorkKind::attention && product.name == one.name;
              },
              one.peak, one.time),
          one.time);
    say(fmt::format("{}, attention", pass),
        arithmetic(
            work, [](const ShardProduct& product) { return product.kind == WorkKind::attention; }, time.attention_peak,
            time.attention),
        time.attention);
    say(fmt::format("{}, all else", pass), traffic(work, time.memory), time.memory);
    if (time.bound_by_host)
      made_.push_back(
          fmt::format("The host launches the {} more slowly than the device computes it: each part is "
                      "longer in proportion",
                      pass));
  }

  std::vector<std::string> all() { return std::move(made_); }

 private:
  void say(const std::string& part, const std::string& quotient, Seconds time) {
    if (time.count > 0) made_.push_back(fmt::format("{}: {} = {:.4g} ms", part, quotient, time.count * 1e3));
  }

  template <class Belongs>
  static std::string arithmetic(const PassWork& work, Belongs belongs, double peak, Seconds time) {
    double operations = 0;
    for (const ShardProduct& product : work.products)
      if (belongs(product)) operations += product.flops();
    return fmt::format("{:.4g} G operations / ({:.4g} TFLOP/s x {:.4g} %)", operations / 1e9, peak / 1e12,
                       100 * operations / (peak * time.count));
  }

  std::string traffic(const PassWork& work, Seconds time) const {
    const double bandwidth = rates_.type.memory_bandwidth->count;
    if (work.memory_bytes <= 0) return fmt::format("{} launches x {:.4g} us", 1, time.count * 1e6);
    return fmt::format("{:.4g} MB / ({:.4g} GB/s x {:.4g} %)", work.memory_bytes / 1e6, bandwidth / 1e9,
                       100 * work.memory_bytes / (bandwidth * time.count));
  }

  const Rates& rates_;
  std::vector<std::string> made_;
};

}  // namespace

std::vector<std::string> work_formulas(const LayerShard& layer, const LayerWork& work, const Rates& rates) {
  Formulas formulas(rates);
  formulas.add("forward", "", layer.forward, work.forward);
  formulas.add("backward", "input of ", layer.backward_input, work.input_gradient);
  formulas.add("backward", "weights of ", layer.backward_weight, work.weight_gradient);
  return formulas.all();
}

}  // namespace pipedeck::analytic::transformer::shards
