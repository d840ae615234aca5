// SPDX-License-Identifier: Apache-2.0
// Profiles from tables: columns by name and by choice, units wherever they stand, and what is wrong with a table.
#include <cmath>

#include <QTest>

#include "core/io/csv/tables.hpp"
#include "core/io/profiles/csv.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_profile_csv {

const char* const table =
    "name,kind,forward_ms,backward_ms,output_bytes,parameter_bytes\n"
    "embed,embedding,1,2,1000,4000\n"
    "block,,2.5,5,2000,8000\n";

Profile read(const std::string& text, const std::string& columns = {}) {
  const auto chosen = columns.empty() ? io::profiles::ProfileColumns() : *io::profiles::profile_columns(columns);
  auto profile = io::profiles::profile_from_csv(text, "p", 4, chosen);
  ensure(profile.has_value(), profile ? "" : profile.error().text());
  return *std::move(profile);
}

class TestProfileCsv : public QObject {
  Q_OBJECT

 private slots:
  void columns_by_their_names() {
    const Profile profile = read(table);
    QCOMPARE(profile.name, std::string("p"));
    QCOMPARE(profile.micro_batch, 4);
    QCOMPARE(profile.layers.size(), std::size_t{2});
    QCOMPARE(profile.layers[0].kind, std::string("embedding"));
    QCOMPARE(profile.layers[1].forward, Seconds(0.0025));
    QCOMPARE(profile.layers[1].backward_weight, Seconds(0.0025));
    QCOMPARE(profile.layers[1].saved, Bytes(2000));
    QCOMPARE(profile.layers[0].parameters, Bytes(4000));
  }

  void names_that_look_like_formulas_come_back_from_a_table() {
    Profile profile = read(table);
    profile.layers[0].name = "=HYPERLINK(\"x\")";
    profile.layers[1].name = "'-block";
    const std::string text = io::csv::layers_csv(profile).text();
    QVERIFY(text.find("\n\"=") == text.npos);
    const Profile again = read(text, "name=name,parameter_bytes=parameters_bytes");
    QCOMPARE(again.layers[0].name, profile.layers[0].name);
    QCOMPARE(again.layers[1].name, profile.layers[1].name);
  }

  /// A figure is the same number whichever unit it has, and the same as in the other formats.
  void figures_are_the_nearest_numbers() {
    for (const char* text : {"2.25,0.1", "2.25 ms,100 us", "2250 us,1e-4 s"}) {
      const Layer layer =
          read("name,forward_ms,backward_ms,output_bytes,parameter_bytes\na," + std::string(text) + ",1,1\n").layers[0];
      QCOMPARE(layer.forward.count, 0.00225);
      QCOMPARE(layer.backward.count, 0.0001);
    }
    QCOMPARE(read("name;forward_ms;backward_ms;output_bytes;parameter_bytes\na;2,25;0,1;1;1\n").layers[0].forward.count,
             0.00225);
  }

  void tables_of_markdown() {
    const Profile profile = read(
        "| name | forward_ms | backward_ms | output_bytes | parameter_bytes |\n|:---|---:|---:|:--:|---|\n"
        "| a | 1 | 2 | 3 | 4 |\n| b | 1.5 | 2 | 3 | 4 |\n");
    QCOMPARE(profile.layers.size(), std::size_t{2});
    QCOMPARE(profile.layers[1].name, std::string("b"));
    QCOMPARE(profile.layers[1].parameters, Bytes(4));
  }

  void sums_are_no_layers() {
    const std::string heading = "name,forward_ms,backward_ms,output_bytes,parameter_bytes\n";
    const auto sum = io::profiles::profile_from_csv(heading + "a,1,2,1,1\nb,2.5,2,1,1\nTotal,3.5,4,2,2\n", "p", 1);
    QVERIFY(!sum);
    QCOMPARE(sum.error().place, std::string("line 4"));
    QVERIFY2(sum.error().message.starts_with("found the sum of all other rows in \"Total\""),
             sum.error().text().c_str());
    QCOMPARE(read(heading + "a,1,2,1,1\nb,2,2,1,1\nTotal,9,4,2,2\n").layers.size(), std::size_t{3});
  }

  void two_columns_of_one_kind() {
    const std::string text = "name,forward_ms,Forward (us),backward_ms,output_bytes,parameter_bytes\na,1,1000,2,1,1\n";
    const auto found = io::profiles::profile_from_csv(text, "p", 1);
    QVERIFY(!found);
    QCOMPARE(found.error().place, std::string("line 1, column 3"));
    QVERIFY2(found.error().message.starts_with("found the columns \"forward_ms\" and \"Forward (us)\" for forward_ms"),
             found.error().text().c_str());
    QCOMPARE(read(text,
                  "forward_ms=Forward (us),name=name,backward_ms=backward_ms,output_bytes=output_bytes,"
                  "parameter_bytes=parameter_bytes")
                 .layers[0]
                 .forward,
             Seconds(0.001));
  }

  void headings_of_measuring_programs() {
    struct Case {
      const char *heading, *key, *unit;
    };
    for (const Case& one : {Case{"Layer", "name", ""},
                            {"Module name", "name", ""},
                            {"op_type", "kind", ""},
                            {"Fwd (us)", "forward_ms", "us"},
                            {"fwdTime_ns", "forward_ms", "ns"},
                            {"Backward [s]", "backward_ms", "s"},
                            {"bwd weight", "backward_weight_ms", ""},
                            {"wgrad_us", "backward_weight_ms", "us"},
                            {"Activations (MiB)", "output_bytes", "MiB"},
                            {"stashed", "saved_bytes", ""},
                            {"Params (MB)", "parameter_bytes", "MB"},
                            {"weight_bytes", "parameter_bytes", "B"},
                            {"scratch (KiB)", "workspace_bytes", "KiB"},
                            {"forward_ms", "forward_ms", "ms"},
                            {"NAME", "name", ""}}) {
      const io::profiles::ProfileColumns guessed = io::profiles::infer_profile_columns({"x", one.heading});
      QCOMPARE(guessed.size(), std::size_t{1});
      QVERIFY2(guessed.begin()->first == one.key, one.heading);
      QVERIFY2((guessed.begin()->second == io::profiles::TableColumn{one.heading, one.unit, 1}), one.heading);
    }
    for (const char* other : {"", "time", "samples", "FLOPs", "forwarding", "12"})
      QVERIFY2(io::profiles::infer_profile_columns({other}).empty(), other);
  }

  /// A key goes to the column that is called so, then to the first that may mean it; a column has one key.
  void guesses_do_not_collide() {
    const auto guessed = io::profiles::infer_profile_columns({"module", "name", "fwd", "forward_ms", "fwd"});
    QCOMPARE(guessed.size(), std::size_t{2});
    QCOMPARE(guessed.at("name").position, std::optional<std::size_t>(1));
    QCOMPARE(guessed.at("forward_ms").position, std::optional<std::size_t>(3));
  }

  void columns_by_position() {
    const auto rows = *io::csv::csv_rows("t,t,n,o,p\n1,2,a,3,4\n5,6,b,7,8\n");
    const io::profiles::ProfileColumns columns{{"name", {"n", "", 2}},
                                               {"forward_ms", {"t", "us", 0}},
                                               {"backward_ms", {"t", "us", 1}},
                                               {"output_bytes", {"o", "", 3}},
                                               {"parameter_bytes", {"p", "kB", 4}}};
    const io::profiles::ParsedTable table = io::profiles::read_layer_rows(rows, columns, false);
    QVERIFY(table.problems.empty());
    QCOMPARE(table.unit_assumed, std::vector<std::string>{"output_bytes"});
    QVERIFY(std::abs(table.layers[1].forward.count - 5e-6) < 1e-18);
    QVERIFY(std::abs(table.layers[1].backward.count - 6e-6) < 1e-18);
    QCOMPARE(table.layers[0].parameters, Bytes(4000));
    QVERIFY(!io::profiles::read_layer_rows(rows, {{"name", {"n", "", 9}}}, false).problems.empty());
  }

  /// All of it, in the order of the file; what is read otherwise is as if it were right.
  void everything_wrong_is_told() {
    const auto rows = *io::csv::csv_rows(
        "name,forward_ms,backward_ms,output_bytes,parameter_bytes\n"
        "a,1,2,3,4\n"
        "a,x,2,-3,4\n"
        ",1,2,3\n");
    const io::profiles::ParsedTable table = io::profiles::read_layer_rows(rows, {});
    std::vector<std::string> places;
    for (const io::profiles::TableProblem& problem : table.problems) places.push_back(problem.error().place);
    QCOMPARE(places, (std::vector<std::string>{"line 3, column 1", "line 3, column 2", "line 3, column 4",
                                               "line 4, column 1", "line 4, column 5"}));
    QCOMPARE(table.layers.size(), std::size_t{3});
    const auto profile = io::profiles::profile_of_table(table, "p", 1);
    QVERIFY(!profile && profile.error().place == "line 3, column 1");
    QVERIFY(io::profiles::read_layer_rows(rows, {}, false).layers.empty());  // without information, nothing is searched
    QCOMPARE(io::profiles::read_layer_rows(rows, {}, false).problems.size(), std::size_t{5});
  }

  void columns_by_choice() {
    const Profile profile =
        read("Layer;Fwd;bwd [us];Act (MiB);W\n\"a; b\";100;\"200,5\";1;2 kB\nc;3 ms;0;0;0\n",
             "name=Layer,forward_ms=Fwd:us,backward_ms=bwd [us],output_bytes=Act (MiB),parameter_bytes=W");
    QCOMPARE(profile.layers[0].name, std::string("a; b"));
    QVERIFY(std::abs(profile.layers[0].forward.count - 100e-6) < 1e-15);
    QVERIFY(std::abs(profile.layers[0].backward.count - 200.5e-6) < 1e-15);
    QCOMPARE(profile.layers[0].output, Bytes(1 << 20));
    QCOMPARE(profile.layers[0].parameters, Bytes(2000));
    QCOMPARE(profile.layers[1].forward, Seconds(0.003));  // a figure's own unit goes first
  }

  void units_behind_headings() {
    const Profile profile = read("Name\tForward (us)\tbackward_s\tOutput (kB)\tparameter\nx\t5\t0.5\t3\t7\n");
    QVERIFY(std::abs(profile.layers[0].forward.count - 5e-6) < 1e-15);
    QCOMPARE(profile.layers[0].backward, Seconds(0.5));
    QCOMPARE(profile.layers[0].output, Bytes(3000));
    QCOMPARE(profile.layers[0].parameters, Bytes(7));
  }

  void choices_are_checked() {
    QCOMPARE((*io::profiles::profile_columns("forward_ms=a:b:us"))["forward_ms"],
             (io::profiles::TableColumn{"a:b", "us"}));
    QCOMPARE((*io::profiles::profile_columns("\"name=Layer, long\""))["name"].heading, std::string("Layer, long"));
    for (const char* wrong : {"", "name", "size=x", "name=a\nkind=b"}) {
      const auto columns = io::profiles::profile_columns(wrong);
      QVERIFY2(!columns && columns.error().code == ErrorCode::bad_usage, wrong);
    }
  }

  /// Bars between fields, and the line with which spreadsheets declare the separator.
  void other_separators() {
    const char* const heading = "name|forward_ms|backward_ms|output_bytes|parameter_bytes\n";
    QCOMPARE(read(std::string(heading) + "a, b|1|2,5|3|4\n").layers[0].name, std::string("a, b"));
    const std::string said = "sep=:\r\nname:forward_ms:backward_ms:output_bytes:parameter_bytes\r\na:0,5:2:3:4\r\n";
    QCOMPARE(read(said).layers[0].forward, Seconds(0.0005));
    QVERIFY(io::profiles::looks_like_profile_csv(said));
    QCOMPARE(io::csv::csv_rows("a,b\nsep=;,c\n")->size(), std::size_t{2});  // below the first line it is a field
  }

  void tables_are_told_by_their_heading() {
    QVERIFY(io::profiles::looks_like_profile_csv(table));
    QVERIFY(io::profiles::looks_like_profile_csv("# made by x\nLayer name,name,forward (us)\n"));
    for (const char* other :
         {"", "name,a,b\n", "GB/s,a,b\na,0,1\nb,1,0\n", "{\"name\": 1, \"forward_ms\": 2}", "\"name"})
      QVERIFY2(!io::profiles::looks_like_profile_csv(other), other);
    QVERIFY(
        io::profiles::looks_like_profile_csv(std::string(table) + "\"open,1,2,3,4\n"));  // so that the quote is found
    QCOMPARE(io::profiles::unrecognised_headings("# x\nOp,Fwd [us],Bwd\na,1,2\n").value_or(""),
             std::string("\"Op\", \"Fwd [us]\", \"Bwd\""));
    for (const char* other : {"", "a sentence\n", "well, yes\n", "a,,b\n"})
      QVERIFY2(!io::profiles::unrecognised_headings(other), other);
  }

  void broken_tables_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QString>("place");
    QTest::addColumn<QString>("words");
    const std::string heading = "name,forward_ms,backward_ms,output_bytes,parameter_bytes\n";
    const auto row = [](const char* name, const std::string& text, const char* place, const char* words) {
      QTest::newRow(name) << QByteArray::fromStdString(text) << QString(place) << QString(words);
    };
    row("empty", "", "", "no layers");
    row("heading alone", heading, "", "no layers");
    row("no column", "name,forward_ms,output_bytes,parameter_bytes\na,1,1,1\n", "line 1", "--columns backward_ms");
    row("truncated", heading + "a,1,2,3,4\nb,1", "line 3, column 3", "backward_ms");
    row("no name", heading + ",1,2,3,4\n", "line 2, column 1", "name of its own");
    row("twice", heading + "a,1,2,3,4\na,1,2,3,4\n", "line 3, column 1", "name of its own");
    row("negative", heading + "a,-1,2,3,4\n", "line 2, column 2", "forward_ms");
    row("NaN", heading + "a,nan,2,3,4\n", "line 2, column 2", "forward_ms");
    row("infinite", heading + "a,1,inf,3,4\n", "line 2, column 3", "backward_ms");
    row("huge", heading + "a,1,2,1e300,4\n", "line 2, column 4", "output_bytes");
    row("another unit", heading + "a,1,2,3,4 ms\n", "line 2, column 5", "parameter_bytes");
    row("no UTF-8", heading + "\xff,1,2,3,4\n", "line 2", "UTF-8");
    row("decimal commas between commas", heading + "a,0,5,1,5,3,4\n", "line 2", "7 fields, expected at most 5");
    row("thousands", heading + "a,1,2,\"4,096\",4\n", "line 2, column 4", "whole bytes");
    row("two decimal signs", heading + "a,1.5,\"2,500\",3,4\n", "line 2, column 3", "one decimal sign");
    row("two decimal signs, by rows", heading + "a,\"1,5\",2,3,4\nb,1.500,2,3,4\n", "line 3, column 2",
        "one decimal sign");
    row("open quote", heading + "\"a,1,2,3,4\n", "line 2", "quote");
    row("a part that is more",
        "name,forward_ms,backward_ms,backward_weight_ms,output_bytes,parameter_bytes\na,1,2,3,4,5\n",
        "line 2, column 4", "backward_weight_ms");
    std::string many = heading;
    for (int i = 0; i < 100'001; ++i) many += "l" + std::to_string(i) + ",1,1,1,1\n";
    row("too many layers", many, "line 100002", "rows");
  }
  void broken_tables() {
    QFETCH(QByteArray, text);
    QFETCH(QString, place);
    QFETCH(QString, words);
    const auto profile = io::profiles::profile_from_csv(text.toStdString(), "p", 1);
    QVERIFY(!profile);
    QCOMPARE(profile.error().code, ErrorCode::bad_input);
    QCOMPARE(QString::fromStdString(profile.error().place), place);
    QVERIFY2(QString::fromStdString(profile.error().message).contains(words), profile.error().text().c_str());
  }
};

PIPEDECK_TEST(TestProfileCsv)

}  // namespace pipedeck::tst_profile_csv

#include "tst_profile_csv.moc"
