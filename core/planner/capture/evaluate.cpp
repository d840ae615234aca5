// SPDX-License-Identifier: Apache-2.0
// CAPTURE's highest predicted peak of a finished plan, and the items that it consists of.
#include <algorithm>

#include <fmt/format.h>

#include "core/cost/compute.hpp"
#include "core/cost/memory.hpp"
#include "core/planner/capture/evaluate.hpp"

namespace pipedeck::planner::capture {

namespace {

/// A stage's predicted peak on its most loaded device. The value of the first layer alone on a device includes input
/// and workspace; the other layers only add to it.
struct PredictedPeak {
  MemoryBreakdown parts;
  Bytes alone, added;  ///< mCAP's two values: of the first layer, and of all others
  int kept = 1;
  Bytes total() const { return parts.total(); }
};

/// Returns weights, gradients and optimizer of these weights in this stage.
MemoryBreakdown state_of(const evaluation::Evaluation& e, int s, const plan::Weights& weights) {
  return cost::state_memory(plan::share_of(weights, e.stage(s).tensor_parallel), e.stage(s).replicas(),
                            e.plan.optimizer, e.plan.precision, e.plan.zero);
}

PredictedPeak predicted_peak(const evaluation::Evaluation& e, int s) {
  const int samples = e.max_samples(s);
  const auto scaled = [&](Bytes bytes) { return cost::scale_bytes(bytes, samples, e.profile().micro_batch); };
  const Layer& first = e.layer(e.stage(s).first);
  const int degree = plan::even_parts(e.stage(s));
  PredictedPeak peak;
  peak.kept = e.options.paper_in_flight ? 1 : std::min(e.plan.micro_batches, e.stages() - s);
  peak.parts = state_of(e, s, evaluation::weights_of(e, s));
  peak.parts[MemoryItem::activations] = evaluation::saved_by(e, s, samples) * peak.kept;
  peak.parts[MemoryItem::boundary] = evaluation::crossing(e, s, samples);
  peak.parts[MemoryItem::workspace] = scaled(plan::workspace_bytes(first, degree));
  peak.parts[MemoryItem::reserve] = e.problem.workload.conventions.reserve;
  peak.parts[MemoryItem::communication] =
      e.problem.workload.conventions.max_non_model_bytes() - e.problem.workload.conventions.reserve;
  peak.alone = state_of(e, s, plan::weights_of(first)).total() + scaled(plan::saved_bytes(first, degree)) * peak.kept +
               peak.parts[MemoryItem::boundary] + peak.parts[MemoryItem::workspace] + peak.parts[MemoryItem::reserve] +
               peak.parts[MemoryItem::communication];
  peak.added = peak.total() - peak.alone;
  return peak;
}

/// Returns "10.250 GiB" or "902 MiB".
std::string amount_text(Bytes bytes) {
  const double mebibytes = static_cast<double>(bytes.count) / 0x1p20;
  return mebibytes < 1024 ? fmt::format("{:.3g} MiB", mebibytes) : fmt::format("{:.3f} GiB", mebibytes / 1024);
}

/// Returns "weights 192 MiB + gradients 192 MiB".
std::string items_text(const PredictedPeak& peak) {
  const std::string activations =
      fmt::format("activations of {} micro-batch{} in flight", peak.kept, peak.kept == 1 ? "" : "es");
  std::string items;
  for (const auto& [item, name] : {std::pair{MemoryItem::weights, std::string("weights")},
                                   {MemoryItem::gradients, "gradients"},
                                   {MemoryItem::optimizer, "optimizer"},
                                   {MemoryItem::activations, activations},
                                   {MemoryItem::boundary, "boundary"},
                                   {MemoryItem::workspace, "workspace"},
                                   {MemoryItem::reserve, "reserve"},
                                   {MemoryItem::communication, "communication"}})
    if (const Bytes bytes = peak.parts[item]; bytes.count > 0)
      items += fmt::format("{}{} {}", items.empty() ? "" : " + ", name, amount_text(bytes));
  return items.empty() ? "nothing" : items;
}

}  // namespace

Result<Bytes> capture_objective(const evaluation::Evaluation& e) {
  Bytes highest;
  for (int s = 0; s < e.stages(); ++s) highest = std::max(highest, predicted_peak(e, s).total());
  return highest;
}

std::string capture_objective_text(const evaluation::Evaluation& e) {
  int worst = 0;
  PredictedPeak peak;
  for (int s = 0; s < e.stages(); ++s)
    if (const PredictedPeak other = predicted_peak(e, s); s == 0 || other.total() > peak.total())
      worst = s, peak = other;

  const Stage& stage = e.stage(worst);
  const int behind = stage.last - stage.first - 1, samples = e.max_samples(worst);
  const std::string layers =
      behind == 0 ? fmt::format("layer {}", stage.first) : fmt::format("layers {} to {}", stage.first, stage.last - 1);
  const std::string text =
      fmt::format("highest peak {} on stage {} of {} ({}, {} sample{} per replica) = {}.", amount_text(peak.total()),
                  worst, e.stages(), layers, samples, samples == 1 ? "" : "s", items_text(peak));
  if (behind == 0) return text;
  return text + fmt::format(" Its first layer alone on a device {}, added by the {} behind it {}.",
                            amount_text(peak.alone), behind, amount_text(peak.added));
}

}  // namespace pipedeck::planner::capture
