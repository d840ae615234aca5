// SPDX-License-Identifier: Apache-2.0
// The memory curves of a folded step against the bytes of a rank in closed form.
#include <QTest>

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "core/mesh/memory.hpp"
#include "core/mesh/stages.hpp"
#include "core/sim/simulate.hpp"
#include "core/sim/step/predict_step.hpp"
#include "tests/support/pipeline_plan.hpp"
#include "tests/support/random_problem.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_step_memory {

using mesh::Question;

mesh::Rates rates() {
  mesh::Rates made;
  made.type.name = "gpu", made.type.memory = Bytes(std::int64_t{80} << 30);
  made.type.peak_tflops = {{"bf16", 989}};
  made.type.memory_bandwidth = BytesPerSecond(3.35e12);
  made.reached.products["bf16"] = {}, made.reached.attention["default"] = {};
  return made;
}

Question question(const Shard& shard, int data, int pipeline, int virtual_stages, int micro_batches) {
  Question made;
  made.config.name = made.config.family = "llama";
  made.config.hidden = 4096, made.config.layers = 48, made.config.heads = made.config.key_value_heads = 32;
  made.config.head_width = 128, made.config.feed_forward = 11008, made.config.gated = true;
  made.config.norm = NormKind::rms, made.config.vocabulary = 32000, made.config.longest = 4096;
  made.layer.count = {.sequence = 4096, .micro_batch = 1};
  made.layer.shard = shard;
  made.data = data, made.pipeline = pipeline, made.virtual_stages = virtual_stages, made.micro_batches = micro_batches;
  auto cluster = std::make_shared<Cluster>(test::flat_cluster(made.devices(), BytesPerSecond(100e9)));
  for (DeviceType& type : cluster->device_types) type = rates().type;
  for (Node& node : cluster->nodes) node.devices.front().type = "gpu";
  made.cluster = std::move(cluster);
  return made;
}

/// Returns the bytes of each pipeline rank, with the share of its memory that a run cannot use.
std::vector<double> closed_form(const Question& question) {
  const auto layers = mesh::stage_layers(question).value();
  std::vector<double> bytes;
  for (int rank = 0; rank < question.pipeline; ++rank) {
    std::vector<mesh::StageMemory> own;
    for (std::size_t s = 0; s < layers.size(); ++s)
      if (question.rank_of_stage(s) == static_cast<std::size_t>(rank))
        own.push_back(mesh::stage_memory(question, layers[s], s == 0, s + 1 == layers.size()).value());
    bytes.push_back(mesh::rank_memory(question, rank, own).needed +
                    (1 - mesh::usable_share) * static_cast<double>(rates().type.memory.count));
  }
  return bytes;
}

void compare(const Question& question, double share) {
  const auto found = sim::simulate(question, rates());
  if (!found) qFatal("%s", found.error().text().c_str());
  const std::vector<double> expected = closed_form(question);
  QCOMPARE(found->devices.size(), expected.size());
  for (std::size_t rank = 0; rank < expected.size(); ++rank) {
    const auto peak = static_cast<double>(found->devices[rank].peak.count);
    QVERIFY2(std::abs(peak / expected[rank] - 1) <= share,
             qPrintable(QStringLiteral("rank %1 of P %2, v %3, M %4, level %5: %6 against %7 GiB")
                            .arg(rank)
                            .arg(question.pipeline)
                            .arg(question.virtual_stages)
                            .arg(question.micro_batches)
                            .arg(question.sharding.level)
                            .arg(peak / 0x1p30)
                            .arg(expected[rank] / 0x1p30)));
  }
}

class TestStepMemory : public QObject {
  Q_OBJECT

 private slots:
  void one_stage() {
    for (const int level : {0, 1, 2, 3})
      for (const int micro_batches : {1, 5}) {
        Question one = question({.tensor = 2, .sequence = true}, 4, 1, 1, micro_batches);
        one.sharding.level = level;
        compare(one, 1e-6);
      }
  }

  void pipelines() {
    for (const int ranks : {2, 4, 8})
      for (const int micro_batches : {1, 3, 8, 16}) compare(question({.tensor = 4}, 1, ranks, 1, micro_batches), 1e-6);
  }

  /// Stages of a rank differ by a block at most: the rank's sum takes their mean.
  void interleaved_pipelines() {
    for (const int ranks : {2, 4})
      for (const int chunks : {2, 3, 6})
        for (const int rounds : {1, 2, 4})
          compare(question({.tensor = 4, .sequence = true}, 2, ranks, chunks, ranks * rounds), 0.02);
  }

  /// Activations stay until their weight gradient. Passes of a V's two stages need different workspaces.
  void split_backwards() {
    for (const int ranks : {2, 4, 8})
      for (const int micro_batches : {1, 3, 8, 24})
        for (const ScheduleKind order :
             {ScheduleKind::zb_h1, ScheduleKind::zb_h2, ScheduleKind::zb_v, ScheduleKind::dualpipe_v}) {
          const bool in_a_v = traits_of(order).placement == StagePlacement::v_shaped;
          if (order == ScheduleKind::dualpipe_v && micro_batches < 2 * ranks) continue;
          Question one = question({.tensor = 4, .sequence = true}, 2, ranks, in_a_v ? 2 : 1, micro_batches);
          one.order = order;
          compare(one, in_a_v ? 0.03 : 1e-6);
        }
  }

  /// An allocator holds what it is asked for, up to the memory that runs can use; then it gives back what is free.
  void full_allocators() {
    const double room = mesh::usable_share * static_cast<double>(rates().type.memory.count);
    int below = 0;
    for (const int micro_batches : {1, 2, 4})
      for (const double cached : {0.0, 0.1, 0.5, 1.0}) {
        Question one = question({.tensor = 4}, 1, 4, 1, micro_batches);
        one.training.cached = cached;
        const auto plain = sim::step::predict_step(one, rates()).value();
        const auto needed = static_cast<double>(plain.needed.count);
        const auto held = static_cast<double>(plain.with_context.count);
        QVERIFY(held >= needed && held <= std::max(needed, room) + 1);
        QCOMPARE(plain.reserved().count, plain.with_context.count - plain.needed.count + plain.peak.count);
        below += held + 1 < room ? 1 : 0;
        one.training.cached = 0;
        QCOMPARE(sim::step::predict_step(one, rates()).value().needed.count, plain.needed.count);
      }
    Question wide = question({.tensor = 4}, 1, 2, 1, 8);
    wide.layer.count.micro_batch = 3, wide.training.cached = 1;
    const auto most = sim::step::predict_step(wide, rates()).value();
    QVERIFY(static_cast<double>(most.needed.count) < 0.9 * room);
    QCOMPARE(most.with_context.count, static_cast<std::int64_t>(room));
    QVERIFY(below > 0);
  }

  void recomputation() {
    for (const int chunks : {1, 4}) {
      Question one = question({.tensor = 2, .context = 2}, 1, 4, chunks, 8);
      one.layer.recomputed.blocks = true;
      compare(one, 0.02);
    }
  }

  /// A plan fits by its curves if and only if it does by the prediction.
  void verdicts_agree() {
    test::Random random(28);
    int fitting = 0;
    for (int i = 0; i < 60; ++i) {
      Question one = question({.tensor = 1 << random.integer(0, 2)}, random.integer(1, 4), 1 << random.integer(0, 2), 1,
                              random.integer(1, 8));
      one.sharding.level = random.integer(0, 3);
      one.layer.count.micro_batch = random.integer(1, 4);
      const bool fits = sim::step::predict_step(one, rates())->fits;
      QCOMPARE(sim::simulate(one, rates())->fits, fits);
      fitting += fits;
    }
    QVERIFY2(fitting > 5 && fitting < 55, qPrintable(QString::number(fitting)));
  }
};

PIPEDECK_TEST(TestStepMemory)

}  // namespace pipedeck::tst_step_memory

#include "tst_step_memory.moc"
