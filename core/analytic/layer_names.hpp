// SPDX-License-Identifier: Apache-2.0
// What a layer of a graph is called: the module that its weights or operators are named after.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace pipedeck {

/// The longest common path of "layer1.0.conv1.weight", "layer1.0.bn1.bias": "layer1.0", or of one alone: "features.0".
/// Empty where there is none, or where the names are made up ("onnx::Conv_193").
std::string module_of_weights(const std::vector<std::string>& weights);

/// The same of operators' names, whose parts slashes divide: "/layer1/layer1.0/conv1/Conv".
std::string module_of_operators(const std::vector<std::string>& names);

/// A name that was not given before; `given`: how often each was.
std::string given_once(std::string name, std::map<std::string, int>& given);

}  // namespace pipedeck
