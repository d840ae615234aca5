// SPDX-License-Identifier: Apache-2.0
// convert makes clusters of machines: files of nvidia-smi and NCCL, and this machine, with a driver that a library of
// the tests stands for and without one.
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>

#include "tests/app/cli/cli_process.hpp"
#include "tests/support/places.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_cli_machines {

using namespace pipedeck::test;

QString fixture(const char* name) { return QStringLiteral(PIPEDECK_FIXTURES "/topology/") + QLatin1String(name); }
const QString driver = QStringLiteral("LD_LIBRARY_PATH=" PIPEDECK_FAKE_DRIVER);

class TestCliMachines : public QObject {
  Q_OBJECT

 private slots:
  /// The account of an import ends with the line that ends the import itself.
  void explained_imports() {
    for (const char* file : {"dgx-a100.topo.txt", "4xt4.xml", "8xh100.nccl-tests.txt", "site.slurm.txt"}) {
      const Answer told = problem_.run({"convert", "--explain", fixture(file)});
      VERIFY_STATUS(told, 0);
      const QByteArray last = told.out.trimmed().split('\n').last();
      QVERIFY2(told.out.contains(": taken for ") && last.contains(": understood "), told.out);
      const Answer made = problem_.run({"convert", fixture(file), "-o", "explained.cluster.json"});
      VERIFY_STATUS(made, 0);
      QVERIFY2(made.err.trimmed().endsWith(last), made.err);
    }
    VERIFY_STATUS(problem_.run({"convert", "--explain", "preset:BERT-48"}), 2);
    VERIFY_STATUS(problem_.run({"convert", "--explain", "none.json"}), 2);
    const Answer open = problem_.run({"convert", "--explain", fixture("4-devices.bandwidths.csv"), "--copies", "2"});
    VERIFY_STATUS(open, 0);
    QVERIFY2(open.out.contains("  open: "), open.out);
  }

  /// Measured times stand next to the times of the model.
  void measured_collectives() {
    const Answer answer = problem_.run({"convert", fixture("8xh100.nccl-tests.txt"), "-o", "tested.cluster.json"});
    VERIFY_STATUS(answer, 0);
    for (const char* words : {"all_reduce_perf of 8 ranks on 1 host", "by the fit us", "2147483648"})
      QVERIFY2(answer.out.contains(words), answer.out);
    QVERIFY2(problem_.read("tested.cluster.json").contains("\"measured\": true"), problem_.read("tested.cluster.json"));
  }

  void notes_go_beside_the_cluster() {
    const Answer answer = problem_.run({"convert", fixture("dgx-a100.topo.txt"), "-o", "x.cluster.json"});
    VERIFY_STATUS(answer, 0);
    QCOMPARE(answer.out, QByteArray());
    QVERIFY2(answer.err.contains("NVLink 3: 12 lanes of 25 GB/s are 300 GB/s each way"), answer.err);
    QCOMPARE(object_of(problem_.read("x.cluster.json"))["name"].toString(), QStringLiteral("8 × A100-40GB"));
    VERIFY_STATUS(problem_.run({"validate", "x.cluster.json"}), 0);
    const Answer again = problem_.run({"convert", fixture("dgx-a100.topo.txt"), "-"});
    QCOMPARE(again.out, problem_.read("x.cluster.json"));
  }

  void options_say_what_is_open() {
    const Answer answer =
        problem_.run({"convert", fixture("dgx1-v100.topo.txt"), fixture("dgx1-v100.xml"), "-o", "-", "--copies", "4",
                      "--network", "100Gbit/s", "--shape", "links", "--device", "v100-32gb", "--name", "lab"});
    VERIFY_STATUS(answer, 0);
    const QJsonObject cluster = object_of(answer.out);
    QCOMPARE(cluster["name"].toString(), QStringLiteral("lab"));
    QCOMPARE(cluster["nodes"].toArray().size(), 4);
    QCOMPARE(cluster["links"].toArray()[0].toObject()["gb_per_s"].toDouble(), 12.5);
    QCOMPARE(cluster["device_types"].toArray()[0].toObject()["name"].toString(), QStringLiteral("V100-32GB"));
  }

  void clusters_of_sites_and_clouds() {
    const Answer site = problem_.run({"convert", fixture("site.slurm.txt"), fixture("site.topology.conf"), "-o",
                                      "site.cluster.json", "--partition", "gpu", "--network", "100Gbit/s", "--uplink",
                                      "200Gbit/s", "--device", "a100-80gb"});
    VERIFY_STATUS(site, 0);
    QVERIFY2(site.err.contains("node01 and 3 more: 8 × A100-80GB each, from Slurm"), site.err);
    QCOMPARE(object_of(problem_.read("site.cluster.json"))["switches"].toArray().size(), 3);
    const Answer table = problem_.run({"convert", fixture("4-devices.bandwidths.csv"), "-", "--device", "T4"});
    VERIFY_STATUS(table, 0);
    QCOMPARE(object_of(table.out)["bandwidth_matrix_gb_per_s"].toArray()[0].toArray()[3].toDouble(), 11.8);
    VERIFY_STATUS(problem_.run({"convert", fixture("4xa100.lstopo.xml"), "lstopo.cluster.json"}), 0);
    const Answer cloud =
        problem_.run({"convert", "--cloud", "p4d.24xlarge", "--copies", "4", "-o", "cloud.cluster.json"});
    VERIFY_STATUS(cloud, 0);
    QVERIFY2(cloud.err.contains("figures as published in 2"), cloud.err);
    for (const char* made : {"site.cluster.json", "lstopo.cluster.json", "cloud.cluster.json"})
      VERIFY_STATUS(problem_.run({"plan", "--profile", "preset:bert-48", "--cluster", made, "--planner", "gpipe",
                                  "--global-batch", "64", "-o", "plan.json"}),
                    0);
    const Answer told = problem_.run({"validate", fixture("site.slurm.txt"), fixture("site.topology.conf"),
                                      fixture("4-devices.bandwidths.csv"), fixture("4xa100.lstopo.xml")});
    VERIFY_STATUS(told, 0);
  }

  void what_is_made_can_be_planned_on() {
    VERIFY_STATUS(problem_.run({"convert", fixture("8xl40s-numa.xml"), "l40s.cluster.json"}), 0);
    VERIFY_STATUS(problem_.run({"plan", "--profile", "preset:bert-48", "--cluster", "l40s.cluster.json", "--planner",
                                "gpipe", "--global-batch", "64", "-o", "plan.json"}),
                  0);
  }

  /// A model computed for one device on a cluster of another: the cluster's speeds are against a third one.
  void a_profile_of_another_device_is_told() {
    VERIFY_STATUS(problem_.run({"convert", "--cloud", "p5.48xlarge", "-o", "h100.cluster.json"}), 0);
    problem_.write("config.json", R"({"model_type": "llama", "hidden_size": 256, "intermediate_size": 512,
      "num_attention_heads": 4, "num_hidden_layers": 8, "vocab_size": 1000})");
    const auto planned_for = [&](const QString& device) {
      problem_.run({"convert", "config.json", "-o", "m.profile.json", "--device", device});
      return problem_.run({"plan", "--profile", "m.profile.json", "--cluster", "h100.cluster.json", "--planner",
                           "straight", "--global-batch", "8", "-o", "plan.json"});
    };
    const Answer other = planned_for("A100-80GB"), same = planned_for("H100-SXM");
    VERIFY_STATUS(other, 0);
    VERIFY_STATUS(same, 0);
    QVERIFY2(other.err.contains("computed for H100-SXM; the profile was for A100-80GB"), other.err);
    QVERIFY2(!same.err.contains("the profile was for"), same.err);
  }

  void bad_calls_are_told_data() {
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QString>("said");
    QTest::newRow("another format") << QStringList{"convert", fixture("4xt4.xml"), "x.plan.json"} << "plan";
    QTest::newRow("a rate of nothing") << QStringList{"convert", fixture("4xt4.xml"), "x.json", "--network", "0"}
                                       << "--network";
    QTest::newRow("no such device") << QStringList{"convert", fixture("4xt4.xml"), "x.json", "--device", "abacus"}
                                    << "V100-16GB, V100-32GB";
    QTest::newRow("no copies") << QStringList{"convert", fixture("4xt4.xml"), "x.json", "--copies", "0"} << "--copies";
    QTest::newRow("two profiles") << QStringList{"convert", "p.json", "p.json", "-o", "x.json"} << "2 files";
    QTest::newRow("copies of a profile") << QStringList{"convert", "p.json", "x.json", "--copies", "2"}
                                         << "options of machines";
    QTest::newRow("no such cloud shape") << QStringList{"convert", "--cloud", "p0", "-o", "x.json"} << "p4d.24xlarge";
    QTest::newRow("a cloud and a file") << QStringList{"convert", "--cloud", "p4d.24xlarge", "p.json", "-o", "x.json"}
                                        << "--cloud";
    QTest::newRow("switches alone") << QStringList{"convert", fixture("site.topology.conf"), "x.json"}
                                    << "site.topology.conf";
    QTest::newRow("no such partition") << QStringList{"convert", fixture("site.slurm.txt"), "x.json", "--partition",
                                                      "fast"}
                                       << "gpu (4)";
    QTest::newRow("this machine and a file")
        << QStringList{"convert", "--this-machine", "p.json", "-o", "x.json"} << "--this-machine";
    QTest::newRow("this machine to nowhere") << QStringList{"convert", "--this-machine"} << "OUT";
    QTest::newRow("a topology for a cluster")
        << QStringList{"simulate", "--profile", "p.json", "--cluster", fixture("4xt4.xml"), "--plan", "plan.json"}
        << "pipedeck-cli convert";
  }
  void bad_calls_are_told() {
    QFETCH(QStringList, arguments);
    QFETCH(QString, said);
    const QStringList before = problem_.files();
    const Answer answer = problem_.run(arguments);
    VERIFY_STATUS(answer, 2);
    QVERIFY2(answer.err.contains(said.toUtf8()), answer.err);
    QCOMPARE(problem_.files(), before);
  }

  void this_machine_by_its_driver() {
    const Answer answer =
        problem_.run({"convert", "--this-machine", "-o", "-"}, {driver, "FAKE_GPUS=8", "FAKE_LANES=18"});
    VERIFY_STATUS(answer, 0);
    const QJsonObject cluster = object_of(answer.out);
    QCOMPARE(cluster["name"].toString(), QStringLiteral("8 × H200"));
    QCOMPARE(cluster["nodes"].toArray()[0].toObject()["link"].toObject()["gb_per_s"].toDouble(), 450.0);
    QVERIFY2(answer.err.contains("8 × H200, from NVML"), answer.err);
    const Answer pcie = problem_.run({"convert", "--this-machine", "-o", "-"}, {driver, "FAKE_GPUS=4", "FAKE_LANES=0"});
    QCOMPARE(object_of(pcie.out)["bandwidth_matrix_gb_per_s"].toArray().size(), 4);
  }

  void this_machine_with_an_unknown_gpu() {
    const Answer answer = problem_.run({"convert", "--this-machine", "-o", "-"}, {driver, "FAKE_NAME=NVIDIA X9"});
    VERIFY_STATUS(answer, 0);
    QVERIFY2(answer.err.contains("NVIDIA X9 is not in the catalogue"), answer.err);
  }

  void this_machine_without_a_driver() {
    for (const QStringList& environment :
         {QStringList{}, QStringList{driver, "FAKE_BROKEN=1"}, QStringList{driver, "FAKE_GPUS=0"}}) {
      const Answer answer = problem_.run({"convert", "--this-machine", "-o", "-"}, environment);
      VERIFY_STATUS(answer, 0);
      QVERIFY2(answer.err.contains("processor cores are the devices"), answer.err);
      QCOMPARE(object_of(answer.out)["device_types"].toArray()[0].toObject()["name"].toString(),
               QStringLiteral("CPU-core"));
    }
  }

 private:
  SmallProblem problem_;
};

PIPEDECK_TEST(TestCliMachines)

}  // namespace pipedeck::tst_cli_machines

#include "tst_cli_machines.moc"
