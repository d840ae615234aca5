// SPDX-License-Identifier: Apache-2.0
// Jobs against their engine's rules: the nearest jobs keep all of them, and none nearer does.
#include <QTest>

#include <algorithm>
#include <cstdlib>
#include <string>

#include "core/mesh/job.hpp"
#include "core/plan/mesh_rules.hpp"
#include "core/study/engines/job_check.hpp"
#include "tests/core/analytic/transformer/shards/shard_shapes.hpp"
#include "tests/support/random_problem.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_job_check {

using study::engines::check_job;
using test::Random;

io::jobs::TrainingJob random_job(Random& random) {
  io::jobs::TrainingJob job;
  job.engine = random.integer(0, 1) == 0 ? "Megatron-LM" : "torchtitan";
  job.devices = 1 << random.integer(3, 7);
  job.shard.tensor = random.integer(1, 9), job.shard.sequence = job.shard.tensor > 1;
  job.shard.context = random.integer(1, 3);
  if (job.engine == "torchtitan") job.shard.context_kind = ContextKind::gather;
  job.pipeline = random.integer(1, 5);
  job.micro_batch = random.integer(1, 2), job.global_batch = 32 * random.integer(1, 8);
  job.sequence = 4096;
  return job;
}

bool keeps_all(const io::jobs::TrainingJob& job, const TransformerConfig& model) {
  const plan::MeshQuestion question = mesh::rules_question_of(job, &model);
  bool keeps = plan::broken_rules(question).empty() && plan::broken_rules(question, job.engine).empty();
  if (job.engine == "Megatron-LM") keeps = keeps && plan::broken_rules(question, "TransformerEngine").empty();
  return keeps;
}

class TestJobCheck : public QObject {
  Q_OBJECT
 private slots:
  void nearest_jobs_keep_the_rules() {
    const TransformerConfig model = test::llama_70b();
    Random random(30);
    int broken = 0, helped = 0;
    for (int i = 0; i < 40; ++i) {
      const io::jobs::TrainingJob job = random_job(random);
      const auto check = check_job(job, 0, &model);
      QCOMPARE(check.broken.empty(), keeps_all(mesh::completed(job, 0), model));
      if (check.broken.empty()) {
        QVERIFY(check.nearest.empty());
        continue;
      }
      ++broken, helped += !check.nearest.empty();
      for (const auto& near : check.nearest) QVERIFY2(keeps_all(near.job, model), near.change.c_str());
    }
    QVERIFY2(broken > 15 && helped * 10 >= broken * 9, qPrintable(QString("%1 of %2").arg(helped).arg(broken)));
  }

  /// The nearest degree, by enumeration.
  void no_tensor_degree_is_nearer() {
    const TransformerConfig model = test::llama_70b();
    io::jobs::TrainingJob job;
    job.engine = "Megatron-LM", job.devices = 64, job.sequence = 8192;
    job.micro_batch = 1, job.global_batch = 128;
    for (int tensor = 3; tensor < 16; ++tensor) {
      job.shard = {.tensor = tensor, .sequence = true};
      const auto check = check_job(job, 0, &model);
      int nearest = 0;
      for (const auto& near : check.nearest)
        if (near.job.shard.tensor != tensor &&
            (nearest == 0 || std::abs(near.job.shard.tensor - tensor) < std::abs(nearest - tensor)))
          nearest = near.job.shard.tensor;
      for (int other = 1; other <= 64 && !check.broken.empty(); ++other) {
        io::jobs::TrainingJob changed = job;
        changed.shard.tensor = other;
        if (keeps_all(mesh::completed(changed, 0), model))
          QVERIFY2(nearest > 0 && std::abs(nearest - tensor) <= std::abs(other - tensor),
                   qPrintable(QString("%1: %2, %3").arg(tensor).arg(nearest).arg(other)));
      }
    }
  }

  void own_rules_of_the_reader_are_counted() {
    io::jobs::TrainingJob job;
    job.engine = "DeepSpeed", job.devices = 8;
    job.broken.push_back({"batch", "config.py", "found 3, expected 4"});
    const auto check = check_job(job, 0, nullptr);
    QCOMPARE(check.broken.size(), std::size_t{1});
    QCOMPARE(check.broken.front().engine, std::string("DeepSpeed"));
    QVERIFY(check.nearest.empty());
  }

  /// Numbers that follow are named, those that are stated stay.
  void open_numbers_follow() {
    io::jobs::TrainingJob job;
    job.shard = {.tensor = 2, .expert = 8};
    job.pipeline = 2;
    QCOMPARE(mesh::fewest_devices(job), 16);
    const io::jobs::TrainingJob alone = mesh::completed(job, 0);
    QCOMPARE(alone.devices, 16);
    QCOMPARE(alone.global_batch, 4);
    QCOMPARE(alone.share.assumed.size(), std::size_t{3});
    job.devices = 32, job.global_batch = 64, job.micro_batch = 2, job.copies = 2;
    const io::jobs::TrainingJob stated = mesh::completed(job, 8);
    QCOMPARE(stated.devices, 32);
    QCOMPARE(stated.micro_batches, 4);
    QCOMPARE(stated.sharding.group, 4);
    QVERIFY(stated.share.assumed.empty());
  }
};

PIPEDECK_TEST(TestJobCheck)

}  // namespace pipedeck::tst_job_check

#include "tst_job_check.moc"
