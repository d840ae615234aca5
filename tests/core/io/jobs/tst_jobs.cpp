// SPDX-License-Identifier: Apache-2.0
// Jobs of other engines: what scripts and configurations as people write them mean, and what is refused.
#include <QTest>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "core/io/files.hpp"
#include "core/io/importers.hpp"
#include "core/io/jobs/megatron.hpp"
#include "core/io/jobs/megatron_layout.hpp"
#include "core/io/jobs/toml.hpp"
#include "tests/support/shared_data.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_jobs {

Result<io::jobs::TrainingJob> job_of(const std::string& text, io::ReadOptions options = {}) {
  auto document = io::read_document("folder/job.sh", text, options);
  if (!document) return tl::unexpected(document.error());
  auto* job = std::get_if<io::jobs::TrainingJob>(&*document);
  return job ? Result<io::jobs::TrainingJob>(std::move(*job)) : fail(ErrorCode::bad_input, "no job");
}

io::jobs::TrainingJob fixture(const std::string& name) {
  return job_of(io::read_file(test::source_dir() + "/tests/fixtures/jobs/" + name).value()).value();
}

bool mentions(const std::vector<std::string>& lines, const std::string& part) {
  return std::ranges::any_of(lines, [&](const std::string& line) { return line.find(part) != line.npos; });
}

/// The least that Megatron-LM asks for, and more.
io::jobs::TrainingJob with(const std::string& more) {
  const auto job = job_of("--num-layers 8 --hidden-size 1024 --num-attention-heads 16 --micro-batch-size 1 " + more);
  if (!job) qFatal("%s", job.error().text().c_str());
  return *job;
}

class TestJobs : public QObject {
  Q_OBJECT
 private slots:
  void a_script_of_megatron() {
    const io::jobs::TrainingJob job = fixture("llama-70b.sh");
    QCOMPARE(job.engine, std::string("Megatron-LM"));
    QCOMPARE(job.devices, 64);
    QCOMPARE(job.shard, (Shard{.tensor = 8, .sequence = true}));
    QCOMPARE(job.pipeline, 4);
    QCOMPARE(job.virtual_stages, 4);
    QCOMPARE(job.sharding.level, 1);
    QCOMPARE(job.micro_batch, 1);
    QCOMPARE(job.global_batch, 128);  // 2 data ranks x 64
    QCOMPARE(job.sequence, 8192);
    QVERIFY(job.model);
    QCOMPARE(job.model->feed_forward, 28672);
    QCOMPARE(job.model->vocabulary, std::int64_t{128256});
    QVERIFY(job.model->gated && !job.model->tied && !job.model->bias_output);
    QCOMPARE(job.choices.training.loss, LossKind::fused);
    QCOMPARE(job.choices.training.products, std::string("bf16"));
    QCOMPARE(job.share.left_out, std::vector<std::string>{"--moe-router-padding-for-fp8"});
    QVERIFY(mentions(job.share.assumed, "$SLURM_NODEID, $MASTER_ADDR, $DATA"));
    QVERIFY(job.broken.empty());
    QCOMPARE(job.share.parts(), job.share.understood + job.share.without_effect + 1);
    QCOMPARE(text_of(job.share).substr(0, 10), std::string("understood"));
  }

  void a_list_of_arguments() {
    const io::jobs::TrainingJob job = fixture("mixtral.args.txt");
    QCOMPARE(job.devices, 0);
    QCOMPARE(job.shard, (Shard{.tensor = 2, .sequence = true, .expert = 4}));
    QCOMPARE(job.model->experts->count, 8);
    QCOMPARE(job.choices.layers.dispatcher, Dispatcher::all_to_all);
    QCOMPARE(job.recompute.modules, (std::vector<std::string>{"core_attn", "layernorm", "moe_act"}));
    QVERIFY(job.share.left_out.empty());
  }

  void a_configuration_of_torchtitan() {
    const io::jobs::TrainingJob job = fixture("llama3-8b.toml");
    QCOMPARE(job.engine, std::string("torchtitan"));
    QCOMPARE(job.devices, 64);
    QCOMPARE(job.sharding.level, 3);
    QCOMPARE(job.copies, 2);
    QCOMPARE(job.sharding.copies, CopySync::each_micro_batch);
    QCOMPARE(job.micro_batch, 2);
    QCOMPARE(job.sequence, 8192);
    QVERIFY(job.recompute.all && job.recompute.operations);
    QCOMPARE(job.choices.training.products, std::string("fp8"));
    QCOMPARE(job.choices.training.recipe, std::string("rowwise"));
    QCOMPARE(job.model->layers, 32);
    QVERIFY2(job.share.left_out.empty(), job.share.left_out.empty() ? "" : job.share.left_out.front().c_str());
  }

  void a_configuration_of_deepspeed() {
    const io::jobs::TrainingJob job = fixture("zero3.ds_config.json");
    QCOMPARE(job.engine, std::string("DeepSpeed"));
    QCOMPARE(job.devices, 64);
    QCOMPARE(job.sharding.level, 3);
    QCOMPARE(job.micro_batches, 2);
    QVERIFY(job.choices.training.offloads_optimizer);
    QVERIFY(!job.model);
    QCOMPARE(job.share.left_out.size(), std::size_t{2});  // buckets of stage 3 that change its speed
  }

  /// Values that the file leaves to its caller are asked for by name, and can be given.
  void variables_of_the_caller() {
    const std::string script = "python pretrain_gpt.py --tensor-model-parallel-size $TP --micro-batch-size 1";
    const auto open = job_of(script);
    QVERIFY(!open);
    QCOMPARE(open.error().place, std::string("--tensor-model-parallel-size"));
    QVERIFY(open.error().message.find("--set") != std::string::npos);
    const auto given = job_of(script, {.variables = {{"TP", "4"}}});
    QVERIFY(given);
    QCOMPARE(given->shard.tensor, 4);
  }

  void usual_values_are_those_of_megatron() {
    QCOMPARE(with("--num-experts 8 --tensor-model-parallel-size 2").shard.expert_tensor, 2);
    QCOMPARE(with("--swiglu").model->feed_forward, 2688);  // 8/3 of 1024 in whole 64s
    QCOMPARE(with("").model->feed_forward, 4096);
    QCOMPARE(with("--sequence-parallel").shard.sequence, false);
    QCOMPARE(with("--bf16").choices.wire->gradients, 4.0);
    QCOMPARE(with("--fp16").choices.wire->gradients, 2.0);
    QCOMPARE(with("--recompute-activations").recompute.modules, std::vector<std::string>{"core_attn"});
    QCOMPARE(with("--num-layers 12 --pipeline-model-parallel-size 2").model->layers, 12);  // the last one counts
  }

  /// Whole words decide what has no effect on time and memory: an unknown option is left out, not passed over.
  void unknown_options_are_left_out() {
    const io::jobs::TrainingJob job = with("--lr-decay-style cosine --lrx 3 --one-more-thing --one-logger-project p");
    QCOMPARE(job.share.left_out, (std::vector<std::string>{"--lrx 3", "--one-more-thing"}));
  }

  /// A shape that is elsewhere: options of stages that count its blocks are left out, experts are not.
  void a_job_without_its_model() {
    const auto job = job_of(
        "--tensor-model-parallel-size 2 --micro-batch-size 1 --sequence-parallel --pipeline-model-parallel-size 4 "
        "--decoder-first-pipeline-num-layers 3 --expert-model-parallel-size 2 --moe-token-dispatcher-type flex");
    QVERIFY(job && !job->model && job->broken.empty() && job->blocks.empty());
    QCOMPARE(job->share.left_out, std::vector<std::string>{"--decoder-first-pipeline-num-layers 3"});
    QCOMPARE(job->choices.layers.dispatcher, Dispatcher::flex);
  }

  void own_rules_are_named_data() {
    QTest::addColumn<QString>("arguments");
    QTest::addColumn<QString>("rule");
    QTest::newRow("method") << "--recompute-granularity full"
                            << "recompute method";
    QTest::newRow("granularity") << "--recompute-method uniform"
                                 << "recompute method";
    QTest::newRow("types") << "--bf16 --fp16"
                           << "precision";
    QTest::newRow("recipe") << "--fp8-recipe delayed"
                            << "fp8 recipe";
    QTest::newRow("narrow weights") << "--bf16 --fp8-param-gather"
                                    << "narrow weights";
    QTest::newRow("gathers") << "--overlap-param-gather"
                             << "hidden gathers";
    QTest::newRow("moments") << "--exp-avg-dtype bf16"
                             << "precision-aware optimizer";
    QTest::newRow("layout") << "--pipeline-model-parallel-size 2 --pipeline-model-parallel-layout Et*3|t*4L"
                            << "layout";
    QTest::newRow("ends") << "--pipeline-model-parallel-size 4 --decoder-first-pipeline-num-layers 1"
                          << "blocks";
  }
  void own_rules_are_named() {
    QFETCH(QString, arguments);
    QFETCH(QString, rule);
    const io::jobs::TrainingJob job = with(arguments.toStdString());
    QVERIFY(!job.broken.empty());
    QCOMPARE(job.broken.front().name, rule.toStdString());
    QVERIFY(!job.broken.front().source.empty() && !job.broken.front().message.empty());
  }

  void what_cannot_be_read_has_its_place_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("place");
    const char* const size = "--tensor-model-parallel-size";
    QTest::newRow("word") << "--tensor-model-parallel-size eight" << size;
    QTest::newRow("zero") << "--tensor-model-parallel-size 0" << size;
    QTest::newRow("huge") << "--tensor-model-parallel-size 99999999999" << size;
    QTest::newRow("two values") << "--tensor-model-parallel-size 2 4" << size;
    QTest::newRow("flag") << "--micro-batch-size 1 --bf16 true"
                          << "--bf16";
    QTest::newRow("choice") << "--micro-batch-size 1 --fp8-format e9"
                            << "--fp8-format";
    QTest::newRow("layout") << "--micro-batch-size 1 --pipeline-model-parallel-layout Ex"
                            << "--pipeline-model-parallel-layout";
    QTest::newRow("heads") << "--num-attention-heads 3 --hidden-size 64 --num-layers 2"
                           << "--hidden-size";
    QTest::newRow("quotes") << "A=\"\n--micro-batch-size 1"
                            << "line 1";
    QTest::newRow("toml") << "[training]\nseq_len = \n[model]"
                          << "line 2";
    QTest::newRow("toml's number") << "[model]\n[training]\nseq_len = \"x\""
                                   << "training.seq_len";
    QTest::newRow("stage") << "{\"zero_optimization\": {\"stage\": 7}}"
                           << "zero_optimization.stage";
    QTest::newRow("flag of JSON") << "{\"zero_optimization\": {}, \"bf16\": {\"enabled\": 3}}"
                                  << "bf16.enabled";
  }
  void what_cannot_be_read_has_its_place() {
    QFETCH(QString, text);
    QFETCH(QString, place);
    const auto job = job_of(text.toStdString());
    QVERIFY(!job);
    QCOMPARE(job.error().code, ErrorCode::bad_input);
    QCOMPARE(job.error().place, place.toStdString());
  }

  /// The tree of a document; json has the same.
  void toml() {
    const auto tree = io::jobs::tree_from_toml(
        "a = 1 # one\n\"b c\" = 'd é'\n[t.u]\nx = [1_000, 2.5,\n  [true, \"\\n\"],] # two\n"
        "y.z = {p = -1, q = {}}\n\n[t]\nw = +3\n");
    QVERIFY2(tree, tree ? "" : tree.error().text().c_str());
    const auto same = io::json::parse(
        "{\"a\": 1, \"b c\": \"d é\", \"t\": {\"u\": {\"x\": [1000, 2.5, [true, \"\\n\"]], "
        "\"y\": {\"z\": {\"p\": -1, \"q\": {}}}}, \"w\": 3}}");
    QVERIFY2(same && *same == *tree, io::json::compact(*tree).c_str());
    for (const char* const wrong :
         {"a", "a =", "= 1", "a = 1 2", "a = 1\na = 2", "[a", "[[a]]", "a = \"x", "a = \"\"\"x\"\"\"", "a = [1",
          "a = {b = 1", "a = 1979-05-27", "a = nan", "a = \"\\q\"", "a = 1\n[a]", "a = 1\na.b = 2", "\xff = 1"})
      QVERIFY2(!io::jobs::tree_from_toml(wrong), wrong);
    QVERIFY(!io::jobs::tree_from_toml("a = " + std::string(100000, '[')));
    QVERIFY(!io::jobs::tree_from_toml("[" + std::string(100000, 'a')));
    std::string keys = "a";
    for (int i = 0; i < 50000; ++i) keys += ".a";
    QVERIFY(!io::jobs::tree_from_toml(keys + " = 1"));
  }

  /// A written layout is the layout that is read: blocks of all stages, none at the ends, further ones at the end.
  void layouts_come_back() {
    QCOMPARE(io::jobs::layout_text(std::vector{3, 1, 0}, 2), std::string("Et*3|t|m*2L"));
    std::mt19937 random(17);
    for (int run = 0; run < 200; ++run) {
      std::vector<int> blocks(random() % 6 + 1);
      for (int& own : blocks) own = static_cast<int>(random() % 4);
      const int further = static_cast<int>(random() % 3);
      const auto layout = io::jobs::layout_of(io::jobs::layout_text(blocks, further));
      QVERIFY(layout);
      QCOMPARE(layout->blocks, blocks);
      QCOMPARE(layout->further, further);
      QCOMPARE(layout->first_embedding, 0);
      QCOMPARE(layout->last_loss, static_cast<int>(blocks.size()) - 1);
      QVERIFY(!layout->further_apart && !layout->further_before);
    }
  }

  /// The rules of validate_layer_layout() for blocks for further tokens.
  void further_blocks_of_layouts() {
    const auto broken = [](const std::string& layout, const std::string& number) {
      const auto job = io::jobs::job_from_megatron(
          "pretrain_gpt.py --micro-batch-size 1 --num-layers 7 --hidden-size 64 "
          "--num-attention-heads 4 --pipeline-model-parallel-size 2 "
          "--pipeline-model-parallel-layout \"" +
              layout + "\" " + number,
          "job");
      return !job ? job.error().text() : job->broken.empty() ? std::string() : job->broken.front().message;
    };
    QCOMPARE(broken("Et*3|t*4mL", "--mtp-num-layers 1"), std::string());
    QCOMPARE(broken("Et*3|t*4mL", ""), std::string("found 1 m in the layout, expected --mtp-num-layers 0"));
    QCOMPARE(broken("Et*3|t*4L", "--mtp-num-layers 1"),
             std::string("found 0 m in the layout, expected --mtp-num-layers 1"));
    QVERIFY(broken("Etm|t*6L", "--mtp-num-layers 1").find("m before a t") != std::string::npos);
    QVERIFY(broken("Et*7|m||mL", "--mtp-num-layers 2").find("m in several stages") != std::string::npos);
  }

  void layouts() {
    const auto layout = io::jobs::layout_of("Et*3|(tt|)*2,t,m,L");
    QVERIFY(layout);
    QCOMPARE(layout->blocks, (std::vector{3, 2, 2, 1}));
    QCOMPARE(layout->first_embedding, 0);
    QCOMPARE(layout->last_loss, 3);
    QCOMPARE(layout->further, 1);
    for (const char* const wrong : {"E(t", "Et*", "EEtL", "Etx", "Et*999999999L", "E(t*9999)*9999L"})
      QVERIFY2(!io::jobs::layout_of(wrong), wrong);
  }

  void patterns_of_experts() {
    QCOMPARE(io::jobs::dense_blocks("2", 5).value(), (std::vector{1, 3}));
    QCOMPARE(io::jobs::dense_blocks("([0]*2+[1]*3)", 5).value(), (std::vector{0, 1}));
    QCOMPARE(io::jobs::dense_blocks("[1,0]*2", 4).value(), (std::vector{1, 3}));
    for (const char* const wrong : {"0", "[1]*4", "[1", "[2]*5", "x", "[1]*99999999", "(((((((((((((((((((((([1]"})
      QVERIFY2(!io::jobs::dense_blocks(wrong, 5), wrong);
  }
};

PIPEDECK_TEST(TestJobs)

}  // namespace pipedeck::tst_jobs

#include "tst_jobs.moc"
