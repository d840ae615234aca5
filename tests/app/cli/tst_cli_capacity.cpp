// SPDX-License-Identifier: Apache-2.0
// capacity through the real program.
#include <signal.h>

#include <QElapsedTimer>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QTest>

#include <cmath>
#include <functional>

#include "tests/app/cli/cli_process.hpp"
#include "tests/support/places.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_cli_capacity {

using pipedeck::test::Answer;
using pipedeck::test::inputs;
using pipedeck::test::object_of;
using pipedeck::test::send_signal;
using pipedeck::test::SmallProblem;

QStringList question(const QStringList& more) {
  return QStringList{"capacity", "--global-batch", "8"} + pipedeck::test::inputs() + more;
}

QString llama() { return QStringLiteral(PIPEDECK_FIXTURES "/hugging_face/llama-2-7b.config.json"); }

/// Llama 2 on nodes of eight.
QStringList of_llama(const QStringList& more) {
  return QStringList{"capacity", "--profile", llama(), "--cluster", "preset:dapple-a", "--global-batch", "64"} + more;
}

/// The point that is the "best" or the "nearest"; a value, so that its members are reached by names.
QJsonValue at(const QJsonObject& answer, const char* which) {
  return answer["points"].toArray().at(answer[which].toInt());
}

class TestCliCapacity : public QObject {
  Q_OBJECT
 private:
  QByteArray unbroken_, unbroken_points_;  ///< answer and points of the sweep that others interrupt

 private slots:
  void a_table_for_people();
  void figures_add_up();
  void the_cheapest_in_time_and_the_quickest_for_the_money();
  void no_answer_is_an_answer();
  void memory_rules_out();
  void tokens_of_a_model();
  void bad_options_are_refused_data();
  void bad_options_are_refused();
  void points_are_kept_for_other_goals();
  void points_of_others_are_refused();
  void points_that_cant_be_kept_are_told_first();
  void broken_points_are_refused();
  void cancelled_and_resumed_data();
  void cancelled_and_resumed();
  void scaling_over_sizes();
  void scaling_above_the_ideal_is_explained();
  void threads_give_the_same_bytes();
  void the_plan_goes_on();
  void the_largest();
  void the_largest_of_a_computed_profile();
  void nothing_is_the_largest();
};

void TestCliCapacity::a_table_for_people() {
  const SmallProblem problem;
  const Answer answer = problem.run(question({"--samples", "1M", "--within", "30d", "--price", "X=2"}));
  VERIFY_STATUS(answer, 0);
  QVERIFY(answer.out.contains("1M samples, within 30.00 d"));
  QVERIFY(answer.out.contains("device-hours"));
  QCOMPARE(answer.out.count("\n*"), 1);
  QVERIFY(answer.out.contains("best: 1 node, global batch 8"));
}

void TestCliCapacity::figures_add_up() {
  const SmallProblem problem;
  const QJsonObject json = object_of(
      problem.run(question({"--samples", "1000", "--sequence", "128", "--price", "X=2", "--json", "--nodes", "1,2-3"}))
          .out);
  QCOMPARE(json["format"].toString(), "pipedeck.capacity");
  QCOMPARE(json["points"].toArray().size(), 3);
  for (const QJsonValue& point : json["points"].toArray()) {
    const QJsonObject cost = point["cost"].toObject(), best = point["best"].toObject();
    QCOMPARE(cost["iterations"].toInt(), 125);
    QCOMPARE(cost["tokens_per_s"].toDouble(), 128 * cost["samples_per_s"].toDouble());
    QVERIFY(std::abs(cost["seconds"].toDouble() / (1000 / cost["samples_per_s"].toDouble()) - 1) < 1e-9);
    QVERIFY(std::abs(cost["device_hours"].toDouble() / (best["devices"].toInt() * cost["seconds"].toDouble() / 3600) -
                     1) < 1e-9);
    QVERIFY(std::abs(cost["money"].toDouble() / (2 * cost["device_hours"].toDouble()) - 1) < 1e-9);
  }
}

void TestCliCapacity::the_cheapest_in_time_and_the_quickest_for_the_money() {
  const SmallProblem problem;
  const QStringList common = question({"--samples", "1M", "--price", "X=2", "--json", "--nodes", "1-3"});
  const QJsonObject cheapest = object_of(problem.run(common + QStringList{"--within", "1000d"}).out);
  const QJsonObject quickest = object_of(problem.run(common + QStringList{"--budget", "$1M"}).out);
  for (const QJsonValue& point : cheapest["points"].toArray()) {
    QVERIFY(point["cost"]["money"].toDouble() >=
            at(cheapest, "best")[QStringLiteral("cost")][QStringLiteral("money")].toDouble());
    QVERIFY(point["cost"]["seconds"].toDouble() >=
            at(quickest, "best")[QStringLiteral("cost")][QStringLiteral("seconds")].toDouble());
  }
  QVERIFY(at(cheapest, "best")[QStringLiteral("cost")][QStringLiteral("seconds")] !=
          at(quickest, "best")[QStringLiteral("cost")][QStringLiteral("seconds")]);
}

void TestCliCapacity::no_answer_is_an_answer() {
  const SmallProblem problem;
  const Answer answer = problem.run(question({"--samples", "1T", "--within", "1h", "--json"}));
  VERIFY_STATUS(answer, 3);
  QVERIFY(answer.err.contains("no cluster meets these limits; nearest: 2 nodes"));
  const QJsonObject json = object_of(answer.out);
  QVERIFY(json["best"].isNull());
  QCOMPARE(at(json, "nearest")[QStringLiteral("verdict")].toString(), "time");
  // Without a price a budget can't be checked.
  const Answer unpriced = problem.run(question({"--samples", "1T", "--budget", "1"}));
  VERIFY_STATUS(unpriced, 3);
  QVERIFY(unpriced.out.contains("no price is known"));
}

void TestCliCapacity::memory_rules_out() {
  const SmallProblem problem;
  const Answer answer = problem.run(question({"--samples", "1k", "--reserve-bytes", "15800000000", "--json"}));
  VERIFY_STATUS(answer, 3);
  const QJsonObject json = object_of(answer.out);
  const QJsonValue nearest = at(json, "nearest");
  QCOMPARE(nearest["verdict"].toString(), "memory");
  QVERIFY(nearest["best"]["missing_memory_bytes"].toDouble() > 0);
  QVERIFY(!nearest["best"]["fits"].toBool());
  QVERIFY(nearest["cost"].isNull());
  QVERIFY(answer.err.contains("too little memory"));
}

void TestCliCapacity::tokens_of_a_model() {
  const SmallProblem problem;
  const Answer answer = problem.run(of_llama({"--device-types", "A100-80GB,h100", "--nodes", "1,2", "--tokens", "10B",
                                              "--sequence", "2048", "--within", "30d", "--json", "--threads", "2"}));
  VERIFY_STATUS(answer, 0);
  QVERIFY(answer.err.contains("--precision"));
  const QJsonObject json = object_of(answer.out);
  QCOMPARE(json["goal"]["sample_tokens"].toInt(), 2048);
  QCOMPARE(json["points"].toArray().size(), 4);
  QStringList types;
  for (const QJsonValue& point : json["points"].toArray()) types << point["device_type"].toString();
  QCOMPARE(types, (QStringList{"A100-80GB", "A100-80GB", "H100-SXM", "H100-SXM"}));
  QCOMPARE(at(json, "best")[QStringLiteral("cost")][QStringLiteral("iterations")].toInt(),
           76294);  // 10e9 / 2048 / 64, rounded up
  // Operations of a token, by the rule of 6 per parameter, and some for attention.
  const QJsonValue best = at(json, "best")[QStringLiteral("best")];
  const QJsonObject rates = best[QStringLiteral("utilization")].toObject();
  const double needed = 6 * 6.74e9 * rates["tokens_per_s_per_device"].toDouble();
  const double share = rates["mfu"].toDouble() * rates["peak_flops_per_s_per_device"].toDouble() / needed;
  QVERIFY2(share > 0.95 && share < 1.1, qPrintable(QString::number(share)));
  QCOMPARE(rates["tokens_per_s"].toDouble(),
           at(json, "best")[QStringLiteral("cost")][QStringLiteral("tokens_per_s")].toDouble());
  const Answer table = problem.run(of_llama({"--nodes", "8", "--tokens", "10B", "--sequence", "2048"}));
  VERIFY_STATUS(table, 0);
  QVERIFY(table.out.contains(" MFU ") && table.out.contains("MFU counts matrix products"));
}

void TestCliCapacity::bad_options_are_refused_data() {
  QTest::addColumn<QStringList>("options");
  QTest::addColumn<QString>("named");
  const QStringList samples{"--samples", "1M"};
  QTest::newRow("nothing") << QStringList{} << "--tokens";
  QTest::newRow("both") << QStringList{"--samples", "1M", "--tokens", "1B"} << "one of the two";
  QTest::newRow("tokens of a profile") << QStringList{"--tokens", "1B"} << "--sequence";
  QTest::newRow("count") << QStringList{"--samples", "many"} << "--samples: found 'many', expected a count";
  QTest::newRow("time") << samples + QStringList{"--within", "5GB"} << "--within: found '5GB', expected a time";
  QTest::newRow("no time") << samples + QStringList{"--within", "0d"} << "--within";
  QTest::newRow("money") << samples + QStringList{"--budget", "50 EUR"} << "--budget: found '50 EUR', expected a sum";
  QTest::newRow("nodes") << samples + QStringList{"--nodes", "1,x"} << "--nodes: found \"1,x\"";
  QTest::newRow("range") << samples + QStringList{"--nodes", "4-2"} << "--nodes";
  QTest::newRow("no nodes") << samples + QStringList{"--nodes", "0"} << "--nodes";
  QTest::newRow("type") << samples + QStringList{"--device-types", "Z9"} << "--device-types";
  QTest::newRow("price") << samples + QStringList{"--price", "X"} << "--price";
  QTest::newRow("micro-batch") << samples + QStringList{"--micro-batch", "3"} << "--micro-batch";
  QTest::newRow("planner") << samples + QStringList{"--planner", "nobody"} << "nobody";
  QTest::newRow("precision") << samples + QStringList{"--model-precision", "bf16"} << "--model-precision";
  QTest::newRow("largest what") << QStringList{"--largest", "width"} << "--largest: found \"width\"";
  QTest::newRow("largest and samples") << samples + QStringList{"--largest", "layers"} << "--largest";
  QTest::newRow("largest of several") << QStringList{"--largest", "layers", "--nodes", "1,2"} << "found 2 clusters";
  QTest::newRow("hidden of a profile") << QStringList{"--largest", "hidden"} << "config.json";
}

void TestCliCapacity::bad_options_are_refused() {
  QFETCH(QStringList, options);
  QFETCH(QString, named);
  const SmallProblem problem;
  const QStringList files = problem.files();
  const Answer answer = problem.run(question(options));
  VERIFY_STATUS(answer, 2);
  QVERIFY2(answer.err.contains(named.toUtf8()), answer.err.constData());
  QVERIFY(answer.out.isEmpty());
  QCOMPARE(problem.files(), files);
}

void TestCliCapacity::points_are_kept_for_other_goals() {
  const SmallProblem problem;
  const QStringList common = question({"--points", "points.json", "--json", "--nodes", "1-2"});
  VERIFY_STATUS(problem.run(common + QStringList{"--samples", "1M"}), 0);
  const QByteArray kept = problem.read("points.json");
  QCOMPARE(object_of(kept)["format"].toString(), "pipedeck.capacity-points");
  QCOMPARE(object_of(kept)["points"].toArray().size(), 2);
  const Answer with = problem.run(common + QStringList{"--samples", "5M", "--within", "900d"});
  const Answer without =
      problem.run(question({"--json", "--nodes", "1-2"}) + QStringList{"--samples", "5M", "--within", "900d"});
  QCOMPARE(with.out, without.out);
  QCOMPARE(problem.read("points.json"), kept);
}

void TestCliCapacity::points_of_others_are_refused() {
  const SmallProblem problem;
  VERIFY_STATUS(problem.run(question({"--points", "points.json", "--samples", "1M"})), 0);
  const QByteArray kept = problem.read("points.json");
  for (const QStringList& other : {QStringList{"--optimizer", "sgd"}, QStringList{"--planner", "amp"},
                                   QStringList{"--price", "X=3"}, QStringList{"--network", "shared"}}) {
    const Answer answer = problem.run(question({"--points", "points.json", "--samples", "1M"}) + other);
    VERIFY_STATUS(answer, 2);
    QVERIFY(answer.err.contains("points.json: /question_sha256"));
    QCOMPARE(problem.read("points.json"), kept);
  }
}

void TestCliCapacity::points_that_cant_be_kept_are_told_first() {
  const SmallProblem problem;
  const Answer answer =
      problem.run(question({"--points", "nowhere/points.json", "--samples", "1M", "--progress", "-"}));
  VERIFY_STATUS(answer, 1);
  QVERIFY2(answer.err.contains("nowhere/points.json"), answer.err.constData());
  QVERIFY2(answer.out.isEmpty(), answer.out.constData());  // before any point was looked for
}

void TestCliCapacity::broken_points_are_refused() {
  const SmallProblem problem;
  const QStringList command = question({"--points", "points.json", "--samples", "1M", "--nodes", "2"});
  VERIFY_STATUS(problem.run(command), 0);
  const QByteArray kept = problem.read("points.json");
  QJsonObject json = object_of(kept);
  QJsonArray points = json["points"].toArray();
  QJsonObject point = points[0].toObject(), plan = point["plan"].toObject();
  QJsonArray stages = plan["stages"].toArray();
  QJsonObject stage = stages[0].toObject();
  stage["devices"] = QJsonArray{900};
  stages[0] = stage;
  plan["stages"] = stages;
  point["plan"] = plan;
  points[0] = point;
  json["points"] = points;
  const auto with = [&](const std::function<void(QJsonObject&)>& change) {
    QJsonObject whole = object_of(kept);
    QJsonArray all = whole["points"].toArray();
    QJsonObject changed = all[0].toObject();
    change(changed);
    all[0] = changed;
    whole["points"] = all;
    return QJsonDocument(whole).toJson();
  };
  QJsonObject twice = object_of(kept);
  twice["points"] = QJsonArray{twice["points"].toArray()[0], twice["points"].toArray()[0]};
  // Still JSON, and each figure possible, but not in this combination.
  for (const QByteArray& content :
       {QJsonDocument(json).toJson(), kept.left(kept.size() / 2), QByteArray("[]"), QJsonDocument(twice).toJson(),
        with([](QJsonObject& of) { of["samples_per_s"] = 0; }), with([](QJsonObject& of) { of["fits"] = false; }),
        with([](QJsonObject& of) { of["global_batch"] = of["global_batch"].toInt() * 2; })}) {
    problem.write("points.json", content);
    const Answer answer = problem.run(command);
    VERIFY_STATUS(answer, 2);
    QVERIFY2(answer.err.contains("points.json: "), answer.err.constData());
    QCOMPARE(problem.read("points.json"), content);
  }
}

void TestCliCapacity::cancelled_and_resumed_data() {
  QTest::addColumn<int>("by");
  QTest::newRow("SIGINT") << SIGINT;
  QTest::newRow("SIGTERM") << SIGTERM;
  QTest::newRow("SIGKILL") << SIGKILL;
}

/// An interrupted sweep resumes to the bytes of an uninterrupted one.
void TestCliCapacity::cancelled_and_resumed() {
  QFETCH(int, by);
  const SmallProblem problem;
  const auto command = [&](const QString& points) {
    return of_llama({"--micro-batch", "1,2,4", "--device-types", "A100-80GB,H100-SXM", "--nodes", "1-10", "--tokens",
                     "10B", "--json", "--points", points});
  };
  QProcess process;
  process.setWorkingDirectory(problem.folder());
  process.start(PIPEDECK_CLI, command("points.json") + QStringList{"--progress", "-", "-o", "broken.json"});
  QByteArray lines;
  const bool killed = by == SIGKILL;
  while (lines.count('\n') < 5) {
    QVERIFY(process.waitForReadyRead(60000));
    lines += process.readAllStandardOutput();
  }
  QVERIFY(send_signal(process, by));
  QVERIFY(process.waitForFinished(60000));
  if (!killed) {
    QCOMPARE(process.exitCode(), 130);
    QVERIFY(process.readAllStandardError().contains("the same command continues"));
  }
  QVERIFY(!problem.files().contains("broken.json"));
  const auto count = [&](const QString& file) { return object_of(problem.read(file))["points"].toArray().size(); };
  // Whoever is killed keeps what was written last, at the first point and then every two seconds.
  QVERIFY(count("points.json") >= (killed ? 1 : 4) && count("points.json") < 60);
  const Answer resumed = problem.run(command("points.json"));
  VERIFY_STATUS(resumed, 0);
  if (unbroken_.isEmpty()) {
    unbroken_ = problem.run(command("unbroken.json")).out;
    unbroken_points_ = problem.read("unbroken.json");
  }
  QCOMPARE(resumed.out, unbroken_);
  QCOMPARE(problem.read("points.json"), unbroken_points_);
  QCOMPARE(count("points.json"), 60);
}

/// The shares of each step add up to it, and weak scaling keeps the samples of a device.
void TestCliCapacity::scaling_over_sizes() {
  SmallProblem problem;
  for (const QString& kind : {QStringLiteral("strong"), QStringLiteral("weak")}) {
    const QStringList command =
        QStringList{"capacity", "--profile", llama(),     "--cluster", "preset:8-h100-sxm", "--global-batch", "32",
                    "--nodes",  "1,2,4",     "--scaling", kind};
    const Answer answer = problem.run(command + QStringList{"--json", "--csv", "scaling.csv"});
    VERIFY_STATUS(answer, 0);
    const QJsonObject json = object_of(answer.out);
    QCOMPARE(json["format"].toString(), QStringLiteral("pipedeck.scaling"));
    QCOMPARE(json["kind"].toString(), kind);
    const QJsonArray points = json["points"].toArray();
    QCOMPARE(points.size(), 3);
    for (int i = 0; i < 3; ++i) {
      const QJsonObject point = points.at(i).toObject();
      QCOMPARE(point["devices"].toInt(), 8 << i);
      QCOMPARE(point["global_batch"].toInt(), kind == QStringLiteral("weak") ? 32 << i : 32);
      double sum = 0;
      const QJsonObject shares = point["shares"].toObject();
      for (const QJsonValue& share : shares) sum += share.toDouble();
      QVERIFY(std::abs(sum - 1) < 1e-6);
      QVERIFY(point["efficiency"].toDouble() > 0);
    }
    QCOMPARE(points.at(0).toObject()["efficiency"].toDouble(), 1.0);
    QFile csv(problem.path("scaling.csv"));
    QVERIFY(csv.open(QIODevice::ReadOnly));
    QCOMPARE(csv.readAll().count('\n'), 4);
    const Answer table = problem.run(command);
    VERIFY_STATUS(table, 0);
    QVERIFY2(table.out.contains("efficiency") && table.out.contains("100.0 %"), table.out);
  }
  const Answer both = problem.run(question({"--scaling", "strong", "--samples", "100"}));
  VERIFY_STATUS(both, 2);
  QVERIFY2(both.err.contains("found --scaling and an amount of training"), both.err);
}

/// The smallest size has to recompute, so that larger ones are more efficient: table, JSON and CSV give the reason.
void TestCliCapacity::scaling_above_the_ideal_is_explained() {
  SmallProblem problem;
  const QStringList command{
      "capacity", "--profile", "preset:llama-3-70b", "--cluster", "preset:8x8-h100-sxm", "--global-batch", "256",
      "--nodes",  "2,4",       "--scaling",          "strong"};
  const QByteArray reason = "above 100 %: recompute takes ";
  const Answer table = problem.run(command + QStringList{"--csv", "scaling.csv"});
  VERIFY_STATUS(table, 0);
  QVERIFY2(table.out.contains("32 devices: " + reason) && table.out.contains("recompute %"), table.out);
  QFile csv(problem.path("scaling.csv"));
  QVERIFY(csv.open(QIODevice::ReadOnly));
  QVERIFY(csv.readAll().contains(reason));
  const Answer answer = problem.run(command + QStringList{"--json"});
  const QJsonArray points = object_of(answer.out)["points"].toArray();
  QVERIFY(!points.at(0).toObject().contains("note"));
  QVERIFY(points.at(1).toObject()["note"].toString().startsWith(QLatin1String(reason)));
  QVERIFY(points.at(1).toObject()["efficiency"].toDouble() > 1);
}

void TestCliCapacity::threads_give_the_same_bytes() {
  const SmallProblem problem;
  const QStringList command = question({"--samples", "1M", "--nodes", "1-6", "--micro-batch", "1,2,4", "--json"});
  QCOMPARE(problem.run(command + QStringList{"--threads", "4"}).out, problem.run(command).out);
  const QStringList table = question({"--samples", "1M", "--nodes", "1-6", "--csv", "-"});
  const QByteArray csv = problem.run(table + QStringList{"--threads", "3"}).out;
  QCOMPARE(csv, problem.run(table).out);
  QVERIFY(csv.startsWith("device_type,cluster_nodes,"));
  QCOMPARE(csv.count("\r\n"), 7);
}

/// The plan of the point to take has that prediction in the other commands too.
void TestCliCapacity::the_plan_goes_on() {
  const SmallProblem problem;
  const Answer answer = problem.run(
      question({"--samples", "1M", "--nodes", "3", "--cluster-out", "big.json", "--plan-out", "best.json", "--json"}));
  VERIFY_STATUS(answer, 0);
  const Answer simulated =
      problem.run({"simulate", "--profile", "p.json", "--cluster", "big.json", "--plan", "best.json", "--json"});
  VERIFY_STATUS(simulated, 0);
  QCOMPARE(object_of(simulated.out)["samples_per_s"].toDouble(),
           at(object_of(answer.out), "best")[QStringLiteral("cost")][QStringLiteral("samples_per_s")].toDouble());
}

void TestCliCapacity::the_largest() {
  const SmallProblem problem;
  const Answer answer = problem.run(
      of_llama({"--device-types", "V100-32GB", "--nodes", "1", "--largest", "hidden", "--step", "512", "--json"}));
  VERIFY_STATUS(answer, 0);
  const QJsonObject json = object_of(answer.out);
  QCOMPARE(json["format"].toString(), "pipedeck.largest");
  const int size = json["size"].toInt();
  QVERIFY(size >= 512);
  QCOMPARE(json["next"].toInt(), size + 512);
  QVERIFY(json["found"]["best"]["fits"].toBool());
  QVERIFY(!json["next_found"]["best"]["fits"].toBool());
  QVERIFY(json["next_found"]["best"]["missing_memory_bytes"].toDouble() > 0);
  const Answer words =
      problem.run(of_llama({"--device-types", "V100-32GB", "--nodes", "1", "--largest", "hidden", "--step", "512"}));
  QVERIFY(words.out.contains("largest hidden size that fits: " + QByteArray::number(size)));
  QVERIFY(words.out.contains("does not fit"));
}

/// The profile names its transformer: the answer is that of its config.json.
void TestCliCapacity::the_largest_of_a_computed_profile() {
  const SmallProblem problem;
  VERIFY_STATUS(problem.run({"convert", llama(), "llama.profile.json", "--device", "V100-16GB", "--sequence", "1024"}),
                0);
  const auto asked = [&](const QString& profile, const QStringList& more) {
    const Answer answer =
        problem.run(QStringList{"capacity", "--profile", profile, "--cluster", "preset:dapple-a", "--global-batch",
                                "16", "--micro-batch", "1", "--precision", "mixed-16", "--largest", "hidden", "--step",
                                "1024", "--most", "8192", "--json"} +
                    more);
    return answer.status == 0 ? object_of(answer.out) : QJsonObject{{"error", QString::fromUtf8(answer.err)}};
  };
  const QJsonObject computed = asked("llama.profile.json", {}),
                    configured = asked(llama(), {"--model-precision", "fp16", "--sequence", "1024"});
  QVERIFY2(computed["size"].toInt() >= 1024, qPrintable(computed["error"].toString()));
  for (const char* key : {"size", "next", "found"}) QCOMPARE(computed[key], configured[key]);
  // Layers that were changed since are no longer those of the transformer.
  QFile file(problem.path("llama.profile.json"));
  QVERIFY(file.open(QFile::ReadWrite));
  QByteArray text = file.readAll();
  const auto at = text.indexOf("\"output_bytes\": ");
  text.insert(at + int(sizeof("\"output_bytes\": ")) - 1, '9');
  QVERIFY(file.resize(0) && file.seek(0));
  file.write(text);
  file.close();
  QVERIFY2(asked("llama.profile.json", {})["error"].toString().contains("were changed since"),
           qPrintable(asked("llama.profile.json", {})["error"].toString()));
}

void TestCliCapacity::nothing_is_the_largest() {
  const SmallProblem problem;
  const Answer answer =
      problem.run(question({"--largest", "layers", "--nodes", "1", "--reserve-bytes", "15999999999", "--json"}));
  VERIFY_STATUS(answer, 3);
  QVERIFY(answer.err.contains("not even 1"));
  QVERIFY(object_of(answer.out)["size"].isNull());
}

PIPEDECK_TEST(TestCliCapacity)

}  // namespace pipedeck::tst_cli_capacity

#include "tst_cli_capacity.moc"
