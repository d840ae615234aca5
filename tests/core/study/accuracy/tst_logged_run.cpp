// SPDX-License-Identifier: Apache-2.0
// Logs as rows of measured runs: the time behind the warm-up, and a row that asks the job's question.
#include <QTest>

#include <algorithm>
#include <string>
#include <vector>

#include "core/io/files.hpp"
#include "core/io/jobs/megatron.hpp"
#include "core/io/jobs/training_log.hpp"
#include "core/mesh/job.hpp"
#include "core/mesh/plan_question.hpp"
#include "core/mesh/rates.hpp"
#include "core/presets/computed_profile.hpp"
#include "core/presets/device_catalogue.hpp"
#include "core/presets/efficiency.hpp"
#include "core/sim/step/predict_step.hpp"
#include "core/study/accuracy/logged_run.hpp"
#include "core/study/accuracy/question_of.hpp"
#include "tests/support/shared_data.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_logged_run {

using namespace study::accuracy;
using io::jobs::TrainingJob;
using io::jobs::TrainingLog;

TrainingLog fixture() {
  const std::string text = io::read_file(test::source_dir() + "/tests/fixtures/jobs/llama3-8b.megatron.log").value();
  return io::jobs::training_log_from(text, "llama3-8b").value();
}

TrainingLog log_of(const std::vector<double>& seconds) {
  TrainingLog log;
  log.engine = "Megatron-LM", log.name = "run";
  for (std::size_t i = 0; i < seconds.size(); ++i)
    log.steps.push_back({.last = static_cast<std::int64_t>(i + 1), .seconds = seconds[i], .global_batch = 64});
  return log;
}

TrainingJob job() { return mesh::completed(*fixture().job, 0); }

Result<LoggedRun> run_of(const TrainingJob& job) {
  return logged_run(fixture(), mesh::completed(job, 0), *job.model, "H100-SXM", presets::device_catalogue());
}

class TestLoggedRun : public QObject {
  Q_OBJECT
 private slots:
  void warm_up_is_left_out() {
    const auto steady = [](const std::vector<double>& seconds) { return steady_step(log_of(seconds), job()).value(); };
    QCOMPARE(steady({30, 5, 2, 2.1, 2, 9, 2.2}).seconds, 2.1);  // of 2, 2.1, 2, 9, 2.2: a checkpoint does not count
    QCOMPARE(steady({30, 5, 2, 2.1, 2, 9, 2.2}).warm_up, 2);
    QCOMPARE(steady({30, 5, 2, 2.1, 2, 9, 2.2}).first, 3);
    QCOMPARE(steady({1, 2, 3, 4, 5}).seconds, 3.5);  // a run that becomes slower has one line of warm-up
    QCOMPARE(steady({4, 2}).seconds, 3.0);
    QCOMPARE(steady({4, 2}).warm_up, 0);
    QCOMPARE(steady({7}).seconds, 7.0);
  }

  void ramps_and_other_batches() {
    TrainingLog log = log_of({9, 1, 1, 2, 2, 2, 2, 2});
    for (int i = 0; i < 3; ++i) log.steps[static_cast<std::size_t>(i)].global_batch = 32;
    const SteadyStep step = steady_step(log, job()).value();
    QCOMPARE(step.seconds, 2.0);
    QCOMPARE(step.other_batches, 3);
    for (auto& line : log.steps) line.global_batch = 32;
    const auto refused = steady_step(log, job());
    QVERIFY(!refused);
    QCOMPARE(refused.error().message, std::string("found a global batch of 32 in the log, expected the job's 64"));
  }

  void rates_are_times() {
    TrainingLog log = log_of({0});
    log.steps[0] = {.last = 1, .samples_per_second = 32};
    QCOMPARE(steady_step(log, job())->seconds, 2.0);
    log.steps[0] = {.last = 1, .tokens_per_second = 8192};
    QCOMPARE(steady_step(log, job())->seconds, 2.0);  // 64 samples of 8,192 tokens on 32 GPUs
    log = log_of({2, 2, 0, 2});                       // a damaged time
    QCOMPARE(steady_step(log, job())->unreadable, 1);
    QCOMPARE(steady_step(log, job())->seconds, 2.0);
    log.steps.clear();
    QVERIFY(!steady_step(log, job()));
  }

  /// The row asks the question of the job.
  void a_row_of_a_log() {
    const auto made = run_of(*fixture().job);
    QVERIFY2(made, made ? "" : made.error().text().c_str());
    const PublishedRun& run = made->run;
    QCOMPARE(*run.iteration_seconds, 2.14985);  // between 2149.6 and 2150.1 ms, the checkpoint's line among eight
    QCOMPARE(made->step.warm_up, 2);
    QCOMPARE(*run.tokens_per_second, 64.0 * 8192 / 32 / 2.14985);
    QCOMPARE(*run.memory_gib, 38211.0 / 1024);
    QVERIFY2(made->lost.empty(), run.notes.c_str());
    const Expressed expressed = question_of(run, presets::device_catalogue());
    QVERIFY(expressed.question);
    const mesh::Question& question = *expressed.question;
    QCOMPARE(question.shard(), job().shard);
    QCOMPARE(question.pipeline, 2);
    QCOMPARE(question.virtual_stages, 4);
    QCOMPARE(question.micro_batches, 32);
    QCOMPARE(question.sharding.level, 1);
    QCOMPARE(question.training.products, std::string("bf16"));
    QCOMPARE(question.states, *job().choices.states);
  }

  /// The row's prediction is that of the job's plan on the row's cluster.
  void a_row_is_predicted_as_its_plan() {
    const PublishedRun run = run_of(*fixture().job)->run;
    const mesh::Question row = *question_of(run, presets::device_catalogue()).question;
    const auto rates = mesh::rates_of(*row.cluster, 32, presets::device_catalogue(), presets::efficiency()).value();
    const auto device = presets::catalogue_device("H100-SXM").value();
    const auto made = presets::computed_profile({*job().model, {}}, device, mesh::profile_options_of(job())).value();
    const Plan plan = mesh::plan_of(job(), made.profile, row.cluster).value();
    const auto own = sim::step::predict_step(mesh::question_of(plan, made.profile, row.cluster).value(), rates).value();
    const auto mine = sim::step::predict_step(row, rates).value();
    const double time = mine.iteration.count / own.iteration.count;
    const double memory = double(mine.needed.count) / double(own.needed.count);
    QVERIFY2(time > 0.99 && time < 1.01, std::to_string(time).c_str());
    QVERIFY2(memory > 0.98 && memory < 1.02, std::to_string(memory).c_str());
  }

  /// Choices without a column are named.
  void losses_are_named() {
    const auto lost = [](auto change) {
      TrainingJob other = *fixture().job;
      change(other);
      const auto made = run_of(other);
      return made ? made->lost : std::vector<std::string>{made.error().text()};
    };
    QCOMPARE(lost([](TrainingJob& j) { j.shard.context_kind = ContextKind::heads; }), std::vector<std::string>());
    QCOMPARE(lost([](TrainingJob& j) { j.shard.context_kind = ContextKind::gather; }),
             (std::vector<std::string>{"the kind of context parallelism"}));
    QCOMPARE(lost([](TrainingJob& j) { j.blocks = {3, 5, 4, 4, 4, 4, 4, 4}; }),
             (std::vector<std::string>{"stages of 3, 5, 4, 4, 4, 4, 4, 4 blocks"}));
    QCOMPARE(lost([](TrainingJob& j) {
               j.choices.training.hidden = {false, false, true, false, false};
             }),
             std::vector<std::string>());
    QCOMPARE(lost([](TrainingJob& j) {
               j.choices.states = StateBytes{2, 2, 8};
             }),
             (std::vector<std::string>{"the bytes of model states"}));
    QCOMPARE(lost([](TrainingJob& j) { j.model->bias_output = true; }), std::vector<std::string>());
    QCOMPARE(lost([](TrainingJob& j) { j.model->tied = true, j.model->vocabulary = 1000000; }).size(), std::size_t{0});
  }

  /// A kept row is read as it was written, in tables with any columns.
  void rows_are_kept() {
    const PublishedRun run = run_of(*fixture().job)->run;
    const std::string table = with_run("", run).value();
    const auto again = runs_from_csv(table).value();
    QCOMPARE(again.size(), std::size_t{1});
    QCOMPARE(*again[0].iteration_seconds, *run.iteration_seconds);
    QCOMPARE(again[0].notes, run.notes);
    QCOMPARE(*again[0].expert_tensor, *run.expert_tensor);
    QVERIFY(!again[0].gpus_per_node && again[0].newest);
    const auto twice = with_run(table, run);
    QVERIFY(!twice);
    QVERIFY(twice.error().message.find("found a row 'llama3-8b'") != std::string::npos);
    PublishedRun other = run;
    other.row = "other, with a comma";
    const std::string own =
        "mine,row,model,layers,hidden,heads,ffn,vocab,gpu,gpus,precision,sequence,global_batch\n"
        "x,first,m,1,2,1,8,100,H100,8,bf16,128,8";
    const auto longer = runs_from_csv(with_run(own, other).value()).value();
    QCOMPARE(longer.size(), std::size_t{2});
    QCOMPARE(longer[0].row, std::string("first"));
    QCOMPARE(longer[1].row, other.row);
    QCOMPARE(*longer[1].layers, 32);
    QVERIFY(!longer[1].iteration_seconds);
    QVERIFY(!with_run("row;model\n", run));
  }
};

PIPEDECK_TEST(TestLoggedRun)

}  // namespace pipedeck::tst_logged_run

#include "tst_logged_run.moc"
