// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/models/compare/plan_reasons.hpp"

#include <QCoreApplication>

#include "app/models/format.hpp"
#include "app/text/in_qt.hpp"

namespace pipedeck::models::compare {

namespace {

struct ReasonText {
  Q_DECLARE_TR_FUNCTIONS(PlanReasons)
};

class Sentences {
 public:
  explicit Sentences(const PlanRow& row)
      : plan_(row.plan),
        simulation_(*row.simulation),
        reasons_(*row.reasons),
        outdated_(row.outdated),
        stages_(row.plan.stages.size()) {}

  std::vector<QString> all() {
    if (!simulation_.fits) add_fitting();
    if (reasons_.warmup) add_warmup(*reasons_.warmup);
    if (reasons_.replicas) add_replicas(*reasons_.replicas);
    if (reasons_.replication) add_replication(*reasons_.replication);
    if (reasons_.widest_cut) add_cut(*reasons_.widest_cut);
    // A planner's rationale explains the pace.
    if (reasons_.balance && (plan_.rationale.empty() || outdated_)) add_balance(*reasons_.balance);
    if (reasons_.ideal_bubble) add_bubble(*reasons_.ideal_bubble);
    if (!reasons_.recomputed.empty()) add_recompute();
    return std::move(sentences_);
  }

 private:
  void add(const QString& sentence) { sentences_.push_back(sentence); }

  void add_fitting() {
    if (reasons_.fitting.empty()) return;
    QStringList changes;
    for (const FittingChange& change : reasons_.fitting)
      changes << ReasonText::tr("%1 (%2, %3 left)")
                     .arg(text::to_qstring(text_of(change)), format_time(change.iteration),
                          format_percent(margin_rounded_down(change.margin)));
    add(ReasonText::tr("It would fit with %1.").arg(changes.join(ReasonText::tr(", or "))));
  }

  void add_warmup(const WarmupReason& reason) {
    const QString words =
        reason.missing.count > 0
            ? ReasonText::tr(
                  "Stage %1 holds %2 of 1F1B's %3 micro-batches: memory allows no more. The whole warm-up "
                  "would take %4 and %5 more memory.")
            : ReasonText::tr("Stage %1 holds %2 of 1F1B's %3 micro-batches. The whole warm-up would take %4.");
    QString sentence = words.arg(reason.stage).arg(reason.held).arg(reason.whole).arg(format_time(reason.iteration));
    if (reason.missing.count > 0) sentence = sentence.arg(format_bytes(reason.missing));
    add(sentence);
  }

  void add_replicas(ReplicaPlace place) {
    add(place == ReplicaPlace::within_nodes
            ? ReasonText::tr("%1 stages, each within one node: gradients are reduced inside nodes, and only "
                             "activations cross the network.")
                  .arg(stages_)
            : ReasonText::tr("%1 stages, at least one with replicas in several nodes: its gradients cross the network.")
                  .arg(stages_));
  }

  void add_replication(const ReplicationReason& reason) {
    if (stages_ == 1 && !has_mesh(plan_)) {
      const QString all_reduce =
          ReasonText::tr("All-reduce of %1 of gradients over %2 devices takes %3 on a free network.")
              .arg(format_bytes(reason.gradients))
              .arg(reason.devices)
              .arg(format_time(reason.all_reduce));
      add(all_reduce + QLatin1Char(' ') +
          (reason.waiting.count > 0
               ? ReasonText::tr("The backward hides all but %1 of it.").arg(format_time(reason.waiting))
               : ReasonText::tr("The backward hides it.")));
      return;
    }
    QString words = ReasonText::tr(
                        "Data parallelism on %2 devices would all-reduce %1 of gradients, which takes %3 on "
                        "a free network at %4.")
                        .arg(format_bytes(reason.gradients))
                        .arg(reason.devices)
                        .arg(format_time(reason.all_reduce), format_rate(reason.narrowest));
    const bool has_replicas =
        std::ranges::any_of(plan_.stages, [](const Stage& stage) { return stage.replicas() > 1; });
    if (has_replicas && reason.waiting.count > 0)
      words += QLatin1Char(' ') + ReasonText::tr("This plan waits %1 for its own.").arg(format_time(reason.waiting));
    add(words);
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
    QStringList blocks, whole;
    for (const int stage : reasons_.recomputed) {
      const bool known = static_cast<std::size_t>(stage) < plan_.stages.size();
      const bool at_once = known && plan_.stages[stage].recompute.each == RecomputeUnit::stage;
      (at_once ? whole : blocks) << QString::number(stage);
    }
    const auto all = [&](const QStringList& stages) { return stages.size() == static_cast<qsizetype>(stages_); };
    if (all(blocks))
      add(ReasonText::tr("Each block recomputes its forward, to save memory."));
    else if (!blocks.empty())
      add(ReasonText::tr("Stages that recompute their forward, to save memory: %1.").arg(blocks.join(", ")));
    if (all(whole))
      add(ReasonText::tr("Each stage recomputes all of its forward at once, to save memory."));
    else if (!whole.empty())
      add(ReasonText::tr("Stages that recompute all of their forward at once, to save memory: %1.")
              .arg(whole.join(", ")));
  }

  const Plan& plan_;
  const Simulation& simulation_;
  const PlanReasons& reasons_;
  bool outdated_;
  std::size_t stages_;
  std::vector<QString> sentences_;
};

}  // namespace

std::vector<QString> reason_sentences(const PlanRow& row) {
  if (!row.simulation || !row.reasons) return {};
  return Sentences(row).all();
}

}  // namespace pipedeck::models::compare
