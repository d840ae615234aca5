// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/models/compare/plan_reasons.hpp"

#include <QCoreApplication>

#include "app/models/format.hpp"

namespace pipedeck::models::compare {

namespace {

struct ReasonText {
  Q_DECLARE_TR_FUNCTIONS(PlanReasons)
};

class Sentences {
 public:
  explicit Sentences(const PlanRow& row)
      : plan_(row.plan), simulation_(*row.simulation), reasons_(*row.reasons), stages_(row.plan.stages.size()) {}

  std::vector<QString> all() {
    if (reasons_.replicas) add_replicas(*reasons_.replicas);
    if (reasons_.replication) add_replication(*reasons_.replication);
    if (reasons_.widest_cut) add_cut(*reasons_.widest_cut);
    // A planner's rationale explains the pace.
    if (reasons_.balance && plan_.rationale.empty()) add_balance(*reasons_.balance);
    if (reasons_.ideal_bubble) add_bubble(*reasons_.ideal_bubble);
    if (!reasons_.recomputed.empty()) add_recompute();
    return std::move(sentences_);
  }

 private:
  void add(const QString& sentence) { sentences_.push_back(sentence); }

  void add_replicas(ReplicaPlace place) {
    add(place == ReplicaPlace::within_nodes
            ? ReasonText::tr("%1 stages, each within one node: gradients are reduced inside nodes, and only "
                             "activations cross the network.")
                  .arg(stages_)
            : ReasonText::tr("%1 stages, at least one with replicas in several nodes: its gradients cross the network.")
                  .arg(stages_));
  }

  void add_replication(const ReplicationReason& reason) {
    if (stages_ == 1) {
      add(ReasonText::tr(
              "All-reduce of %1 of gradients over %2 devices takes at least %3. The backward does not hide %4 of it.")
              .arg(format_bytes(reason.gradients))
              .arg(reason.devices)
              .arg(format_time(reason.all_reduce), format_time(reason.waiting)));
      return;
    }
    add(ReasonText::tr("Data parallelism on %2 devices would all-reduce %1 of gradients in at least %3, at %4. This "
                       "plan waits %5 for its own.")
            .arg(format_bytes(reason.gradients))
            .arg(reason.devices)
            .arg(format_time(reason.all_reduce), format_rate(reason.narrowest), format_time(reason.waiting)));
  }

  void add_cut(Bytes widest) {
    add(stages_ == 2 ? ReasonText::tr("The cut before layer %1 sends %2 per micro-batch each way.")
                           .arg(plan_.stages[1].first)
                           .arg(format_bytes(widest))
                     : ReasonText::tr("The widest of the %1 cuts sends %2 per micro-batch each way.")
                           .arg(stages_ - 1)
                           .arg(format_bytes(widest)));
  }

  void add_balance(const BalanceReason& reason) {
    add(reason.less < 0.0005 ? ReasonText::tr("All stages are equally busy.")
                             : ReasonText::tr("Stage %1 is the busiest; stage %2 has %3 less to do.")
                                   .arg(reason.busiest)
                                   .arg(reason.idlest)
                                   .arg(format_percent(reason.less)));
  }

  void add_bubble(double ideal) {
    const QString words =
        plan_.micro_batches == 1
            ? ReasonText::tr("One micro-batch over %1 equal stages would leave devices idle for %2; here it is %3.")
            : ReasonText::tr("%1 micro-batches over %2 equal stages would leave devices idle for %3; here it is %4.")
                  .arg(plan_.micro_batches);
    add(words.arg(stages_).arg(format_percent(ideal), format_percent(simulation_.bubble_fraction)));
  }

  void add_recompute() {
    QStringList stages;
    for (const int stage : reasons_.recomputed) stages << QString::number(stage);
    add(ReasonText::tr("Stages that recompute their forward, to save memory: %1.")
            .arg(stages.join(QStringLiteral(", "))));
  }

  const Plan& plan_;
  const Simulation& simulation_;
  const PlanReasons& reasons_;
  std::size_t stages_;
  std::vector<QString> sentences_;
};

}  // namespace

std::vector<QString> reason_sentences(const PlanRow& row) {
  if (!row.simulation || !row.reasons) return {};
  return Sentences(row).all();
}

}  // namespace pipedeck::models::compare
