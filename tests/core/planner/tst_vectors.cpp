// SPDX-License-Identifier: Apache-2.0
// Objectives of small problems, computed by a plain enumeration program.
#include <fstream>

#include <QtTest/QTest>
#include <nlohmann/json.hpp>

#include "core/io/documents/formats.hpp"
#include "core/planner/planner.hpp"
#include "tests/support/shared_data.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_vectors {

/// A parsed `--planner dapple --global-batch 8 ...`: the workload and the planner's options.
struct Question {
  std::string planner;
  Workload workload;
  planner::PlannerOptions options;
  PlanConstraints pins;
};

Question question_of(const nlohmann::json& words) {
  Question question;
  std::vector<std::string> texts;
  for (const auto& word : words) texts.push_back(word.is_string() ? word.get<std::string>() : word.dump());
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const std::string name = texts[i].substr(2);
    const bool has_value = i + 1 < texts.size() && texts[i + 1].rfind("--", 0) != 0;
    const std::string value = has_value ? texts[++i] : "true";
    if (name == "planner")
      question.planner = value;
    else if (name == "global-batch")
      question.workload.global_batch = std::stoi(value);
    else if (name == "micro-batch")
      question.workload.micro_batch = std::stoi(value);
    else if (name == "optimizer")
      question.workload.optimizer = *parse_optimizer(value);
    else if (name == "pp")
      question.pins.stages = std::stoi(value);
    else if (name == "dp")
      question.pins.replicas = std::stoi(value);
    else if (name == "tmp")
      question.pins.tensor_parallel = std::stoi(value);
    else
      question.options[name] = value;
  }
  return question;
}

class TestVectors : public QObject {
  Q_OBJECT

 private slots:
  void objective_data();
  void objective();
};

void TestVectors::objective_data() {
  QTest::addColumn<QString>("vector");
  const std::string folder = test::shared_data();
  if (folder.empty()) QSKIP("the shared vectors are not here");
  for (const char* kind : {"dapple", "pipedream", "amp", "capture"}) {
    std::ifstream file(folder + "/vectors/" + kind + ".json");
    const auto all = nlohmann::json::parse(file);
    for (std::size_t i = 0; i < all.size(); ++i)
      QTest::addRow("%s %zu", kind, i) << QString::fromStdString(all[i].dump());
  }
}

void TestVectors::objective() {
  QFETCH(QString, vector);
  const auto given = nlohmann::json::parse(vector.toStdString());
  const Question question = question_of(given.at("options"));
  const auto profile = io::documents::profile_from_json(given.at("profile").dump());
  const auto cluster = io::documents::cluster_from_json(given.at("cluster").dump());
  QVERIFY(profile && cluster);
  const Problem problem{std::make_shared<const Profile>(*profile), std::make_shared<const Cluster>(*cluster),
                        question.workload, question.pins};
  const auto ranking = planner::run_planner(**planner::find_planner(question.planner), problem, question.options, {});
  QVERIFY2(ranking.has_value(), ranking ? "" : ranking.error().text().c_str());
  const Objective& objective = *ranking->plans.at(0).objective;
  const auto& expected = given.at("expected").at("objective");
  if (expected.contains("value_bytes")) {
    QCOMPARE(objective.bytes->count, expected.at("value_bytes").get<std::int64_t>());
  } else {
    const double want = expected.at("value_ms").get<double>(), got = in_milliseconds(*objective.time);
    QVERIFY2(std::abs(got - want) <= 1e-6 * want, qPrintable(QString("%1 ms, %2 expected").arg(got).arg(want)));
  }
}

PIPEDECK_TEST(TestVectors)

}  // namespace pipedeck::tst_vectors

#include "tst_vectors.moc"
