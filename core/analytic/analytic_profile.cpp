// SPDX-License-Identifier: Apache-2.0
#include "core/analytic/analytic_profile.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "core/analytic/counted_profile.hpp"
#include "core/analytic/transformer/block_configs.hpp"
#include "core/analytic/transformer/shards/work_formulas.hpp"
#include "core/analytic/transformer/shards/work_times.hpp"
#include "core/base/limits.hpp"
#include "core/plan/mesh_rules.hpp"

namespace pipedeck::analytic {
namespace {

bool same_figures(const times::LayerCount& a, const times::LayerCount& b) {
  return a.kind == b.kind && times::weight_count(a) == times::weight_count(b) &&
         times::saved_bytes(a) == times::saved_bytes(b) && times::forward_operations(a) == times::forward_operations(b);
}

/// Returns whether tensor-parallel ranks of that number share the heads of every block evenly.
bool divides_heads(const TransformerConfig& config, int degree) {
  const auto even = [degree](const auto& of) { return of.heads % degree == 0 && of.key_value_heads % degree == 0; };
  return even(config) && std::ranges::all_of(config.kinds, even) &&
         (!config.state_space || config.state_space->heads % degree == 0) &&
         (!config.linear_attention || config.linear_attention->key_heads % degree == 0);
}

namespace shards = transformer::shards;

/// Returns the choices of training that layer times depend on.
Training training_in(const std::string& precision) {
  Training training;
  training.products = precision;
  return training;
}

/// Returns the device with what it reaches by shape, of the values at the precision alone; nothing if these are not
/// known, or the options have fractions.
std::optional<shards::Rates> rates_by_shape(const DeviceModel& device, const AnalyticOptions& options) {
  if (options.reached || !device.efficiency) return std::nullopt;
  shards::Rates rates{device.type, *device.efficiency};
  const Training training = training_in(options.precision);
  if (!shards::work_time({}, shards::Compute::forward, rates, training)) return std::nullopt;
  const std::string wide = shards::wide_precision(rates, training);
  std::erase_if(rates.reached.products,
                [&](const auto& one) { return one.first != options.precision && one.first != wide; });
  std::erase_if(rates.reached.attention, [](const auto& one) { return one.first != default_efficiency; });
  return rates;
}

class ProfileBuilder {
 public:
  ProfileBuilder(const ParsedTransformer& model, const DeviceModel& device, const times::DeviceRate& rate,
                 const AnalyticOptions& options)
      : config_(model.config),
        device_(device),
        rate_(rate),
        options_(options),
        by_shape_(rates_by_shape(device, options)) {
    if (by_shape_) made_.efficiency = by_shape_->reached;
    made_.notes = model.notes;
    if (!options.dropout) config_.dropout = config_.attention_dropout = 0;
    count_.sequence = sequence_of(config_, options);
    count_.micro_batch = options.micro_batch;
    count_.element = rate.element;
    count_.attention = options.attention;
  }

  Result<AnalyticProfile> make() {
    if (config_.positions > 0 && count_.sequence > config_.positions)
      return fail(ErrorCode::bad_usage,
                  fmt::format("found a sequence of {} tokens, expected at most the {} that {} has positions for",
                              count_.sequence, config_.positions, config_.name));
    const transformer::CountedModel counted_model = transformer::count_layers(config_, count_);
    Profile& profile = made_.profile;
    profile.name = config_.name;
    profile.device = device_.type.name;
    profile.micro_batch = options_.micro_batch;
    profile.edges = counted_model.edges;
    profile.source = source();
    double input = 0;
    for (const times::LayerCount& layer : counted_model.layers) {
      TRY_VOID(add(layer, profile.is_chain() ? input : 0));
      input = layer.output;
      ++at_;
    }
    note();
    TRY_VOID(within_limits(made_.profile));
    return std::move(made_);
  }

 private:
  std::string attention_words() const {
    switch (options_.attention) {
      case AttentionMemory::stored:
        return "attention's weights stored";
      case AttentionMemory::selective:
        return "attention's weights computed again";
      case AttentionMemory::fused:
        break;
    }
    return "attention's weights not stored";
  }

  std::string source() const {
    return fmt::format("computed from {}'s configuration ({}) for {} in {}: {} tokens per sample, {}", config_.name,
                       config_.family, device_.type.name, options_.precision, count_.sequence, attention_words());
  }

  /// `input`: bytes of the layer before; 0 if unknown.
  Result<void> add(const times::LayerCount& counted_layer, double input) {
    TRY(const times::LayerSeconds times, times_of(counted_layer, 1));
    Layer layer = make_layer(counted_layer, times, rate_.element);
    TRY_VOID(add_sizes(layer));
    for (const int degree : options_.degrees) TRY_VOID(add_degree(layer, counted_layer, input, degree));
    if (!layer.tensor_parallel.empty())
      layer.replicated_parameters = whole_bytes(times::replicated_parameter_count(counted_layer) * rate_.element);
    made_.profile.layers.push_back(std::move(layer));
    const auto same =
        std::ranges::find_if(seen_, [&](const times::LayerCount& o) { return same_figures(o, counted_layer); });
    made_.explanation_of.push_back(static_cast<std::size_t>(same - seen_.begin()));
    if (same != seen_.end()) return {};
    seen_.push_back(counted_layer);
    TRY(LayerExplanation explained, explanation(counted_layer, times));
    LayerExplanation& told = made_.explanations.emplace_back(std::move(explained));
    if (counted_layer.output > 0)
      told.figures.push_back(fmt::format("to the next layer: {} = {} bytes",
                                         counted_layer.kind == "linear" ? "w n V" : "w n h",
                                         group_digits(counted_layer.output)));
    if (options_.degrees.empty() || counted_layer.forward_reduced + counted_layer.backward_reduced == 0) return {};
    told.figures.push_back(fmt::format("all-reduced by tensor-parallel devices: {} bytes forward, {} bytes backward",
                                       group_digits(counted_layer.forward_reduced),
                                       group_digits(counted_layer.backward_reduced)));
    return {};
  }

  /// Returns a rank's part of the layer that is added. Its words are padded to whole vectors.
  const shards::LayerShard& shard_of(int degree, int micro_batch) {
    auto& known = shards_[{degree, micro_batch}];
    if (known.empty()) {
      shards::ShardOptions options;
      options.count = count_;
      options.count.micro_batch = micro_batch;
      options.shard.tensor = degree, options.shard.sequence = options_.sequence_parallel;
      TransformerConfig padded = config_;
      padded.vocabulary = plan::padded_vocabulary(config_.vocabulary, degree,
                                                  plan::usual_vocabulary_multiple(config_.vocabulary, degree));
      const transformer::BlockConfigs blocks(padded);
      for (const times::LayerCount& layer : transformer::count_layers(padded, options.count).layers)
        known.push_back(shards::shard_layer_of(blocks.of(layer.block), layer, options));
    }
    return known[at_];
  }

  Result<shards::LayerWork> work_of(int degree, int micro_batch) {
    return shards::layer_work(shard_of(degree, micro_batch), *by_shape_, training_in(options_.precision),
                              StateBytes{}.gradients);
  }

  Result<times::LayerSeconds> times_of(const times::LayerCount& counted_layer, int degree) {
    if (!by_shape_) return times::layer_time(counted_layer, rate_, degree, options_.sequence_parallel);
    TRY(const shards::LayerWork work, work_of(degree, count_.micro_batch));
    return times::LayerSeconds{work.forward.total, work.input_gradient.total, work.weight_gradient.total};
  }

  Result<LayerExplanation> explanation(const times::LayerCount& counted_layer, const times::LayerSeconds& times) {
    if (!by_shape_) return explain(counted_layer, times, rate_);
    TRY(const shards::LayerWork work, work_of(1, count_.micro_batch));
    return explain(counted_layer, times, shards::work_formulas(shard_of(1, count_.micro_batch), work, *by_shape_));
  }

  /// Adds the points at one sample and at twice the micro-batch: times by shape are not proportional to samples.
  Result<void> add_sizes(Layer& layer) {
    if (!by_shape_) return {};
    constexpr int most = static_cast<int>(limits::samples);
    for (const int size : std::set<int>{1, count_.micro_batch, std::min(2 * count_.micro_batch, most)}) {
      TRY(const shards::LayerWork work, work_of(1, size));
      LayerPoint& point = layer.at.emplace_back();
      point.micro_batch = size;
      point.forward = work.forward.total;
      point.backward = work.input_gradient.total + work.weight_gradient.total;
      point.details.backward_weight = work.weight_gradient.total;
    }
    return {};
  }

  Result<void> add_degree(Layer& layer, const times::LayerCount& counted_layer, double input, int degree) {
    if (!divides_heads(config_, degree)) return {};
    TRY(const times::LayerSeconds times, times_of(counted_layer, degree));
    TensorParallelPoint point{degree, times.forward, times.backward_input + times.backward_weight,
                              whole_bytes(counted_layer.forward_reduced), whole_bytes(counted_layer.backward_reduced)};
    point.details.backward_weight = times.backward_weight;
    point.details.saved = whole_bytes(std::ceil(times::saved_bytes(counted_layer, degree, options_.sequence_parallel)));
    // Ranks divide the tokens between blocks in sequence parallelism, and the loss's scores by words in any case.
    if (input > 0 && (options_.sequence_parallel || counted_layer.kind == "softmax_cross_entropy"))
      point.details.input = whole_bytes(std::ceil(input / degree));
    layer.tensor_parallel.push_back(std::move(point));
    return {};
  }

  std::string reached() const {
    if (by_shape_)
      return fmt::format(
          "Products and attention reach what their shapes do on {} in {}, all else {:.0f} % of the memory's "
          "bandwidth: {}",
          device_.type.name, options_.precision, 100 * by_shape_->reached.memory, by_shape_->reached.source);
    const std::string shares =
        fmt::format("Large products reach {:.0f} % of the peak, the rest of a layer {:.0f} % of the memory's bandwidth",
                    100 * rate_.reached.gemms, 100 * rate_.reached.memory);
    if (options_.reached) return shares;
    return fmt::format("{}: no efficiencies by shape are known of {} in {}", shares, device_.type.name,
                       options_.precision);
  }

  void note() {
    auto& notes = made_.notes;
    notes.insert(notes.begin(),
                 fmt::format("{}: {} parameters", config_.name, group_digits(transformer::parameters_of(config_))));
    notes.push_back(fmt::format("{} tokens per sample, micro-batches of {}, {}, {}", count_.sequence,
                                options_.micro_batch, options_.precision, attention_words()));
    if (options_.sequence == 0 && config_.longest > longest_assumed)
      notes.push_back(fmt::format("The model takes up to {} tokens; {} are assumed", config_.longest, longest_assumed));
    if (config_.tied)
      notes.push_back(
          "The head's weights are the embedding's: each stage that has one of them holds a copy, so both count them");
    if (config_.experts) notes.push_back("Tokens spread evenly over the experts");
    notes.push_back(reached());
    if (made_.profile.layers.front().tensor_parallel.size() < options_.degrees.size())
      notes.push_back(fmt::format("Degrees of tensor parallelism that do not divide {} heads are left out",
                                  config_.key_value_heads));
  }

  TransformerConfig config_;
  const DeviceModel& device_;
  const times::DeviceRate& rate_;
  const AnalyticOptions& options_;
  std::optional<shards::Rates> by_shape_;
  /// All layers, by tensor-parallel degree and samples.
  std::map<std::pair<int, int>, std::vector<shards::LayerShard>> shards_;
  transformer::CountOptions count_;
  std::size_t at_ = 0;  ///< position of the layer that is added
  AnalyticProfile made_;
  std::vector<times::LayerCount> seen_;
};

Result<void> check(const AnalyticOptions& options, const ParsedTransformer& model) {
  if (options.sequence < 0 || options.sequence > (1 << 24))
    return fail(ErrorCode::bad_usage,
                fmt::format("found a sequence of {} tokens, expected 1 to {}", options.sequence, 1 << 24));
  if (options.micro_batch < 1 || options.micro_batch > limits::samples)
    return fail(ErrorCode::bad_usage,
                fmt::format("found a micro-batch of {}, expected 1 to {}", options.micro_batch, limits::samples));
  if (!std::ranges::is_sorted(options.degrees) || (!options.degrees.empty() && options.degrees.front() < 2) ||
      std::ranges::adjacent_find(options.degrees) != options.degrees.end())
    return fail(ErrorCode::bad_usage, "degrees of tensor parallelism are 2 or more, ascending");
  const EfficiencyFactors reached = options.reached.value_or(EfficiencyFactors{});
  for (const double part : {reached.gemms, reached.attention, reached.memory})
    if (!(part > 0 && part <= 1))
      return fail(ErrorCode::bad_usage,
                  fmt::format("found {} of what the data sheet promises, expected above 0 and at most 1", part));
  const std::int64_t layers = std::int64_t{model.config.layers} * (model.config.experts ? 2 : 1) +
                              model.config.decoder_layers + model.config.multi_token + 4;
  if (layers > limits::layers)
    return fail(ErrorCode::bad_input, fmt::format("found {} layers, expected at most {}", layers, limits::layers));
  return {};
}

}  // namespace

Result<AnalyticProfile> analytic_profile(const ParsedTransformer& model, const DeviceModel& device,
                                         const AnalyticOptions& options) {
  TRY_VOID(check(options, model));
  TRY(auto rate, times::rate_of(device, options.precision));
  rate.reached = options.reached.value_or(EfficiencyFactors{});
  return ProfileBuilder(model, device, rate, options).make();
}

}  // namespace pipedeck::analytic
