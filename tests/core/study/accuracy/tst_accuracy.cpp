// SPDX-License-Identifier: Apache-2.0
// Predictions next to measurements: figures of hand-made outcomes, and the questions of one run of each kind.
#include <QTest>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <random>

#include "core/cost/state_bytes.hpp"
#include "core/io/files.hpp"
#include "core/plan/mesh_rules.hpp"
#include "core/presets/device_catalogue.hpp"
#include "core/study/accuracy/accuracy.hpp"
#include "core/study/accuracy/question_of.hpp"
#include "tests/support/shared_data.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_accuracy {

using namespace study::accuracy;

bool close(double a, double b) { return std::abs(a - b) <= 1e-12 * std::max(1.0, std::abs(b)); }

const std::vector<PublishedRun>& samples() {
  static const auto runs =
      runs_from_csv(io::read_file(test::source_dir() + "/tests/fixtures/published-runs.csv").value()).value();
  return runs;
}

PublishedRun sample(const std::string& row) {
  const auto found = std::ranges::find(samples(), row, &PublishedRun::row);
  return found == samples().end() ? PublishedRun{} : *found;
}

Expressed expressed(const PublishedRun& run) { return question_of(run, presets::device_catalogue()); }
mesh::Question question(const std::string& row) { return expressed(sample(row)).question.value_or(mesh::Question{}); }

Outcome outcome(const std::string& model, double measured, double predicted) {
  Outcome one;
  one.run = sample("torchtitan-001");
  one.run.model = model;
  one.judged = true;
  one.measured_seconds = measured;
  one.prediction.emplace();
  one.prediction->iteration = Seconds(predicted);
  one.prediction->fits = predicted < 100;
  return one;
}

/// Pearson's correlation of ranks that are counted value by value.
double counted_correlation(const std::vector<double>& a, const std::vector<double>& b) {
  const auto ranks = [](const std::vector<double>& values) {
    std::vector<double> all;
    for (const double value : values) {
      double below = 0, equal = 0;
      for (const double other : values) below += other < value, equal += other == value;
      all.push_back(below + (equal + 1) / 2);
    }
    return all;
  };
  const auto x = ranks(a), y = ranks(b);
  const auto n = double(x.size());
  double sx = 0, sy = 0, sxy = 0, sxx = 0, syy = 0;
  for (std::size_t i = 0; i < x.size(); ++i)
    sx += x[i], sy += y[i], sxy += x[i] * y[i], sxx += x[i] * x[i], syy += y[i] * y[i];
  return (n * sxy - sx * sy) / std::sqrt((n * sxx - sx * sx) * (n * syy - sy * sy));
}

class TestAccuracy : public QObject {
  Q_OBJECT

 private slots:
  void errors_of_a_group() {
    const ErrorSummary none = summary_of(std::vector<double>{});
    QCOMPARE(none.rows, 0);
    QCOMPARE(none.nine_in_ten, 0.0);
    const ErrorSummary ten = summary_of(std::vector{-0.1, 0.2, -0.3, 0.4, 0.5, 0.6, -0.7, 0.8, -0.9, 1.0});
    QCOMPARE(ten.rows, 10);
    QVERIFY(close(ten.mean_absolute, 0.55));
    QVERIFY(close(ten.mean, 0.15));
    QVERIFY(close(ten.nine_in_ten, 0.9));
    QVERIFY(close(ten.largest, 1));
    QVERIFY(close(summary_of(std::vector{0.1, -0.2}).nine_in_ten, 0.2));
    QVERIFY(close(summary_of(std::vector{-0.3}).nine_in_ten, 0.3));
  }

  /// Half the time is twice the tokens: +100 %.
  void error_of_a_run() {
    QVERIFY(close(outcome("m", 4, 2).error().value(), 1));
    QVERIFY(close(outcome("m", 2, 4).error().value(), -0.5));
    QVERIFY(!Outcome{}.error());
  }

  void memory_by_kind() {
    Outcome one = outcome("m", 1, 1);
    one.prediction->peak = Bytes(std::int64_t{66} << 30);
    one.prediction->needed = Bytes(std::int64_t{69} << 30);
    one.prediction->with_context = Bytes(std::int64_t{72} << 30);
    one.prediction->capacity = Bytes(std::int64_t{80} << 30);
    one.run.memory_gib = 60;
    one.run.memory_kind = "max allocated over ranks";
    QVERIFY(close(one.memory_error().value(), 0.1));
    one.run.memory_kind = "max reserved over GPUs";
    QVERIFY(close(one.memory_error().value(), 0.15));
    one.run.memory_kind = {};
    QVERIFY(close(one.memory_error().value(), 0.2));
    one.run.source = "colossalai", one.run.memory_kind = "peak MiB as printed";
    QVERIFY(close(one.memory_error().value(), 0.1));
    one.run.source = "bigscience-176b", one.run.memory_kind = "nvidia-smi, GB of the fullest node as printed";
    QVERIFY(close(one.memory_error().value(), 1.2 * 1.024 - 1));  // thousands of MiB; 80 GiB are 81.92
    one.run.memory_gib = 81.9;
    QVERIFY(one.memory_error() && one.memory_left_out().empty());
    one.run.memory_gib = 82;
    QVERIFY(!one.memory_error() && !one.memory_left_out().empty());
    one.run.memory_gib = 60, one.run.pipeline = 2;
    one.run.micro_batch.reset();
    QVERIFY(!one.memory_error() && !one.memory_left_out().empty());
    one.run.micro_batch = 1;
    QVERIFY(one.memory_error());
    one.run.memory_gib.reset();
    QVERIFY(!one.memory_error() && one.memory_left_out().empty());
  }

  void rank_correlation_of_few() {
    const std::vector<double> up{1, 2, 3, 4}, down{9, 7, 5, 1}, same{2, 2, 2, 2};
    QVERIFY(close(rank_correlation(up, up).value(), 1));
    QVERIFY(close(rank_correlation(up, down).value(), -1));
    QVERIFY(!rank_correlation(up, same));
    QVERIFY(!rank_correlation(std::vector{1.0}, std::vector{1.0}));
    QVERIFY(close(rank_correlation(up, std::vector{1.0, 3.0, 2.0, 4.0}).value(), 0.8));  // 1 - 6·2/(4·15)
  }

  /// Values from 0 to 4, so that most are equal to another.
  void rank_correlation_with_equal_values() {
    std::mt19937 random(7);
    for (int trial = 0; trial < 200; ++trial) {
      std::vector<double> a, b;
      for (unsigned i = 0; i < 3 + random() % 12; ++i) a.push_back(random() % 5), b.push_back(random() % 5);
      const auto found = rank_correlation(a, b);
      const double counted = counted_correlation(a, b);
      QCOMPARE(found.has_value(), std::isfinite(counted));
      if (found) QVERIFY2(std::abs(*found - counted) < 1e-9, qPrintable(QString::number(*found - counted)));
    }
  }

  void groups_and_ranks() {
    std::vector<Outcome> outcomes;
    for (int i = 1; i <= 5; ++i) outcomes.push_back(outcome("a", i, i * 1.25));
    outcomes.push_back(outcome("b", 3, 150));
    outcomes.push_back(outcome("b", 3, 1));
    outcomes.back().judged = false;
    Outcome skipped;
    skipped.judged = true;
    skipped.skipped = "no reason";
    outcomes.push_back(skipped);

    const auto groups = groups_of(outcomes, std::vector<std::string>{"model", "pp"});
    QCOMPARE(groups.size(), std::size_t{2});
    QCOMPARE(groups[0].key, std::string("model=b pp=no"));
    QCOMPARE(groups[0].errors.rows, 1);
    QVERIFY(close(groups[1].errors.mean, -0.2));

    const AccuracySummary summary = summary_of(outcomes);
    QCOMPARE(summary.rows, 8);
    QCOMPARE(summary.judged, 7);
    QCOMPARE(summary.predicted, 6);
    QCOMPARE(summary.refused, 1);
    QCOMPARE(summary.skipped, (std::map<std::string, int>{{"no reason", 1}}));
    QCOMPARE(summary.ranks.size(), std::size_t{1});
    QCOMPARE(summary.ranks[0].rows, 5);
    QVERIFY(close(summary.rank_mean.value(), 1));
    for (const std::string_view key : group_keys()) QVERIFY(!key_of(sample("torchtitan-001"), key).empty());
  }

  /// All kinds of rows but hybrids give a question whose degrees keep the rules of every plan.
  void one_run_of_each_kind() {
    QVERIFY(samples().size() > 25);
    for (const PublishedRun& run : samples()) {
      const Expressed one = expressed(run);
      if (run.attention.starts_with("hybrid")) {
        QCOMPARE(one.reason, std::string("the model is a hybrid whose shape is left open"));
        continue;
      }
      QVERIFY2(one.question, (run.row + ": " + one.reason).c_str());
      const mesh::Question& q = *one.question;
      QCOMPARE(q.devices(), *run.gpus);
      QCOMPARE(static_cast<int>(devices_of(*q.cluster).size()), *run.gpus);
      if (run.global_batch) QCOMPARE(q.global_batch(), *run.global_batch);
      if (!q.blocks.empty()) {
        QCOMPARE(static_cast<int>(q.blocks.size()), q.pipeline * q.virtual_stages);
        QCOMPARE(std::accumulate(q.blocks.begin(), q.blocks.end(), 0), q.config.layers);
      }
      const auto kept = plan::check_mesh({.model = &q.config,
                                          .shard = q.shard(),
                                          .sharding = q.sharding,
                                          .devices = q.devices(),
                                          .pipeline = q.pipeline,
                                          .virtual_stages = q.virtual_stages,
                                          .sequence = q.layer.count.sequence,
                                          .micro_batch = q.layer.count.micro_batch,
                                          .micro_batches = q.micro_batches,
                                          .even_blocks = q.blocks.empty()});
      QVERIFY2(kept, kept ? "" : (run.row + ": " + kept.error().text()).c_str());
    }
  }

  void deepseek_on_gb200() {
    const mesh::Question q = question("megatron-bridge-002");
    QCOMPARE(q.config.latent.value(), (LatentAttention{1536, 512, 128, 64, 128}));
    QCOMPARE(q.config.experts->count, 256);
    QCOMPARE(q.config.experts->per_token, 8);
    QCOMPARE(q.config.experts->dense, (std::vector{0, 1, 2}));
    QVERIFY(!q.config.tied && q.config.gated);
    QCOMPARE(q.shard(), (Shard{.expert = 64}));
    QCOMPARE(q.pipeline, 4);
    QCOMPARE(q.virtual_stages, 4);
    QCOMPARE(q.micro_batches, 64);
    std::vector<int> blocks(16, 4);
    blocks.back() = 1;
    QCOMPARE(q.blocks, blocks);
    QCOMPARE(q.sharding, (Sharding{.level = 1}));
    QCOMPARE(q.training.products, std::string("mxfp8"));
    QCOMPARE(q.training.hidden, (Hidden{.expert = true, .pipeline = true}));
    QCOMPARE(q.wire.gradients, 2.0);
    QCOMPARE(q.wire.weights, 2.0);
    QCOMPARE(q.training.multi_token_blocks, 1);
    QVERIFY(q.training.graphs != Graphs::none);
    QVERIFY(q.layer.dispatcher == Dispatcher::flex);
    QCOMPARE(q.layer.recomputed.parts, (std::set{analytic::times::Part::latent_up}));
    QVERIFY(!q.layer.recomputed.blocks);
    // 64 of the 72 GPUs of each domain, so that 64 experts' ranks stay in one
    QCOMPARE(q.cluster->nodes.size(), std::size_t{64});
    QCOMPARE(q.cluster->nodes[15].domain, q.cluster->nodes[0].domain);
    QVERIFY(q.cluster->nodes[16].domain != q.cluster->nodes[0].domain);
    QCOMPARE(q.cluster->nodes[0].nic->count, 50e9);
  }

  void windows_of_every_second_block() {
    const mesh::Question q = question("megatron-bridge-005");
    const auto pairs = [](double window) { return window / 4096 - window * window / 2 / 4096 / 4096; };
    QVERIFY(std::abs(pairs(q.config.window) - (pairs(128) + 0.5) / 2) < 1e-3);
    QVERIFY(is_one_domain(*q.cluster));
  }

  void adapters() {
    QCOMPARE(question("megatron-bridge-069").training.adapters.rank, 16);
    QCOMPARE(question("nemo-automodel-011").training.adapters.rank, 16);
    QCOMPARE(question("megatron-bridge-002").training.adapters.rank, 0);
  }

  void fully_sharded() {
    const mesh::Question second = question("llm-foundry-013");
    QCOMPARE(second.sharding, (Sharding{.level = 3, .reshard = Reshard::after_backward}));
    QVERIFY(second.config.tied && second.config.norm == NormKind::layer && !second.config.bias_output);
    QCOMPARE(question("llm-foundry-071").training.recipe, std::string("delayed"));
    QVERIFY(question("llm-foundry-071").layer.recomputed.blocks);

    const mesh::Question copies = question("dgxc-benchmarking-056");
    QCOMPARE(copies.sharding.group, 128);
    QCOMPARE(copies.sharding.copies, CopySync::each_step);
    QCOMPARE(question("ibm-fms-fsdp-002").sharding.group, 8);
    QCOMPARE(question("ibm-fms-fsdp-002").sharding.copies, CopySync::each_micro_batch);

    const mesh::Question titan = question("torchtitan-010");
    QCOMPARE(titan.sharding.level, 3);
    QCOMPARE(titan.shard().context_kind, ContextKind::gather);
    QCOMPARE(titan.states, cost::state_bytes("fp32-masters").value());
    QCOMPARE(titan.wire.gradients, 4.0);
    QCOMPARE(question("torchtitan-001").layer.recomputed.count, 16);
  }

  void optimizer_states() {
    QCOMPARE(question("internevo-009").sharding, (Sharding{.level = 1}));  // 8 of 8 ranks
    QCOMPARE(question("internevo-056").layer.count.sequence, 2048);
    QCOMPARE(question("megatron-lm-a100-010").sharding.level, 0);
    QCOMPARE(question("megatron-lm-a100-010").virtual_stages, 2);
    QVERIFY(!question("megatron-lm-a100-010").training.hidden.gradients);
    QCOMPARE(question("colossalai-001").sharding.level, 2);
    QCOMPARE(question("colossalai-001").global_batch(), 8 * 36);
  }

  void bigscience() {
    const mesh::Question short_end = question("bigscience-176b-082");
    std::vector<int> blocks(12, 7);
    blocks.back() = 1;
    QCOMPARE(short_end.blocks, blocks);
    QCOMPARE(short_end.wire.gradients, 2.0);
    QVERIFY(!short_end.training.hidden.gradients && !short_end.training.hidden.pipeline);
    const mesh::Question both_ends = question("bigscience-176b-107");
    blocks.assign(12, 9);
    blocks.front() = blocks.back() = 8;
    QCOMPARE(both_ends.blocks, blocks);
    QCOMPARE(both_ends.wire.gradients, 4.0);
    QCOMPARE(both_ends.cluster->nodes[0].nic->count, 6.25e9);
    QVERIFY(both_ends.training.own_groups && both_ends.training.cached == pytorch_cached);
    QCOMPARE(both_ends.training.context, 1573 * 0x1p20);
    QCOMPARE(both_ends.training.bucket, 5e8);
    const mesh::Question without_zero = question("bigscience-v100-001");
    QCOMPARE(without_zero.training.context, 1271 * 0x1p20);
    QVERIFY(without_zero.training.bucket == 0 && without_zero.training.cached == 0);
    QCOMPARE(without_zero.states.step, 4.0);
  }

  void internevo() {
    const mesh::Question zero = question("internevo-009");
    QCOMPARE(zero.states, cost::state_bytes("internevo").value());
    QCOMPARE(zero.training.bucket, 0x1p29);
    const mesh::Question fsdp = question("internevo-056");
    QCOMPARE(fsdp.states, cost::state_bytes("internevo-fsdp").value());
    QCOMPARE(fsdp.training.bucket, 0.0);
    QVERIFY(fsdp.states.freed == 0 && zero.states.freed == 6);
  }

  void compiled() {
    QVERIFY(!question("torchtitan-001").training.compiled);
    QVERIFY(question("torchtitan-010").training.compiled);
  }

  void megatron() {
    const mesh::Question q = question("simumax-b200-037");
    QCOMPARE(q.shard().context_kind, ContextKind::heads);
    QVERIFY(q.shard().sequence && q.layer.fused_loss);
    QCOMPARE(q.training.hidden, (Hidden{false, false, false, false, false}));
    QVERIFY(question("korthikanti-2205.05198-002").layer.count.attention == AttentionMemory::selective);
    QVERIFY(question("megatron-bridge-272").layer.capacity == 1);
    QVERIFY(question("mlperf-v4.1-002").training.hidden.tensor);
    QCOMPARE(question("mlperf-v4.1-002").wire.weights, 1.0);
    QCOMPARE(question("megatron-bridge-260").layer.recomputed.count, 5);
  }

  void what_is_assumed_is_noted() {
    const auto notes = expressed(sample("nemo-long-sequence-005")).notes;
    for (const char* const note : {"a micro-batch of 1 is assumed", "no recomputation is assumed"})
      QVERIFY(std::ranges::find(notes, note) != notes.end());
    PublishedRun open = sample("nemo-long-sequence-005");
    open.data.reset();
    QCOMPARE(expressed(open).question->data, 16);
  }

  void refused_data() {
    QTest::addColumn<int>("change");
    QTest::addColumn<QString>("reason");
    QTest::newRow("gpus") << 0 << "the degrees multiply to 256 GPUs, not 128";
    QTest::newRow("batch") << 1 << "a global batch of 100 is no multiple of 1 samples on 64 data-parallel ranks";
    QTest::newRow("sharding") << 2 << "the sharding 'zero9' is not known";
    QTest::newRow("recompute") << 3 << "the recomputation 'much' is not known";
    QTest::newRow("attention") << 4 << "the attention 'linear' is not known";
    QTest::newRow("device") << 5 << "the device type X9 is not in the catalogue";
    QTest::newRow("shape") << 6 << "the shape of the model is not printed";
    QTest::newRow("stages") << 7 << "61 blocks are fewer than 64 stages";
    QTest::newRow("module") << 8 << "found recompute module 'roof', expected one of";
    QTest::newRow("sequence") << 9 << "the number of tokens of a sample is not printed";
  }
  void refused() {
    QFETCH(int, change);
    QFETCH(QString, reason);
    PublishedRun run = sample("megatron-bridge-002");
    using Change = void (*)(PublishedRun&);
    const std::array<Change, 10> changes{[](PublishedRun& r) { r.gpus = 128; },
                                         [](PublishedRun& r) { r.global_batch = 100; },
                                         [](PublishedRun& r) { r.sharding = "zero9"; },
                                         [](PublishedRun& r) { r.recompute = "much"; },
                                         [](PublishedRun& r) { r.attention = "linear"; },
                                         [](PublishedRun& r) { r.gpu = "X9"; },
                                         [](PublishedRun& r) { r.hidden.reset(); },
                                         [](PublishedRun& r) { r.virtual_stages = 16; },
                                         [](PublishedRun& r) { r.recompute = "selective:mlp+roof"; },
                                         [](PublishedRun& r) { r.sequence.reset(); }};
    changes.at(static_cast<std::size_t>(change))(run);
    const Expressed one = expressed(run);
    QVERIFY(!one.question);
    QVERIFY2(one.reason.starts_with(reason.toStdString()), one.reason.c_str());
  }

  /// A run whose recomputation is not printed took place: the least recomputation that fits is assumed.
  void assumptions_that_fit() {
    const auto found = [](const std::string& row, const auto& fits) {
      const std::vector<PublishedRun> one{sample(row)};
      const Predict predict = [&](const mesh::Question& q, const mesh::Rates&) -> Result<mesh::Prediction> {
        mesh::Prediction prediction;
        prediction.iteration = Seconds(q.layer.recomputed.blocks ? 4 : 3);
        prediction.fits = fits(q);
        return prediction;
      };
      EfficiencyTable table;
      table.devices.emplace_back().device = default_efficiency;
      return outcomes_of(one, presets::device_catalogue(), table, predict, 1).front();
    };
    const auto blocks = [](const mesh::Question& q) { return q.layer.recomputed.blocks; };
    const auto never = [](const mesh::Question&) { return false; };
    const Outcome open = found("dgxc-benchmarking-083", blocks);
    QVERIFY(open.prediction->fits);
    QCOMPARE(open.prediction->iteration.count, 4.0);
    QCOMPARE(open.notes.back(), std::string("recomputation of every block is assumed, for it has to fit"));
    QVERIFY(!found("dgxc-benchmarking-083", never).prediction->fits);
    QVERIFY(!found("internevo-009", blocks).prediction->fits);  // prints that nothing is recomputed
  }

  /// A prediction of a millisecond a sample, on one thread and on several.
  void outcomes_in_the_order_of_runs() {
    const Predict predict = [](const mesh::Question& q, const mesh::Rates& rates) -> Result<mesh::Prediction> {
      if (q.config.name == "mpt-7b") return fail(ErrorCode::bad_input, "not this one");
      ensure(q.config.name != "gpt3-175b", "no rule");
      mesh::Prediction prediction;
      prediction.iteration = Seconds(q.global_batch() * rates.reached.memory / 1000);
      return prediction;
    };
    EfficiencyTable table;
    for (const DeviceModel& model : presets::device_catalogue()) {
      table.devices.emplace_back().device = model.type.name;
      table.devices.back().memory = 1;
    }
    const auto one = outcomes_of(samples(), presets::device_catalogue(), table, predict, 1);
    const auto many = outcomes_of(samples(), presets::device_catalogue(), table, predict, 5);
    QCOMPARE(one.size(), samples().size());
    int skipped = 0;
    for (std::size_t i = 0; i < one.size(); ++i) {
      const PublishedRun& run = samples()[i];
      QCOMPARE(one[i].run.row, run.row);
      QCOMPARE(one[i].skipped, many[i].skipped);
      QCOMPARE(one[i].notes, many[i].notes);
      QCOMPARE(one[i].prediction.has_value(), many[i].prediction.has_value());
      if (one[i].prediction && run.global_batch) {
        QCOMPARE(one[i].prediction->iteration.count, *run.global_batch / 1000.0);
        QCOMPARE(one[i].prediction->iteration, many[i].prediction->iteration);
      }
      skipped += !one[i].prediction;
      if (run.model == "gpt3-175b") QCOMPARE(one[i].skipped, std::string("internal error: no rule"));
    }
    QVERIFY(skipped >= 4 && skipped < 8);
  }
};

PIPEDECK_TEST(TestAccuracy)

}  // namespace pipedeck::tst_accuracy

#include "tst_accuracy.moc"
