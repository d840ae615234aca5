// SPDX-License-Identifier: Apache-2.0
// Attention over packed samples: closed forms, and seeded packing of random samples.
#include <QTest>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include "core/analytic/transformer/shards/work_times.hpp"
#include "core/mesh/rates.hpp"
#include "core/mesh/sample_lengths.hpp"
#include "core/mesh/stages.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_sample_lengths {

using mesh::PackedWork;
using mesh::Question;

const std::vector<LengthShare> mixed{{128, 0.5}, {512, 0.3}, {2048, 0.2}};

double pairs_of(int tokens, int window) {
  double pairs = 0;
  for (int t = 0; t < tokens; ++t) pairs += std::min(t + 0.5, window > 0 ? window : 1e9);
  return pairs;
}

/// Packs random samples one after the other; a sample on two sequences counts in each by its part.
PackedWork packed(const std::vector<LengthShare>& lengths, int sequence, int window, int count) {
  std::mt19937_64 random(7);
  std::vector<double> shares, all_pairs;
  for (const LengthShare& one : lengths) shares.push_back(one.share), all_pairs.push_back(pairs_of(one.tokens, window));
  std::discrete_distribution<std::size_t> draw(shares.begin(), shares.end());
  double sum = 0, squares = 0, left = 0;  // `left`: tokens of the sample that began in the sequence before
  std::size_t sample = 0;
  for (int i = 0; i < count; ++i) {
    double pairs = 0, tokens = 0;
    while (tokens < sequence) {
      if (left <= 0) sample = draw(random), left = lengths[sample].tokens;
      const double here = std::min(left, sequence - tokens);
      pairs += all_pairs[sample] * here / lengths[sample].tokens;
      tokens += here, left -= here;
    }
    sum += pairs, squares += pairs * pairs;
  }
  const double mean = sum / count;
  return {mean / pairs_of(sequence, window), std::sqrt(squares / count - mean * mean) / mean};
}

Question question_of(std::vector<LengthShare> lengths) {
  Question question;
  TransformerConfig& config = question.config;
  config.hidden = 1024, config.layers = 2, config.heads = config.key_value_heads = 8, config.head_width = 128;
  config.feed_forward = 4096, config.vocabulary = 32000, config.norm = NormKind::rms, config.causal = true;
  question.layer.count = {.sequence = 8192, .micro_batch = 1, .attention = AttentionMemory::fused};
  auto cluster = std::make_shared<Cluster>();
  cluster->nodes.emplace_back();
  cluster->nodes.front().name = "node", cluster->nodes.front().devices = {{"X1", 8}};
  question.cluster = cluster;
  question.training.sample_lengths = std::move(lengths);
  return question;
}

class TestSampleLengths : public QObject {
  Q_OBJECT

 private slots:
  /// "A 1 k sequence is twice two of 512."
  void equal_samples_have_no_deviation() {
    for (const int tokens : {256, 1024, 4096}) {
      const PackedWork found = mesh::packed_work(std::vector{LengthShare{tokens, 1}}, 4096).value();
      QCOMPARE(found.share, tokens / 4096.0);
      QCOMPARE(found.deviation, 0.0);
    }
    const PackedWork none = mesh::packed_work(std::vector<LengthShare>{}, 4096).value();
    QCOMPARE(none.share, 1.0);
  }

  void share_is_the_mean_square() {
    const double mean = 0.5 * 128 + 0.3 * 512 + 0.2 * 2048;
    const double square = 0.5 * 128 * 128 + 0.3 * 512 * 512 + 0.2 * 2048 * 2048;
    QVERIFY(std::abs(mesh::packed_work(mixed, 8192)->share - square / mean / 8192) < 1e-12);
  }

  /// The deviation is that of long sequences: within 10 % from 16 mean samples on.
  void packing_has_that_mean_and_deviation() {
    for (const int window : {0, 256})
      for (const int sequence : {8192, 65536}) {
        const PackedWork found = mesh::packed_work(mixed, sequence, window).value();
        const PackedWork drawn = packed(mixed, sequence, window, 8000);
        QVERIFY2(std::abs(found.share / drawn.share - 1) < 0.02, qPrintable(QString::number(drawn.share)));
        QVERIFY2(std::abs(found.deviation / drawn.deviation - 1) < 0.1, qPrintable(QString::number(drawn.deviation)));
      }
  }

  void longer_samples_are_refused() {
    const auto found = mesh::packed_work(std::vector{LengthShare{4097, 1}}, 4096);
    QVERIFY(!found);
    QVERIFY(found.error().text().find("found samples of 4097 tokens, expected at most the sequence's 4096") !=
            std::string::npos);
  }

  /// Closed forms of two and three values, and drawn ones.
  void largest_of_normal_values() {
    QVERIFY(std::abs(mesh::expected_maximum(1)) < 1e-6);
    QVERIFY(std::abs(mesh::expected_maximum(2) - std::numbers::inv_sqrtpi) < 1e-6);
    QVERIFY(std::abs(mesh::expected_maximum(3) - 1.5 * std::numbers::inv_sqrtpi) < 1e-6);
    std::mt19937_64 random(11);
    std::normal_distribution<double> normal;
    double sum = 0;
    constexpr int draws = 4000, count = 64;
    for (int i = 0; i < draws; ++i) {
      double most = -1e9;
      for (int k = 0; k < count; ++k) most = std::max(most, normal(random));
      sum += most / draws;
    }
    QVERIFY(std::abs(mesh::expected_maximum(count) - sum) < 0.03);
  }

  void attention_alone_is_shorter() {
    mesh::Rates rates;
    rates.type.peak_tflops = {{"bf16", 400}}, rates.type.memory_bandwidth = gigabytes_per_second(2000);
    rates.reached.products = {{"bf16", {{0.7, 0, 0, 0}, {0.6, 0, 0, 0}, 0}}};
    rates.reached.attention = {{"default", {0.5, 0.4, 0, 0}}};
    rates.reached.kernel = rates.reached.launch = rates.reached.layer = Seconds(0);
    const auto whole = mesh::stage_layers(question_of({})).value().front();
    const auto short_ones = mesh::stage_layers(question_of({{1024, 1}})).value().front();
    for (const analytic::transformer::shards::Compute pass :
         {analytic::transformer::shards::Compute::forward, analytic::transformer::shards::Compute::input_gradient}) {
      const analytic::transformer::shards::WorkTime a =
          *analytic::transformer::shards::work_time(whole[1], pass, rates, {});
      const analytic::transformer::shards::WorkTime b =
          *analytic::transformer::shards::work_time(short_ones[1], pass, rates, {});
      QVERIFY(std::abs(b.attention.count / a.attention.count * 8 - 1) < 1e-9);
      QCOMPARE((b.total - b.attention).count, (a.total - a.attention).count);
    }
    QCOMPARE(analytic::transformer::shards::bytes_of(short_ones[1].kept),
             analytic::transformer::shards::bytes_of(whole[1].kept));
    Question stored = question_of({{1024, 1}});
    stored.layer.count.attention = AttentionMemory::stored;
    QCOMPARE(mesh::packed_work(stored)->share, 1.0);
  }

  /// Ranks that meet once a step wait for the sum of its micro-batches, sharded ones for each.
  void ranks_wait_for_the_slowest() {
    Question question = question_of(mixed);
    question.micro_batches = 16, question.data = 8;
    const PackedWork work = mesh::packed_work(question).value();
    const double once = mesh::waiting_of(question, work);
    QVERIFY(std::abs(once - mesh::expected_maximum(8) * work.deviation * 4) < 1e-12);
    question.sharding.level = 3;
    QVERIFY(std::abs(mesh::waiting_of(question, work) / once - 4) < 1e-12);
    question.layer.count.micro_batch = 4;
    QVERIFY(std::abs(mesh::waiting_of(question, work) / once - 2) < 1e-12);
    question.data = 1;
    QCOMPARE(mesh::waiting_of(question, work), 0.0);
  }
};

PIPEDECK_TEST(TestSampleLengths)

}  // namespace pipedeck::tst_sample_lengths

#include "tst_sample_lengths.moc"
