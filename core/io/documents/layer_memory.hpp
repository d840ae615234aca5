// SPDX-License-Identifier: Apache-2.0
// A profile's memory, pass by pass and by sharding of a layer (formats.md, "Profile").
#pragma once

#include "core/io/json/reader.hpp"
#include "core/io/json/writer.hpp"
#include "core/model/profile.hpp"

namespace pipedeck::io::documents {

LayerMemory parse_layer_memory(json::ObjectReader& in);
json::Value layer_memory_to_json(const LayerMemory& memory);

ShardingCost parse_cut_way(json::ObjectReader& in);
json::Value cut_way_to_json(const ShardingCost& way);

}  // namespace pipedeck::io::documents
