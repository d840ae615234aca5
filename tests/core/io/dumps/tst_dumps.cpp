// SPDX-License-Identifier: Apache-2.0
// PyTorch's dumps: memory snapshots and the flight recorder's. A faulty member is named with its place and value.
#include <fstream>

#include <QTest>

#include "core/io/dumps/call_stacks.hpp"
#include "core/io/dumps/files.hpp"
#include "core/io/json/value.hpp"
#include "tests/support/made_dumps.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_dumps {

using io::dumps::FlightDump;
using io::dumps::MemorySnapshot;
using io::dumps::MemoryUse;

/// As JSON, which is read by the same steps behind the pickle.
const std::string snapshot =
    R"({"segments":[{"device":0,"address":4096,"total_size":8192,"stream":0,"blocks":[)"
    R"({"size":1024,"state":"active_allocated","frames":[{"filename":"/x/torch/optim/adam.py","name":"step","line":7}]},)"
    R"({"size":7168,"state":"inactive","frames":[]}]}],)"
    R"("device_traces":[[{"action":"alloc","addr":4096,"size":1024,"time_us":5,"stream":0,"frames":[]},)"
    R"({"action":"oom","device_free":77,"size":9999,"stream":0},{"action":"workspace_snapshot","size":1}]]})";

const std::string flight =
    R"({"version":"2.10","pg_config":{"0":{"name":"0","desc":"default_pg","ranks":"[1, 0]"}},)"
    R"("pg_status":{"0":{"last_enqueued_collective":"3","last_started_collective":"2","last_completed_collective":"1"}},)"
    R"("entries":[{"record_id":0,"pg_id":0,"process_group":["0","default_pg"],"collective_seq_id":3,"p2p_seq_id":0,)"
    R"("profiling_name":"nccl:all_reduce","time_created_ns":12,"input_sizes":[[3,4],[8]],"input_dtypes":["Float"],)"
    R"("output_sizes":[[3,4],[8]],"output_dtypes":["Float"],"state":"started","is_p2p":false},)"
    R"({"pg_id":0,"process_group":["0","default_pg"],"collective_seq_id":3,"profiling_name":"nccl:recv 1<-0",)"
    R"("state":"scheduled"}]})";

std::string changed(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

class TestDumps : public QObject {
  Q_OBJECT

 private:
  template <class T>
  static T read(const std::string& path, const std::string& content) {
    auto dump = io::dumps::dump_of(path, content);
    if (!dump) qFatal("%s", dump.error().text().c_str());
    return std::get<T>(*std::move(dump));
  }

 private slots:
  void a_snapshot() {
    const auto read_one = read<MemorySnapshot>("m.json", snapshot);
    QCOMPARE(read_one.devices.size(), 1U);
    const io::dumps::DeviceMemory& device = read_one.devices.front();
    QCOMPARE(device.reserved, Bytes(8192));
    QCOMPARE(device.blocks.size(), 2U);
    QVERIFY(device.blocks[0].active && device.blocks[0].use == MemoryUse::optimizer &&
            device.blocks[0].address == 4096);
    QVERIFY(!device.blocks[1].active && device.blocks[1].address == 5120);
    QCOMPARE(device.events.size(), 2U);
    QCOMPARE(device.events[0].time, 5);
    QCOMPARE(device.events[1].free, Bytes(77));
    QCOMPARE(read_one.unread, 1U);
  }

  void a_flight_recorder() {
    const auto dump = read<FlightDump>("/tmp/trace_1.json", flight);
    QCOMPARE(dump.rank, 1);
    QCOMPARE(dump.groups.size(), 1U);
    QCOMPARE(dump.groups[0].ranks, (std::vector<int>{0, 1}));
    QCOMPARE(dump.status[0].enqueued, 3);
    QCOMPARE(dump.status[0].completed, 1);
    QCOMPARE(dump.entries.size(), 2U);
    const io::dumps::FlightEntry& first = dump.entries[0];
    QCOMPARE(QString::fromStdString(first.operation), QStringLiteral("all_reduce"));
    QCOMPARE(QString::fromStdString(dump.texts[first.input_sizes]), QStringLiteral("[[3,4],[8]]"));
    QCOMPARE(QString::fromStdString(dump.texts[first.input_types]), QStringLiteral("Float"));
    QVERIFY(first.state == io::dumps::CollectiveState::started && first.is_collective());
    QCOMPARE(dump.entries[1].source, 0);
    QCOMPARE(dump.entries[1].target, 1);
  }

  void ranks_in_names() {
    using io::dumps::rank_in_file_name;
    QCOMPARE(rank_in_file_name("/tmp/nccl_trace_rank_12"), 12);
    QCOMPARE(rank_in_file_name("a/trace_0.json"), 0);
    QCOMPARE(rank_in_file_name("memory3.pickle"), 3);
    QVERIFY(!rank_in_file_name("dump.pickle"));
    QVERIFY(!rank_in_file_name("dump99999999999"));
  }

  void uses_by_their_frames() {
    using io::dumps::use_of_frame;
    QCOMPARE(use_of_frame("/a/torch/optim/adamw.py", "_init_group"), MemoryUse::optimizer);
    QCOMPARE(use_of_frame("/a/torch/nn/modules/module.py", "_apply"), MemoryUse::weights);
    QCOMPARE(use_of_frame("/a/torch/nn/modules/linear.py", "forward"), MemoryUse::activations);
    QCOMPARE(use_of_frame("??", "torch::autograd::Engine::thread_main"), MemoryUse::backward);
    QCOMPARE(use_of_frame("/a/torch/distributed/distributed_c10d.py", "all_reduce"), MemoryUse::communication);
    QCOMPARE(use_of_frame("/home/a/model.py", "forward"), MemoryUse::other);  // any program has functions of this name
  }

  void malformed_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("error");
    const auto row = [](const char* name, const std::string& text, const char* error) {
      QTest::newRow(name) << QString::fromStdString(text) << QString::fromUtf8(error);
    };
    row("no dump", "{\"a\":1}", "x1.json: found a dictionary of 1, expected a memory snapshot");
    row("no size", changed(snapshot, "\"total_size\":8192,", ""),
        "x1.json: /segments/0/total_size: found nothing, expected a whole number");
    row("a size below 0", changed(snapshot, "8192", "-1"), "x1.json: /segments/0/total_size: found -1");
    row("a size as text", changed(snapshot, "\"size\":1024", "\"size\":\"1024\""),
        "x1.json: /segments/0/blocks/0/size: found \"1024\", expected a whole number");
    row("no state", changed(snapshot, "\"state\":\"inactive\"", "\"state\":3"),
        "x1.json: /segments/0/blocks/1/state: found 3, expected a text");
    row("no action", changed(snapshot, "\"action\":\"oom\"", "\"action\":null"),
        "x1.json: /device_traces/0/1/action: found None, expected a text");
    row("an event that is none",
        changed(snapshot, "{\"action\":\"oom\",\"device_free\":77,\"size\":9999,\"stream\":0}", "7"),
        "x1.json: /device_traces/0/1: found 7, expected a dictionary");
    row("no events", changed(snapshot, "[[{", "[3,[{"),
        "x1.json: /device_traces/0: found 3, expected a list of events");
    row("nothing at all", "{\"segments\":[]}", "x1.json: found no segment and no event");
    row("an unknown state", changed(flight, "\"started\"", "\"begun\""),
        "x1.json: /entries/0/state: found \"begun\", expected scheduled, started or completed");
    row("no sequence", changed(flight, "\"collective_seq_id\":3,\"p2p", "\"p2p"),
        "x1.json: /entries/0/seq_id: found nothing");
    row("ranks that are none", changed(flight, "[1, 0]", "[1, x]"),
        "x1.json: /pg_config/0/ranks: found \"[1, x]\", expected a list of ranks");
    row("a receive from nowhere", changed(flight, "recv 1<-0", "recv 1<-"),
        "x1.json: /entries/1/profiling_name: found \"nccl:recv 1<-\"");
    row("no name", changed(flight, "\"nccl:all_reduce\"", "[]"),
        "x1.json: /entries/0/profiling_name: found a list of 0");
    row("a group without name",
        changed(flight, "[\"0\",\"default_pg\"],\"collective_seq_id\":3,\"p2p", "[0,1],\"collective_seq_id\":3,\"p2p"),
        "x1.json: /entries/0/process_group: found a list of 2, expected a name and a description");
  }
  void malformed() {
    QFETCH(QString, text);
    QFETCH(QString, error);
    const auto dump = io::dumps::dump_of("x1.json", text.toStdString());
    QVERIFY(!dump && dump.error().code == ErrorCode::bad_input);
    QVERIFY2(QString::fromStdString(dump.error().text()).startsWith(error), dump.error().text().c_str());
  }

  /// A device never ends: it is refused before it is read, as by all other readers.
  void devices_and_missing_files_are_refused() {
    for (const auto& [path, found] :
         {std::pair{"/dev/zero", "found a device"}, {"/no/such/dump", "found no such file"}}) {
      const auto dump = io::dumps::read_dump(path);
      QVERIFY(!dump.has_value());
      QVERIFY2(dump.error().text().find(found) != std::string::npos, dump.error().text().c_str());
    }
  }

  void a_dump_without_its_rank_is_refused() {
    const auto dump = io::dumps::dump_of("dump.json", flight);
    QVERIFY(!dump && dump.error().message.find("no rank at its end") != std::string::npos);
  }

  /// One segment of many blocks, named many times: a small file that would be a large snapshot.
  void a_list_that_is_named_again_and_again_is_refused() {
    const auto word = [](std::string_view text) {
      return std::string("X") + static_cast<char>(text.size()) + std::string(3, '\0') + std::string(text);
    };
    std::string blocks;
    for (int i = 0; i < 100; ++i) blocks += "}(" + word("size") + "K\x01" + word("state") + word("i") + "u";
    const std::string segment =
        "}(" + word("total_size") + "K\x01" + word("address") + "K\x01" + word("blocks") + "](" + blocks + "eu";
    std::string bytes = "\x80\x02}" + word("segments") + "](" + segment + "q\x01";
    for (int i = 0; i < 5000; ++i) bytes += "h\x01";
    bytes += "es.";
    const auto dump = io::dumps::dump_of("m", bytes);
    QVERIFY2(!dump && dump.error().message.starts_with("found one list several times"),
             dump ? "it was read" : dump.error().text().c_str());
  }

  void files_are_known_by_their_first_bytes() {
    if (!test::has_python()) QSKIP("no python3 here");
    const test::MadeDumps memory(QStringLiteral("snapshot"), 1), ranks(QStringLiteral("flight"), 1);
    QVERIFY(io::dumps::looks_like_dump(memory.file(QStringLiteral("snapshot.pickle"))));
    QVERIFY(io::dumps::looks_like_dump(ranks.file(QStringLiteral("nccl_trace_rank_0"))));
    QVERIFY(io::dumps::looks_like_dump(ranks.file(QStringLiteral("nccl_trace_rank_3.json"))));
    QVERIFY(!io::dumps::looks_like_dump(ranks.file(QStringLiteral("true.json"))));
    QVERIFY(!io::dumps::looks_like_dump(ranks.file(QStringLiteral("absent"))));
    const auto read_one = io::dumps::read_dump(memory.file(QStringLiteral("snapshot.pickle")));
    QVERIFY(read_one && std::holds_alternative<MemorySnapshot>(*read_one));
  }
};

PIPEDECK_TEST(TestDumps)

}  // namespace pipedeck::tst_dumps

#include "tst_dumps.moc"
