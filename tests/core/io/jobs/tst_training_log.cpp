// SPDX-License-Identifier: Apache-2.0
// Logs of other engines: steps, memory and the job that Megatron-LM prints.
#include <QTest>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "core/io/files.hpp"
#include "core/io/jobs/megatron.hpp"
#include "core/io/jobs/training_log.hpp"
#include "tests/support/changed_text.hpp"
#include "tests/support/repetitions.hpp"
#include "tests/support/shared_data.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_training_log {

using io::jobs::LoggedSteps;
using io::jobs::TrainingLog;
using test::replaced;

std::string fixture() {
  return io::read_file(test::source_dir() + "/tests/fixtures/jobs/llama3-8b.megatron.log").value();
}

TrainingLog read(const std::string& text) {
  auto log = io::jobs::training_log_from(text, "run");
  if (!log) qFatal("%s", log.error().text().c_str());
  return *std::move(log);
}

/// The arguments of the fixture's job, as a person writes them.
const std::string arguments =
    "--num-layers 32 --hidden-size 4096 --ffn-hidden-size 14336 --num-attention-heads 32 --kv-channels 128 "
    "--group-query-attention --num-query-groups 8 --seq-length 8192 --max-position-embeddings 8192 "
    "--position-embedding-type rope --normalization RMSNorm --swiglu --disable-bias-linear --vocab-size 128256 "
    "--untie-embeddings-and-output-weights --hidden-dropout 0 --attention-dropout 0 --bf16 --micro-batch-size 1 "
    "--global-batch-size 64 --tensor-model-parallel-size 4 --sequence-parallel --context-parallel-size 2 "
    "--cp-comm-type p2p --pipeline-model-parallel-size 2 --num-virtual-stages-per-pipeline-rank 4 "
    "--microbatch-group-size-per-virtual-pipeline-stage 2 --use-distributed-optimizer --overlap-grad-reduce "
    "--overlap-param-gather --accumulate-allreduce-grads-in-fp32 --cross-entropy-loss-fusion";

class TestTrainingLog : public QObject {
  Q_OBJECT
 private slots:
  /// The table of arguments gives the job that the arguments themselves give.
  void megatrons_table_is_its_job() {
    const TrainingLog log = read(fixture());
    QVERIFY(log.job);
    auto job = io::jobs::job_from_megatron("python pretrain_gpt.py " + arguments, "run").value();
    job.share = log.job->share, job.devices = 32;
    QVERIFY(*log.job == job);
    QVERIFY(log.job->share.left_out.empty());
    QVERIFY(log.job->share.assumed.back().starts_with("the defaults of "));
  }

  void what_the_table_says_is_read() {
    const auto job = [](const std::string& part, const std::string& with) {
      return *read(replaced(fixture(), part, with)).job;
    };
    const auto line = [](const std::string& name, const std::string& value) {
      return name + " " + std::string(48 - name.size(), '.') + " " + value;
    };
    QCOMPARE(job(line("fp8", "None"), line("fp8", "hybrid")).choices.training.recipe, std::string("delayed"));
    QVERIFY(job(line("recompute_granularity", "None"), line("recompute_granularity", "selective")).recompute.modules ==
            std::vector<std::string>{"core_attn"});
    QVERIFY(job(line("add_bias_linear", "False"), line("add_bias_linear", "True")).model->bias_output);
    QCOMPARE(
        job(line("attention_backend", "AttnBackend.auto"), line("attention_backend", "AttnBackend.unfused")).attention,
        AttentionMemory::stored);
    const auto narrow =
        job(line("use_precision_aware_optimizer", "False"), line("use_precision_aware_optimizer", "True"));
    QCOMPARE(narrow.choices.states->optimizer, 2.0 + 4 + 4);
    const std::string experts = replaced(replaced(fixture(), line("num_experts", "None"), line("num_experts", "16")),
                                         line("moe_layer_freq", "1"),
                                         line(
                                             "moe_layer_freq", "[" + [] {
                                               std::string list = "0, 0";
                                               for (int i = 2; i < 32; ++i) list += ", 1";
                                               return list;
                                             }() + "]"));
    const TrainingLog with_experts = read(experts);
    QCOMPARE(with_experts.job->model->experts->dense, (std::vector<int>{0, 1}));
    QCOMPARE(with_experts.job->shard.expert_tensor, 4);
    const auto bad =
        io::jobs::training_log_from(replaced(fixture(), line("num_layers", "32"), line("num_layers", "many")), "run");
    QVERIFY(!bad);
    QCOMPARE(bad.error().place, std::string("--num-layers"));
  }

  void megatrons_steps() {
    const TrainingLog log = read(fixture());
    QCOMPARE(log.engine, std::string("Megatron-LM"));
    QCOMPARE(log.steps.size(), std::size_t{10});
    QCOMPARE(log.steps[3].last, 20);
    QCOMPARE(log.steps[3].seconds, 2.1496);
    QCOMPARE(log.steps[3].global_batch, 64);
    QCOMPARE(log.peak_gib, 38211.0 / 1024);
    // Prefixes of launchers, colours, a second rank, and a run that went on from its checkpoint at step 45.
    std::string other;
    for (const char c : fixture()) other += c == '\n' ? std::string("\n[default3]:") : std::string(1, c);
    QVERIFY(read(other).steps == log.steps);
    QVERIFY(*read(other).job == *log.job);
    const std::size_t last = fixture().rfind(" [2026");
    const std::string again = fixture().substr(fixture().rfind(" [2026", last - 1));
    QVERIFY(read(fixture() + fixture().substr(last)).steps == log.steps);
    QVERIFY(read(fixture() + again).steps == log.steps);
  }

  void steps_of_other_engines() {
    const TrainingLog titan = read(
        "[rank0]:[titan] 2026-10-02 08:11:40,101 - root - INFO - CUDA capacity: NVIDIA H100 80GB HBM3 with 79.11GiB "
        "memory\n"
        "[rank0]:[titan] 2026-10-02 08:12:40,101 - root - INFO - \x1b[31mstep:  1  \x1b[32mloss: 12.2432  "
        "\x1b[38;2;180;60;0mgrad_norm:  1.2  \x1b[33mmemory: 47.43GiB(59.96%)  \x1b[34mtps: 573  \x1b[36mtflops: "
        "33.20  \x1b[35mmfu: 3.36%\x1b[39m\n"
        "[rank0]:[titan] 2026-10-02 08:12:50,101 - root - INFO - step: 10  loss: 10.2  grad_norm:  1.1  memory: "
        "61.00GiB(77.11%)  tps: 7,123  tflops: 412.5  mfu: 41.7%\n");
    QCOMPARE(titan.engine, std::string("torchtitan"));
    QCOMPARE(titan.gpu, std::string("NVIDIA H100 80GB HBM3"));
    QVERIFY(titan.steps == (std::vector<LoggedSteps>{{.last = 1, .tokens_per_second = 573, .tflops = 33.2},
                                                     {.last = 10, .tokens_per_second = 7123, .tflops = 412.5}}));
    QCOMPARE(titan.peak_gib, 61.0);
    QCOMPARE(titan.peak_kind, std::string("max reserved"));

    const TrainingLog deepspeed = read(
        "[2026-10-02 08:12:40,101] [INFO] [timer.py:264:stop] epoch=0/micro_step=20/global_step=10, "
        "RunningAvgSamplesPerSec=31.25, CurrSamplesPerSec=32.5, MemAllocated=4.2GB, MaxMemAllocated=21.75GB\n");
    QVERIFY(deepspeed.steps == (std::vector<LoggedSteps>{{.last = 10, .samples_per_second = 32.5}}));
    QCOMPARE(deepspeed.peak_gib, 21.75);

    for (const char* const text :
         {"{'train_runtime': 250.0, 'train_samples_per_second': 25.6, 'train_steps_per_second': 0.4, 'epoch': 1.0}\n",
          "{\n \"global_step\": 100,\n \"log_history\": [\n  {\"loss\": 2.1, \"step\": 50},\n  {\n   \"step\": 100,\n  "
          " "
          "\"train_runtime\": 250.0,\n   \"train_samples_per_second\": 25.6,\n   \"train_steps_per_second\": 0.4\n  "
          "}\n ],\n "
          "\"stateful_callbacks\": {}\n}\n"}) {
      QVERIFY(io::jobs::looks_like_training_log(text));
      const TrainingLog trainer = read(text);
      QVERIFY(trainer.whole_run);
      QVERIFY(trainer.steps == (std::vector<LoggedSteps>{{.last = 100, .seconds = 2.5, .samples_per_second = 25.6}}));
    }
  }

  void logs_without_a_step_are_refused() {
    QVERIFY(!io::jobs::training_log_from("", "run"));
    QVERIFY(!io::jobs::training_log_from("iteration 5/ 10 | elapsed time per iteration (ms): nan |\n", "run") ||
            read("iteration 5/ 10 | elapsed time per iteration (ms): nan |\n").steps.front().seconds == 0);
    QVERIFY(!io::jobs::looks_like_training_log("step 1, loss 2.3"));
  }

  /// Damaged logs are read or refused.
  /// A dry run prints its memory alone, each rank as often as it likes.
  void memory_of_ranks() {
    const auto peaks = io::jobs::rank_peaks_from(
        "0: [Rank 8] (after 1 iterations) memory (MB) | allocated: 100.00 | max allocated: 300.50 | reserved: 400.00 | "
        "max reserved: 512.00\n"
        "[Rank 0] (after 1 iterations) memory (MB) | allocated: 1.00 | max allocated: 200.00 | reserved: 4.00\n"
        "\x1b[32m[Rank 8] (after 2 iterations) memory (MB) | allocated: 100.00 | max allocated: 310.00\x1b[0m\n"
        "x/0 [Rank 16] (after 2 iterations) memory (GB) | mem-allocated-gigabytes: 6.66 | "
        "mem-max-allocated-gigabytes: 15.4 | mem-max-reserved-gigabytes: 18.2\n"
        "max allocated: 9999999\n");
    QVERIFY(peaks);
    QCOMPARE(*peaks, (std::vector<io::jobs::RankPeak>{{0, 200.0 * (1 << 20)}, {8, 310.0 * (1 << 20)}, {16, 15.4e9}}));
    const auto none = io::jobs::rank_peaks_from("[Rank 0] memory is fine\n");
    QVERIFY(!none);
    QVERIFY(none.error().message.find("expected a line \"[Rank 0]") != std::string::npos);
    QVERIFY(!io::jobs::rank_peaks_from("[Rank x] (after 1 iterations) memory (MB) | max allocated: 3"));
  }

  void damaged_logs() {
    std::mt19937 random(20261129);
    for (int run = 0; run < (test::nightly() ? 20000 : 300); ++run) {
      std::string text = fixture();
      for (int i = 0; i < 8; ++i) {
        const std::size_t at = random() % text.size();
        if (random() % 3 == 0)
          text.erase(at, random() % 60);
        else
          text[at] = static_cast<char>(random() % 256);
      }
      const auto log = io::jobs::training_log_from(text, "run");
      if (!log) QVERIFY(!log.error().message.empty());
    }
  }
};

PIPEDECK_TEST(TestTrainingLog)

}  // namespace pipedeck::tst_training_log

#include "tst_training_log.moc"
