// SPDX-License-Identifier: Apache-2.0
// The name of a graph's layer: the module that its weights or operators are named after.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace pipedeck::analytic::graph {

/// Returns the longest common path of "layer1.0.conv1.weight", "layer1.0.bn1.bias": "layer1.0", or that of a single
/// name: "features.0". Empty if there is none, or if the names are generated ("onnx::Conv_193").
std::string module_of_weights(const std::vector<std::string>& weights);

/// Returns the common path of operators' names, whose parts are separated by slashes: "/layer1/layer1.0/conv1/Conv".
std::string module_of_operators(const std::vector<std::string>& names);

/// Returns a unique name; `given` counts the uses of each name.
std::string make_unique_name(std::string name, std::map<std::string, int>& given);

}  // namespace pipedeck::analytic::graph
