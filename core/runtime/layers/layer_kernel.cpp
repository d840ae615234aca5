// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/layers/layer_kernel.hpp"

#include <fmt/format.h>

#include "core/model/layer_kinds.hpp"
#include "core/runtime/layers/adapters.hpp"
#include "core/runtime/layers/frozen_layer.hpp"

namespace pipedeck::runtime::layers {
namespace {

std::string place_of(std::size_t index) { return fmt::format("/layers/{}", index); }

std::string kinds_text(const KernelRegistry& kernels) {
  std::string text;
  for (const auto& [kind, factory] : kernels.layers) text += (text.empty() ? "" : ", ") + kind;
  return text;
}

}  // namespace

Result<std::unique_ptr<LayerKernel>> make_layer(const ModelLayer& layer, const KernelRegistry& kernels) {
  const auto found = kernels.layers.find(layer.kind);
  if (found != kernels.layers.end()) {
    TRY(auto made, found->second(layer));
    return frozen_if_asked(layer, std::move(made));
  }
  return fail(ErrorCode::bad_input,
              fmt::format("layer '{}' is of kind '{}', which can't be trained on {}; there are: {}", layer.name,
                          layer.kind, kernels.where, kinds_text(kernels)));
}

std::unique_ptr<LayerKernel> frozen_if_asked(const ModelLayer& layer, std::unique_ptr<LayerKernel> made) {
  const bool freezes = adapters_of(layer).freezes() && made->frozen_parameters() == 0 && made->parameters() > 0;
  if (!freezes) return made;
  return std::make_unique<FrozenLayer>(std::move(made));
}

Result<std::int64_t> size_of(const ModelLayer& layer, const std::string& key, std::int64_t least) {
  constexpr std::int64_t most = std::int64_t{1} << 30;  // products of two sizes stay far from overflow
  const std::optional<std::int64_t> found = find_size(layer, key);
  if (!found)
    return fail(ErrorCode::bad_input, fmt::format("layer '{}' ({}) has no size '{}'", layer.name, layer.kind, key));
  if (*found < least || *found > most)
    return fail(ErrorCode::bad_input, fmt::format("layer '{}' ({}): size '{}' is {}, expected {} to {}", layer.name,
                                                  layer.kind, key, *found, least, most));
  return *found;
}

int plannable_layers(const ModelSpec& model) {
  const bool loss = !model.layers.empty() && model.layers.back().kind == "softmax_cross_entropy";
  return static_cast<int>(model.layers.size()) - (loss ? 1 : 0);
}

Result<std::vector<std::unique_ptr<LayerKernel>>> make_layers(const ModelSpec& model, const KernelRegistry& kernels) {
  std::vector<std::unique_ptr<LayerKernel>> layers;
  if (has_tied_ends(model) && !kernels.tied_ends)
    return fail(ErrorCode::bad_input,
                fmt::format("found 1, expected 0: on {} the head has weights of its own", kernels.where),
                fmt::format("/layers/{}/tied", plannable_layers(model) - 1));
  for (std::size_t i = 0; i < static_cast<std::size_t>(plannable_layers(model)); ++i) {
    auto layer = make_layer(model.layers[i], kernels);
    if (!layer) {
      layer.error().place = place_of(i);
      return tl::unexpected(layer.error());
    }
    if (i > 0 && (*layer)->input_width() != layers.back()->output_width())
      return fail(
          ErrorCode::bad_input,
          fmt::format("layer '{}' takes {} values per sample, but '{}' before it gives {}", model.layers[i].name,
                      (*layer)->input_width(), model.layers[i - 1].name, layers.back()->output_width()),
          place_of(i));
    layers.push_back(std::move(*layer));
  }
  if (layers.empty()) return fail(ErrorCode::bad_input, "the model has no layers to train", "/layers");
  return layers;
}

}  // namespace pipedeck::runtime::layers
