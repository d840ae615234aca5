// SPDX-License-Identifier: Apache-2.0
#include "core/analytic/recorded/sizes.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "core/analytic/recorded/saved_by_autograd.hpp"

namespace pipedeck::analytic::recorded {
namespace {

constexpr std::size_t max_looked_at = 32;            // operators of one sequence
constexpr double max_bytes = 1152921504606846976.0;  // 2^60

double bytes_of(const RecordedTensor& tensor) { return std::min(max_bytes, num_elements(tensor) * tensor.element); }

std::string_view bare(std::string_view name) {
  if (const std::size_t colons = name.rfind("::"); colons != name.npos) name.remove_prefix(colons + 2);
  while (name.starts_with('_')) name.remove_prefix(1);
  while (name.ends_with('_')) name.remove_suffix(1);
  return name;
}

/// An operator with weights: `data` is the position of the layer's input, the others are those of its weights.
struct Weights {
  std::string_view name;
  int data;
  std::array<int, 2> weights;
};
constexpr std::array operators_with_weights{
    Weights{"linear", 0, {1, 2}},     Weights{"addmm", 1, {0, 2}},      Weights{"conv1d", 0, {1, 2}},
    Weights{"conv2d", 0, {1, 2}},     Weights{"conv3d", 0, {1, 2}},     Weights{"conv_transpose2d", 0, {1, 2}},
    Weights{"layer_norm", 0, {2, 3}}, Weights{"batch_norm", 0, {1, 2}}, Weights{"group_norm", 0, {2, 3}},
    Weights{"embedding", 1, {0, -1}}, Weights{"rms_norm", 0, {2, -1}},  Weights{"convolution", 0, {1, 2}},
};

const Weights* weights_of(std::string_view name) {
  const auto found = std::ranges::find(operators_with_weights, bare(name), &Weights::name);
  return found == operators_with_weights.end() ? nullptr : found;
}

class SizeAnalyzer {
 public:
  SizeAnalyzer(const ProfilerTrace& recording, const Calls& calls, const std::vector<std::size_t>& layers,
               const Attribution& found, std::size_t pass)
      : recording_(recording), calls_(calls), layers_(layers), found_(found), pass_(static_cast<std::int32_t>(pass)) {}

  Sizes measure() {
    sizes_.layers.resize(layers_.size());
    parameters_.resize(layers_.size());
    weights_.resize(layers_.size());
    sizes_.recorded =
        std::ranges::any_of(recording_.operators, [](const RecordedSpan& span) { return span.inputs > 0; });
    find_entries();
    add_gradients();
    if (std::ranges::all_of(parameters_, [](const auto& of_layer) { return of_layer.empty(); })) add_weights();
    for (std::size_t i = 0; i < layers_.size(); ++i)
      for (const RecordedTensor* parameter : parameters_[i]) {
        add(sizes_.layers[i].parameters, bytes_of(*parameter));
        weights_[i].insert(parameter->sizes);
        if (parameter->sizes.size() == 2) weights_[i].insert({parameter->sizes[1], parameter->sizes[0]});
      }
    if (found_.passes[static_cast<std::size_t>(pass_)].has_backward) add_kept();
    add_outputs();
    return std::move(sizes_);
  }

 private:
  static void add(double& bytes, double more) { bytes = std::min(max_bytes, bytes + more); }

  const RecordedInputs& inputs_of(const RecordedSpan& span) const { return recording_.inputs[span.inputs]; }
  const std::string& name_of(const RecordedSpan& span) const { return recording_.names[span.name]; }
  static const RecordedTensor* tensor(const RecordedInputs& inputs, int position) {
    if (position < 0 || position >= static_cast<int>(inputs.size())) return nullptr;
    const RecordedTensor& one = inputs[static_cast<std::size_t>(position)];
    return one.element > 0 ? &one : nullptr;
  }

  /// Returns the operators of the pass on its thread, in order.
  auto operators_of_pass() const {
    const Pass& pass = calls_.passes[static_cast<std::size_t>(pass_)];
    const auto& all = recording_.operators;
    const auto first = std::partition_point(all.begin(), all.end(), [&](const RecordedSpan& span) {
      return span.track < calls_.track || (span.track == calls_.track && span.start < pass.start());
    });
    const auto last = std::partition_point(first, all.end(), [&](const RecordedSpan& span) {
      return span.track == calls_.track && span.start < pass.end;
    });
    return std::pair(first, last);
  }

  /// Finds each layer's input: that of its first known operator, otherwise of its first operator with a floating-point
  /// tensor.
  void find_entries() {
    entries_.assign(layers_.size(), nullptr);
    std::vector<bool> sure(layers_.size(), false);
    const Pass& pass = calls_.passes[static_cast<std::size_t>(pass_)];
    std::size_t layer = 0;
    const auto [first, last] = operators_of_pass();
    for (auto span = first; span != last; ++span) {
      while (layer < layers_.size() && pass.calls[layers_[layer]].end <= span->start) ++layer;
      if (layer == layers_.size()) break;
      if (span->start < pass.calls[layers_[layer]].start || sure[layer]) continue;
      const Weights* weights = weights_of(name_of(*span));
      const RecordedTensor* one = tensor(inputs_of(*span), weights ? weights->data : 0);
      if (!one || one->sizes.empty()) continue;
      if (!weights && (!one->real || entries_[layer])) continue;
      entries_[layer] = one;
      sure[layer] = weights != nullptr;
    }
    for (const RecordedTensor* entry : entries_)
      if (entry) {
        sizes_.samples = entry->sizes.front();
        break;
      }
  }

  /// Finds parameters by the gradients that are accumulated after the functions that computed them.
  void add_gradients() {
    for (const Evaluation& evaluation : found_.evaluations) {
      if (evaluation.owner.pass != pass_ || evaluation.function >= recording_.operators.size()) continue;
      const RecordedSpan& function = recording_.operators[evaluation.function];
      if (!name_of(function).ends_with("AccumulateGrad")) continue;
      const RecordedTensor* gradient = tensor(inputs_of(function), 0);
      const auto layer = static_cast<std::size_t>(evaluation.owner.layer);
      // Recomputation takes its input as a new leaf, as if it were a parameter.
      const bool of_input =
          !calls_.again.empty() && gradient && entries_[layer] && gradient->sizes == entries_[layer]->sizes;
      if (gradient && !of_input) parameters_[layer].push_back(gradient);
    }
  }

  /// Finds parameters without gradients: the weight inputs of known operators.
  void add_weights() {
    sizes_.gradients = false;
    const Pass& pass = calls_.passes[static_cast<std::size_t>(pass_)];
    std::size_t layer = 0;
    const RecordedSpan* counted = nullptr;  // nested operators have the same inputs again
    const auto [first, last] = operators_of_pass();
    for (auto span = first; span != last; ++span) {
      while (layer < layers_.size() && pass.calls[layers_[layer]].end <= span->start) ++layer;
      if (layer == layers_.size()) break;
      const Weights* weights = weights_of(name_of(*span));
      if (!weights || span->start < pass.calls[layers_[layer]].start) continue;
      if (counted && span->start < counted->end) continue;
      counted = &*span;
      for (const int position : weights->weights)
        if (const RecordedTensor* one = tensor(inputs_of(*span), position); one && !one->sizes.empty())
          parameters_[layer].push_back(one);
    }
  }

  bool is_parameter(std::size_t layer, const RecordedTensor& one) const { return weights_[layer].contains(one.sizes); }

  /// Returns the forward operator of which the function is the derivative, otherwise the last operator of its sequence
  /// before it.
  const RecordedSpan* forward_of(const Evaluation& evaluation, std::string_view function) const {
    if (evaluation.again < recording_.operators.size()) return &recording_.operators[evaluation.again];
    if (evaluation.first == evaluation.last) return nullptr;
    const std::string wanted = operator_of(function);
    const std::size_t look = std::min<std::size_t>(evaluation.last, evaluation.first + max_looked_at);
    for (std::size_t i = evaluation.first; i < look; ++i) {
      const RecordedSpan& one = recording_.operators[found_.by_sequence[i]];
      if (bare(name_of(one)) == wanted) return &one;
    }
    return &recording_.operators[found_.by_sequence[evaluation.last - 1]];
  }

  /// Returns the pass's backward functions in the order of their creation.
  std::vector<std::uint32_t> functions_made() const {
    std::vector<std::uint32_t> made;
    for (std::uint32_t i = 0; i < found_.evaluations.size(); ++i)
      if (found_.evaluations[i].owner.pass == pass_ && recording_.evaluations[i].sequence >= 0) made.push_back(i);
    std::ranges::sort(made, {}, [&](std::uint32_t i) { return std::pair(recording_.evaluations[i].sequence, i); });
    return made;
  }

  void add_kept() {
    last_kept_.assign(layers_.size(), {});
    for (const std::uint32_t i : functions_made()) {
      const Evaluation& evaluation = found_.evaluations[i];
      const std::string& function = name_of(recording_.evaluations[i]);
      const RecordedSpan* forward = forward_of(evaluation, function);
      if (!forward || function == "CheckpointFunctionBackward") continue;  // its recomputation saves
      const auto layer = static_cast<std::size_t>(evaluation.owner.layer);
      const RecordedInputs& inputs = inputs_of(*forward);
      const auto kept = saved_tensors_of(function);
      if (kept) {
        keep(layer, *kept, inputs, evaluation);
        continue;
      }
      if (sizes_.unknown.size() < 5) sizes_.unknown.insert(function);
      for (const RecordedTensor& one : inputs)
        if (one.element > 0 && !is_parameter(layer, one)) add(sizes_.layers[layer].saved, bytes_of(one));
    }
  }

  /// A tensor that the layer's previous operator saved: the next operator may save the same one.
  struct Last {
    const RecordedTensor* tensor = nullptr;
    bool made = false;     ///< output of that operator, which the next one takes
    bool product = false;  ///< saved by a matmul: the next one may use the same rows (queries, keys, values)
  };

  static bool same_tensor(const Last& last, const RecordedTensor& one, bool product) {
    if (!last.tensor || last.tensor->element != one.element) return false;
    if (last.made) return num_elements(*last.tensor) == num_elements(one);
    return last.product && product && last.tensor->sizes == one.sizes;
  }

  bool in_dropout(const Evaluation& evaluation) const {
    const std::size_t look = std::min<std::size_t>(evaluation.last, evaluation.first + max_looked_at);
    for (std::size_t i = evaluation.first; i < look; ++i)
      if (bare(name_of(recording_.operators[found_.by_sequence[i]])) == "dropout") return true;
    return false;
  }

  /// Returns the saved inputs without parameters. Data may have the size of a weight, but one factor of a matmul is
  /// always data.
  std::vector<const RecordedTensor*> full_tensors(std::size_t layer, const SavedByOperator& kept,
                                                  const RecordedInputs& inputs) const {
    std::vector<const RecordedTensor*> full;
    for (const int position : kept.inputs)
      if (const RecordedTensor* one = tensor(inputs, position); one && !one->sizes.empty()) full.push_back(one);
    const auto is_weight = [&](const RecordedTensor* one) { return is_parameter(layer, *one); };
    if (!kept.gemm || full.size() < 2)
      std::erase_if(full, is_weight);
    else if (is_weight(full.back()))
      full.pop_back();
    else if (is_weight(full.front()))
      full.erase(full.begin());
    return full;
  }

  void keep(std::size_t layer, const SavedByOperator& kept, const RecordedInputs& inputs,
            const Evaluation& evaluation) {
    double& saved = sizes_.layers[layer].saved;
    Last last = std::exchange(last_kept_[layer], {});
    std::vector<const RecordedTensor*> full = full_tensors(layer, kept, inputs);
    if (kept.factors && (full.size() < kept.inputs.size() || in_dropout(evaluation)))
      full.resize(in_dropout(evaluation) ? std::min<std::size_t>(full.size(), 1) : 0);  // a scalar, a mask
    for (const RecordedTensor* one : full) {
      if (!same_tensor(last, *one, kept.gemm)) add(saved, bytes_of(*one));
      last_kept_[layer] = {full.front(), false, kept.gemm};
      last = {};
    }
    const RecordedTensor* first = tensor(inputs, 0);
    if (!first) return;
    if (kept.result) add(saved, bytes_of(*first)), last_kept_[layer] = {first, true, false};
    if (kept.mask) add(saved, num_elements(*first));
    if (const RecordedTensor* row = tensor(inputs, 2); kept.rows > 0 && row && num_elements(*row) > 0)
      add(saved, 4.0 * kept.rows * num_elements(*first) / num_elements(*row));
    if (const RecordedTensor* channel = tensor(inputs, 1); kept.channels > 0 && channel)
      add(saved, 4.0 * kept.channels * num_elements(*channel));
    if (kept.indices && evaluation.function < recording_.operators.size())
      if (const RecordedTensor* gradient = tensor(inputs_of(recording_.operators[evaluation.function]), 0))
        add(saved, 8 * num_elements(*gradient));
  }

  /// Sets a layer's output from the gradient that reached its last function, otherwise from the next layer's input.
  void add_outputs() {
    std::vector<const RecordedInputs*> gradients(layers_.size(), nullptr);
    for (const std::uint32_t i : functions_made()) {
      const Evaluation& evaluation = found_.evaluations[i];
      if (evaluation.function < recording_.operators.size())
        gradients[static_cast<std::size_t>(evaluation.owner.layer)] =
            &inputs_of(recording_.operators[evaluation.function]);
    }
    for (std::size_t i = 0; i < layers_.size(); ++i) {
      double& output = sizes_.layers[i].output;
      if (gradients[i])
        for (const RecordedTensor& one : *gradients[i]) add(output, bytes_of(one));
      if (output > 0) continue;
      sizes_.output_of_gradients = false;
      if (i + 1 < layers_.size() && entries_[i + 1]) add(output, bytes_of(*entries_[i + 1]));
    }
  }

  const ProfilerTrace& recording_;
  const Calls& calls_;
  const std::vector<std::size_t>& layers_;
  const Attribution& found_;
  std::int32_t pass_;
  std::vector<const RecordedTensor*> entries_;                  ///< by layer; null: unknown
  std::vector<std::vector<const RecordedTensor*>> parameters_;  ///< by layer
  std::vector<std::set<std::vector<std::int64_t>>> weights_;    ///< sizes of parameters, as they are and transposed
  std::vector<Last> last_kept_;                                 ///< by layer
  Sizes sizes_;
};

}  // namespace

Sizes sizes_of(const ProfilerTrace& recording, const Calls& calls, const std::vector<std::size_t>& layers,
               const Attribution& found, std::size_t pass) {
  return SizeAnalyzer(recording, calls, layers, found, pass).measure();
}

}  // namespace pipedeck::analytic::recorded
