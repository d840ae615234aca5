// SPDX-License-Identifier: Apache-2.0
// What `nvbandwidth --json` writes of copies between the GPUs of a machine; gpu_copies.hpp has what it means.
#pragma once

#include <string>

#include "core/domain/found_machine.hpp"
#include "core/domain/result.hpp"
#include "core/io/json_value.hpp"

namespace pipedeck {

bool looks_like_gpu_copies(const json::Value& document);

/// The machine is called as its host where the document tells it, else `name`. Tables that are not square, of different
/// sizes, or with values that are none are bad_input with their place.
Result<FoundMachines> machines_from_gpu_copies(const json::Value& document, const std::string& name);

}  // namespace pipedeck
