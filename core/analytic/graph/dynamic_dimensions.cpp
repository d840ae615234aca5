// SPDX-License-Identifier: Apache-2.0
#include "core/analytic/graph/dynamic_dimensions.hpp"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/limits.hpp"

namespace pipedeck::analytic::graph {
namespace {

using DimensionRole = DynamicDimension::DimensionRole;

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

bool mentions(const std::string& text, std::initializer_list<std::string_view> words) {
  return std::ranges::any_of(words, [&](std::string_view word) { return text.find(word) != text.npos; });
}

/// "past_sequence" is not the sequence: the length of the past must be set by the user.
DimensionRole meaning_of(const std::string& name, std::size_t side) {
  const std::string word = lower(name);
  if (mentions(word, {"past", "total", "+", "*", "encoder"})) return DimensionRole::other;
  if (mentions(word, {"batch"}) || word == "n" || word == "b" || word == "bs") return DimensionRole::batch;
  if (mentions(word, {"seq", "token", "time", "length"}) || word == "t" || word == "s" || word == "l")
    return DimensionRole::sequence;
  return name.empty() && side == 0 ? DimensionRole::batch : DimensionRole::other;
}

}  // namespace

std::vector<DynamicDimension> open_dimensions(const OperatorGraph& graph) {
  std::vector<DynamicDimension> open;
  for (const ValueInfo& input : graph.inputs) {
    if (!input.shape) continue;
    for (std::size_t side = 0; side < input.shape->size(); ++side) {
      const Dimension& size = (*input.shape)[side];
      if (size.size >= 0) continue;
      const std::string name = size.name.empty() ? fmt::format("{}.{}", input.name, side) : size.name;
      if (std::ranges::find(open, name, &DynamicDimension::name) == open.end())
        open.push_back({name, input.name, meaning_of(size.name, side)});
    }
  }
  return open;
}

std::optional<std::int64_t> fixed_batch(const OperatorGraph& graph) {
  std::optional<std::int64_t> batch;
  for (const DynamicDimension& open : open_dimensions(graph))
    if (open.meaning == DimensionRole::batch) return std::nullopt;
  for (const ValueInfo& input : graph.inputs) {
    if (!input.shape || input.shape->empty()) continue;
    if (input.shape->size() == 1 && input.element == Element::real) continue;  // one sample's features
    const std::int64_t first = input.shape->front().size;
    if (first < 1 || first > limits::samples || (batch && *batch != first)) return std::nullopt;
    batch = first;
  }
  return batch;
}

Result<ResolvedDimensions> resolve_dimensions(const OperatorGraph& graph, const DimensionValues& answers) {
  ResolvedDimensions chosen;
  const auto open = open_dimensions(graph);
  constexpr std::int64_t most = std::int64_t{1} << 31;
  for (const auto& [name, size] : answers.named) {
    if (std::ranges::find(open, name, &DynamicDimension::name) == open.end()) {
      std::vector<std::string> names;
      for (const DynamicDimension& one : open) names.push_back(one.name);
      return fail(ErrorCode::bad_usage,
                  fmt::format("found --dim {}, expected a size that the file leaves open: {}", name,
                              names.empty() ? "it leaves none" : fmt::format("{}", fmt::join(names, ", "))));
    }
    if (size < 1 || size > most)
      return fail(ErrorCode::bad_usage, fmt::format("found {} for --dim {}, expected 1 to {}", size, name, most));
  }
  const std::optional<std::int64_t> fixed = fixed_batch(graph);
  chosen.samples = answers.samples.value_or(static_cast<int>(fixed.value_or(1)));
  bool batch_open = false, sequence_open = false;
  std::vector<std::string> missing;
  for (const DynamicDimension& one : open) {
    sequence_open |= one.meaning == DimensionRole::sequence;
    if (const auto given = answers.named.find(one.name); given != answers.named.end()) {
      chosen.sizes[one.name] = given->second;
      if (one.meaning != DimensionRole::batch) continue;
      batch_open = true;
      if (!answers.samples) chosen.samples = static_cast<int>(std::min(given->second, limits::samples));
    } else if (one.meaning == DimensionRole::batch) {
      chosen.sizes[one.name] = chosen.samples;
      chosen.notes.push_back(fmt::format("Size '{}' is taken for the micro-batch", one.name));
      batch_open = true;
    } else if (one.meaning == DimensionRole::sequence && answers.sequence > 0) {
      chosen.sizes[one.name] = answers.sequence;
      chosen.notes.push_back(fmt::format("Size '{}' is taken for the sequence", one.name));
    } else {
      missing.push_back(
          one.meaning == DimensionRole::sequence
              ? fmt::format("--sequence N (or --dim {}=N) for '{}' of input '{}'", one.name, one.name, one.input)
              : fmt::format("--dim {}=N for '{}' of input '{}'", one.name, one.name, one.input));
    }
  }
  if (!missing.empty())
    return fail(ErrorCode::bad_usage,
                fmt::format("found sizes that the file leaves open, expected {}", fmt::join(missing, ", ")));
  if (answers.sequence > 0 && !sequence_open)
    return fail(ErrorCode::bad_usage,
                fmt::format("found a sequence of {}, expected none: the file leaves no size open that looks like one",
                            answers.sequence));
  if (batch_open) return chosen;
  if (fixed && chosen.samples != *fixed) {
    chosen.batch = chosen.samples;
    chosen.notes.push_back(fmt::format("The file is for batches of {}: its inputs' first sizes are taken to be {}",
                                       *fixed, chosen.samples));
  } else if (fixed) {
    chosen.notes.push_back(fmt::format("The file is for batches of {}, its inputs' first size", *fixed));
  } else if (answers.samples && *answers.samples != 1) {
    return fail(ErrorCode::bad_usage,
                fmt::format("found a micro-batch of {} for a file without a batch, expected 1", *answers.samples));
  } else {
    chosen.notes.push_back("No size looks like a batch: the file is taken for one sample");
  }
  return chosen;
}

}  // namespace pipedeck::analytic::graph
