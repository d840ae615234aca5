// SPDX-License-Identifier: Apache-2.0
#include "core/io/profiles/layer_kind_guess.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace pipedeck::io::profiles {

std::string infer_layer_kind(const std::string& description) {
  // By how the description begins; longer beginnings first where one begins with another.
  constexpr std::array<std::pair<std::string_view, std::string_view>, 27> beginnings{{{"layer_norm", "layer_norm"},
                                                                                      {"layernorm", "layer_norm"},
                                                                                      {"layer_", "transformer"},
                                                                                      {"transformer", "transformer"},
                                                                                      {"conv", "convolution"},
                                                                                      {"batchnorm", "batch_norm"},
                                                                                      {"maxpool", "max_pool"},
                                                                                      {"avgpool", "average_pool"},
                                                                                      {"adaptiveavg", "average_pool"},
                                                                                      {"embedding", "embedding"},
                                                                                      {"emubidirlstm", "lstm"},
                                                                                      {"lstm", "lstm"},
                                                                                      {"recurrentattention", "lstm"},
                                                                                      {"classifier", "linear"},
                                                                                      {"linear", "linear"},
                                                                                      {"fc", "linear"},
                                                                                      {"prediction", "linear"},
                                                                                      {"dense", "linear"},
                                                                                      {"relu", "activation"},
                                                                                      {"gelu", "activation"},
                                                                                      {"dropout", "dropout"},
                                                                                      {"softmax", "softmax"},
                                                                                      {"loss", "loss"},
                                                                                      {"add", "add"},
                                                                                      {"concat", "concat"},
                                                                                      {"__getitem__", "select"},
                                                                                      {"reshape", "reshape"}}};
  std::string lower = description;
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c); });
  for (const auto& [beginning, kind] : beginnings)
    if (lower.starts_with(beginning)) return std::string(kind);
  return "other";
}

}  // namespace pipedeck::io::profiles
