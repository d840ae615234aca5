// SPDX-License-Identifier: Apache-2.0
// A profile's memory, pass by pass and by sharding of a layer (formats.md, "Profile").
#pragma once

#include "core/domain/profile.hpp"
#include "core/io/json_reader.hpp"
#include "core/io/json_writer.hpp"

namespace pipedeck {

LayerMemory layer_memory_from(json::ObjectReader& in);
json::Value layer_memory_value(const LayerMemory& memory);

CutWay cut_way_from(json::ObjectReader& in);
json::Value cut_way_value(const CutWay& way);

}  // namespace pipedeck
