// SPDX-License-Identifier: Apache-2.0
#include "core/io/documents/degrees.hpp"

#include "core/io/json/words.hpp"

namespace pipedeck::io::documents {

using json::ObjectReader;
using json::ObjectWriter;
using json::Value;

void read_degrees(ObjectReader& in, Shard& shard) {
  shard.sequence = in.bool_or("sequence_parallel", false);
  shard.context = in.count_or("context_parallel", 1, 1, limits::devices);
  shard.context_kind = in.word_or("context_kind", ContextKind::ring, parse_context_kind, json::words_of<ContextKind>());
  shard.context_heads = in.count_or("context_heads", 1, 1, limits::devices);
  shard.expert = in.count_or("expert_parallel", 1, 1, limits::devices);
  shard.expert_tensor = in.count_or("expert_tensor_parallel", 1, 1, limits::devices);
}

Sharding parse_sharding(ObjectReader& in) {
  in.treat_null_as_absent();
  Sharding sharding;
  sharding.level = in.count_or("level", 0, 0, 3);
  sharding.group = in.count_or("group", 0, 1, limits::devices);
  sharding.reshard = in.word_or("reshard", Reshard::after_forward, parse_reshard, json::words_of<Reshard>());
  sharding.copies = in.word_or("copies", CopySync::each_step, parse_copy_sync, json::words_of<CopySync>());
  return sharding;
}

void write_degrees(ObjectWriter& out, const Shard& shard) {
  const Shard none;
  if (shard.sequence) out.add("sequence_parallel", Value(true));
  if (shard.context != none.context) out.add("context_parallel", shard.context);
  if (shard.context_kind != none.context_kind) out.add("context_kind", pipedeck::name_of(shard.context_kind));
  if (shard.context_heads != none.context_heads) out.add("context_heads", shard.context_heads);
  if (shard.expert != none.expert) out.add("expert_parallel", shard.expert);
  if (shard.expert_tensor != none.expert_tensor) out.add("expert_tensor_parallel", shard.expert_tensor);
}

Value sharding_to_json(const Sharding& sharding) {
  ObjectWriter out;
  out.add("level", sharding.level);
  if (sharding.group > 0) out.add("group", sharding.group);
  if (sharding.reshard != Reshard::after_forward) out.add("reshard", pipedeck::name_of(sharding.reshard));
  if (sharding.copies != CopySync::each_step) out.add("copies", pipedeck::name_of(sharding.copies));
  return out.finish();
}

}  // namespace pipedeck::io::documents
