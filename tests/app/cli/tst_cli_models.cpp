// SPDX-License-Identifier: Apache-2.0
// convert makes profiles of transformers' configurations, which everything else takes.
#include <QDir>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>

#include "tests/app/cli/cli_process.hpp"
#include "tests/support/places.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_cli_models {

using namespace pipedeck::test;

QString fixture(const QString& name) {
  return QStringLiteral(PIPEDECK_FIXTURES "/hugging_face/") + name + QStringLiteral(".config.json");
}

class TestCliModels : public QObject {
  Q_OBJECT

 private slots:
  void a_profile_and_what_was_assumed() {
    const Answer answer = problem_.run({"convert", fixture("llama-3-8b"), "llama.profile.json"});
    VERIFY_STATUS(answer, 0);
    QVERIFY2(answer.err.contains("8 030 261 248 parameters"), answer.err);
    QVERIFY2(answer.err.contains("A100-80GB is assumed"), answer.err);
    QVERIFY2(answer.out.contains("block_31"), answer.out);
    QVERIFY2(!answer.out.contains("2 n h (a + 2 g) d"), answer.out);
    const QJsonObject profile = object_of(problem_.read("llama.profile.json"));
    QCOMPARE(profile["name"].toString(), QStringLiteral("llama-3-8b"));
    QCOMPARE(profile["device"].toString(), QStringLiteral("A100-80GB"));
    QCOMPARE(profile["layers"].toArray().size(), 36);
    VERIFY_STATUS(problem_.run({"validate", "llama.profile.json"}), 0);
  }

  /// Without a precision, memory is that of mixed precision, with a note.
  void presets_are_computed_for_any_device() {
    for (const QString device : {"H100-SXM", "MI300X"}) {
      const Answer answer = problem_.run(
          {"convert", "preset:llama-3-8b", "preset.profile.json", "--device", device, "--micro-batch", "2"});
      VERIFY_STATUS(answer, 0);
      const QJsonObject profile = object_of(problem_.read("preset.profile.json"));
      QCOMPARE(profile["device"].toString(), device);
      QCOMPARE(profile["micro_batch"].toInt(), 2);
      VERIFY_STATUS(problem_.run({"validate", "preset.profile.json"}), 0);
    }
    VERIFY_STATUS(problem_.run({"convert", "preset:none-such", "preset.profile.json"}), 2);
  }

  void weights_of_16_bits_are_trained_in_mixed_precision() {
    VERIFY_STATUS(problem_.run({"convert", fixture("gpt2"), "gpt2.profile.json"}), 0);
    VERIFY_STATUS(problem_.run({"convert", fixture("gpt2"), "wide.profile.json", "--precision", "fp32"}), 0);
    const auto compare = [&](const QString& profile, const QStringList& more) {
      return problem_.run(
          QStringList{"compare", "--profile", profile, "--cluster", "preset:dapple-a", "--global-batch", "64"} + more);
    };
    const Answer usual = compare("gpt2.profile.json", {}),
                 same = compare("gpt2.profile.json", {"--precision", "mixed-16"});
    VERIFY_STATUS(usual, 0);
    QVERIFY2(usual.out.contains("precision mixed-16"), usual.out);
    QVERIFY2(usual.err.contains("--precision overrides it"), usual.err);
    QVERIFY2(!same.err.contains("--precision overrides it"), same.err);
    QCOMPARE(usual.out, same.out);
    QVERIFY(compare("gpt2.profile.json", {"--precision", "fp32"}).out.contains("precision fp32"));
    const Answer wide = compare("wide.profile.json", {});
    QVERIFY2(wide.out.contains("precision fp32") && !wide.err.contains("--precision"), wide.out + wide.err);
  }

  /// The plans of mesh's short list and the plain choices stand in one table, with their reasons below.
  void alternatives_and_plain_choices_are_compared() {
    const QStringList asked{"compare",   "--profile",           "preset:llama-3-8b",
                            "--cluster", "preset:2x8-h100-sxm", "--global-batch",
                            "16",        "--planner",           "mesh,ddp,fsdp,megatron-usual"};
    const Answer answer = problem_.run(asked + QStringList{"--csv", "plans.csv"});
    VERIFY_STATUS(answer, 0);
    QVERIFY2(answer.out.contains("Mesh: fastest"), answer.out);
    QVERIFY2(answer.out.contains("   Cheapest: 8 of 16 devices need"), answer.out);
    QVERIFY2(answer.out.contains(", FSDP agree"), answer.out);
    QVERIFY2(answer.out.contains("DDP has no plan: the fullest rank needs at least"), answer.out);
    const QJsonArray answers = object_of(problem_.run(asked + QStringList{"--json"}).out)["answers"].toArray();
    QCOMPARE(answers.size(), 4);
    const QJsonArray alternatives = answers[0].toObject()["alternatives"].toArray();
    QVERIFY(!alternatives.isEmpty());
    const QByteArray csv = problem_.read("plans.csv");
    for (const QJsonValue& one : alternatives) {
      const QString title = one["title"].toString();
      QVERIFY2(title.startsWith("Mesh: ") && answer.out.contains(title.toUtf8()), qPrintable(title));
      QVERIFY2(csv.contains(title.toUtf8()), csv);
      QVERIFY(one["iteration_ms"].toDouble() > answers[0]["iteration_ms"].toDouble());
      QVERIFY(one["plan"]["merits"].toArray().size() > 0);
    }
    for (int i = 1; i < answers.size(); ++i) QVERIFY(!answers[i].toObject().contains("alternatives"));
  }

  /// On GPUs the models that train here are transformers, as in the window.
  void small_models_are_planned_for_on_gpus() {
    const QStringList asked{"plan",      "--planner",         "mesh",     "--global-batch", "16",
                            "--profile", "preset:llama-tiny", "--cluster"};
    const Answer answer = problem_.run(asked + QStringList{"preset:8-h100-sxm", "--json"});
    VERIFY_STATUS(answer, 0);
    QVERIFY(object_of(answer.out)["training"].isObject());
    VERIFY_STATUS(problem_.run(asked + QStringList{"preset:cpu-4"}), 3);  // times of a processor core
  }

  /// Adapters change what fits and how long it takes; there is no reference of all weights.
  void adapters_are_planned_for() {
    const QStringList asked{"compare",        "--profile", "preset:llama-3-70b", "--cluster",       "preset:8-h100-sxm",
                            "--global-batch", "16",        "--planner",          "mesh,fsdp,gpipe", "--json"};
    const QJsonArray all = object_of(problem_.run(asked).out)["answers"].toArray();
    for (const QJsonValue& answer : all) QVERIFY(answer["infeasible"].isObject());
    const Answer adapted = problem_.run(asked + QStringList{"--adapter-rank", "8", "--frozen-weights", "nf4"});
    VERIFY_STATUS(adapted, 0);
    const QJsonObject comparison = object_of(adapted.out);
    QVERIFY(comparison["one_device_ms"].isNull() && comparison["lower_bound_ms"].isNull());
    const QJsonArray answers = comparison["answers"].toArray();
    for (int i = 0; i < 2; ++i) {
      const QJsonObject adapters = answers[i]["plan"]["training"]["adapters"].toObject();
      QCOMPARE(adapters["rank"].toInt(), 8);
      QCOMPARE(adapters["targets"].toString(), QStringLiteral("linear"));
      QCOMPARE(adapters["frozen"].toString(), QStringLiteral("nf4"));
      QVERIFY(answers[i]["speed_up"].isNull());
    }
    QVERIFY2(answers[2]["infeasible"]["reason"].toString().contains("train all weights"), adapted.out);
    VERIFY_STATUS(problem_.run(asked + QStringList{"--frozen-weights", "nf4"}), 2);
    const Answer table = problem_.run(asked.mid(0, 9) + QStringList{"--adapter-rank", "8", "--frozen-weights", "nf4"});
    QVERIFY2(table.out.contains("adapters of rank 8, targets linear, frozen weights nf4;"), table.out);
  }

  void figures_are_explained() {
    const Answer answer = problem_.run({"convert", fixture("gpt2"), "x.profile.json", "--explain", "--device", "v100",
                                        "--sequence", "1000", "--micro-batch", "3", "--attention", "stored"});
    VERIFY_STATUS(answer, 0);
    // 768 x 3 x 768 weights and 2304 biases; 2 n of them operations; 12 heads' scores of 3 samples.
    QVERIFY2(answer.out.contains("weights, queries, keys, values: h (a + 2 g) d + biases = 1 771 776"), answer.out);
    QVERIFY2(answer.out.contains("operations, queries, keys, values: 2 n h (a + 2 g) d = 10 616 832 000"), answer.out);
    QVERIFY2(answer.out.contains("kept, softmax: w b a s^2 = 72 000 000 bytes"), answer.out);
  }

  /// Sizes that the file leaves open are asked for; what they become can be planned.
  void an_onnx_model() {
    const QString tokens = QStringLiteral(PIPEDECK_FIXTURES "/onnx/tokens.onnx");
    const Answer asked = problem_.run({"convert", tokens, "t.profile.json"});
    VERIFY_STATUS(asked, 2);
    QVERIFY2(asked.err.contains("--sequence N (or --dim sequence=N) for 'sequence' of input 'ids'"), asked.err);
    QVERIFY(!problem_.files().contains("t.profile.json"));
    const Answer made =
        problem_.run({"convert", "--dim", "sequence=12", tokens, "t.profile.json", "--micro-batch", "3", "--explain"});
    VERIFY_STATUS(made, 0);
    // 20 x 8 words, 16 x 8 positions, two norms of 8, 8 x 24 and 8 x 8 weights.
    QVERIFY2(made.err.contains("tokens: 560 parameters"), made.err);
    QVERIFY2(made.err.contains("a chain, cut where one tensor crosses"), made.err);
    QVERIFY2(made.out.contains("operations, /h.0/qkv: 2 x 36 x 8 x 24 = 13 824"), made.out);
    const QJsonObject profile = object_of(problem_.read("t.profile.json"));
    QCOMPARE(profile["micro_batch"].toInt(), 3);
    QCOMPARE(profile["layers"].toArray()[1].toObject()["name"].toString(), QStringLiteral("h.0"));
    VERIFY_STATUS(problem_.run({"plan", "--profile", "t.profile.json", "--cluster", "preset:dapple-a", "--planner",
                                "gpipe", "--global-batch", "48", "-o", "plan.json"}),
                  0);
  }

  void what_is_made_can_be_planned() {
    VERIFY_STATUS(problem_.run({"convert", fixture("gpt2"), "-o", "gpt2.profile.json", "--device", "v100-16gb"}), 0);
    VERIFY_STATUS(problem_.run({"convert", fixture("t5-large"), "-o", "t5.profile.json"}), 0);
    for (const char* profile : {"gpt2.profile.json", "t5.profile.json"})
      VERIFY_STATUS(problem_.run({"plan", "--profile", profile, "--cluster", "preset:dapple-a", "--planner", "gpipe",
                                  "--global-batch", "16", "-o", "plan.json"}),
                    0);
  }

  /// It is computed for the cluster's devices, as convert does for --device.
  void a_configuration_is_planned_for_as_it_is() {
    const QString llama = fixture("llama-3-8b");
    const auto plan = [&](const QString& profile, const QStringList& more) {
      return problem_.run(QStringList{"plan", "--planner", "mesh", "--cluster", "preset:2x8-h100-sxm", "--global-batch",
                                      "32", "--profile", profile} +
                          more);
    };
    VERIFY_STATUS(
        problem_.run({"convert", llama, "-o", "llama.profile.json", "--device", "h100-sxm", "--sequence", "2048"}), 0);
    const Answer converted = plan("llama.profile.json", {}), direct = plan(llama, {"--sequence", "2048"});
    VERIFY_STATUS(converted, 0);
    VERIFY_STATUS(direct, 0);
    QCOMPARE(direct.out, converted.out);
    QVERIFY2(direct.err.contains("2048 tokens per sample"), direct.err);
    const Answer own = plan(llama, {});
    VERIFY_STATUS(own, 0);
    QVERIFY(own.out != direct.out);
    QVERIFY2(own.err.contains("The model takes up to 8192 tokens; 4096 are assumed"), own.err);
    const QStringList capacity{"capacity",  "--profile",  llama,      "--cluster", "preset:2x8-h100-sxm",
                               "--samples", "1M",         "--within", "30d",       "--global-batch",
                               "32",        "--sequence", "2048",     "--nodes",   "1-2"};
    VERIFY_STATUS(problem_.run(capacity), 0);
  }

  void the_folder_names_what_its_file_does_not() {
    QDir(problem_.folder()).mkdir("Tiny-Llama");
    QFile(fixture("llama-2-7b")).copy(problem_.path("Tiny-Llama/config.json"));
    QFile(fixture("gpt2")).copy(problem_.path("config.json"));
    VERIFY_STATUS(problem_.run({"convert", "Tiny-Llama/config.json", "a.profile.json"}), 0);
    QCOMPARE(object_of(problem_.read("a.profile.json"))["name"].toString(), QStringLiteral("Llama-2-7b-hf"));
    VERIFY_STATUS(problem_.run({"convert", "config.json", "b.profile.json"}), 0);
    QCOMPARE(object_of(problem_.read("b.profile.json"))["name"].toString(), QStringLiteral("config"));
  }

  void bad_calls_are_told_data() {
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QString>("said");
    const QString gpt2 = fixture("gpt2");
    QTest::newRow("too long") << QStringList{"convert", gpt2, "x.profile.json", "--sequence", "2000"} << "1024";
    QTest::newRow("no such peak") << QStringList{"convert",     gpt2,  "x.profile.json", "--device", "v100",
                                                 "--precision", "bf16"}
                                  << "fp16";
    QTest::newRow("no such device") << QStringList{"convert", gpt2, "x.profile.json", "--device", "abacus"} << "abacus";
    QTest::newRow("another format") << QStringList{"convert", gpt2, "x.cluster.json"} << "profile";
    QTest::newRow("options of machines") << QStringList{"convert", gpt2, "x.profile.json", "--copies", "2"}
                                         << "machines";
    QTest::newRow("two") << QStringList{"convert", gpt2, gpt2, "x.profile.json"} << "2 files";
    QTest::newRow("options with a plan") << QStringList{"convert", "plan.json", "y.plan.json", "--sequence", "12"}
                                         << "options of models";
    const QStringList planned{"plan", "--cluster", "c.json", "--planner", "gpipe", "--global-batch", "8", "--profile"};
    QTest::newRow("too long to plan") << planned + QStringList{gpt2, "--sequence", "2000"} << "1024";
    QTest::newRow("a sequence of measured times")
        << planned + QStringList{"preset:bert-48", "--sequence", "128"} << "whose times have a sequence";
    QTest::newRow("in place of a plan") << QStringList{"simulate",       "--plan",         gpt2,
                                                       "--profile",      "preset:bert-48", "--cluster",
                                                       "preset:dapple-a"}
                                        << "convert makes a profile";
    const QString pictures = QStringLiteral(PIPEDECK_FIXTURES "/onnx/pictures.onnx");
    QTest::newRow("attention of a graph") << QStringList{"convert", pictures, "x.profile.json", "--attention", "stored"}
                                          << "--attention: found an ONNX model";
    QTest::newRow("no such size") << QStringList{"convert", pictures, "x.profile.json", "--dim", "depth=2"}
                                  << "leaves open: batch";
    QTest::newRow("no number") << QStringList{"convert", pictures, "x.profile.json", "--dim", "batch=two"} << "NAME=N";
    QTest::newRow("sizes of a transformer")
        << QStringList{"convert", gpt2, "x.profile.json", "--dim", "batch=2"} << "expected an ONNX model";
    QTest::newRow("ONNX in place of a profile")
        << QStringList{"plan",      "--profile", pictures,         "--cluster", "c.json",
                       "--planner", "gpipe",     "--global-batch", "8"}
        << "found an ONNX model";
    QTest::newRow("a trace in place of a profile")
        << QStringList{"plan",
                       "--profile",
                       QStringLiteral(PIPEDECK_FIXTURES "/traces/transformer.trace.json.gz"),
                       "--cluster",
                       "c.json",
                       "--planner",
                       "gpipe",
                       "--global-batch",
                       "8"}
        << "found a trace, expected a profile";
  }
  void bad_calls_are_told() {
    QFETCH(QStringList, arguments);
    QFETCH(QString, said);
    problem_.write("plan.json", small_plan());
    problem_.write("c.json", small_cluster());
    const QStringList before = problem_.files();
    const Answer answer = problem_.run(arguments);
    VERIFY_STATUS(answer, 2);
    QVERIFY2(answer.err.contains(said.toUtf8()), answer.err);
    QVERIFY(problem_.files() == before);
  }

 private:
  SmallProblem problem_;
};

PIPEDECK_TEST(TestCliModels)

}  // namespace pipedeck::tst_cli_models

#include "tst_cli_models.moc"
