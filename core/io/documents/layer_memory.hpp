// SPDX-License-Identifier: Apache-2.0
// A profile's memory, pass by pass and by sharding of a layer (formats.md, "Profile").
#pragma once

#include "core/io/json/reader.hpp"
#include "core/io/json/writer.hpp"
#include "core/model/profile.hpp"

namespace pipedeck::io::documents {

LayerMemory layer_memory_from(json::ObjectReader& in);
json::Value layer_memory_value(const LayerMemory& memory);

ShardingCost cut_way_from(json::ObjectReader& in);
json::Value cut_way_value(const ShardingCost& way);

}  // namespace pipedeck::io::documents
