// SPDX-License-Identifier: Apache-2.0
#include "core/model/layer_kinds.hpp"

#include <array>

namespace pipedeck {
namespace {

constexpr std::array embedding{SizeRule{"vocabulary"}, SizeRule{"hidden"}, SizeRule{"sequence"}};
constexpr std::array transformer{SizeRule{"hidden"}, SizeRule{"heads"}, SizeRule{"feed_forward"}, SizeRule{"sequence"},
                                 SizeRule{"causal", 0, 0, 1}};
constexpr std::array layer_norm{SizeRule{"hidden"}, SizeRule{"sequence", 1}};
constexpr std::array linear{SizeRule{"in"}, SizeRule{"out"}, SizeRule{"sequence", 1}, SizeRule{"activation", 0, 0, 2}};
constexpr std::array convolution{SizeRule{"in"},
                                 SizeRule{"out"},
                                 SizeRule{"kernel"},
                                 SizeRule{"stride", 1},
                                 SizeRule{"padding", 0, 0},
                                 SizeRule{"height"},
                                 SizeRule{"width"},
                                 SizeRule{"activation", 1, 0, 2},
                                 SizeRule{"bias", 1, 0, 1}};
constexpr std::array pool{SizeRule{"channels"},      SizeRule{"kernel"}, SizeRule{"stride", 1},
                          SizeRule{"padding", 0, 0}, SizeRule{"height"}, SizeRule{"width"}};
constexpr std::array global_pool{SizeRule{"channels"}, SizeRule{"height"}, SizeRule{"width"}};
constexpr std::array batch_norm{SizeRule{"channels"}, SizeRule{"height"}, SizeRule{"width"},
                                SizeRule{"activation", 0, 0, 2}};
constexpr std::array bottleneck{SizeRule{"in"},        SizeRule{"middle"}, SizeRule{"out"},
                                SizeRule{"stride", 1}, SizeRule{"height"}, SizeRule{"width"}};
constexpr std::array residual{SizeRule{"in"}, SizeRule{"out"}, SizeRule{"stride", 1}, SizeRule{"height"},
                              SizeRule{"width"}};
constexpr std::array lstm{SizeRule{"in"}, SizeRule{"hidden"}, SizeRule{"sequence", 1}, SizeRule{"directions", 1, 1, 2}};
constexpr std::array loss{SizeRule{"classes"}, SizeRule{"sequence", 1}};

constexpr std::array kinds{
    LayerKind{"embedding", embedding},        LayerKind{"transformer", transformer},
    LayerKind{"layer_norm", layer_norm},      LayerKind{"linear", linear},
    LayerKind{"convolution", convolution},    LayerKind{"max_pool", pool},
    LayerKind{"average_pool", pool},          LayerKind{"batch_norm", batch_norm},
    LayerKind{"bottleneck", bottleneck},      LayerKind{"lstm", lstm},
    LayerKind{"softmax_cross_entropy", loss}, LayerKind{"global_average_pool", global_pool},
    LayerKind{"residual", residual},
};

}  // namespace

std::span<const LayerKind> layer_kinds() { return kinds; }

const LayerKind* layer_kind_named(std::string_view name) {
  for (const LayerKind& kind : kinds)
    if (kind.name == name) return &kind;
  return nullptr;
}

}  // namespace pipedeck
