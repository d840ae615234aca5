// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/layers/size_reader.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/model/layer_kinds.hpp"
#include "core/runtime/layers/layer_kernel.hpp"

namespace pipedeck::runtime::layers {
namespace {

const SizeRule* find_rule(const ModelLayer& layer, const std::string& key) {
  const LayerKind* kind = parse_layer_kind(layer.kind);
  return kind ? kind->rule(key) : nullptr;
}

}  // namespace

void SizeReader::complain(std::string text) {
  if (!error_) error_ = Error{ErrorCode::bad_input, std::move(text), {}, {}};
}

std::int64_t SizeReader::operator()(const std::string& key) {
  const SizeRule* rule = find_rule(layer_, key);
  const auto size = size_of(layer_, key, rule ? rule->least : 1);
  if (!size) {
    if (!error_) error_ = size.error();
    return 1;
  }
  if (rule && *size > rule->most)
    complain(fmt::format("layer '{}' ({}): size '{}' is {}, expected {} to {}", layer_.name, layer_.kind, key, *size,
                         rule->least, rule->most));
  return *size;
}

void SizeReader::check_heads() {
  if (error_) return;
  if (const auto problem = pipedeck::check_heads(layer_))
    complain(fmt::format("layer '{}' ({}): {}", layer_.name, layer_.kind, problem->text));
}

void SizeReader::bounded(const std::string& what, double count) {
  constexpr double most = 1099511627776.0;  // 2^40
  if (count > most)
    complain(fmt::format("layer '{}' ({}): found {:.3g} {}, expected at most {:.3g}", layer_.name, layer_.kind, count,
                         what, most));
}

void SizeReader::bounded(const std::string& what, std::initializer_list<std::int64_t> factors) {
  double count = 1;
  for (const std::int64_t factor : factors) count *= static_cast<double>(factor);
  bounded(what, count);
}

void SizeReader::check_window() {
  const std::int64_t kernel = (*this)("kernel"), padding = (*this)("padding"),
                     side = std::min((*this)("height"), (*this)("width"));
  if (kernel > side + 2 * padding)
    complain(fmt::format("layer '{}' ({}): kernel is {}, expected at most the padded input's {}", layer_.name,
                         layer_.kind, kernel, side + 2 * padding));
  if (padding >= kernel)
    complain(fmt::format("layer '{}' ({}): padding is {}, expected less than the kernel, {}", layer_.name, layer_.kind,
                         padding, kernel));
}

}  // namespace pipedeck::runtime::layers
