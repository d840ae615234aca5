// SPDX-License-Identifier: Apache-2.0
// The words of the file formats for every enumeration, in one place and both directions.
#include <array>
#include <utility>

#include "core/model/calibration_record.hpp"
#include "core/model/explanation.hpp"
#include "core/model/plan.hpp"
#include "core/model/schedule.hpp"
#include "core/model/shard.hpp"
#include "core/model/simulation.hpp"
#include "core/model/workload.hpp"

namespace pipedeck {
namespace {

template <class E, std::size_t N>
using Names = std::array<std::pair<E, std::string_view>, N>;

constexpr Names<Optimizer, 5> optimizers{{{Optimizer::none, "none"},
                                          {Optimizer::sgd, "sgd"},
                                          {Optimizer::momentum, "momentum"},
                                          {Optimizer::adam, "adam"},
                                          {Optimizer::rmsprop, "rmsprop"}}};
constexpr Names<Precision, 4> precisions{{{Precision::fp32, "fp32"},
                                          {Precision::mixed_16, "mixed-16"},
                                          {Precision::mixed_18, "mixed-18"},
                                          {Precision::mixed_20, "mixed-20"}}};
constexpr Names<NetworkModel, 2> network_models{{{NetworkModel::ideal, "ideal"}, {NetworkModel::shared, "shared"}}};
constexpr Names<Overlap, 3> overlaps{{{Overlap::none, "none"}, {Overlap::layer, "layer"}, {Overlap::bucket, "bucket"}}};
constexpr Names<Collectives, 5> collective_kinds{{{Collectives::best_ring, "least"},
                                                  {Collectives::ring, "ring"},
                                                  {Collectives::hierarchical, "hierarchical"},
                                                  {Collectives::tree, "tree"},
                                                  {Collectives::nccl, "nccl"}}};
constexpr Names<Warmup, 2> warmups{{{Warmup::A, "A"}, {Warmup::B, "B"}}};
constexpr Names<Merit, merit_count> merits{{{Merit::fastest, "fastest"},
                                            {Merit::simplest, "simplest"},
                                            {Merit::least_memory, "least_memory"},
                                            {Merit::cheapest, "cheapest"}}};
constexpr Names<RecomputeUnit, 2> recompute_units{{{RecomputeUnit::block, "block"}, {RecomputeUnit::stage, "stage"}}};
constexpr Names<OpKind, op_kind_count> op_kinds{{{OpKind::forward, "forward"},
                                                 {OpKind::backward, "backward"},
                                                 {OpKind::backward_input, "backward_input"},
                                                 {OpKind::backward_weight, "backward_weight"},
                                                 {OpKind::recompute, "recompute"},
                                                 {OpKind::send, "send"},
                                                 {OpKind::receive, "receive"},
                                                 {OpKind::all_reduce, "all_reduce"},
                                                 {OpKind::optimizer, "optimizer"}}};
constexpr Names<MemoryItem, memory_item_count> memory_items{{{MemoryItem::weights, "weights"},
                                                             {MemoryItem::gradients, "gradients"},
                                                             {MemoryItem::optimizer, "optimizer"},
                                                             {MemoryItem::stashed_weights, "stashed_weights"},
                                                             {MemoryItem::activations, "activations"},
                                                             {MemoryItem::boundary, "boundary"},
                                                             {MemoryItem::workspace, "workspace"},
                                                             {MemoryItem::communication, "communication"},
                                                             {MemoryItem::reserve, "reserve"}}};
constexpr Names<WaitCause, wait_cause_count> wait_causes{{{WaitCause::start, "start"},
                                                          {WaitCause::device, "device"},
                                                          {WaitCause::activation, "activation"},
                                                          {WaitCause::gradient, "gradient"},
                                                          {WaitCause::channel, "channel"},
                                                          {WaitCause::all_reduce, "all_reduce"},
                                                          {WaitCause::overlapped_operation, "joined"}}};
constexpr Names<TimePart, time_part_count> time_parts{{{TimePart::compute, "compute"},
                                                       {TimePart::imbalance, "imbalance"},
                                                       {TimePart::bubble, "bubble"},
                                                       {TimePart::recompute, "recompute"},
                                                       {TimePart::optimizer, "optimizer"},
                                                       {TimePart::tensor_parallel, "tensor_parallel"},
                                                       {TimePart::context_parallel, "context_parallel"},
                                                       {TimePart::expert_parallel, "expert_parallel"},
                                                       {TimePart::gather, "gather"},
                                                       {TimePart::point_to_point, "point_to_point"},
                                                       {TimePart::all_reduce, "all_reduce"}}};
constexpr Names<SensitivityKind, sensitivity_kind_count> sensitivity_kinds{
    {{SensitivityKind::link_bandwidth, "link_bandwidth"},
     {SensitivityKind::device_speed, "device_speed"},
     {SensitivityKind::device_memory, "device_memory"}}};
constexpr Names<LeverKind, lever_kind_count> lever_kinds{{{LeverKind::all_devices, "all_devices"},
                                                          {LeverKind::device_type, "device_type"},
                                                          {LeverKind::device_memory, "device_memory"},
                                                          {LeverKind::links_inside, "links_inside"},
                                                          {LeverKind::links_between, "links_between"},
                                                          {LeverKind::micro_batches, "micro_batches"}}};
constexpr Names<RunUse, 3> run_uses{
    {{RunUse::fit, "fit"}, {RunUse::held_out, "held-out"}, {RunUse::cross_validation, "in-turn"}}};

constexpr Names<ContextKind, 4> context_kinds{{{ContextKind::ring, "ring"},
                                               {ContextKind::gather, "gather"},
                                               {ContextKind::heads, "heads"},
                                               {ContextKind::heads_ring, "heads+ring"}}};
constexpr Names<Reshard, 3> reshards{{{Reshard::after_forward, "after-forward"},
                                      {Reshard::after_backward, "after-backward"},
                                      {Reshard::after_step, "after-step"}}};
constexpr Names<CopySync, 3> copy_syncs{{{CopySync::each_step, "each-step"},
                                         {CopySync::each_micro_batch, "each-micro-batch"},
                                         {CopySync::shard_optimizer, "shard-optimizer"}}};
constexpr Names<CollectiveKind, 5> collectives{{{CollectiveKind::all_gather, "all-gather"},
                                                {CollectiveKind::reduce_scatter, "reduce-scatter"},
                                                {CollectiveKind::all_reduce, "all-reduce"},
                                                {CollectiveKind::all_to_all, "all-to-all"},
                                                {CollectiveKind::ring_exchange, "ring exchange"}}};

constexpr Names<LossKind, 5> loss_kinds{{{LossKind::plain, "plain"},
                                         {LossKind::fused, "fused"},
                                         {LossKind::in_place, "in-place"},
                                         {LossKind::chunked, "chunked"},
                                         {LossKind::separate, "separate"}}};
constexpr Names<Graphs, 3> graph_sets{{{Graphs::none, "none"}, {Graphs::dense, "dense"}, {Graphs::all, "all"}}};
constexpr Names<FrozenWeights, 3> frozen_weights{
    {{FrozenWeights::same, "same"}, {FrozenWeights::int8, "int8"}, {FrozenWeights::nf4, "nf4"}}};
constexpr Names<AdapterTargets, 3> adapter_targets{{{AdapterTargets::query_value, "query-value"},
                                                    {AdapterTargets::attention, "attention"},
                                                    {AdapterTargets::linear, "linear"}}};
constexpr Names<OptimizerStep, 2> optimizer_steps{
    {{OptimizerStep::elementwise, "elementwise"}, {OptimizerStep::muon, "muon"}}};
constexpr Names<Dispatcher, 3> dispatchers{
    {{Dispatcher::all_to_all, "all-to-all"}, {Dispatcher::all_gather, "all-gather"}, {Dispatcher::flex, "flex"}}};

template <class E, std::size_t N>
std::string_view enum_name(const Names<E, N>& names, E value) {
  for (const auto& [candidate, name] : names)
    if (candidate == value) return name;
  return "?";
}

template <class E, std::size_t N>
std::optional<E> parse_enum(const Names<E, N>& names, std::string_view name) {
  for (const auto& [value, candidate] : names)
    if (candidate == name) return value;
  return std::nullopt;
}

}  // namespace

std::string_view name_of(Optimizer value) { return enum_name(optimizers, value); }
std::string_view name_of(Precision value) { return enum_name(precisions, value); }
std::string_view name_of(NetworkModel value) { return enum_name(network_models, value); }
std::string_view name_of(Overlap value) { return enum_name(overlaps, value); }
std::string_view name_of(Collectives value) { return enum_name(collective_kinds, value); }
std::string_view name_of(Merit value) { return enum_name(merits, value); }
std::string_view name_of(Warmup value) { return enum_name(warmups, value); }
std::string_view name_of(RecomputeUnit value) { return enum_name(recompute_units, value); }
std::string_view name_of(OpKind value) { return enum_name(op_kinds, value); }
std::string_view name_of(MemoryItem value) { return enum_name(memory_items, value); }
std::string_view name_of(WaitCause value) { return enum_name(wait_causes, value); }
std::string_view name_of(TimePart value) { return enum_name(time_parts, value); }
std::string_view name_of(SensitivityKind value) { return enum_name(sensitivity_kinds, value); }
std::string_view name_of(LeverKind value) { return enum_name(lever_kinds, value); }
std::string_view name_of(RunUse value) { return enum_name(run_uses, value); }
std::string_view name_of(ContextKind value) { return enum_name(context_kinds, value); }
std::string_view name_of(Reshard value) { return enum_name(reshards, value); }
std::string_view name_of(CopySync value) { return enum_name(copy_syncs, value); }
std::string_view name_of(CollectiveKind value) { return enum_name(collectives, value); }
std::string_view name_of(LossKind value) { return enum_name(loss_kinds, value); }
std::string_view name_of(Graphs value) { return enum_name(graph_sets, value); }
std::string_view name_of(FrozenWeights value) { return enum_name(frozen_weights, value); }
std::string_view name_of(AdapterTargets value) { return enum_name(adapter_targets, value); }
std::string_view name_of(OptimizerStep value) { return enum_name(optimizer_steps, value); }
std::string_view name_of(Dispatcher value) { return enum_name(dispatchers, value); }

std::optional<LossKind> parse_loss_kind(std::string_view name) { return parse_enum(loss_kinds, name); }
std::optional<Graphs> parse_graphs(std::string_view name) { return parse_enum(graph_sets, name); }
std::optional<FrozenWeights> parse_frozen_weights(std::string_view name) { return parse_enum(frozen_weights, name); }
std::optional<AdapterTargets> parse_adapter_targets(std::string_view name) { return parse_enum(adapter_targets, name); }
std::optional<OptimizerStep> parse_optimizer_step(std::string_view name) { return parse_enum(optimizer_steps, name); }
std::optional<Dispatcher> parse_dispatcher(std::string_view name) { return parse_enum(dispatchers, name); }
std::optional<Optimizer> parse_optimizer(std::string_view name) { return parse_enum(optimizers, name); }
std::optional<Precision> parse_precision(std::string_view name) { return parse_enum(precisions, name); }
std::optional<NetworkModel> parse_network_model(std::string_view name) { return parse_enum(network_models, name); }
std::optional<Overlap> parse_overlap(std::string_view name) { return parse_enum(overlaps, name); }
std::optional<Collectives> parse_collectives(std::string_view name) { return parse_enum(collective_kinds, name); }
std::optional<Merit> parse_merit(std::string_view name) { return parse_enum(merits, name); }
std::optional<Warmup> parse_warmup(std::string_view name) { return parse_enum(warmups, name); }
std::optional<RecomputeUnit> parse_recompute_unit(std::string_view name) { return parse_enum(recompute_units, name); }
std::optional<OpKind> parse_op_kind(std::string_view name) { return parse_enum(op_kinds, name); }
std::optional<RunUse> parse_run_use(std::string_view name) { return parse_enum(run_uses, name); }
std::optional<ContextKind> parse_context_kind(std::string_view name) { return parse_enum(context_kinds, name); }
std::optional<Reshard> parse_reshard(std::string_view name) { return parse_enum(reshards, name); }
std::optional<CopySync> parse_copy_sync(std::string_view name) { return parse_enum(copy_syncs, name); }

}  // namespace pipedeck
