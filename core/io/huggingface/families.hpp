// SPDX-License-Identifier: Apache-2.0
// The families of configurations, each with its own keys and what its class has for those that a file lacks.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "core/io/huggingface/config.hpp"
#include "core/io/json/reader.hpp"

namespace pipedeck::io::huggingface {

/// Reads a file of its family; what is wrong goes to the reader's problems.
using HuggingFaceFamily = std::function<void(const json::Value& file, json::ObjectReader& in, ParsedTransformer& out)>;

/// By "model_type".
const std::map<std::string, HuggingFaceFamily>& readers();

}  // namespace pipedeck::io::huggingface
