// SPDX-License-Identifier: Apache-2.0
// Profiles, links and clusters measured on GPUs, from the command line. The program uses its module on the stand-in for
// NVIDIA's libraries, and a library that replaces the driver's NVML. Also the results saved if a measurement fails.
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QRegularExpression>
#include <QTest>

#include <cmath>

#include "tests/app/cli/cli_process.hpp"
#include "tests/support/places.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_cli_gpu_profiles {

using namespace pipedeck::test;

class TestCliGpuProfiles : public QObject {
  Q_OBJECT
 private slots:
  void init() { problem_ = std::make_unique<SmallProblem>(); }
  void clusters_have_the_measured_links();
  void unlike_pairs_become_a_matrix();
  void one_gpu_is_a_cluster_without_links();
  void layers_are_measured_cut();
  void what_was_measured_before_a_failure_is_kept();
  void a_cluster_that_fails_keeps_the_profile();
  void the_true_module_refuses_without_a_driver();

 private:
  Answer profile(const QStringList& more, const QStringList& environment = {}) const {
    const QStringList usual{"profile",         "--model", "preset:mlp-small", "--backend", "cuda",
                            "--micro-batch",   "4",       "--repetitions",    "3",         "-o",
                            "mlp.profile.json"};
    return run_program(QStringLiteral(PIPEDECK_STAND_IN_CLI), usual + more, problem_->folder(),
                       QStringList{QStringLiteral("LD_LIBRARY_PATH=" PIPEDECK_FAKE_DRIVER),
                                   "FAKE_NAMES=NVIDIA H200;NVIDIA H200;NVIDIA H200"} +
                           environment);
  }
  QJsonObject read(const QString& file) const { return QJsonDocument::fromJson(problem_->read(file)).object(); }
  std::unique_ptr<SmallProblem> problem_;
};

void TestCliGpuProfiles::clusters_have_the_measured_links() {
  const Answer answer = profile({"--links", "--cluster-out", "gpus.cluster.json"});
  VERIFY_STATUS(answer, 0);
  VERIFY_STATUS(problem_->run({"validate", "gpus.cluster.json"}), 0);
  const QJsonObject cluster = read("gpus.cluster.json"), node = cluster["nodes"].toArray()[0].toObject();
  const QJsonObject type = cluster["device_types"].toArray()[0].toObject();
  QCOMPARE(read("mlp.profile.json")["device"], type["name"]);
  QVERIFY(type["name"].toString().startsWith("H200"));
  QCOMPARE(node["devices"].toArray()[0].toObject()["count"].toInt(), 2);
  static const QRegularExpression told("Transfers between two devices: ([0-9.]+) GB/s, latency ([0-9.]+) us");
  const auto found = told.match(answer.out);
  QVERIFY2(found.hasMatch(), answer.out);
  const QJsonObject link = node["link"].toObject();
  const auto printed = [&](const char* key, int group) {
    return std::abs(link[key].toDouble() - found.captured(group).toDouble()) < 0.01;
  };
  QVERIFY2(printed("gb_per_s", 1) && printed("latency_us", 2), answer.out + QJsonDocument(cluster).toJson());
  QVERIFY2(answer.out.contains("All-reduces among GPUs 0 to 1"), answer.out);
  QVERIFY2(answer.err.contains("links measured") && !answer.err.contains("assumed"), answer.err);
}

/// Three pairs of the stand-in, whose copies are the processor's: alike or not, a bandwidth stands for each.
void TestCliGpuProfiles::unlike_pairs_become_a_matrix() {
  VERIFY_STATUS(profile({"--cluster-out", "gpus.cluster.json"}, {"FAKE_GPUS=3"}), 0);
  VERIFY_STATUS(problem_->run({"validate", "gpus.cluster.json"}), 0);
  const QJsonObject cluster = read("gpus.cluster.json");
  const QJsonArray matrix = cluster["bandwidth_matrix_gb_per_s"].toArray();
  const QJsonObject link = cluster["nodes"].toArray()[0].toObject()["link"].toObject();
  QVERIFY(matrix.size() == 3 || link["gb_per_s"].toDouble() > 0);
  for (int i = 0; i < matrix.size(); ++i)
    for (int j = 0; j < i; ++j) {
      QVERIFY(matrix[i].toArray()[j].toDouble() > 0);
      QCOMPARE(matrix[i].toArray()[j], matrix[j].toArray()[i]);
    }
}

void TestCliGpuProfiles::one_gpu_is_a_cluster_without_links() {
  const Answer answer = profile({"--links", "--cluster-out", "gpus.cluster.json"}, {"FAKE_GPUS=1"});
  VERIFY_STATUS(answer, 0);
  VERIFY_STATUS(problem_->run({"validate", "gpus.cluster.json"}), 0);
  QVERIFY2(answer.err.contains("found one GPU, expected at least two"), answer.err);
  QCOMPARE(read("mlp.profile.json")["device"],
           read("gpus.cluster.json")["device_types"].toArray()[0].toObject()["name"]);
}

void TestCliGpuProfiles::layers_are_measured_cut() {
  VERIFY_STATUS(profile({"--tensor-parallel", "1,2,4"}), 0);
  VERIFY_STATUS(problem_->run({"validate", "mlp.profile.json"}), 0);
  const QJsonObject measured = read("mlp.profile.json");
  QVERIFY2(measured["source"].toString().contains("layers cut over 2 by all ranks at once, joined by NCCL") &&
               measured["source"].toString().endsWith("over 4 by one rank alone (found 2 devices)"),
           qPrintable(measured["source"].toString()));
  for (const auto& layer : measured["layers"].toArray())
    QCOMPARE(layer.toObject()["tensor_parallel"].toArray().size(), 2);
}

void TestCliGpuProfiles::what_was_measured_before_a_failure_is_kept() {
  const Answer answer = profile({"--links", "--cluster-out", "gpus.cluster.json"}, {"FAKE_FAILS=ncclAllReduce"});
  VERIFY_STATUS(answer, 4);
  QVERIFY2(answer.err.contains("--links: ") && answer.err.contains("ncclAllReduce") &&
               answer.err.contains("the profile was written: mlp.profile.json"),
           answer.err);
  VERIFY_STATUS(problem_->run({"validate", "mlp.profile.json", "gpus.cluster.json"}), 0);
  QVERIFY2(answer.out.contains("Transfers between two devices: "), answer.out);
}

void TestCliGpuProfiles::a_cluster_that_fails_keeps_the_profile() {
  const Answer answer = profile({"--cluster-out", "none/gpus.cluster.json"});
  VERIFY_STATUS(answer, 1);
  QVERIFY2(answer.err.contains("the profile was written: mlp.profile.json"), answer.err);
  VERIFY_STATUS(problem_->run({"validate", "mlp.profile.json"}), 0);
}

/// It is loaded from the program's folder, with NVIDIA's libraries, and reports the missing part.
void TestCliGpuProfiles::the_true_module_refuses_without_a_driver() {
#ifdef PIPEDECK_TRUE_MODULE
  if (QFile::exists("/dev/nvidiactl") || QFile::exists("/proc/driver/nvidia/version")) QSKIP("there is a driver");
  for (const QStringList& command :
       {QStringList{"profile", "--model", "preset:mlp-small", "--backend", "cuda"}, {"list", "devices"}}) {
    const Answer answer = problem_->run(command);
    VERIFY_STATUS(answer, command.front() == "list" ? 0 : 2);
    const QByteArray said = answer.out + answer.err;
    QVERIFY2(!said.contains("pipedeck-cuda.so is not there"), said);
    QVERIFY2(said.contains("driver") || said.contains("have to be installed"), said);
  }
#else
  QSKIP("this build has no module for GPUs: nvcc, cuDNN or NCCL are missing");
#endif
}

PIPEDECK_TEST(TestCliGpuProfiles)

}  // namespace pipedeck::tst_cli_gpu_profiles

#include "tst_cli_gpu_profiles.moc"
