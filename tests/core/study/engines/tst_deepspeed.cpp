// SPDX-License-Identifier: Apache-2.0
// The configuration for DeepSpeed by the assertions of deepspeed/runtime/config.py, runtime/engine.py
// (_do_optimizer_sanity_check, get_data_types) and runtime/pipe/engine.py; the partition run over a stand-in for its
// base.
#include <QTest>

#include <optional>
#include <set>

#include <nlohmann/json.hpp>

#include "tests/core/study/engines/engine_plans.hpp"
#include "tests/core/study/engines/engine_process.hpp"
#include "tests/support/places.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_deepspeed {

using namespace pipedeck::test;

/// The assertion that fails; nothing: DeepSpeed takes it.
std::optional<std::string> broken(const nlohmann::json& config, int processes, int stages) {
  const int replicas = processes / stages;
  if (config.at("train_batch_size") != config.at("train_micro_batch_size_per_gpu").get<int>() *
                                           config.at("gradient_accumulation_steps").get<int>() * replicas)
    return "Check batch related parameters";
  for (const char* size : {"train_batch_size", "train_micro_batch_size_per_gpu", "gradient_accumulation_steps"})
    if (config.at(size).get<int>() <= 0) return std::string(size) + " has to be greater than 0";
  const int zero = config.at("zero_optimization").at("stage").get<int>();
  if (zero >= 2) return "ZeRO-2 and ZeRO-3 are incompatible with pipeline parallelism";
  // ZERO_SUPPORTED_OPTIMIZERS: variants of Adam, Adagrad and Lion; others are built by their name in torch.optim.
  const std::string optimizer = config.at("optimizer").at("type");
  if (optimizer != "Adam" && optimizer != "SGD") return "no optimizer of that name";
  if (zero > 0 && optimizer != "Adam" && !config.value("zero_allow_untested_optimizer", false))
    return "You are using an untested ZeRO Optimizer";
  const bool bf16 = config.at("bf16").at("enabled");
  const std::string model_type = bf16 ? "bf16" : "fp32";
  // By default, bf16 without ZeRO accumulates in fp32.
  std::string gradients = bf16 && zero == 0 ? "fp32" : model_type;
  if (config.contains("data_types")) gradients = config.at("data_types").at("grad_accum_dtype");
  if (!std::set<std::string>{"fp32", "fp16", "bf16"}.contains(gradients)) return "no data type";
  if (model_type != gradients && !(bf16 && gradients == "fp32")) return "unsupported mix of data types";
  return {};
}

class TestDeepspeed : public QObject {
  Q_OBJECT
 private slots:
  void configurations_are_taken() {
    Random random(3);
    std::set<std::string> kinds;
    for (int i = 0; i < 300; ++i) {
      const int blocks = random.integer(2, 12), stages = random.integer(1, 3), replicas = random.integer(1, 4);
      const Profile profile = transformer(blocks);
      std::set<int> cuts;
      while (static_cast<int>(cuts.size()) < stages - 1) cuts.insert(random.integer(1, blocks + 1));
      Plan plan = pipeline(profile, {cuts.begin(), cuts.end()}, replicas);
      plan.micro_batch = replicas * random.integer(1, 4);
      plan.micro_batches = random.integer(1, 9);
      plan.global_batch = plan.micro_batch * plan.micro_batches;
      const Optimizer optimizers[] = {Optimizer::adam, Optimizer::sgd, Optimizer::momentum, Optimizer::none};
      const Precision precisions[] = {Precision::fp32, Precision::mixed_16, Precision::mixed_18, Precision::mixed_20};
      plan.optimizer = optimizers[random.integer(0, 3)];
      plan.precision = precisions[random.integer(0, 3)];
      plan.zero = random.integer(0, 1);
      const int processes = stages * replicas;
      const auto config = nlohmann::json::parse(text_of("deepspeed", plan, profile, flat_cluster(processes)));
      const auto why = broken(config, processes, stages);
      QVERIFY2(!why, (why.value_or("") + config.dump(1)).c_str());
      QCOMPARE(config["gradient_accumulation_steps"].get<int>(), plan.micro_batches);
      QCOMPARE(config["train_batch_size"].get<int>(), plan.global_batch);
      QCOMPARE(config["bf16"]["enabled"].get<bool>(), plan.precision != Precision::fp32);
      kinds.insert(config["optimizer"].dump() + config.value("data_types", nlohmann::json()).dump() +
                   std::to_string(plan.zero));
    }
    QVERIFY(kinds.size() >= 18);  // 3 optimizers x 3 kinds of gradients x 2
  }

  void every_process_gets_the_plans_layers() {
    Random random(4);
    for (int i = 0; i < 12; ++i) {
      const int blocks = random.integer(4, 12), stages = random.integer(1, 4), replicas = random.integer(1, 3);
      const Profile profile = transformer(blocks);
      std::set<int> cuts;
      while (static_cast<int>(cuts.size()) < stages - 1) cuts.insert(random.integer(1, blocks + 2));
      Plan plan = pipeline(profile, {cuts.begin(), cuts.end()}, replicas);
      const bool recompute = i % 2 == 0;
      for (Stage& stage : plan.stages) stage.recompute.all = recompute;
      const EngineFolder folder;
      folder.write("planned.py", QByteArray::fromStdString(
                                     text_of("deepspeed-partition", plan, profile, flat_cluster(stages * replicas))));
      const int modules = blocks + 3;  // the loss is none
      const auto answer =
          folder.run("/usr/bin/python3",
                     {QStringLiteral(PIPEDECK_SOURCES "/tests/core/study/engines/stand_ins") + "/deepspeed_bounds.py",
                      "planned.py", QString::number(modules), QString::number(replicas)});
      QVERIFY2(answer.status == 0, answer.error);
      QByteArray expected;
      for (const Stage& stage : plan.stages)
        for (int r = 0; r < replicas; ++r)
          expected += QByteArray::number(stage.first) + ' ' + QByteArray::number(std::min(stage.last, modules)) + ' ' +
                      (recompute ? '1' : '0') + '\n';
      QCOMPARE(answer.out, expected);
      const auto other =
          folder.run("/usr/bin/python3",
                     {QStringLiteral(PIPEDECK_SOURCES "/tests/core/study/engines/stand_ins") + "/deepspeed_bounds.py",
                      "planned.py", QString::number(modules + 1), "1"});
      QVERIFY(other.status != 0);
      QVERIFY2(other.error.contains("found " + QByteArray::number(modules + 1) + " layers, expected " +
                                    QByteArray::number(modules)),
               other.error);
    }
  }
};

PIPEDECK_TEST(TestDeepspeed)

}  // namespace pipedeck::tst_deepspeed

#include "tst_deepspeed.moc"
