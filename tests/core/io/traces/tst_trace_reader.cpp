// SPDX-License-Identifier: Apache-2.0
// Traces of others and of our own as timelines; hostile ones as errors in bounded memory.
#include <fstream>
#include <random>

#include <sys/resource.h>

#include <QElapsedTimer>
#include <QFileInfo>
#include <QTemporaryDir>
#include <QTest>

#include <fmt/format.h>
#include <zlib.h>

#include "core/io/documents/event.hpp"
#include "core/io/documents/formats.hpp"
#include "core/io/documents/intervals.hpp"
#include "core/io/traces/events.hpp"
#include "core/io/traces/names.hpp"
#include "core/io/traces/reader.hpp"
#include "core/io/traces/trace.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_trace_reader {

std::string line_of(const char* category, const char* name, double start_us, double duration_us, int pid, int tid,
                    const std::string& arguments = "{}") {
  return fmt::format(R"({{"ph":"X","cat":"{}","name":"{}","pid":{},"tid":{},"ts":{},"dur":{},"args":{}}})", category,
                     name, pid, tid, start_us, duration_us, arguments);
}

std::string document(const std::vector<std::string>& events, const std::string& head = "") {
  std::string text = "{\"schemaVersion\":1," + head + "\"traceEvents\":[";
  for (std::size_t i = 0; i < events.size(); ++i) text += (i > 0 ? ",\n" : "\n") + events[i];
  return text + "]}";
}

/// Rows of the first lane of that role and device.
std::vector<TimelineRow> rows_of(const Timeline& timeline, LaneRole role, int device) {
  std::vector<TimelineRow> rows;
  for (const TimelineLane& lane : timeline.lanes)
    if (lane.role == role && lane.device == DeviceId(device))
      for (std::size_t i = lane.begin; i < lane.end; ++i) rows.push_back(timeline.row(i));
  return rows;
}

class TestTraceReader : public QObject {
  Q_OBJECT

 private:
  QTemporaryDir folder_;

  std::string write(const std::string& text, const char* name = "t.json") {
    const std::string path = folder_.filePath(QLatin1String(name)).toStdString();
    std::ofstream(path, std::ios::binary) << text;
    return path;
  }
  Result<io::traces::ParsedTrace> read(const std::string& text) { return io::traces::read_trace(write(text)); }
  /// The error's text; empty: there was none.
  std::string fault(const std::string& text) {
    const auto trace = read(text);
    return trace ? "" : trace.error().text();
  }

 private slots:
  void our_own_come_back_as_they_were() {
    std::mt19937 random(7);
    for (int round = 0; round < 20; ++round) {
      Timeline timeline;
      for (int d = 0; d < 3; ++d) {
        std::vector<TimelineRow> rows;
        std::int64_t at = random() % 1000;
        for (int i = 0; i < 40; ++i) {
          const auto length = static_cast<std::int64_t>(random() % 5000);
          const auto kind = static_cast<OpKind>(std::array{0, 1, 2, 3, 4, 8}[random() % 6]);
          rows.push_back({Nanoseconds(at), Nanoseconds(length), {kind, StageId(d), static_cast<int>(random() % 50)}});
          at += length + static_cast<std::int64_t>(random() % 100);
        }
        timeline.append_lane({LaneRole::compute, DeviceId(d), DeviceId(d), 0, 0}, rows);
      }
      timeline.append_lane(
          {LaneRole::collective, DeviceId(1), DeviceId(1), 0, 0},
          std::vector<TimelineRow>{{Nanoseconds(5), Nanoseconds(6), {OpKind::all_reduce, StageId(1), 0}}});
      timeline.append_lane({LaneRole::link, DeviceId(0), DeviceId(1), 0, 0},
                           std::vector<TimelineRow>{{Nanoseconds(1), Nanoseconds(2), {OpKind::send, StageId(0), 3}}});
      const auto back = read(io::traces::chrome_trace(timeline, "a plan"));
      QVERIFY2(back, back ? "" : back.error().text().c_str());
      QCOMPARE(back->title, std::string("a plan"));
      QCOMPARE(back->timelines.size(), std::size_t{1});
      QVERIFY(back->timelines[0].timeline == timeline);
    }
  }

  void kernels_get_their_kind_from_where_they_were_launched() {
    // Host: thread 10 runs forward 0 and 1 and the optimizer; thread 11 is autograd's. Device 0, stream 7.
    const auto launch = [](double at, int thread, int n) {
      return line_of("cuda_runtime", "cudaLaunchKernel", at, 1, 1000, thread, fmt::format("{{\"correlation\":{}}}", n));
    };
    const auto kernel = [](const char* name, double at, double length, int n, int stream = 7) {
      return line_of("kernel", name, at, length, 0, stream,
                     fmt::format("{{\"device\":0,\"stream\":{},\"correlation\":{}}}", stream, n));
    };
    const auto trace = read(document({
        line_of("user_annotation", "forward 0", 1000, 100, 1000, 10),
        launch(1010, 10, 1),
        line_of("user_annotation", "forward 1", 1100, 100, 1000, 10),
        launch(1110, 10, 2),
        line_of("cpu_op", "autograd::engine::evaluate_function: MulBackward0", 1200, 100, 1000, 11),
        launch(1210, 11, 3),
        line_of("user_annotation", "Optimizer.step#SGD.step", 1300, 100, 1000, 10),
        launch(1310, 10, 4),
        kernel("gemm_a", 1050, 50.5, 1),
        kernel("gemm_b", 1150, 50, 2),
        kernel("gemm_c", 1250, 50, 3),
        kernel("multi_tensor", 1350, 50, 4),
        kernel("ncclDevKernel_AllReduce_Sum_f32", 1255, 30, 0, 20),
        kernel("ncclDevKernel_SendRecv", 1400, 30, 0, 21),
        line_of("gpu_memcpy", "Memcpy HtoD", 1500, 5, 0, 7, "{\"device\":0}"),
    }));
    QVERIFY2(trace, trace ? "" : trace.error().text().c_str());
    const Timeline& timeline = trace->timelines[0].timeline;
    const auto compute = rows_of(timeline, LaneRole::compute, 0);
    QCOMPARE(compute.size(), std::size_t{4});
    QCOMPARE(compute[0].operation.kind, OpKind::forward);
    QCOMPARE(compute[0].start.count, std::int64_t{0});  // from the first operation
    QCOMPARE(compute[0].duration.count, std::int64_t{50'500});
    QCOMPARE(compute[1].operation.kind, OpKind::forward);
    QCOMPARE(compute[1].operation.micro_batch, 1);
    QCOMPARE(compute[2].operation.kind, OpKind::backward);
    QCOMPARE(compute[3].operation.kind, OpKind::optimizer);
    QCOMPARE(rows_of(timeline, LaneRole::collective, 0).size(), std::size_t{1});
    QCOMPARE(rows_of(timeline, LaneRole::link, 0).size(), std::size_t{2});
    QCOMPARE(trace->operations, std::size_t{7});
  }

  // A trace of torch.distributed.pipelining: its thread waits in "PP:1B2" while autograd's thread launches.
  void actions_of_a_schedule_reach_the_threads_of_autograd() {
    const auto launch = [](double at, int thread, int n, const char* category = "cuda_runtime") {
      return line_of(category, "launch", at, 1, 1000, thread, fmt::format("{{\"correlation\":{}}}", n));
    };
    const auto kernel = [](const char* name, double at, double length, int n, int stream = 7) {
      return line_of("kernel", name, at, length, 0, stream,
                     fmt::format("{{\"device\":0,\"stream\":{},\"correlation\":{}}}", stream, n));
    };
    const auto trace = read(document({
        line_of("user_annotation", "PP:(1F3;0B2)OVERLAP_F_B", 990, 400, 1000, 10),
        line_of("user_annotation", "PP:1F3", 1000, 100, 1000, 10),
        launch(1010, 10, 1, "xpu_runtime"),
        line_of("user_annotation", "PP:0B2", 1100, 100, 1000, 10),
        line_of("cpu_op", "autograd::engine::evaluate_function: MulBackward0", 1110, 50, 1000, 11),
        line_of("cpu_op", "autograd::engine::evaluate_function: MulBackward0", 1110, 50, 2000, 11),
        launch(1120, 11, 2),
        line_of("user_annotation", "mlp(W)", 1200, 100, 1000, 10),
        launch(1210, 11, 3),
        launch(1310, 11, 4),
        kernel("gemm_a", 1050, 50, 1),
        kernel("gemm_b", 1150, 50, 2),
        kernel("gemm_c", 1250, 50, 3),
        kernel("gemm_d", 1350, 50, 4),
        kernel("ncclDevKernel_Broadcast_RING_LL(ncclDevKernelArgsStorage<4096ul>)", 1055, 10, 1, 20),
        kernel("void deep_ep::internode::combine<false, 8>(int4*)", 1075, 10, 1, 20),
        kernel("EpDispatchIntraNodeKernel_bf16", 1155, 10, 2, 20),
        kernel("rcclGenericKernel<1, false>(ncclDevComm*)", 1175, 10, 2, 20),
    }));
    QVERIFY2(trace, trace ? "" : trace.error().text().c_str());
    const Timeline& timeline = trace->timelines[0].timeline;
    const auto compute = rows_of(timeline, LaneRole::compute, 0);
    QCOMPARE(compute.size(), std::size_t{4});
    const std::array wanted{Operation{OpKind::forward, StageId(1), 3}, Operation{OpKind::backward, StageId(0), 2},
                            Operation{OpKind::backward_weight, StageId(0), 0},
                            Operation{OpKind::backward, StageId(0), 0}};
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      QCOMPARE(compute[i].operation.kind, wanted[i].kind);
      QCOMPARE(compute[i].operation.stage, wanted[i].stage);
      QCOMPARE(compute[i].operation.micro_batch, wanted[i].micro_batch);
    }
    QCOMPARE(rows_of(timeline, LaneRole::collective, 0).size(), std::size_t{4});
  }

  void a_rank_and_steps_are_heard() {
    std::vector<std::string> events;
    for (int step = 3; step < 6; ++step) {
      events.push_back(
          line_of("user_annotation", fmt::format("ProfilerStep#{}", step).c_str(), step * 1000, 900, 9, 1));
      events.push_back(line_of("gpu_user_annotation", "backward 2", step * 1000 + 10, 200, 0, 7));
      events.push_back(line_of("kernel", "k", step * 1000 + 20, 30, 0, 7, "{\"device\":0}"));
    }
    events.push_back(line_of("kernel", "early", 100, 30, 0, 7, "{\"device\":0}"));
    const auto trace =
        read(document(events, "\"distributedInfo\":{\"backend\":\"nccl\",\"rank\":5,\"world_size\":8},"));
    QVERIFY2(trace, trace ? "" : trace.error().text().c_str());
    QCOMPARE(trace->timelines.size(), std::size_t{3});
    QCOMPARE(trace->timelines[1].step, 4);
    const auto rows = rows_of(trace->timelines[1].timeline, LaneRole::compute, 5);
    QCOMPARE(rows.size(), std::size_t{1});
    QCOMPARE(rows[0].operation, (Operation{OpKind::backward, StageId(0), 2}));
    QCOMPARE(rows[0].start.count, std::int64_t{0});
    QVERIFY(
        std::ranges::any_of(trace->notes, [](const std::string& n) { return n.starts_with("1 operations before"); }));
  }

  /// The host runs ahead: it launches each step's four kernels at once, and the GPU takes ten times as long.
  void a_kernel_is_of_the_step_that_launched_it() {
    std::vector<std::string> events;
    for (int step = 0; step < 3; ++step) {
      events.push_back(line_of("user_annotation", fmt::format("ProfilerStep#{}", step).c_str(), step * 100, 90, 9, 1));
      events.push_back(
          line_of("gpu_user_annotation", fmt::format("ProfilerStep#{}", step).c_str(), step * 800 + 50, 800, 0, 7));
      for (int i = 0; i < 4; ++i) {
        const int id = 2 + step * 4 + i;
        const std::string arguments = fmt::format("{{\"device\":0,\"correlation\":{}}}", id);
        events.push_back(line_of("cuda_runtime", "cudaLaunchKernel", step * 100 + 10 + i, 1, 9, 1, arguments));
        events.push_back(line_of("kernel", "gemm", 50 + (id - 2) * 200, 200, 0, 7, arguments));
      }
      if (step == 0)  // of a step before the recording
        events.push_back(line_of("kernel", "late", 20, 30, 0, 7, "{\"device\":0,\"correlation\":1}"));
      events.push_back(line_of("kernel", "of_a_library", 50 + step * 800 + 790, 5, 0, 7, "{\"device\":0}"));
    }
    const auto trace = read(document(events));
    QVERIFY2(trace, trace ? "" : trace.error().text().c_str());
    QCOMPARE(trace->timelines.size(), std::size_t{3});
    for (const MeasuredTimeline& step : trace->timelines) {
      QCOMPARE(rows_of(step.timeline, LaneRole::compute, 0).size(), std::size_t{4});
      QCOMPARE(step.timeline.makespan().count, std::int64_t{800'000});
    }
    QVERIFY(std::ranges::any_of(trace->notes,
                                [](const std::string& n) { return n.starts_with("1 operations before the first"); }));
  }

  void overlaps_on_a_device_are_cut_and_told() {
    const auto trace = read(document({line_of("kernel", "a_fwd", 0, 10, 0, 7), line_of("kernel", "b_fwd", 5, 10, 0, 8),
                                      line_of("kernel", "c_fwd", 6, 2, 0, 9)}));
    QVERIFY(trace);
    const auto rows = rows_of(trace->timelines[0].timeline, LaneRole::compute, 0);
    QCOMPARE(rows.size(), std::size_t{2});
    QCOMPARE(rows[1].start.count, std::int64_t{10'000});
    QCOMPARE(rows[1].duration.count, std::int64_t{5'000});
    QVERIFY(
        std::ranges::any_of(trace->notes, [](const std::string& n) { return n.starts_with("1 operations that ran"); }));
  }

  void begins_and_ends_and_bare_lists() {
    const auto trace = read(R"([{"ph":"B","name":"forward 1","pid":40,"tid":"main","ts":10},
      {"ph":"B","name":"inner","pid":40,"tid":"main","ts":11},{"ph":"E","pid":40,"tid":"main","ts":12},
      {"ph":"E","pid":40,"tid":"main","ts":15.5},{"ph":"i","name":"x","ts":1},{"ph":"E","pid":1,"tid":1,"ts":3},
      {"ph":"X","name":"backward 1","pid":41,"tid":1,"ts":20,"dur":1e1}])");
    QVERIFY2(trace, trace ? "" : trace.error().text().c_str());
    const Timeline& timeline = trace->timelines[0].timeline;
    QCOMPARE(timeline.size(), std::size_t{2});
    QCOMPARE(rows_of(timeline, LaneRole::compute, 0)[0].duration.count, std::int64_t{5'500});
    QCOMPARE(rows_of(timeline, LaneRole::compute, 1)[0].operation, (Operation{OpKind::backward, StageId(0), 1}));
    QCOMPARE(rows_of(timeline, LaneRole::compute, 1)[0].duration.count, std::int64_t{10'000});
  }

  void operators_stand_in_where_passes_are_not_annotated() {
    const auto trace = read(document({
        line_of("cpu_op", "aten::linear", 0, 10, 5, 5),
        line_of("cpu_op", "aten::addmm", 2, 5, 5, 5),
        line_of("cpu_op", "autograd::engine::evaluate_function: AddmmBackward0", 12, 10, 5, 6),
        line_of("cpu_op", "aten::mm", 13, 5, 5, 6),
        line_of("user_annotation", "Optimizer.step#SGD.step", 30, 10, 5, 5),
        line_of("cpu_op", "aten::add_", 31, 5, 5, 5),
    }));
    QVERIFY2(trace, trace ? "" : trace.error().text().c_str());
    const auto rows = rows_of(trace->timelines[0].timeline, LaneRole::compute, 0);
    QCOMPARE(rows.size(), std::size_t{3});
    QCOMPARE(rows[0].operation.kind, OpKind::forward);
    QCOMPARE(rows[1].operation.kind, OpKind::backward);
    QCOMPARE(rows[2].operation.kind, OpKind::optimizer);
  }

  void a_trace_of_transfers_alone_has_its_devices() {
    auto trace = read(document({line_of("kernel", "ncclDevKernel_SendRecv", 0, 10, 3, 7)}));
    QVERIFY(trace);
    const auto events = io::traces::run_of_trace(*std::move(trace));
    QCOMPARE(std::get<RunStarted>(events.front()).devices, 1);
  }

  void clocks_from_1970_keep_their_nanoseconds() {
    const auto trace =
        read(R"({"traceEvents":[{"ph":"X","name":"forward","pid":1,"tid":1,"ts":1763760000000000.123,"dur":0.007},
      {"ph":"X","name":"backward","pid":1,"tid":1,"ts":1763760000000001.125,"dur":0.0005}]})");
    QVERIFY(trace);
    const auto rows = rows_of(trace->timelines[0].timeline, LaneRole::compute, 0);
    QCOMPARE(rows[0].duration.count, std::int64_t{7});
    QCOMPARE(rows[1].start.count, std::int64_t{1'002});
    QCOMPARE(rows[1].duration.count, std::int64_t{1});
  }

  void packed_ones_are_unpacked() {
    const std::string path = folder_.filePath("t.json.gz").toStdString();
    const gzFile file = gzopen(path.c_str(), "wb");
    const std::string text = document({line_of("kernel", "a_fwd", 0, 10, 0, 7)});
    QCOMPARE(gzwrite(file, text.data(), static_cast<unsigned>(text.size())), static_cast<int>(text.size()));
    gzclose(file);
    QVERIFY(io::traces::looks_like_trace(path));
    QVERIFY(io::traces::read_trace(path));
    // Cut off.
    std::ifstream in(path, std::ios::binary);
    std::string packed((std::istreambuf_iterator<char>(in)), {});
    const auto cut = io::traces::read_trace(write(packed.substr(0, packed.size() - 12), "cut.json.gz"));
    QVERIFY(!cut);
    QVERIFY2(cut.error().text().find("cut.json.gz") != std::string::npos, cut.error().text().c_str());
  }

  void names_are_understood_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<int>("kind");
    QTest::addColumn<int>("stage");
    QTest::addColumn<int>("micro_batch");
    const auto row = [](const char* name, std::optional<OpKind> kind, int stage, int micro_batch) {
      QTest::newRow(name) << name << (kind ? static_cast<int>(*kind) : -1) << stage << micro_batch;
    };
    row("ForwardPass", OpKind::forward, 0, 0);
    row("bwd_mb12", OpKind::backward, 0, 12);
    row("forward stage 3 micro-batch 4", OpKind::forward, 3, 4);
    row("forward 4 (stage 3)", OpKind::forward, 3, 4);
    row("forward 4 at 1234567890123", OpKind::forward, 0, 4);
    row("send_forward", OpKind::send, 0, 0);
    row("Optimizer.step#Adam.step", OpKind::optimizer, 0, 0);
    row("recompute forward 2", OpKind::recompute, 0, 2);
    row("ncclKernel_AllReduce_RING", OpKind::all_reduce, 0, 0);
    row("ncclDevKernel_SendRecv", OpKind::send, 0, 0);
    row("aten::mm", std::nullopt, 0, 0);
    row("PP:2F0", OpKind::forward, 2, 0);
    row("PP:10B12", OpKind::backward, 10, 12);
    row("PP:1I3", OpKind::backward_input, 1, 3);
    row("PP:1W3", OpKind::backward_weight, 1, 3);
    row("PP:3SEND_F1", OpKind::send, 3, 1);
    row("PP:3RECV_B1", OpKind::receive, 3, 1);
    row("PP:5UNSHARD", OpKind::all_reduce, 5, 0);
    row("PP:5REDUCE_GRAD", OpKind::all_reduce, 5, 0);
    row("PP:5RESHARD", std::nullopt, 0, 0);
    row("PP:(1F3;0B2)OVERLAP_F_B", std::nullopt, 0, 0);
    row("PP:2F0x", std::nullopt, 0, 0);
    row("PP:", std::nullopt, 0, 0);
    row("attn(F)", OpKind::forward, 0, 0);
    row("combine(B)", OpKind::backward, 0, 0);
    row("mlp(W)", OpKind::backward_weight, 0, 0);
    row("1F1B", std::nullopt, 0, 0);
    row("FSDP::pre_forward (layers.3)", std::nullopt, 0, 0);
    row("[pl][module]my.Block: layers.3", OpKind::forward, 0, 0);
    row("[pl][profile][Strategy]SingleDeviceStrategy.training_step", OpKind::forward, 0, 0);
    row("[pl][profile][LightningModule]Net.optimizer_step", std::nullopt, 0, 0);
  }
  void names_are_understood() {
    QFETCH(QString, name);
    QFETCH(int, kind);
    QFETCH(int, stage);
    QFETCH(int, micro_batch);
    const auto pass = io::traces::pass_in_name(name.toStdString());
    QCOMPARE(pass ? static_cast<int>(pass->kind) : -1, kind);
    if (!pass) return;
    QCOMPARE(pass->stage, stage);
    QCOMPARE(pass->micro_batch, micro_batch);
  }

  void hostile_ones_are_told_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QString>("says");
    const auto row = [](const char* name, const std::string& text, const char* says) {
      QTest::newRow(name) << QByteArray::fromStdString(text) << says;
    };
    const std::string whole = document({line_of("kernel", "a_fwd", 0, 10, 0, 7)});
    row("empty", "", "cut off");
    row("cut off", whole.substr(0, whole.size() / 2), "cut off");
    row("no list", "{\"a\":1}", "traceEvents");
    row("no operations", "{\"traceEvents\":[]}", "no operations");
    row("a number", "7", "traceEvents");
    row("not UTF-8", document({line_of("kernel", "a\xff\xfe", 0, 10, 0, 7)}), "UTF-8");
    row("NaN", R"({"traceEvents":[{"ph":"X","name":"forward","ts":NaN}]})", "no JSON");
    row("negative duration", document({line_of("kernel", "a", 0, 1, 0, 7), line_of("kernel", "a", 0, -3, 0, 7)}),
        "event 1: found a duration of -3");
    row("a text as time", R"({"traceEvents":[{"ph":"X","name":"forward","ts":"soon"}]})", "microseconds");
    row("no time", R"({"traceEvents":[{"ph":"X","name":"forward"}]})", "\"ts\"");
    row("a time without end", R"({"traceEvents":[{"ph":"X","name":"forward","ts":1e300}]})", "microseconds");
    row("many digits", R"({"traceEvents":[{"ph":"X","name":"forward","ts":99999999999999999999999}]})", "microseconds");
    row("an end before its begin", R"([{"ph":"B","name":"forward","ts":9},{"ph":"E","ts":3}])", "before its begin");
    row("deep", std::string(100'000, '['), "levels");
    row("deep in arguments", R"({"traceEvents":[{"args":)" + std::string(100'000, '['), "levels");
    row("more behind", whole + "{}", "no JSON");
    std::string begun = "[";
    for (int i = 0; i < 5000; ++i) begun += R"({"ph":"B","name":"forward","ts":1},)";
    row("never ended", begun + "{}]", "expected them to end");
    std::string threads = "[";
    for (int i = 0; i < 66'000; ++i) threads += fmt::format(R"({{"ph":"X","name":"fwd","ts":1,"dur":1,"tid":{}}},)", i);
    row("a thread an event", threads + "{}]", "threads");
    row("a long text", "{\"traceEvents\":[{\"name\":\"" + std::string(20 << 20, 'a') + "\"}]}", "MiB");
  }
  void hostile_ones_are_told() {
    QFETCH(QByteArray, text);
    QFETCH(QString, says);
    const std::string told = fault(text.toStdString());
    QVERIFY2(QString::fromStdString(told).contains(says), told.c_str());
    QVERIFY2(told.find("t.json") != std::string::npos, told.c_str());
  }

  void bytes_at_random_never_break_it() {
    const std::string whole = document({line_of("kernel", "a_fwd", 0, 10, 0, 7, "{\"device\":1,\"correlation\":4}"),
                                        line_of("user_annotation", "forward 3", 0, 10, 3, 7)});
    std::mt19937 random(11);
    for (int i = 0; i < 3000; ++i) {
      std::string text = whole;
      for (std::size_t n = 1 + random() % 4; n > 0; --n)
        text[random() % text.size()] = static_cast<char>(random() % 256);
      if (random() % 4 == 0) text.resize(random() % text.size());
      const auto trace = read(text);
      if (!trace) {
        QVERIFY(trace.error().code == ErrorCode::bad_input);
      } else {
        QVERIFY(trace->operations > 0);
      }
    }
  }

  /// A million events like Kineto's, 115 MB: the memory beyond the result stays below 100 MB.
  void a_million_events() {
    const std::string path = folder_.filePath("large.json").toStdString();
    {
      std::ofstream out(path, std::ios::binary);
      out << "{\"schemaVersion\": 1, \"traceEvents\": [\n";
      for (int i = 0; i < 1'000'000; ++i)
        out << fmt::format(
            R"({}{{"ph": "X", "cat": "kernel", "name": "{}", "pid": {}, "tid": 7, "ts": {}.{:03}, "dur": 0.9, "args": {{"device": {}, "stream": 7, "correlation": {}}}}})",
            i == 0 ? "" : ",\n", i % 3 == 0 ? "gemm_fwd" : "gemm_bwd", i % 8, 1763760000000000 + i / 8, i % 1000, i % 8,
            i);
      out << "]}\n";
    }
    rusage before{};
    getrusage(RUSAGE_SELF, &before);
    QElapsedTimer clock;
    clock.start();
    const auto trace = io::traces::read_trace(path);
    const qint64 took = clock.elapsed();
    rusage after{};
    getrusage(RUSAGE_SELF, &after);
    QVERIFY2(trace, trace ? "" : trace.error().text().c_str());
    QVERIFY(trace->operations > 900'000);
    const double used = static_cast<double>(after.ru_utime.tv_sec - before.ru_utime.tv_sec) +
                        static_cast<double>(after.ru_utime.tv_usec - before.ru_utime.tv_usec) / 1e6;
    const double extra =
        static_cast<double>(after.ru_maxrss - before.ru_maxrss) / 1e3 - 23e-6 * static_cast<double>(trace->operations);
    qInfo("%.0f MB: %lld ms, %.2f s of a processor, %.0f MB beyond the result",
          static_cast<double>(QFileInfo(QString::fromStdString(path)).size()) / 1e6, took, used, extra);
#ifdef __SANITIZE_ADDRESS__  // which takes several times as long, and keeps what was freed
    QVERIFY2(extra < 300, qPrintable(QString::number(extra)));
#else
    QVERIFY2(extra < 100, qPrintable(QString::number(extra)));
    QVERIFY2(used < 4, qPrintable(QString::number(used)));
#endif
  }

  /// The text in pieces is the value's, whatever the figures; no piece grows with the timeline, and none comes after
  /// one that was not taken.
  void timelines_are_written_in_pieces() {
    Timeline timeline;
    std::mt19937_64 random(7);
    for (int device = 0; device < 6; ++device) {
      const bool link = device >= 4;
      std::vector<TimelineRow> rows;
      std::int64_t at = 0;
      for (int i = 0; i < 5'000; ++i) {
        const auto apart =
            static_cast<std::int64_t>(random() % 3 == 0 ? random() % 2'000'000'000 : 1'000 * (random() % 9));
        rows.push_back({Nanoseconds(at += apart),
                        Nanoseconds(static_cast<std::int64_t>(random() % 1'000'000)),
                        {link ? OpKind::send : static_cast<OpKind>(random() % 3), StageId(device), i}});
        at = rows.back().end().count;
      }
      timeline.append_lane({link ? LaneRole::link : LaneRole::compute, DeviceId(device), DeviceId(link ? 1 : 0)}, rows);
    }
    const RunEvent event = MeasuredTimeline{3, timeline};
    std::string text;
    std::size_t pieces = 0, longest = 0;
    QVERIFY(io::documents::write_event(event, [&](std::string_view piece) {
      text += piece, ++pieces, longest = std::max(longest, piece.size());
      return true;
    }));
    const std::string value = io::json::compact(io::documents::intervals_to_json(timeline));
    QVERIFY(text == R"({"event":"timeline","step":3,"intervals":)" + value + "}");
    QVERIFY(pieces > 20 && longest < 70'000);
    QVERIFY(std::get<MeasuredTimeline>(*io::documents::event_from_json(io::documents::event_to_json(event))).timeline ==
            timeline);
    Timeline early;
    early.append_lane({}, std::vector{TimelineRow{Nanoseconds(-1'000'007), Nanoseconds(7), {}}});
    const std::string before_the_start = io::documents::event_to_json(MeasuredTimeline{1, early});
    QVERIFY(before_the_start.find(io::json::compact(io::documents::intervals_to_json(early))) != before_the_start.npos);
    for (const std::size_t most : {1, 2, 5}) {
      std::size_t taken = 0;
      QVERIFY(!io::documents::write_event(event, [&](std::string_view) { return ++taken < most; }));
      QCOMPARE(taken, most);
    }
    QCOMPARE(io::documents::event_to_json(MeasuredTimeline{1, {}}),
             std::string(R"({"event":"timeline","step":1,"intervals":[]})"));
  }

  void stopped_it_says_so() {
    std::stop_source stop;
    stop.request_stop();
    std::vector<std::string> events(10'000, line_of("kernel", "a_fwd", 0, 10, 0, 7));
    const auto trace = io::traces::read_trace(write(document(events)), stop.get_token());
    QVERIFY(!trace && trace.error().code == ErrorCode::cancelled);
  }
};

PIPEDECK_TEST(TestTraceReader)

}  // namespace pipedeck::tst_trace_reader

#include "tst_trace_reader.moc"
