// SPDX-License-Identifier: Apache-2.0
// The output of profile --backend cuda --links for two to four GPUs of NVIDIA's libraries' stand-in.
#include <QRegularExpression>
#include <QTest>

#include <cmath>
#include <map>

#include "app/cli/work/gpu_links.hpp"
#include "tests/support/cuda_stand_in/stand_in.hpp"

using namespace pipedeck;

extern "C" const runtime::cuda::Module* pipedeck_cuda(const char* version);

namespace {

const runtime::cuda::Module& gpu_module() { return *pipedeck_cuda(PIPEDECK_VERSION); }

const std::vector<Bytes> few_sizes{Bytes(64), Bytes(1 << 20)};

QString links_of(int gpus) {
  cuda_stand_in::set_devices(gpus);
  const runtime::cuda::GpusToMeasure found =
      runtime::cuda::gpus_to_measure(gpu_module(), runtime::cuda::Precision::fp32).value();
  const cli::work::GpuLinks links(found);
  return QString::fromStdString(links.text() + links.all_reduces_text(gpu_module(), few_sizes));
}

/// The cells of a group's table, by bytes.
std::map<qlonglong, QStringList> rows_behind(const QString& text, const QString& title) {
  std::map<qlonglong, QStringList> rows;
  const qsizetype at = text.indexOf(title);
  if (at < 0) return rows;
  const QStringList lines = text.mid(at).split('\n');
  for (qsizetype i = 3; i < lines.size() && !lines[i].isEmpty(); ++i) {
    QStringList cells = lines[i].split(' ', Qt::SkipEmptyParts);
    const qlonglong bytes = cells.takeFirst().toLongLong();
    rows[bytes] = cells;
  }
  return rows;
}

}  // namespace

class TestCliGpuLinks : public QObject {
  Q_OBJECT

 private slots:
  void init() { cuda_stand_in::reset(); }
  void cleanup() { QVERIFY2(cuda_stand_in::alive() == 0, cuda_stand_in::alive_words().c_str()); }

  void pairs_and_groups() {
    const QString text = links_of(3);
    QVERIFY2(text.contains("GPU 0 to GPU 1\n") && text.contains("All pairs\n"), qPrintable(text));
    QVERIFY2(text.contains("1       2"), qPrintable(text));
    QVERIFY(!text.contains("No estimates"));
    QCOMPARE(cuda_stand_in::copies_through_host(), 0);
    for (const int count : {2, 3}) {
      const auto rows = rows_behind(text, QStringLiteral("All-reduces among GPUs 0 to %1\n").arg(count - 1));
      QCOMPARE(rows.size(), few_sizes.size());
      for (const auto& [bytes, cells] : rows) {
        const double expected = 2 * (count - 1) * (5 + static_cast<double>(bytes) / count / 1e5);
        QVERIFY2(std::abs(cells[2].toDouble() - expected) < 1e-4 * expected + 0.01, qPrintable(cells.join(' ')));
        QVERIFY(cells[0].toDouble() > 0 && cells[1].toDouble() > 0 && cells[3].toDouble() > 0);
      }
    }
  }

  void sizes_are_whole_numbers() {
    QCOMPARE(cli::work::all_reduce_sizes(Bytes(1000003)),
             (std::vector{Bytes(1 << 10), Bytes(1 << 15), Bytes(1000000), Bytes(1 << 20), Bytes(1 << 25)}));
    QCOMPARE(cli::work::all_reduce_sizes(Bytes(1 << 15)).size(), std::size_t{4});
    QCOMPARE(cli::work::all_reduce_sizes(Bytes()).size(), std::size_t{4});
  }

  void predictions_are_those_of_the_measured_link() {
    const QString text = links_of(2);
    static const QRegularExpression link("Transfers between two devices: ([0-9.]+) GB/s, latency ([0-9.]+) us");
    const auto found = link.match(text);
    QVERIFY2(found.hasMatch(), qPrintable(text));
    const double bandwidth = found.captured(1).toDouble() * 1e3, latency = found.captured(2).toDouble();  // bytes/us
    const auto rows = rows_behind(text, "All-reduces among GPUs 0 to 1\n");
    QCOMPARE(rows.size(), few_sizes.size());
    const double bytes = 1 << 20, expected = 2 * (latency + bytes / 2 / bandwidth);
    QVERIFY2(std::abs(rows.at(1 << 20)[0].toDouble() - expected) < 0.02 * expected, qPrintable(text));
  }

  void an_older_nccl_says_so() {
    cuda_stand_in::set_nccl(22105);
    const QString text = links_of(2);
    QVERIFY2(text.endsWith("No estimates of NCCL's own: found NCCL 2.21.5, expected 2.22 or later, which has "
                           "estimates\n"),
             qPrintable(text));
    for (const auto& [bytes, cells] : rows_behind(text, "All-reduces among GPUs 0 to 1\n"))
      QCOMPARE(cells[2], QStringLiteral("-"));
  }

  void measured_pairs_are_those_of_the_machine() {
    cuda_stand_in::set_devices(3);
    const runtime::cuda::GpusToMeasure found =
        runtime::cuda::gpus_to_measure(gpu_module(), runtime::cuda::Precision::fp32).value();
    const auto links = cli::work::GpuLinks(found).links();
    const DetectedMachine machine = cli::work::machine_of(found.names, links);
    QCOMPARE(machine.gpus.size(), std::size_t{3});
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j) {
        QVERIFY(links[i][j] == links[j][i]);
        if (i == j) continue;
        QVERIFY(links[i][j].bandwidth.count > 0);
        QVERIFY(machine.joints[i][j].measured == links[i][j]);
      }
  }

  void slices_are_not_joined() {
    cuda_stand_in::set_name(1, "NVIDIA A100 MIG 1g.5gb");
    const QString text = links_of(2);
    QVERIFY2(text.contains("GPU 0 to GPU 1") && text.contains("NCCL does not support MIG slices"), qPrintable(text));
    QVERIFY(!text.contains("All-reduces"));
  }
};

QTEST_GUILESS_MAIN(TestCliGpuLinks)
#include "tst_cli_gpu_links.moc"
