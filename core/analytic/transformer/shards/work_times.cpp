// SPDX-License-Identifier: Apache-2.0
#include "core/analytic/transformer/shards/work_times.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/analytic/transformer/shards/adapters.hpp"

namespace pipedeck::analytic::transformer::shards {
namespace {

using times::Part;

/// A precision of products on a device type.
struct ProductRate {
  double operations = 0;  ///< a second, at the peak
  double element = 2;     ///< bytes of a number that goes in
  const PrecisionEfficiency* reached = nullptr;
};

/// Returns the name of the peak in data sheets.
std::string peak_of(const std::string& precision) {
  if (precision == "mxfp8") return "fp8";
  return precision == "nvfp4" ? "fp4" : precision;
}

double bytes_of(const std::string& peak) {
  if (peak == "fp4") return 0.5;
  if (peak == "fp8") return 1;
  return peak == "fp32" || peak == "tf32" ? 4 : 2;
}

Result<ProductRate> rate_of(const Rates& rates, const std::string& precision, const std::string& recipe) {
  const std::string name = peak_of(precision);
  const auto peak = rates.type.peak_tflops.find(name);
  const PrecisionEfficiency* const reached = find_precision(rates.reached, precision, recipe);
  if (peak == rates.type.peak_tflops.end() || !reached)
    return fail(ErrorCode::bad_input, fmt::format("found precision '{}', expected one that the {} of {} has", precision,
                                                  reached ? "data sheet" : "table of efficiencies", rates.type.name));
  return ProductRate{peak->second * 1e12, bytes_of(name), reached};
}

}  // namespace

std::string wide_precision(const Rates& rates, const Training& training) {
  if (bytes_of(peak_of(training.products)) >= 2) return training.products;
  return rates.type.peak_tflops.contains("bf16") ? "bf16" : "fp16";
}

namespace {

const PassWork& work_of(const LayerShard& layer, Compute pass) {
  switch (pass) {
    case Compute::forward:
      return layer.forward;
    case Compute::recompute:
      return layer.recompute;
    case Compute::input_gradient:
      return layer.backward_input;
    default:
      return layer.backward_weight;
  }
}

int kernels_of(const PassWork& work) {
  int sum = 0;
  for (const ShardProduct& product : work.products)
    sum += product.kind == WorkKind::grouped_product ? static_cast<int>(product.times) : 1;
  return sum;
}

class PassTimer {
 public:
  PassTimer(const LayerShard& layer, Compute pass, const Rates& rates, const Training& training, double gradient_bytes,
            ProductRate narrow, ProductRate wide, const AttentionEfficiency& attention)
      : layer_(layer),
        work_(work_of(layer, pass)),
        pass_(pass),
        rates_(rates),
        training_(training),
        gradient_bytes_(gradient_bytes),
        narrow_(narrow),
        wide_(wide),
        attention_(attention) {}

  WorkTime time() {
    for (const ShardProduct& product : work_.products) add(product);
    int others = work_.launches - kernels_of(work_);
    if (pass_ == Compute::input_gradient) others -= kernels_of(layer_.backward_weight);  // launches are of both
    time_.memory = at_least(moving(work_.memory_bytes + cast_bytes_), std::max(0, others) + conversions_);
    time_.total = time_.attention + time_.memory;
    for (const NamedTime& one : time_.products) time_.total += one.time;
    if (time_.total > Seconds(0) && is_launched_by_host()) wait_for_host();
    return std::move(time_);
  }

 private:
  bool is_launched_by_host() const {
    return training_.graphs == Graphs::none || (training_.graphs == Graphs::dense && layer_.kind == "experts");
  }
  bool has_adapters() const { return training_.adapters.rank > 0; }
  bool is_narrow(const ShardProduct& product) const {
    return is_block_kind(layer_.kind) && product.part != Part::router && narrow_.element < wide_.element;
  }

  Seconds moving(double bytes) const {
    return Seconds(bytes / (rates_.type.memory_bandwidth->count * rates_.reached.memory));
  }
  Seconds at_least(Seconds time, int kernels) const { return std::max(time, rates_.reached.kernel * kernels); }

  void add(const ShardProduct& product) {
    if (product.kind == WorkKind::attention) {
      time_.attention += attention_time(product);
      time_.attention_peak = wide_.operations;
      return;
    }
    if (has_adapters() && is_block_kind(layer_.kind)) add_adapter(product);
    if (has_adapters() && pass_ == Compute::weight_gradient) return;  // frozen
    if (has_adapters() && is_block_kind(layer_.kind) && is_linear(product)) convert(product);
    add(product, product_time(product), is_narrow(product) ? narrow_ : wide_);
  }

  /// Counts the conversion of frozen weights to 16 bits before a product: they are read, and written whole.
  void convert(const ShardProduct& product) {
    if (training_.adapters.frozen == FrozenWeights::same) return;
    cast_bytes_ += (frozen_bytes(training_.adapters.frozen, 2) + 2) * product.inner * product.columns * product.times;
    conversions_ += static_cast<int>(product.times);
  }

  void add(const ShardProduct& product, Seconds time, const ProductRate& rate) {
    const auto same = std::ranges::find(time_.products, product.name, &NamedTime::name);
    if (same == time_.products.end())
      time_.products.push_back({product.name, time, rate.operations});
    else
      same->time += time;
    if (product.part == Part::shared_experts) time_.shared_experts += time;
  }

  /// Adds the two products of a low-rank adapter in 16 bits; in the weight gradient, those of both its matrices.
  void add_adapter(const ShardProduct& product) {
    const AdaptedPart part = adapted_part(product, training_.adapters);
    if (!part.any()) return;
    const double rank = training_.adapters.rank;
    ShardProduct down = product, up = product;
    if (pass_ == Compute::input_gradient) {
      down.inner *= part.columns, down.columns = rank;
      up.inner = rank * part.matrices;
    } else {
      down.columns = rank * part.matrices;
      (pass_ == Compute::weight_gradient ? up.rows : up.inner) = rank;
      up.columns *= part.columns;
    }
    add(product, bound_time(down, wide_) + bound_time(up, wide_), wide_);
  }

  Seconds product_time(const ShardProduct& product) {
    const bool narrow = is_narrow(product);
    // The backward's one cast of a gradient serves both products, the forward's the weight gradient's, too.
    if (narrow && pass_ != Compute::weight_gradient)
      cast_bytes_ += narrow_.reached->casts * product.rows * product.inner * product.times;
    return bound_time(product, narrow ? narrow_ : wide_);
  }

  /// Returns the larger time of a matmul's arithmetic and of its bytes.
  Seconds bound_time(const ShardProduct& product, const ProductRate& rate) const {
    const bool grouped = product.kind == WorkKind::grouped_product;
    const ProductEfficiency& reached = grouped ? rate.reached->grouped : rate.reached->plain;
    const double rows = product.rows, inner = product.inner, columns = product.columns;
    // Tokens are no length of a row in memory: they are the inner dimension of a weight gradient.
    const double aligned =
        std::min(aligned_share(columns), aligned_share(pass_ == Compute::weight_gradient ? rows : inner));
    const Seconds computing(product.flops() / (rate.operations * reached.of(rows, inner, columns) * aligned));
    const double numbers_in = rows * inner + inner * columns;
    const Seconds bytes = moving(product.times * (rate.element * numbers_in + result_bytes(rate) * rows * columns));
    return at_least(std::max(computing, bytes), 1);
  }

  /// Returns the bytes that a number of the result takes: weight gradients are added to a sum.
  double result_bytes(const ProductRate& rate) const {
    const double element = std::max(2.0, rate.element);
    return pass_ == Compute::weight_gradient ? 2 * std::max(element, gradient_bytes_) : element;
  }

  Seconds attention_time(const ShardProduct& product) const {
    if (!product.fused) {  // a batch of matmuls: many of them fill the device together
      ShardProduct batch = product;
      batch.rows *= batch.times, batch.times = 1;
      const double share = wide_.reached->plain.of(batch.rows, batch.inner, batch.columns) *
                           std::min(aligned_share(batch.inner), aligned_share(batch.columns));
      const Seconds computing(product.flops() / (wide_.operations * share));
      const double numbers =
          product.rows * product.inner + product.inner * product.columns + product.rows * product.columns;
      return at_least(std::max(computing, moving(wide_.element * product.times * numbers)), 1);
    }
    const double width = product.name == "scores" ? product.inner : product.columns;
    const double share = attention_.of(pass_ == Compute::input_gradient, product.rows * product.times, width);
    return at_least(Seconds(product.flops() / (wide_.operations * share)), 1);
  }

  /// Lengthens all parts to the time in which the host launches the kernels. Launches of a backward are those of both
  /// its passes.
  void wait_for_host() {
    double launches = work_.launches + conversions_;
    if (pass_ == Compute::input_gradient || pass_ == Compute::weight_gradient) {
      launches = layer_.backward_input.launches + layer_.backward_weight.launches + conversions_;
      const bool both = !layer_.backward_input.products.empty() && !layer_.backward_weight.products.empty();
      if (both) launches /= 2;
    }
    const DeviceEfficiency& reached = rates_.reached;
    const Seconds host = reached.launch * launches + (layer_.kind == "experts" ? reached.expert_layer : reached.layer);
    if (host <= time_.total) return;
    time_.bound_by_host = true;
    const double longer = host.count / time_.total.count;
    for (NamedTime& one : time_.products) one.time = one.time * longer;
    for (Seconds* part : {&time_.attention, &time_.memory, &time_.shared_experts}) *part = *part * longer;
    time_.total = host;
  }

  const LayerShard& layer_;
  const PassWork& work_;
  Compute pass_;
  const Rates& rates_;
  const Training& training_;
  double gradient_bytes_;
  ProductRate narrow_, wide_;
  const AttentionEfficiency& attention_;
  double cast_bytes_ = 0;
  int conversions_ = 0;
  WorkTime time_;
};

}  // namespace

Result<WorkTime> work_time(const LayerShard& layer, Compute pass, const Rates& rates, const Training& training,
                           double gradient_bytes) {
  TRY(const ProductRate narrow, rate_of(rates, training.products, training.recipe));
  TRY(const ProductRate wide, rate_of(rates, wide_precision(rates, training), {}));
  if (!rates.type.memory_bandwidth)
    return fail(ErrorCode::bad_input, fmt::format("found no memory bandwidth of {}, expected one", rates.type.name));
  const AttentionEfficiency* const attention = find_attention(rates.reached, training.attention);
  if (!attention)
    return fail(ErrorCode::bad_input,
                fmt::format("found no efficiency of attention on {}, expected one", rates.type.name));
  return PassTimer(layer, pass, rates, training, gradient_bytes, narrow, wide, *attention).time();
}

Result<LayerWork> layer_work(const LayerShard& layer, const Rates& rates, const Training& training,
                             double gradient_bytes) {
  LayerWork work;
  TRY(work.forward, work_time(layer, Compute::forward, rates, training, gradient_bytes));
  TRY(work.recompute, work_time(layer, Compute::recompute, rates, training, gradient_bytes));
  TRY(work.input_gradient, work_time(layer, Compute::input_gradient, rates, training, gradient_bytes));
  TRY(work.weight_gradient, work_time(layer, Compute::weight_gradient, rates, training, gradient_bytes));
  return work;
}

}  // namespace pipedeck::analytic::transformer::shards
