// SPDX-License-Identifier: Apache-2.0
#include "app/cli/work/weights_file.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "core/io/safetensors/safetensors.hpp"
#include "core/model/layer_kinds.hpp"
#include "core/runtime/cpu/layers.hpp"
#include "core/runtime/layers/published_tensors.hpp"

namespace pipedeck::cli::work {
namespace {

using io::safetensors::TensorEntry;
using io::safetensors::TensorFile;
using runtime::layers::ExpertNames;
using runtime::layers::PublishedTensor;
using runtime::train::Weights;

ExpertNames names_in(const TensorFile& file) {
  const bool mixtral = std::ranges::any_of(
      file.tensors(), [](const TensorEntry& one) { return one.name.find(".block_sparse_moe.") != std::string::npos; });
  return mixtral ? ExpertNames::mixtral : ExpertNames::qwen;
}

ExpertNames names_of(const ModelSpec& model) {
  const bool qwen = std::ranges::any_of(
      model.layers, [](const ModelLayer& layer) { return layer.kind == "attention" && layer.size("norm_heads") == 1; });
  return qwen ? ExpertNames::qwen : ExpertNames::mixtral;
}

/// Tables of angles, which old files hold, can be computed.
bool is_computed(const TensorEntry& tensor) { return tensor.name.ends_with(".rotary_emb.inv_freq"); }

template <class Visit>
void each_value(const PublishedTensor& tensor, const Visit& visit) {
  std::size_t i = 0;
  for (std::int64_t row = 0; row < tensor.rows(); ++row)
    for (std::int64_t column = 0; column < tensor.columns(); ++column)
      visit(i++, static_cast<std::size_t>(tensor.first + row * tensor.row_stride + column * tensor.column_stride));
}

Result<void> read_tensor(TensorFile& file, const PublishedTensor& tensor, const ModelSpec& model, Weights& weights) {
  using io::safetensors::shape_text;
  const std::string& layer = model.layers[tensor.layer].name;
  const TensorEntry* found = file.find(tensor.name);
  if (!found)
    return fail(ErrorCode::bad_input, fmt::format("found no tensor {}, expected one of shape {} for layer '{}'",
                                                  tensor.name, shape_text(tensor.shape), layer));
  if (found->shape != tensor.shape)
    return fail(ErrorCode::bad_input,
                fmt::format("tensor {}: found the shape {}, expected {} for layer '{}'", tensor.name,
                            shape_text(found->shape), shape_text(tensor.shape), layer));
  TRY(const auto values, file.read(*found));
  std::vector<float>& to = weights[tensor.layer];
  each_value(tensor, [&](std::size_t from, std::size_t at) { to[at] = values[from]; });
  return {};
}

Result<void> check_surplus(const TensorFile& file, const std::vector<PublishedTensor>& tensors) {
  std::set<std::string_view> expected;
  for (const PublishedTensor& tensor : tensors) expected.insert(tensor.name);
  for (const TensorEntry& one : file.tensors())
    if (!expected.contains(one.name) && !is_computed(one))
      return fail(ErrorCode::bad_input,
                  fmt::format("found the tensor {}, expected only those of the model's layers", one.name));
  return {};
}

Result<Weights> read_all(TensorFile& file, const ModelSpec& model) {
  TRY(const auto tensors, runtime::layers::published_tensors(model, names_in(file)));
  TRY(const auto kernels, runtime::layers::make_layers(model, runtime::cpu::cpu_kernel_registry()));
  Weights weights;
  for (const auto& kernel : kernels) weights.emplace_back(static_cast<std::size_t>(kernel->parameters()));
  if (has_tied_ends(model)) weights.back().clear();  // its weights are those of the first layer
  for (const PublishedTensor& tensor : tensors) TRY_VOID(read_tensor(file, tensor, model, weights));
  TRY_VOID(check_surplus(file, tensors));
  return weights;
}

}  // namespace

Result<Weights> read_weights(const std::string& path, const ModelSpec& model) {
  TRY(auto file, TensorFile::open(path));
  return read_all(file, model).map_error([&](Error error) {
    if (error.place.empty()) error.file = path;
    return error;
  });
}

Result<void> check_weight_names(const ModelSpec& model) {
  TRY_VOID(runtime::layers::published_tensors(model, names_of(model)));
  return {};
}

Result<void> save_weights(const std::string& path, const ModelSpec& model, const Weights& weights) {
  TRY(const auto tensors, runtime::layers::published_tensors(model, names_of(model)));
  std::vector<io::safetensors::WrittenTensor> written;
  for (const PublishedTensor& tensor : tensors)
    written.push_back({tensor.name, tensor.shape, [&](std::span<float> to) {
                         const std::vector<float>& from = weights[tensor.layer];
                         each_value(tensor, [&](std::size_t i, std::size_t at) { to[i] = from[at]; });
                       }});
  return io::safetensors::write(path, written);
}

}  // namespace pipedeck::cli::work
