// SPDX-License-Identifier: Apache-2.0
// Layer graphs: what the lines mean, in small, and the released graphs of DAPPLE and PipeDream, whose sums are added up
// here from the text alone.
#include <QRegularExpression>
#include <QTest>

#include "core/io/documents/formats.hpp"
#include "core/io/files.hpp"
#include "core/io/importers.hpp"
#include "core/io/profiles/graph_text.hpp"
#include "core/plan/validate.hpp"
#include "tests/core/io/documents/sample_documents.hpp"
#include "tests/support/shared_data.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_graph_text {

using namespace pipedeck::test;

std::string node(const std::string& id, const std::string& description, const std::string& activation = "8") {
  return id + " -- " + description +
         " -- forward_compute_time=1, backward_compute_time=2, activation_size=" + activation + ", parameter_size=4\n";
}

Profile profile_of(const std::string& text) {
  const auto profile = io::profiles::profile_from_graph_text(text, "graph", 4);
  if (!profile) qFatal("%s", profile.error().text().c_str());
  return *profile;
}

std::vector<std::string> names_of(const Profile& profile) {
  std::vector<std::string> names;
  for (const Layer& layer : profile.layers) names.push_back(layer.name);
  return names;
}

/// Sums over all node lines but data loading, by regular expression: shares nothing with the reader.
struct Sums {
  int layers = 0;
  double forward = 0, backward = 0, parameters = 0;
};

Sums sums_of(const std::string& text) {
  const QRegularExpression line(
      R"(^\S+ -- (.*) -- forward_compute_time=([0-9.]+), backward_compute_time=([0-9.]+), activation_size=.*, parameter_size=([0-9.]+))");
  Sums sums;
  for (const QString& row : QString::fromStdString(text).split('\n')) {
    const QRegularExpressionMatch match = line.match(row);
    if (!match.hasMatch() || match.captured(1).startsWith("Input")) continue;
    ++sums.layers;
    sums.forward += match.captured(2).toDouble();
    sums.backward += match.captured(3).toDouble();
    sums.parameters += match.captured(4).toDouble();
  }
  return sums;
}

class TestGraphText : public QObject {
  Q_OBJECT

 private slots:
  void a_small_graph() {
    const Profile profile = profile_of(sample_graph());
    QCOMPARE(names_of(profile), (std::vector<std::string>{"LSTM(8, 8)", "__getitem__(0)", "Add"}));
    const Layer& lstm = profile.layers[0];
    QCOMPARE(lstm.kind, std::string("lstm"));
    QCOMPARE(lstm.forward.count, 0.0015);
    QCOMPARE(lstm.backward_weight.count, 0.00125);
    QCOMPARE(lstm.outputs, (std::vector{Bytes(100), Bytes(20), Bytes(4)}));
    QCOMPARE(lstm.output.count, 124);
    QCOMPARE(lstm.saved.count, 124);
    QCOMPARE(lstm.parameters.count, 64);
    QCOMPARE(lstm.extra, std::string(R"({"node":"node2","stage_id":0})"));
    QCOMPARE(profile.micro_batch, 4);
    // __getitem__(0) uses the first output, Add all of them.
    QCOMPARE(
        profile.edges,
        (std::vector<Edge>{{LayerId(0), LayerId(1), 0}, {LayerId(0), LayerId(2), {}}, {LayerId(1), LayerId(2), {}}}));
  }

  void nodes_in_any_order_line_ends_and_blanks() {
    const std::string text = "  a -- c\r\n" + node("b", "second") + "\n   \n" + node("c", "middle -- with dashes") +
                             node("a", "first") + "\tc -- b  \r\n\t\r\n";
    const Profile profile = profile_of(text);
    QCOMPARE(names_of(profile), (std::vector<std::string>{"first", "middle -- with dashes", "second"}));
    QVERIFY(profile.is_chain());
  }

  void repeated_descriptions_are_numbered_in_order() {
    const Profile profile = profile_of(node("d", "ReLU") + node("c", "ReLU #2") + node("b", "ReLU") +
                                       node("a", "ReLU") + "\ta -- b\n\tb -- c\n\tc -- d\n");
    QCOMPARE(names_of(profile), (std::vector<std::string>{"ReLU", "ReLU #3", "ReLU #2", "ReLU #4"}));
  }

  void inputs_are_data_loading_only_where_nothing_feeds_them() {
    const Profile profile =
        profile_of(node("i", "Input0") + node("a", "layer_0") + node("b", "Input gate") + "\ti -- a\n\ta -- b\n");
    QCOMPARE(names_of(profile), (std::vector<std::string>{"layer_0", "Input gate"}));
    QCOMPARE(profile.layers[0].kind, std::string("transformer"));
  }

  void written_graphs_read_back_equal() {
    Random random(9);
    for (int i = 0; i < 100; ++i) {
      Profile profile = profile_of(sample_graph());
      for (Layer& layer : profile.layers) {
        layer.forward = Seconds(random_double(random, 1e6));
        layer.backward = Seconds(random_double(random, 1e6));
        layer.backward_weight = layer.parameters > Bytes() ? layer.backward / 2 : Seconds();
      }
      // Every second time with the stage that the graph put the layer on.
      if (i % 2 == 0) profile.layers[0].extra = R"({"node":"node2"})";
      QCOMPARE(profile_of(io::profiles::profile_to_graph_text(profile)), profile);
    }
  }

  void micro_batch_in_names() {
    QCOMPARE(io::profiles::micro_batch_in_file_name("/x/bert-48-pbs-2.txt"), std::optional(2));
    QCOMPARE(io::profiles::micro_batch_in_file_name("a-pbs-64"), std::optional(64));
    QVERIFY(!io::profiles::micro_batch_in_file_name("/x-pbs-4/bert.txt"));
    QVERIFY(!io::profiles::micro_batch_in_file_name("a-pbs-.txt"));
    QVERIFY(!io::profiles::micro_batch_in_file_name("a-pbs-0.txt"));
    QVERIFY(!io::profiles::micro_batch_in_file_name("a-pbs-99999999999999.txt"));
  }

  void released_graphs_data() {
    QTest::addColumn<QString>("file");
    QTest::addColumn<int>("layers");
    QTest::addColumn<int>("edges");
    QTest::newRow("BERT-48") << "dapple/bert-48-pbs-2.txt" << 53 << 100;
    QTest::newRow("GNMT-16") << "dapple/gnmt-16-pbs-64.txt" << 93 << 118;
    QTest::newRow("VGG-19") << "dapple/vgg-19-pbs-32.txt" << 25 << 0;
    QTest::newRow("GNMT-8") << "pipedream/gnmt.graph.txt" << 45 << 54;
    QTest::newRow("ResNet-50") << "pipedream/resnet50.graph.txt" << 176 << 192;
    QTest::newRow("VGG-16") << "pipedream/vgg16.graph.txt" << 40 << 40;
  }
  void released_graphs() {
    QFETCH(QString, file);
    QFETCH(int, layers);
    QFETCH(int, edges);
    if (shared_data().empty()) QSKIP("the shared profiles are not beside this repository");
    const std::string path = shared_data() + "/" + file.toStdString();
    const Sums sums = sums_of(*io::read_file(path));
    const auto profile = io::read_profile(path, {64});
    QVERIFY2(profile, profile ? "" : profile.error().text().c_str());
    QCOMPARE(static_cast<int>(profile->layers.size()), layers);
    QCOMPARE(static_cast<int>(profile->edges.size()), edges);
    QCOMPARE(sums.layers, layers);
    Seconds forward, backward;
    Bytes parameters;
    for (const Layer& layer : profile->layers) {
      forward += layer.forward;
      backward += layer.backward;
      parameters += layer.parameters;
    }
    QVERIFY(std::abs(in_milliseconds(forward) - sums.forward) < 1e-9 * sums.forward);
    QVERIFY(std::abs(in_milliseconds(backward) - sums.backward) < 1e-9 * sums.backward);
    QVERIFY(std::abs(static_cast<double>(parameters.count) - sums.parameters) < layers);
    QVERIFY(plan::validate(*profile));
    // In list order, so that plans without an order of their own are in a topological one.
    for (const Edge& edge : profile->edges) QVERIFY(edge.from < edge.to);
    QCOMPARE(*io::documents::profile_from_json(io::documents::profile_to_json(*profile)), *profile);
    const auto again =
        io::profiles::profile_from_graph_text(io::profiles::profile_to_graph_text(*profile), profile->name, 64);
    QVERIFY2(again, again ? "" : again.error().text().c_str());
    QCOMPARE(names_of(*again), names_of(*profile));
    QCOMPARE(again->edges, profile->edges);
  }
};

PIPEDECK_TEST(TestGraphText)

}  // namespace pipedeck::tst_graph_text

#include "tst_graph_text.moc"
