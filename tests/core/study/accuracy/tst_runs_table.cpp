// SPDX-License-Identifier: Apache-2.0
// Tables of published runs: columns by name, faults with their place, and every row of the data next to the repository.
#include <QTest>

#include <algorithm>
#include <string>

#include "core/io/files.hpp"
#include "core/study/accuracy/runs_table.hpp"
#include "tests/support/shared_data.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_runs_table {

using study::accuracy::PublishedRun;
using study::accuracy::runs_from_csv;

const std::string header = "row,model,layers,hidden,heads,ffn,vocab,gpu,gpus,precision,sequence,global_batch";
const std::string fields = "a,m,2,64,4,256,1000,H100,8,bf16,128,16";

QString fault_of(const std::string& text) {
  const auto runs = runs_from_csv(text);
  return runs ? QString() : QString::fromStdString(runs.error().text());
}

class TestRunsTable : public QObject {
  Q_OBJECT

 private slots:
  void columns_in_any_order() {
    const auto runs = runs_from_csv(
        "# a comment\n"
        "colour,tp,notes,newest,vocab,row,model,layers,hidden,heads,ffn,gpu,gpus,precision,sequence,global_batch,"
        "iteration_s\n"
        "red,2,\"one, \"\"two\"\"\",0,1000,a,m,2,64,4,256,H100,8,bf16,128,16,0.25\n"
        "\n"
        "blue,,,1,,b,m,,,,,H100,8,bf16,,,\n");
    QVERIFY(runs);
    QCOMPARE(runs->size(), std::size_t{2});
    const PublishedRun &first = runs->front(), &second = runs->back();
    QCOMPARE(first.line, 3);
    QCOMPARE(first.row, std::string("a"));
    QCOMPARE(first.tensor.value(), 2);
    QCOMPARE(first.notes, std::string("one, \"two\""));
    QCOMPARE(first.vocabulary.value(), 1000);
    QCOMPARE(first.iteration_seconds.value(), 0.25);
    QVERIFY(!first.newest);
    QVERIFY(!first.pipeline && !first.source.size());  // columns that are absent
    QVERIFY(second.newest && !second.layers && !second.tensor && !second.vocabulary && !second.measured_seconds());
    QVERIFY(first.has_shape() && !second.has_shape());
  }

  /// 8 GPUs with 64 tokens per second each need 4 s for 16 samples of 128 tokens.
  void time_follows_from_tokens() {
    const auto runs = runs_from_csv(header + ",tokens_per_s_per_gpu,iteration_s\n" + fields + ",64,\n" + fields +
                                    ",64,5\n" + fields + ",0,\n");
    QVERIFY(runs);
    QCOMPARE(runs->at(0).measured_seconds().value(), 4.0);
    QCOMPARE(runs->at(1).measured_seconds().value(), 5.0);
    QVERIFY(!runs->at(2).measured_seconds());
  }

  void faults_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("fault");
    const auto add = [](const char* name, const std::string& text, const char* fault) {
      QTest::newRow(name) << QString::fromStdString(text) << QString(fault);
    };
    add("empty", "", "line 1: found no line, expected a header");
    add("missing", "row,model,layers,hidden,heads,ffn,gpu,gpus,precision,sequence\n",
        "line 1: found no column vocab, global_batch, expected one");
    add("no run", header + "\n", "line 2: found no run, expected at least one");
    add("twice", header + ",heads\n", "line 1, column heads: found two columns of this name, expected one");
    add("short", header + "\na,m\n", "line 2: found 2 fields, expected 12 as in the header");
    add("word", header + ",tp\n" + fields + ",two\n",
        "line 2, column tp: found 'two', expected a whole number of 1 or more, or nothing");
    add("part", header + ",tp\n" + fields + ",1.5\n",
        "line 2, column tp: found '1.5', expected a whole number of 1 or more, or nothing");
    add("none", header + ",dp\n" + fields + ",0\n",
        "line 2, column dp: found '0', expected a whole number of 1 or more, or nothing");
    add("below", header + ",iteration_s\n" + fields + ",-1\n",
        "line 2, column iteration_s: found '-1', expected a number of 0 or more, or nothing");
    add("endless", header + ",iteration_s\n" + fields + ",inf\n",
        "line 2, column iteration_s: found 'inf', expected a number of 0 or more, or nothing");
    add("large", header + ",dp\n" + fields + ",3e9\n",
        "line 2, column dp: found '3e9', expected a whole number of 1 or more, or nothing");
    add("flag", header + ",newest\n" + fields + ",yes\n", "line 2, column newest: found 'yes', expected 0 or 1");
    add("quote", header + "\n\"a\n", "line 2: found a quote that is not closed");
  }
  void faults() {
    QFETCH(QString, text);
    QFETCH(QString, fault);
    QCOMPARE(fault_of(text.toStdString()), fault);
  }

  /// The counts of published-runs/README.md.
  void published_runs() {
    if (test::shared_data().empty()) QSKIP("the published runs are not next to the repository");
    const auto text = io::read_file(test::shared_data() + "/published-runs/train.csv");
    if (!text) QSKIP("the published runs are not next to the repository");
    const auto runs = runs_from_csv(*text);
    QVERIFY2(runs, qPrintable(fault_of(*text)));
    QCOMPARE(runs->size(), std::size_t{661});
    QCOMPARE(std::ranges::count_if(*runs, &PublishedRun::newest), 569);
    QCOMPARE(
        std::ranges::count_if(
            *runs, [](const PublishedRun& run) { return run.newest && run.has_shape() && run.measured_seconds(); }),
        548);
    QCOMPARE(std::ranges::count_if(*runs, [](const PublishedRun& run) { return run.memory_gib.has_value(); }), 106);
  }
};

PIPEDECK_TEST(TestRunsTable)

}  // namespace pipedeck::tst_runs_table

#include "tst_runs_table.moc"
