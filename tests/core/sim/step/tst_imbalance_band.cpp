// SPDX-License-Identifier: Apache-2.0
// Time and memory over the imbalance of experts, the memory of hosts, and shares kept for other programs.
#include <QTest>

#include <array>
#include <cmath>
#include <memory>

#include "core/mesh/memory.hpp"
#include "core/mesh/stages.hpp"
#include "core/sim/simulate.hpp"
#include "core/sim/step/imbalance_band.hpp"
#include "core/sim/step/predict_step.hpp"
#include "tests/support/random_problem.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_imbalance_band {

using mesh::Prediction;
using mesh::Question;

mesh::Rates rates(double gib = 80) {
  mesh::Rates made;
  made.type.name = "gpu", made.type.memory = Bytes(std::llround(gib * 0x1p30));
  made.type.peak_tflops = {{"bf16", 989}};
  made.type.memory_bandwidth = BytesPerSecond(3.35e12);
  made.type.host_bandwidth = BytesPerSecond(55e9);
  made.reached.products["bf16"] = {}, made.reached.attention["default"] = {};
  return made;
}

/// 8 experts of which a token takes 2, on 4 ranks each; D 8 unless there are pipeline ranks.
Question question_of(int pipeline = 1) {
  Question made;
  TransformerConfig& config = made.config;
  config.hidden = 2048, config.layers = 8, config.heads = config.key_value_heads = 16, config.head_width = 128;
  config.feed_forward = 8192, config.gated = true, config.norm = NormKind::rms, config.vocabulary = 32000;
  config.experts = Experts{.count = 8, .per_token = 2, .feed_forward = 4096, .dense = {}};
  made.layer.count = {.sequence = 4096, .micro_batch = 2};
  made.layer.shard.expert = 4;
  made.data = 8 / pipeline, made.pipeline = pipeline, made.micro_batches = 4;
  auto cluster = std::make_shared<Cluster>();
  cluster->device_types = {rates().type};
  cluster->nodes.emplace_back();
  cluster->nodes.front().name = "node", cluster->nodes.front().devices = {{"gpu", 8}};
  cluster->nodes.front().link = Link{BytesPerSecond(300e9), Seconds(2e-6)};
  cluster->nodes.front().memory_bandwidth = BytesPerSecond(400e9);
  made.cluster = cluster;
  return made;
}

Prediction predicted(const Question& question, const mesh::Rates& on = rates()) {
  const auto found = sim::step::predict_step(question, on);
  if (!found) qFatal("%s", found.error().text().c_str());
  return *found;
}
bool fits(Question question, const mesh::Rates& on, double imbalance) {
  question.layer.imbalance = imbalance;
  return predicted(question, on).fits;
}
double needed(Question question, double imbalance) {
  question.layer.imbalance = imbalance;
  return static_cast<double>(predicted(question).needed.count);
}

void set_host_memory(Question& question, double bytes) {
  auto cluster = std::make_shared<Cluster>(*question.cluster);
  cluster->nodes.front().memory = Bytes(std::llround(bytes));
  question.cluster = cluster;
}

class TestImbalanceBand : public QObject {
  Q_OBJECT

 private slots:
  void largest_is_that_of_all_tokens_on_one_rank() {
    Question question = question_of();
    QCOMPARE(sim::step::most_imbalance(question), 4.0);  // 2 experts a rank, both of them taken
    question.config.experts->per_token = 4;
    QCOMPARE(sim::step::most_imbalance(question), 2.0);  // 4 experts of a token are on 2 ranks at least
    QVERIFY(sim::step::has_imbalance(question));
    question.layer.capacity = 1.25;
    QVERIFY(!sim::step::has_imbalance(question));
    question.config.experts.reset();
    QVERIFY(!sim::step::has_imbalance(question));
  }

  /// The end fits, a hundredth more does not; devices whose memory is just enough for each imbalance.
  void end_of_the_band_is_exact() {
    const Question question = question_of();
    constexpr std::array at{1.0, 2.0, 9.0};
    for (const double imbalance : {1.0, 1.37, 1.7, 2.5, 3.99}) {
      const double gib = needed(question, imbalance) / mesh::usable_share / 0x1p30 * (1 + 1e-9);
      const auto band = sim::step::imbalance_band(question, rates(gib), at).value();
      QCOMPARE(band.fits_up_to, imbalance);
      QVERIFY(fits(question, rates(gib), imbalance));
      QVERIFY(!fits(question, rates(gib), imbalance + 0.01));
      QCOMPARE(band.points.size(), std::size_t{2});
      QVERIFY(band.points[1].prediction.iteration > band.points[0].prediction.iteration);
      QVERIFY(band.points[1].prediction.needed > band.points[0].prediction.needed);
      QCOMPARE(band.points[1].prediction.fits, imbalance >= 2);
    }
    QCOMPARE(sim::step::imbalance_band(question, rates(800), at)->fits_up_to, 4.0);
    QCOMPARE(sim::step::imbalance_band(question, rates(1), at)->fits_up_to, 0.0);
  }

  void memory_alone_is_that_of_the_step() {
    for (const int pipeline : {1, 2}) {
      const Question question = question_of(pipeline);
      const Prediction whole = predicted(question);
      const auto memory = sim::step::predict_memory(question, rates());
      QCOMPARE(memory->needed.count, whole.needed.count);
      QCOMPARE(memory->with_context.count, whole.with_context.count);
      QCOMPARE(memory->fits, whole.fits);
    }
  }

  /// All devices of the node share its memory: each kind of bytes adds up over both pipeline ranks.
  void host_has_the_bytes_of_its_devices() {
    Question question = question_of(2);
    question.sharding.level = 1;
    question.training.offloads_optimizer = true;
    question.training.offloaded_blocks = 1;
    const mesh::HostMemory host = predicted(question).host;
    const auto layers = mesh::stage_layers(question).value();
    double states = 0, activations = 0, copies = 0;
    for (int rank = 0; rank < 2; ++rank) {
      const auto stage = mesh::stage_memory(question, layers[static_cast<std::size_t>(rank)], rank == 0, rank == 1);
      states += 4 * stage->host_states, copies += 4 * stage->host_copies;
      activations += 4 * stage->offloaded * (2 - rank);
    }
    QVERIFY(activations > 0 && states > 0);
    QVERIFY(std::abs(static_cast<double>(host.states.count) - states) < 10);
    QVERIFY(std::abs(static_cast<double>(host.activations.count) - activations) < 10);
    QVERIFY(std::abs(static_cast<double>(host.copies.count) - copies) < 10);
    QVERIFY(!host.capacity && host.fits());
    const auto total = static_cast<double>(host.total().count);
    set_host_memory(question, total);
    QVERIFY(predicted(question).fits);
    set_host_memory(question, total - 1);
    QVERIFY(!predicted(question).host.fits());
    QVERIFY(!predicted(question).fits);
  }

  void others_keep_their_share() {
    Question question = question_of();
    const double usable = mesh::usable_share * 80 * 0x1p30, own = needed(question, 1);
    question.kept_for_others = std::floor(usable - own) - 1;
    QVERIFY(predicted(question).fits);
    question.kept_for_others += 2;
    QVERIFY(!predicted(question).fits);
    // The simulated curves have it, too.
    const auto with = sim::simulate(question, rates());
    QVERIFY(!with->fits);
    question.kept_for_others = 0;
    const auto without = sim::simulate(question, rates());
    QVERIFY(without->fits);
  }

  /// Copies to the host are a part of their own, and the parts' sum is the step.
  void parts_add_up() {
    Question question = question_of(2);
    question.training.offloaded_blocks = 2;
    question.training.sample_lengths = {{512, 0.5}, {4096, 0.5}};
    mesh::Rates slow = rates();
    slow.type.host_bandwidth = BytesPerSecond(1e9);
    const Prediction found = predicted(question, slow);
    double sum = 0;
    for (const Seconds part : found.parts) sum += part.count;
    QVERIFY(std::abs(sum / found.iteration.count - 1) < 1e-9);
    QVERIFY(found[mesh::StepPart::host].count > 0);
    QVERIFY(found[mesh::StepPart::data].count >= 0);
    // Waiting for longer samples lengthens the step and is among the bubble.
    Question even = question;
    even.training.sample_lengths = {{512, 1.0}};
    Question uneven = question;
    uneven.training.sample_lengths = {{256, 0.5}, {768, 0.5}};
    QVERIFY(predicted(uneven)[mesh::StepPart::bubble] > predicted(even)[mesh::StepPart::bubble]);
  }
};

PIPEDECK_TEST(TestImbalanceBand)

}  // namespace pipedeck::tst_imbalance_band

#include "tst_imbalance_band.moc"
