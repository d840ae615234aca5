// SPDX-License-Identifier: Apache-2.0
#include "core/io/documents/layer_memory.hpp"

#include <array>
#include <string_view>

namespace pipedeck::io::documents {
namespace {

using json::ObjectReader;
using json::ObjectWriter;
using json::Value;

struct MemoryMember {
  std::string_view name;
  Bytes LayerMemory::*member;
  bool required;  ///< taken as 0 it would promise too little; the others at 0 are proportional, or nothing
};

/// A layer's memory pass by pass, for reading and writing.
constexpr std::array<MemoryMember, 8> memory_members{{{"input_bytes", &LayerMemory::input, true},
                                                      {"forward_bytes", &LayerMemory::forward, true},
                                                      {"forward_fixed_bytes", &LayerMemory::forward_fixed, false},
                                                      {"backward_bytes", &LayerMemory::backward, true},
                                                      {"backward_fixed_bytes", &LayerMemory::backward_fixed, false},
                                                      {"weight_saved_bytes", &LayerMemory::weight_saved, true},
                                                      {"recompute_saved_bytes", &LayerMemory::recompute_saved, false},
                                                      {"weight_copy_bytes", &LayerMemory::weight_copy, false}}};

TensorLayout parse_layout(ObjectReader& in, std::string_view key) {
  return in.bool_or(key, false) ? TensorLayout::column_sharded : TensorLayout::replicated;
}

}  // namespace

LayerMemory parse_layer_memory(ObjectReader& in) {
  LayerMemory memory;
  for (const MemoryMember& part : memory_members)
    memory.*part.member = part.required ? in.bytes(part.name) : in.bytes_or(part.name, {});
  return memory;
}

Value layer_memory_to_json(const LayerMemory& memory) {
  ObjectWriter out;
  for (const MemoryMember& part : memory_members)
    if (part.member != &LayerMemory::weight_copy || memory.weight_copy > Bytes())
      out.add(part.name, memory.*part.member);
  return out.finish();
}

ShardingCost parse_cut_way(ObjectReader& in) {
  ShardingCost way;
  way.step.from = parse_layout(in, "input_in_columns");
  way.step.to = parse_layout(in, "output_in_columns");
  way.step.moved = in.bytes("moved_values").count;  // as large as bytes may be
  way.step.alike = in.bool_or("alike", false);
  way.replicated_parameters = in.bytes_or("whole_parameter_bytes", {});
  way.saved = in.bytes("saved_bytes");
  way.workspace = in.bytes("workspace_bytes");
  if (in.get("memory")) in.object("memory", [&](ObjectReader& memory) { way.memory = parse_layer_memory(memory); });
  return way;
}

Value cut_way_to_json(const ShardingCost& way) {
  ObjectWriter out;
  out.add("input_in_columns", Value(way.step.from == TensorLayout::column_sharded));
  out.add("output_in_columns", Value(way.step.to == TensorLayout::column_sharded));
  out.add("moved_values", Value(json::integer(way.step.moved)));
  if (way.step.alike) out.add("alike", Value(true));
  if (way.replicated_parameters > Bytes()) out.add("whole_parameter_bytes", way.replicated_parameters);
  out.add("saved_bytes", way.saved).add("workspace_bytes", way.workspace);
  out.add("memory", layer_memory_to_json(way.memory));
  return out.finish();
}

}  // namespace pipedeck::io::documents
