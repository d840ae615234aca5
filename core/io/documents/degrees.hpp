// SPDX-License-Identifier: Apache-2.0
// The degrees of parallelism of a stage and the sharding of its states, as plans and profiles have them.
#pragma once

#include "core/io/json/reader.hpp"
#include "core/io/json/writer.hpp"
#include "core/model/shard.hpp"

namespace pipedeck::io::documents {

/// Reads the degrees of parallelism that version 2 of a plan has. Tensor parallelism has a member of its own.
void read_degrees(json::ObjectReader& in, Shard& shard);
/// Adds the degrees that are not 1 or off.
void write_degrees(json::ObjectWriter& out, const Shard& shard);

Sharding parse_sharding(json::ObjectReader& in);
json::Value sharding_to_json(const Sharding& sharding);

}  // namespace pipedeck::io::documents
