// SPDX-License-Identifier: Apache-2.0
// DAPPLE's objective of a finished plan, with its terms as text: our L_max, or eq. 1-3 as in the paper.
#include <algorithm>
#include <array>
#include <map>

#include <fmt/format.h>

#include "core/cost/compute.hpp"
#include "core/cost/ring_times.hpp"
#include "core/planner/dapple/evaluate.hpp"

namespace pipedeck::planner::dapple {

namespace {

/// A stage of the formula: computing, or the communication between two that compute.
struct EvaluatedStep {
  double forward = 0, backward = 0, all_reduce = 0;
  bool communication = false;
};

EvaluatedStep compute_step(const evaluation::Evaluation& e, int s) {
  const Stage& stage = e.stage(s);
  const std::vector<int> samples = replica_samples(stage, e.plan.micro_batch);
  EvaluatedStep step;
  for (std::size_t d = 0; d < stage.devices.size(); ++d) {
    double forward = 0, backward = 0;
    for (int p = stage.first; p < stage.last; ++p) {
      const cost::LayerTimes times =
          cost::layer_times(e.profile(), e.layer(p), samples[d], *e.problem.cluster, e.network.type(stage.devices[d]));
      forward += times.forward.count;
      backward += times.backward.count;
    }
    step.forward = std::max(step.forward, forward);
    step.backward = std::max(step.backward, backward + (stage.recompute.all ? forward : 0));
  }
  step.all_reduce = cost::all_reduce(e.network, stage.devices, evaluation::weights_of(e, s).all).count;
  return step;
}

/// Returns the transfers from stage s to s + 1. Slices between the same pair of nodes form one transfer; inside a node
/// and between nodes with network cards per device, between the same pair of devices. The longest one is the step's
/// time.
EvaluatedStep communication_step(const evaluation::Evaluation& e, int s) {
  struct Transfer {
    int samples = 0;
    std::vector<std::pair<DeviceId, DeviceId>> pairs;
  };
  const Stage &from = e.stage(s), &to = e.stage(s + 1);
  const std::vector<int> sent = replica_samples(from, e.plan.micro_batch),
                         got = replica_samples(to, e.plan.micro_batch);
  std::map<std::array<int, 3>, Transfer> transfers;
  int a_first = 0;
  for (std::size_t a = 0; a < sent.size(); a_first += sent[a++]) {
    int b_first = 0;
    for (std::size_t b = 0; b < got.size(); b_first += got[b++]) {
      const int both = std::min(a_first + sent[a], b_first + got[b]) - std::max(a_first, b_first);
      if (both <= 0) continue;
      const DeviceId sender = from.devices[a], receiver = to.devices[b];
      const NodeId x = e.network.node_of(sender), y = e.network.node_of(receiver);
      const std::array<int, 3> key =
          e.network.has_own_ports(x, y) ? std::array{0, sender.value, receiver.value} : std::array{1, x.value, y.value};
      Transfer& transfer = transfers[key];
      transfer.samples += both;
      transfer.pairs.push_back({sender, receiver});
    }
  }
  EvaluatedStep step{.communication = true};
  for (const auto& [key, transfer] : transfers) {
    const Bytes bytes = evaluation::crossing(e, s + 1, transfer.samples);
    for (const auto& [sender, receiver] : transfer.pairs) {
      step.forward = std::max(step.forward, e.network.transfer(sender, receiver, bytes).count);
      step.backward = std::max(step.backward, e.network.transfer(receiver, sender, bytes).count);
    }
  }
  return step;
}

std::vector<EvaluatedStep> steps_of(const evaluation::Evaluation& e) {
  std::vector<EvaluatedStep> steps;
  for (int s = 0; s < e.stages(); ++s) {
    steps.push_back(compute_step(e, s));
    if (s + 1 < e.stages()) steps.push_back(communication_step(e, s));
  }
  return steps;
}

/// A formula's terms with its pivot Q, and the stage whose all-reduce ends last.
struct DappleTerms {
  std::size_t pivot = 0, last = 0;
  double warm = 0, each = 0, ending = 0;
  double all_reduce = 0;  ///< of stage `last`, part of `ending`
  double total(int micro_batches) const { return warm + (micro_batches - 1) * each + ending; }
};

/// max_Q [ sum_{s<=Q} F_s + (M - 1) t_Q + max_{s<=Q}( AR_s + sum_{a=s..Q} B_a ) ]
DappleTerms l_max(const std::vector<EvaluatedStep>& steps, int micro_batches) {
  DappleTerms most;
  for (std::size_t q = 0; q < steps.size(); ++q) {
    const EvaluatedStep& pivot = steps[q];
    DappleTerms terms{.pivot = q};
    terms.each = pivot.communication ? std::max(pivot.forward, pivot.backward) : pivot.forward + pivot.backward;
    for (std::size_t s = 0; s <= q; ++s) {
      terms.warm += steps[s].forward;
      double tail = steps[s].all_reduce;
      for (std::size_t a = s; a <= q; ++a) tail += steps[a].backward;
      if (s == 0 || tail > terms.ending) terms.ending = tail, terms.last = s, terms.all_reduce = steps[s].all_reduce;
    }
    if (q == 0 || terms.total(micro_batches) > most.total(micro_batches)) most = terms;
  }
  return most;
}

/// Eq. 3: Q from S - 1 down to 0.
std::size_t pivot_as_published(const std::vector<EvaluatedStep>& steps, int micro_batches) {
  const auto steady = [&](std::size_t s) { return (micro_batches - 1) * (steps[s].forward + steps[s].backward); };
  std::size_t q = steps.size() - 1;
  for (std::size_t s = steps.size() - 1; s-- > 0;) {
    double between = 0;
    for (std::size_t x = s + 1; x < q; ++x) between += steps[x].forward + steps[x].backward;
    if (steady(s) > steady(q) + between) q = s;
  }
  return q;
}

/// Eq. 1-2.
DappleTerms printed(const std::vector<EvaluatedStep>& steps, int micro_batches) {
  DappleTerms terms{.pivot = pivot_as_published(steps, micro_batches)};
  const std::size_t q = terms.pivot;
  terms.each = steps[q].forward + steps[q].backward;
  for (std::size_t s = 0; s <= q; ++s) terms.warm += steps[s].forward;
  for (std::size_t s = 0; s < steps.size(); ++s) {
    double backwards = 0;
    for (std::size_t a = std::min(s, q); a <= std::max(s, q); ++a) backwards += steps[a].backward;
    const double tail = steps[s].all_reduce + (s >= q ? -backwards : backwards);
    if (s == 0 || tail > terms.ending) terms.ending = tail, terms.last = s, terms.all_reduce = steps[s].all_reduce;
  }
  return terms;
}

/// Steps alternate between stages and transfers.
std::string name_of(std::size_t step) {
  return step % 2 ? fmt::format("the transfer from stage {} to {}", step / 2, step / 2 + 1)
                  : fmt::format("stage {}", step / 2);
}

}  // namespace

Result<Seconds> dapple_objective(const evaluation::Evaluation& e) {
  const std::vector<EvaluatedStep> steps = steps_of(e);
  const int count = e.plan.micro_batches;
  return Seconds((e.options.printed_objective ? printed(steps, count) : l_max(steps, count)).total(count));
}

std::string dapple_objective_text(const evaluation::Evaluation& e) {
  const std::vector<EvaluatedStep> steps = steps_of(e);
  const int count = e.plan.micro_batches;
  const bool as_printed = e.options.printed_objective;
  const DappleTerms terms = as_printed ? printed(steps, count) : l_max(steps, count);
  const double backwards = terms.ending - terms.all_reduce;
  const auto ms = [](double seconds) { return fmt::format("{:.1f} ms", seconds * 1e3); };
  std::string ending = backwards < 0 ? fmt::format("less the backwards from the pivot to it, {}", ms(-backwards))
                       : terms.pivot == terms.last ? fmt::format("its last backward, {}", ms(backwards))
                                                   : fmt::format("the last backwards from the pivot to {}, {}",
                                                                 name_of(terms.last), ms(backwards));
  if (terms.all_reduce > 0)
    ending = fmt::format("all-reduce of {}, {}, {}", name_of(terms.last), ms(terms.all_reduce),
                         backwards < 0 ? ending : fmt::format("after {}", ending));
  return fmt::format("{} {} = warm-up {} (\u03a3F to the pivot, {}) + {} x {} ({}) + {} ({})",
                     as_printed ? "eq. 2 as printed" : "L_max", ms(terms.total(count)), ms(terms.warm),
                     name_of(terms.pivot), count - 1, ms(terms.each),
                     terms.pivot % 2 && !as_printed ? "its longer direction" : "its F + B", ms(terms.ending), ending);
}

}  // namespace pipedeck::planner::dapple
