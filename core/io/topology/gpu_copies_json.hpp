// SPDX-License-Identifier: Apache-2.0
// The output of `nvbandwidth --json` on copies between the GPUs of a machine; gpu_copies.hpp has its meaning.
#pragma once

#include <string>

#include "core/base/result.hpp"
#include "core/io/json/value.hpp"
#include "core/model/found_machine.hpp"

namespace pipedeck::io::topology {

bool looks_like_gpu_copies(const json::Value& document);

/// The machine has the name of its host if the document gives it, else `name`. Tables that are not square, of different
/// sizes, or with invalid values are bad_input with their place.
Result<FoundMachines> machines_from_gpu_copies(const json::Value& document, const std::string& name);

}  // namespace pipedeck::io::topology
