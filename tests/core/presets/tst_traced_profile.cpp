// SPDX-License-Identifier: Apache-2.0
// Traces of known models come back as their profiles; hostile ones as errors in bounded memory.
#include <algorithm>
#include <cmath>
#include <fstream>

#include <sys/resource.h>

#include <QElapsedTimer>
#include <QFileInfo>
#include <QTemporaryDir>
#include <QTest>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/plan/validate.hpp"
#include "core/presets/traced_profile.hpp"
#include "tests/core/presets/recorded_training.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_traced_profile {

using namespace pipedeck::test;

/// Between the two in the middle where there are two.
double median(std::vector<double> times) {
  std::nth_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2), times.end());
  const double upper = times[times.size() / 2];
  if (times.size() % 2 == 1) return upper;
  return (upper + *std::max_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2))) / 2;
}

bool has_note(const analytic::recorded::RecordedProfile& made, const std::string& part) {
  return std::ranges::any_of(made.notes, [&](const std::string& note) { return note.find(part) != note.npos; });
}

std::string event_of(const char* category, const std::string& name, double ts, double dur, int tid = 1,
                     const std::string& arguments = "") {
  return fmt::format(R"({{"ph":"X","cat":"{}","name":"{}","pid":1,"tid":{},"ts":{},"dur":{},"args":{{{}}}}})", category,
                     name, tid, ts, dur, arguments);
}
std::string module(const std::string& name, double ts, double dur, int tid = 1) {
  return event_of("python_function", "nn.Module: " + name, ts, dur, tid);
}

std::string document(const std::vector<std::string>& events) {
  std::string text = "{\"schemaVersion\":1,\"traceEvents\":[";
  for (std::size_t i = 0; i < events.size(); ++i) text += (i > 0 ? ",\n" : "\n") + events[i];
  return text + "]}";
}

class TestTracedProfile : public QObject {
  Q_OBJECT

 private:
  QTemporaryDir folder_;

  std::string write(const std::string& text, const char* name = "net.trace.json") {
    const std::string path = folder_.filePath(QLatin1String(name)).toStdString();
    std::ofstream(path, std::ios::binary) << text;
    return path;
  }
  Result<analytic::recorded::RecordedProfile> read(const std::string& text,
                                                   const analytic::recorded::Options& options = {}) {
    return presets::read_traced_profile(write(text), options);
  }
  std::vector<std::string> names(const std::vector<std::string>& events, std::optional<int> depth = {}) {
    const auto made = read(document(events), {.depth = depth});
    if (!made) return {made.error().text()};
    std::vector<std::string> found;
    for (const Layer& layer : made->profile.layers) found.push_back(layer.name);
    return found;
  }

  static void compare(const analytic::recorded::RecordedProfile& made, const RecordedTraining& truth,
                      const test::Training& training) {
    const Profile& profile = made.profile;
    QVERIFY(plan::validate(profile));
    QCOMPARE(profile.layers.size(), truth.layers.size());
    QCOMPARE(profile.micro_batch, training.shapes ? training.samples : 1);
    QCOMPARE(profile.device, std::string(training.gpu ? "A100-80GB" : "CPU"));
    for (std::size_t i = 0; i < truth.layers.size(); ++i) {
      const Layer& ours = profile.layers[i];
      const TrueLayer& real = truth.layers[i];
      QCOMPARE(ours.name, real.name);
      // The first step, else of three passes the first, warms up.
      const std::size_t all = real.forward.size();
      const auto dropped = static_cast<std::ptrdiff_t>(training.steps >= 3              ? training.micro_batches
                                                       : training.steps < 2 && all >= 3 ? 1
                                                                                        : 0);
      const double forward = median({real.forward.begin() + dropped, real.forward.end()});
      const double backward =
          training.backward ? median({real.backward.begin() + dropped, real.backward.end()}) : 2 * forward;
      QVERIFY2(std::abs(ours.forward.count * 1e9 - forward) < 1e-3,
               qPrintable(QString("%1 forward: %2, is %3").arg(i).arg(ours.forward.count * 1e9).arg(forward)));
      QVERIFY2(std::abs(ours.backward.count * 1e9 - backward) < 1e-3,
               qPrintable(QString("%1 backward: %2, is %3").arg(i).arg(ours.backward.count * 1e9).arg(backward)));
      const bool last = i + 1 == truth.layers.size();
      const double output = !training.shapes || (last && !training.backward) ? 0 : real.output;
      QCOMPARE(static_cast<double>(ours.output.count), output);
      QCOMPARE(static_cast<double>(ours.parameters.count), training.shapes ? real.parameters : 0);
      QCOMPARE(static_cast<double>(ours.saved.count), !training.shapes ? 0 : training.backward ? real.saved : output);
      if (all - static_cast<std::size_t>(dropped) > 1)
        QCOMPARE(ours.spread->repetitions, static_cast<int>(all) - static_cast<int>(dropped));
    }
    QCOMPARE(has_note(made, "record_shapes"), !training.shapes);
    QCOMPARE(has_note(made, "ran again"), training.recompute && training.backward);
    QCOMPARE(has_note(made, "No backward pass"), !training.backward);
  }

 private slots:
  /// A module launches `inside` kernels of 10 us; `outside` are launched behind it, and `unlaunched` by nothing.
  void layers_say_their_share_of_the_gpus_time_data() {
    QTest::addColumn<int>("inside");
    QTest::addColumn<int>("outside");
    QTest::addColumn<int>("unlaunched");
    QTest::addColumn<int>("optimizer");
    QTest::addColumn<QString>("words");  // of a note, or of the error
    QTest::newRow("all") << 4 << 0 << 0 << 9 << "Layers hold 100.0 % of the GPU's time";
    QTest::newRow("half") << 4 << 2 << 2 << 0
                          << "Layers hold 50.0 % of the GPU's time without optimizer and communication (0.04 of 0.08 "
                             "ms; 25 % launched outside of them, 25 % without a launch in the trace)";
    QTest::newRow("a sampler beside a graph")
        << 1 << 0 << 39 << 0 << "found layers with 2.5 % of the GPU's time (0.01 of 0.4 ms";
  }
  void layers_say_their_share_of_the_gpus_time() {
    QFETCH(int, inside);
    QFETCH(int, outside);
    QFETCH(int, unlaunched);
    QFETCH(int, optimizer);
    QFETCH(QString, words);
    std::vector<std::string> events{module("Linear_0", 0, 100), module("Linear_1", 100, 100)};
    events.push_back(event_of("user_annotation", "Optimizer.step#SGD.step", 400, 100));
    int id = 0;
    const auto launch = [&](double at, int kernels) {
      for (int i = 0; i < kernels; ++i) {
        const std::string correlation = fmt::format("\"correlation\":{}", ++id);
        events.push_back(event_of("cuda_runtime", "cudaLaunchKernel", at + i, 0.5, 1, correlation));
        events.push_back(event_of("kernel", "gemm", 1000 + 10 * id, 10, 7, correlation));
      }
    };
    launch(10, inside);
    launch(300, outside);
    launch(401, optimizer);
    for (int i = 0; i < unlaunched; ++i)
      events.push_back(event_of("kernel", "graph", 5000 + 10 * i, 10, 7, fmt::format("\"correlation\":{}", 900 + i)));
    const auto made = read(document(events));
    const std::string found = made ? fmt::format("{}", fmt::join(made->notes, "\n")) : made.error().message;
    QVERIFY2(found.find(words.toStdString()) != found.npos, found.c_str());
    QCOMPARE(made.has_value(), words.startsWith("Layers"));
  }

  void annotations_of_libraries_are_no_modules() {
    for (const char* name : {"hccl:allgather", "xccl:all_reduce", "nccl:broadcast", "Stage::runInputDist",
                             "[param|pytorch.model.alex_net|0|0|0|measure|forward]"}) {
      const auto made =
          read(document({event_of("user_annotation", name, 0, 10), event_of("user_annotation", name, 20, 10)}));
      QVERIFY2(!made, name);
      QVERIFY2(made.error().message.find("found no modules") != std::string::npos, made.error().message.c_str());
    }
  }

  void known_models_come_back() {
    std::mt19937 random(11);
    const auto maybe = [&] { return random() % 2 == 0; };
    for (int round = 0; round < 120; ++round) {
      const test::Training training{.gpu = maybe(),
                                    .recompute = maybe(),
                                    .wrapped = maybe(),
                                    .in_encoder = maybe(),
                                    .annotations = maybe(),
                                    .shapes = random() % 4 != 0,
                                    .backward = random() % 5 != 0,
                                    .steps = static_cast<int>(random() % 5),
                                    .micro_batches = 1 + static_cast<int>(random() % 5),
                                    .blocks = 1 + static_cast<int>(random() % 6),
                                    .samples = 91 + static_cast<int>(random() % 9),
                                    .all_forward_first = maybe()};
      const RecordedTraining truth = record(training, random);
      const auto made = read(truth.trace);
      QVERIFY2(made, made ? "" : made.error().text().c_str());
      compare(*made, truth, training);
      if (QTest::currentTestFailed()) {
        std::ofstream(QFileInfo(".").absolutePath().toStdString() + "/failed.trace.json") << truth.trace;
        qInfo(
            "round %d: gpu %d recompute %d wrapped %d encoder %d annotations %d shapes %d backward %d steps %d "
            "micro-batches %d blocks %d all first %d",
            round, training.gpu, training.recompute, training.wrapped, training.in_encoder, training.annotations,
            training.shapes, training.backward, training.steps, training.micro_batches, training.blocks,
            training.all_forward_first);
        for (const std::string& note : made->notes) qInfo("%s", note.c_str());
        return;
      }
    }
  }

  void depths_are_heard() {
    const std::vector<std::string> events{module("Net_0", 0, 100), module("Sequential_0", 0, 60),
                                          module("Linear_0", 0, 20), module("ReLU_0", 30, 20),
                                          module("Head_0", 70, 20)};
    QCOMPARE(names(events), (std::vector<std::string>{"Linear_0", "ReLU_0", "Head_0"}));
    QCOMPARE(names(events, 0), (std::vector<std::string>{"Net_0"}));
    QCOMPARE(names(events, 1), (std::vector<std::string>{"Sequential_0", "Head_0"}));
    QCOMPARE(names(events, 2), (std::vector<std::string>{"Linear_0", "ReLU_0", "Head_0"}));
    QCOMPARE(names(events, 7), (std::vector<std::string>{"Linear_0", "ReLU_0", "Head_0"}));
  }

  /// As torchvision and Hugging Face nest theirs.
  void usual_models_are_taken_apart() {
    std::vector<std::string> resnet{module("ResNet_0", 0, 1000), module("Conv2d_0", 1, 5), module("MaxPool2d_0", 8, 5)};
    for (int stage = 0, block = 0; stage < 4; ++stage) {
      resnet.push_back(module(fmt::format("Sequential_{}", 2 * stage), 20 + 200 * stage, 180));
      for (int i = 0; i < 2; ++i, ++block) {
        const double at = 20 + 200 * stage + 90 * i;
        resnet.push_back(module(fmt::format("Bottleneck_{}", block), at, 80));
        resnet.push_back(module(fmt::format("Conv2d_{}", 10 + 2 * block), at + 1, 10));
        resnet.push_back(module(fmt::format("Conv2d_{}", 11 + 2 * block), at + 21, 10));
        if (i > 0) continue;
        resnet.push_back(module(fmt::format("Sequential_{}", 2 * stage + 1), at + 41, 20));  // downsample
        resnet.push_back(module(fmt::format("Conv2d_{}", 40 + stage), at + 42, 10));
      }
    }
    resnet.push_back(module("Linear_0", 900, 10));
    QCOMPARE(names(resnet), (std::vector<std::string>{"Conv2d_0", "MaxPool2d_0", "Bottleneck_0", "Bottleneck_1",
                                                      "Bottleneck_2", "Bottleneck_3", "Bottleneck_4", "Bottleneck_5",
                                                      "Bottleneck_6", "Bottleneck_7", "Linear_0"}));
    std::vector<std::string> bert{module("BertForMaskedLM_0", 0, 1000), module("BertModel_0", 0, 800),
                                  module("BertEmbeddings_0", 1, 50), module("Embedding_0", 2, 10),
                                  module("BertEncoder_0", 60, 700)};
    for (int i = 0; i < 3; ++i) {
      bert.push_back(module(fmt::format("BertLayer_{}", i), 61 + 200 * i, 190));
      bert.push_back(module(fmt::format("BertAttention_{}", i), 62 + 200 * i, 80));
      bert.push_back(module(fmt::format("BertSelfAttention_{}", i), 63 + 200 * i, 50));
      bert.push_back(module(fmt::format("BertOutput_{}", i), 162 + 200 * i, 80));
    }
    bert.push_back(module("BertOnlyMLMHead_0", 820, 100));
    bert.push_back(module("Linear_30", 821, 90));
    QCOMPARE(names(bert, 3),
             (std::vector<std::string>{"Embedding_0", "BertLayer_0", "BertLayer_1", "BertLayer_2", "Linear_30"}));
    QCOMPARE(names(bert), (std::vector<std::string>{"BertEmbeddings_0", "BertLayer_0", "BertLayer_1", "BertLayer_2",
                                                    "BertOnlyMLMHead_0"}));
  }

  /// Two containers alike in a block do not make it two blocks.
  void a_single_block_stays_whole() {
    QCOMPARE(names({module("Net_0", 0, 100), module("Embedding_0", 1, 5), module("Block_0", 10, 80),
                    module("Sequential_0", 11, 30), module("Linear_0", 12, 20), module("Sequential_1", 45, 30),
                    module("Linear_1", 46, 20), module("Linear_2", 92, 5)}),
             (std::vector<std::string>{"Embedding_0", "Block_0", "Linear_2"}));
  }

  void lightning_s_annotations_are_modules() {
    const auto module_of = [](const char* name, double ts, double dur) {
      return event_of("user_annotation", std::string("[pl][module]") + name, ts, dur);
    };
    QCOMPARE(
        names({event_of("user_annotation", "[pl][profile]run_training_batch", 0, 100),
               module_of("torch.nn.modules.container.Sequential: net", 1, 90),
               module_of("my.parts.Block: net.0", 2, 20), module_of("torch.nn.modules.linear.Linear: net.0.a", 3, 9),
               module_of("my.parts.Block: net.1", 25, 20), module_of("torch.nn.modules.linear.Linear: net.1.a", 26, 9),
               module_of("my.parts.Block: net.2", 50, 20), module_of("torch.nn.modules.linear.Linear: net.2.a", 51, 9),
               module_of("torch.nn.modules.linear.Linear: net.3", 80, 9)}),
        (std::vector<std::string>{"Block: net.0", "Block: net.1", "Block: net.2", "Linear: net.3"}));
  }

  void hostile_ones_are_told_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QByteArray>("words");
    const auto row = [](const char* name, const std::string& text, const char* words) {
      QTest::newRow(name) << QByteArray::fromStdString(text) << QByteArray(words);
    };
    row("no modules", document({event_of("cpu_op", "aten::mm", 1, 2)}), "found no modules among 1 events");
    for (const char* name : {"forward 3", "PP:2F0", "1F1B", "attn(F)", "mlp(W)", "FSDP::pre_forward (layers.3)",
                             "[pl][profile]run_batch", "FullyShardedDataParallel._pre_forward"})
      row(fmt::format("{} is no module", name).c_str(), document({event_of("user_annotation", name, 1, 2)}),
          "found no modules");
    row("no time", document({module("A_0", 5, 0)}), "took no time");
    row("negative", document({module("A_0", 5, -1)}), "event 0: found a duration of -1 us");
    row("no time stamp", R"({"traceEvents":[{"ph":"X","cat":"kernel","name":"k"}]})", "event 0: found no \"ts\"");
    row("cut off", document({module("A_0", 5, 1)}).substr(0, 60), "cut off");
    row("no UTF-8", document({module("A\xff_0", 5, 1)}), "not UTF-8");
    row("backward alone",
        document({event_of("cpu_op", "autograd::engine::evaluate_function: X", 0, 100), module("A_0", 5, 10)}),
        "within backward passes alone");
    std::vector<std::string> deep;
    for (int i = 0; i < 300; ++i) deep.push_back(module(fmt::format("A_{}", i), i, 1000 - 2 * i));
    row("deep", document(deep), "more than 200 modules in one another");
    row("samples",
        document(
            {module("A_0", 0, 9), event_of("cpu_op", "aten::linear", 1, 2, 1,
                                           R"("Input Dims":[[5000000000,2],[2,2]],"Input type":["float","float"])")}),
        "found a micro-batch of 5000000000 samples");
    row("sizes",
        document({module("A_0", 0, 9),
                  event_of("cpu_op", "aten::linear", 1, 2, 1,
                           R"("Input Dims":[[4,2],[9000000000,9000000000]],"Input type":["float","float"])")}),
        "parameter_bytes");
  }
  void hostile_ones_are_told() {
    QFETCH(QByteArray, text);
    QFETCH(QByteArray, words);
    const auto made = read(text.toStdString());
    QVERIFY(!made);
    QCOMPARE(exit_status(made.error().code), 2);
    const std::string said = made.error().text();
    QVERIFY2(said.find(words.toStdString()) != said.npos && said.find("net.trace.json") != said.npos, said.c_str());
  }

  /// Spans that cross, correlations that go round, sequences and sizes of any kind: an answer or an error.
  void spans_at_random_never_break_it() {
    std::mt19937 random(3);
    const auto number = [&](int most) { return static_cast<int>(random() % static_cast<unsigned>(most)); };
    const std::array names{"aten::linear",
                           "aten::addmm",
                           "AddmmBackward0",
                           "torch::autograd::AccumulateGrad",
                           "autograd::engine::evaluate_function: AddmmBackward0",
                           "autograd::engine::evaluate_function: torch::autograd::AccumulateGrad"};
    const std::array sizes{"[[3,4],[5,4],[5]]",         "[[-1]]", "[[[2,3],[4]],[]]", "[3]",
                           "[[9223372036854775807,9]]", "{}",     "[[1e300]]",        "\"[[3]]\""};
    for (int round = 0; round < 400; ++round) {
      std::vector<std::string> events;
      for (int i = number(60); i >= 0; --i) {
        const double at = number(100), length = number(40);
        const int thread = number(3);
        switch (number(5)) {
          case 0:
            events.push_back(module(fmt::format("Block_{}", number(4)), at, length, thread));
            break;
          case 1:
            events.push_back(event_of("kernel", "k", at, length, thread, fmt::format("\"correlation\":{}", number(6))));
            break;
          case 2:
            events.push_back(
                event_of("cuda_runtime", "launch", at, length, thread, fmt::format("\"correlation\":{}", number(6))));
            break;
          case 3:
            events.push_back(
                event_of("user_annotation", fmt::format("ProfilerStep#{}", number(4)), at, length, thread));
            break;
          default:
            events.push_back(
                event_of("cpu_op", names[static_cast<std::size_t>(number(6))], at, length, thread,
                         fmt::format(R"("Sequence number":{},"Input Dims":{},"Input type":["float","float"])",
                                     number(9) - 1, sizes[static_cast<std::size_t>(number(8))])));
        }
      }
      analytic::recorded::Options options;
      if (number(2) == 0) options.depth = number(4);
      const auto made = read(document(events), options);
      if (made) {
        QVERIFY(plan::validate(made->profile));
        QVERIFY(!made->notes.empty());
      } else {
        QCOMPARE(made.error().code, ErrorCode::bad_input);
      }
    }
  }

  /// A training as large as traces are: the time and memory of making a profile of it.
  void a_million_events() {
    const std::string path = folder_.filePath("large.json").toStdString();
    std::size_t events = 0;
    {
      std::ofstream out(path, std::ios::binary);
      out << "{\"schemaVersion\": 1, \"traceEvents\": [\n" << module("Warm_0", 0, 1);
      int sequence = 0, correlation = 0;
      const auto put = [&](const std::string& one) { out << ",\n" << one, ++events; };
      std::int64_t at = 10;
      const auto operation = [&](const char* name, const std::string& arguments, bool kernel) {
        put(event_of("cpu_op", name, static_cast<double>(at), 3, 1, arguments));
        if (kernel) {
          put(event_of("cuda_runtime", "cudaLaunchKernel", static_cast<double>(at + 1), 1, 1,
                       fmt::format(R"("cbid": 211, "correlation": {})", ++correlation)));
          put(event_of("kernel", "void cutlass::Kernel2<cutlass_80_tensorop_s16816gemm>(Params)",
                       static_cast<double>(at + 9), 2.5, 7,
                       fmt::format(R"("External id": {}, "device": 0, "stream": 7, "correlation": {}, )"
                                   R"("grid": [16, 1, 1], "block": [128, 1, 1])",
                                   correlation, correlation)));
        }
        at += 4;
      };
      const char* const sizes =
          R"(, "Concrete Inputs": ["", "", ""], "Input Dims": [[1024], [8192, 1024], [1024, 1024]], "Input type": ["float", "float", "float"])";
      while (events < 1'000'000) {
        const std::int64_t begin = at;
        const int first = sequence;
        for (int block = 0; block < 24; ++block) {
          const std::int64_t from = at;
          for (int i = 0; i < 30; ++i)
            operation(
                "aten::addmm",
                fmt::format(R"("External id": 1, "Sequence number": {}, "Fwd thread id": 0{})", sequence++, sizes),
                true);
          put(module(fmt::format("Block_{}", block), static_cast<double>(from), static_cast<double>(at - from)));
          put(module(fmt::format("Attention_{}", block), static_cast<double>(from + 1), 20));
          put(module(fmt::format("Linear_{}", block), static_cast<double>(from + 2), 15));
          for (int i = 0; i < 20; ++i)
            put(event_of("python_function", "torch/nn/modules/module.py(1501): _call_impl", static_cast<double>(from),
                         5, 1, R"("Python parent id": 3, "Python id": 4)"));
        }
        put(module("Model_0", static_cast<double>(begin), static_cast<double>(at - begin)));
        at += 10;
        for (int i = sequence; i-- > first;) {
          put(event_of("cpu_op", "autograd::engine::evaluate_function: AddmmBackward0", static_cast<double>(at), 10, 1,
                       fmt::format(R"("External id": 1, "Sequence number": {}, "Fwd thread id": 1)", i)));
          operation("AddmmBackward0",
                    fmt::format(R"("Sequence number": {}, "Input Dims": [[8192, 1024]], "Input type": ["float"])", i),
                    true);
          at += 10;
        }
      }
      out << "]}\n";
    }
    rusage before{};
    getrusage(RUSAGE_SELF, &before);
    QElapsedTimer clock;
    clock.start();
    const auto made = presets::read_traced_profile(path, {});
    const qint64 took = clock.elapsed();
    rusage after{};
    getrusage(RUSAGE_SELF, &after);
    QVERIFY2(made, made ? "" : made.error().text().c_str());
    QCOMPARE(made->profile.layers.size(), std::size_t{24});
    const double used = static_cast<double>(after.ru_utime.tv_sec - before.ru_utime.tv_sec) +
                        static_cast<double>(after.ru_utime.tv_usec - before.ru_utime.tv_usec) / 1e6;
    const double memory = static_cast<double>(after.ru_maxrss - before.ru_maxrss) / 1e3;
    qInfo("%zu events, %.0f MB: %lld ms, %.2f s of a processor, %.0f MB", events,
          static_cast<double>(QFileInfo(QString::fromStdString(path)).size()) / 1e6, took, used, memory);
#ifndef __SANITIZE_ADDRESS__  // which takes several times as much
    QVERIFY2(memory < 100, qPrintable(QString::number(memory)));
    QVERIFY2(used < 4, qPrintable(QString::number(used)));
#endif
  }

  /// As deep as the file is long: refused before anything is built of it.
  void a_million_modules_in_one_another() {
    const std::string path = folder_.filePath("deep.json").toStdString();
    {
      std::ofstream out(path, std::ios::binary);
      out << "[";
      for (int i = 0; i < 1'000'000; ++i) out << (i > 0 ? ",\n" : "") << module("A_0", i, 3'000'000 - 2.0 * i);
      out << "]";
    }
    const auto made = presets::read_traced_profile(path, {});
    QVERIFY(!made);
    QVERIFY(made.error().message.find("more than 200 modules") != std::string::npos);
  }

  void stopped_it_says_so() {
    std::stop_source stop;
    stop.request_stop();
    const std::vector<std::string> events(10'000, module("A_0", 0, 10));
    const auto made = presets::read_traced_profile(write(document(events)), {}, stop.get_token());
    QVERIFY(!made && made.error().code == ErrorCode::cancelled);
  }
};

PIPEDECK_TEST(TestTracedProfile)

}  // namespace pipedeck::tst_traced_profile

#include "tst_traced_profile.moc"
