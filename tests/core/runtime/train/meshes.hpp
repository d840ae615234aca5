// SPDX-License-Identifier: Apache-2.0
// Plans with several dimensions for tests of the trainer, and runs that resume under another one.
#pragma once

#include <QString>
#include <QTemporaryDir>

#include <memory>
#include <span>

#include "core/runtime/checkpoint/resume.hpp"
#include "tests/core/runtime/train/schedule_cases.hpp"

namespace pipedeck::test {

/// The degrees of a stage, the number of stages, and that of the chunks of a device.
struct Mesh {
  int stages = 1, data = 1, context = 1, tensor = 1, expert = 1, expert_tensor = 1, chunks = 1;
  bool tokens = false;  ///< tensor ranks divide them
  int devices() const { return data * context * tensor; }
};

inline QString text_of(const Mesh& mesh) {
  return QString("P %1 v %2 D %3 C %4 T %5 e %6 x %7%8")
      .arg(mesh.stages)
      .arg(mesh.chunks)
      .arg(mesh.data)
      .arg(mesh.context)
      .arg(mesh.tensor)
      .arg(mesh.expert)
      .arg(mesh.expert_tensor)
      .arg(mesh.tokens ? " tokens" : "");
}

/// Sets the degrees of all stages.
inline void shard(Plan& plan, const Mesh& mesh) {
  for (Stage& stage : plan.stages) {
    stage.tensor_parallel = mesh.tensor, stage.degrees.context = mesh.context;
    stage.degrees.expert = mesh.expert, stage.degrees.expert_tensor = mesh.expert_tensor;
    stage.degrees.sequence = mesh.tokens;
  }
}

inline runtime::train::TrainOptions options_for(int steps) {
  runtime::train::TrainOptions options;
  options.steps = steps;
  return options;
}

/// Trains four steps under each plan, and resumes under every plan to eight. Returns what differs: the parameters by
/// more than 1e-5 from those of eight steps under the first plan, frozen weights in any bit, or, resumed under its own
/// plan, the bits of a run in one go. Empty: nothing.
inline QString difference_after_resuming(const ModelSpec& model, std::span<const Plan> plans) {
  const auto run = [&](const Plan& plan, const runtime::train::TrainOptions& options) {
    return runtime::train_on_cpu(model, plan, built(plan), options, {});
  };
  const auto whole = run(plans.front(), options_for(8));
  if (!whole) return QString::fromStdString(whole.error().text());
  for (std::size_t f = 0; f < plans.size(); ++f) {
    const QTemporaryDir folder;
    runtime::train::TrainOptions first = options_for(4);
    first.checkpoint = runtime::checkpoint::Options{folder.path().toStdString(), 0, 0};
    const auto begun = run(plans[f], first);
    if (!begun) return QString::fromStdString(begun.error().text());
    for (std::size_t t = 0; t < plans.size(); ++t) {
      const QString where = QString("plan %1 to %2: ").arg(f).arg(t);
      auto kept = runtime::checkpoint::Checkpoint::open(folder.path().toStdString());
      if (!kept) return where + QString::fromStdString(kept.error().text());
      if (kept->parameters().value() != begun->layers) return where + "the checkpoint has other parameters";
      runtime::train::TrainOptions rest = options_for(8);
      rest.resume = std::make_shared<const runtime::checkpoint::Checkpoint>(*std::move(kept));
      const auto found = run(plans[t], rest);
      if (!found) return where + QString::fromStdString(found.error().text());
      const double apart = parameter_difference(*found, *whole);
      if (!(apart < 1e-5)) return where + QString("parameters differ by %1").arg(apart);
      if (found->frozen != whole->frozen) return where + "frozen weights differ";
      if (f == t && found->layers != run(plans[t], options_for(8)).value().layers) return where + "other bits";
    }
  }
  return {};
}

}  // namespace pipedeck::test
