// SPDX-License-Identifier: Apache-2.0
// Workloads of dnn-partitioning and Piper (their README, "Input format") as profiles, and what is wrong with them.
#include <algorithm>
#include <cmath>

#include <QTest>

#include "core/io/importers.hpp"
#include "core/io/profiles/partitioning.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_partitioning_json {

const std::string training = R"({"maxSizePerFPGA": 17185374208.0, "maxFPGAs": 6, "maxCPUs": 1, "nodes": [
  {"name": "input", "id": 1, "supportedOnFpga": 1, "cpuLatency": 0.0, "fpgaLatency": 0.0, "isBackwardNode": 0, "colorClass": 1, "size": 0.0},
  {"name": "inputgrad", "id": 33, "supportedOnFpga": 1, "cpuLatency": 0.0, "fpgaLatency": 0.0, "isBackwardNode": 1, "colorClass": 1, "size": 0.0},
  {"name": "embed", "id": 3, "supportedOnFpga": true, "cpuLatency": 6.96, "fpgaLatency": 0.7, "isBackwardNode": false, "colorClass": 3, "size": 131325952.0},
  {"name": "embedgrad", "id": 34, "supportedOnFpga": 1, "cpuLatency": 47.78, "fpgaLatency": 4.5, "isBackwardNode": 1, "colorClass": 3, "size": 131325952.0},
  {"name": "embed", "id": 5, "supportedOnFpga": 0, "cpuLatency": 35.5, "fpgaLatency": 3.5, "isBackwardNode": 0, "size": 54579200.0}],
 "edges": [{"sourceId": 1, "destId": 3, "cost": 0.0}, {"sourceId": 34, "destId": 33, "cost": 0.001953125},
  {"sourceId": 3, "destId": 5, "cost": 0.001953125, "size": 4194304.0}, {"sourceId": 1, "destId": 5, "cost": 0.1, "size": 16.0}]})";

const std::string piper =
    R"({"maxDevices": 10, "maxMemoryPerDevice": 80000000000.0, "bandwidth": 25000000000.0, "mbsInBatch": 1920, "nodes": [
  {"id": 0, "name": "tensor", "TMPCs": {"1": [{"id": "vanilla", "timePerSample": 0.0, "parameterSize": 0.0, "memoryUsageA": 8192.0,
    "memoryUsageB": 0.0, "syncTimeFw": {}, "syncTimeBw": {"1": 0.0}}]}},
  {"id": 1, "name": "ParallelTransformerLayer", "TMPCs": {"1": [
    {"id": "activation recomp", "timePerSample": 0.04, "parameterSize": 176997120.0, "memoryUsageA": 48234496.0, "memoryUsageB": 912500224.0},
    {"id": "vanilla", "timePerSample": 0.03, "parameterSize": 176997120.0, "memoryUsageA": 606478336.0, "memoryUsageB": 353994240.0}],
    "2": [{"id": "vanilla", "timePerSample": 0.02}]}}],
 "edges": [{"sourceId": 0, "destId": 1, "communicationCost": 8192.0}]})";

Profile read(const std::string& text) {
  auto profile = io::profiles::profile_from_partitioning_json(text, "w");
  ensure(profile.has_value(), profile ? "" : profile.error().text());
  return *std::move(profile);
}

bool near(Seconds time, double milliseconds) { return std::abs(in_milliseconds(time) - milliseconds) < 1e-9; }

class TestPartitioningJson : public QObject {
  Q_OBJECT

 private slots:
  void training_of_dnn_partitioning() {
    const Profile profile = read(training);
    QCOMPARE(profile.layers.size(), std::size_t{3});
    QVERIFY(near(profile.layers[1].forward, 0.7) && near(profile.layers[1].backward, 4.5));
    QVERIFY(near(profile.layers[2].forward, 35.5));  // of a processor
    QVERIFY(profile.source.find("processor") != std::string::npos);
    QCOMPARE(profile.layers[1].parameters, Bytes(131325952));
    QCOMPARE(profile.layers[1].output, Bytes(4194304));
    QCOMPARE(profile.layers[0].output, Bytes(16));
    QCOMPARE(profile.layers[2].name, std::string("embed 5"));
    QCOMPARE(profile.edges.size(), std::size_t{3});
  }

  void inference_has_twice_the_forward_pass() {
    std::string text = training;
    for (std::size_t at = 0; (at = text.find("grad\"", at)) != text.npos; ++at) {
      const std::size_t begin = text.rfind('{', at), end = text.find('}', at);
      text.erase(begin, end - begin + 2);
      at = 0;
    }
    const std::size_t edge = text.find("{\"sourceId\": 34");
    text.erase(edge, text.find('}', edge) - edge + 2);
    const Profile profile = read(text);
    QVERIFY(near(profile.layers[1].backward, 1.4));
    QVERIFY(profile.source.find("twice the forward") != std::string::npos);
  }

  /// Losses and identities have a backward node alone: its time goes where the nearest node before it goes.
  void backward_nodes_without_colour_join_their_neighbour() {
    std::string text = training;
    const std::string coloured = "\"isBackwardNode\": 1, \"colorClass\": 3";
    text.replace(text.find(coloured), coloured.size(), "\"isBackwardNode\": 1");
    std::vector<std::string> notes;
    const auto without_edge = io::profiles::profile_from_partitioning_json(text, "w", {.notes = &notes});
    QVERIFY2(without_edge, without_edge ? "" : without_edge.error().text().c_str());
    QVERIFY(near(without_edge->layers[2].backward, 4.5));  // the last layer
    // 4.5 of the 0.7 + 35.5 + 4.5 ms.
    QVERIFY2(std::ranges::any_of(
                 notes,
                 [](const std::string& n) { return n.starts_with("1 backward nodes") && n.find("11.1 %") != n.npos; }),
             notes.front().c_str());
    const std::string edge = "{\"sourceId\": 34, \"destId\": 33";
    text.replace(text.find(edge), edge.size(), "{\"sourceId\": 3, \"destId\": 34");
    QVERIFY(near(read(text).layers[1].backward, 4.5));
  }

  void seconds_a_layer_are_doubted() {
    std::string text = piper;
    text.replace(text.find("0.03"), 4, "30.0");
    std::vector<std::string> notes;
    const auto doubted = io::profiles::profile_from_partitioning_json(text, "w", {.notes = &notes});
    QVERIFY(doubted && near(doubted->layers[1].forward, 10000));
    QVERIFY2(notes.back().find("30 s a sample") != std::string::npos, notes.back().c_str());
    notes.clear();
    const auto made = io::profiles::profile_from_partitioning_json(text, "w", {Seconds(1e-3), &notes});
    QVERIFY(made && near(made->layers[1].forward, 10) && near(made->layers[1].backward, 20));
    QCOMPARE(notes.size(), std::size_t{1});
  }

  void a_workload_of_piper() {
    const Profile profile = read(piper);
    QCOMPARE(profile.layers.size(), std::size_t{2});
    QVERIFY(near(profile.layers[1].forward, 10) && near(profile.layers[1].backward, 20));
    QCOMPARE(profile.layers[1].saved, Bytes(606478336));
    QCOMPARE(profile.layers[0].output, Bytes(8192));
    QVERIFY(profile.source.find("third") != std::string::npos);
  }

  void files_are_told_by_content() {
    for (const std::string& text : {training, piper}) {
      QCOMPARE(*io::detect_file_kind(text), io::FileKind::profile);
      const auto document = io::read_document("w.json", text, {});
      QVERIFY2(document && std::holds_alternative<Profile>(*document), document ? "" : document.error().text().c_str());
    }
    QVERIFY(!io::profiles::looks_like_partitioning_json(R"({"format": "pipedeck.profile", "maxDevices": 1})"));
  }

  void broken_workloads_data() {
    QTest::addColumn<QByteArray>("good");
    QTest::addColumn<QString>("from");
    QTest::addColumn<QString>("to");
    QTest::addColumn<QString>("place");
    QTest::addColumn<QString>("words");
    const auto row = [](const char* name, const std::string& good, const char* from, const char* to, const char* place,
                        const char* words) {
      QTest::newRow(name) << QByteArray::fromStdString(good) << QString(from) << QString(to) << QString(place)
                          << QString(words);
    };
    row("negative", training, "0.7", "-0.7", "/nodes/2/fpgaLatency", "-0.7");
    row("too long", training, "0.7", "1e300", "/nodes/2/fpgaLatency", "found 1e300");
    row("no number", training, "0.7", "\"x\"", "/nodes/2/fpgaLatency", "\"x\"");
    row("twice", training, "\"id\": 5", "\"id\": 3", "/nodes/4/id", "twice");
    row("no such node", training, "\"destId\": 5, \"cost\": 0.1", "\"destId\": 9, \"cost\": 0.1", "/edges/3/destId",
        "9");
    row("only a cost", training, "\"cost\": 0.1, \"size\": 16.0", "\"cost\": 0.1", "/edges/3/size", "time");
    row("cycle", training, "\"sourceId\": 1, \"destId\": 5", "\"sourceId\": 5, \"destId\": 3", "", "");
    row("no nodes", training, "\"nodes\"", "\"leaves\"", "/nodes", "nodes");
    row("no plain variant", piper, "\"id\": \"vanilla\", \"timePerSample\": 0.03",
        "\"id\": \"recomp\", \"timePerSample\": 0.03", "/nodes/1/TMPCs/1", "recomputes");
    row("no degree of one", piper, "{\"1\": [{\"id\": \"vanilla\"", "{\"4\": [{\"id\": \"vanilla\"", "/nodes/0/TMPCs/1",
        "");
    row("no cost", piper, "\"communicationCost\"", "\"price\"", "/edges/0/cost", "cost");
  }
  void broken_workloads() {
    QFETCH(QByteArray, good);
    QFETCH(QString, from);
    QFETCH(QString, to);
    QFETCH(QString, place);
    QFETCH(QString, words);
    const QString text = QString::fromUtf8(good);
    const qsizetype at = text.indexOf(from);
    QVERIFY(at >= 0);
    const auto profile = io::profiles::profile_from_partitioning_json(
        (text.left(at) + to + text.mid(at + from.size())).toStdString(), "w");
    QVERIFY(!profile);
    QCOMPARE(profile.error().code, ErrorCode::bad_input);
    if (!place.isEmpty()) QCOMPARE(QString::fromStdString(profile.error().place), place);
    QVERIFY2(QString::fromStdString(profile.error().message).contains(words), profile.error().text().c_str());
  }

  void hostile_texts_are_refused() {
    for (const std::string& text :
         {std::string(), std::string("{"), std::string("[]"), std::string(200'000, '['),
          std::string(R"({"maxDevices": 1, "nodes": [], "edges": []})"), training.substr(0, 500)}) {
      const auto profile = io::profiles::profile_from_partitioning_json(text, "w");
      QVERIFY(!profile && profile.error().code == ErrorCode::bad_input);
    }
  }
};

PIPEDECK_TEST(TestPartitioningJson)

}  // namespace pipedeck::tst_partitioning_json

#include "tst_partitioning_json.moc"
