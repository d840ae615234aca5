// SPDX-License-Identifier: Apache-2.0
// Files of the planner Galvatron (github.com/PKU-DAIR/Hetu-Galvatron): its models, and the bandwidths and times of
// collectives that it measured.
#pragma once

#include <string>

#include "core/base/result.hpp"
#include "core/io/json/value.hpp"
#include "core/model/found_machine.hpp"
#include "core/model/transformer_config.hpp"

namespace pipedeck::io::simulators {

/// Identified by members such as allreduce_size_8_consec_1 or allreduce_size_8_64MB_time.
bool looks_like_galvatron_hardware(const json::Value& document);

/// Returns the machines that the file's name counts ("2nodes_8gpus_per_node"), else one with as many GPUs as the
/// largest group. Bus bandwidths of an all-reduce of all GPUs in GB/s are those of the link, or of the network; times
/// are in milliseconds, sizes in MiB. Messages between stages and groups of other ranks are left out.
Result<FoundMachines> machines_from_galvatron(const json::Value& document, const std::string& path);

/// Identified by members hidden_size, num_layers and num_attention_heads of a YAML text.
bool looks_like_galvatron_model(const std::string& text);

/// Reads the YAML text as huggingface::transformer_from_document() does.
Result<ParsedTransformer> model_from_galvatron(const std::string& text, const std::string& name);

}  // namespace pipedeck::io::simulators
