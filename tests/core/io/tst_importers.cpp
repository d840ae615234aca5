// SPDX-License-Identifier: Apache-2.0
// The table of importers: each recognises its own samples, no other one does, and each sample can be read.
#include <QTest>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "core/io/files.hpp"
#include "core/io/importers.hpp"
#include "core/io/traces/events.hpp"
#include "tests/core/io/documents/sample_documents.hpp"
#include "tests/support/shared_data.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_importers {

std::string fixture(const std::string& name) { return io::read_file(test::source_dir() + "/tests/" + name).value(); }

/// Returns samples by the name of their importer.
std::multimap<std::string, std::string> samples() {
  return {{"profile", test::sample_profile()},
          {"cluster", test::sample_cluster()},
          {"plan", test::sample_plan()},
          {"simulation", test::sample_simulation()},
          {"model", test::sample_model()},
          {"calibration", test::sample_calibration()},
          {"graph-text", test::sample_graph()},
          {"project", fixture("fixtures/version2.pipedeck")},
          {"onnx", fixture("fixtures/onnx/tokens.onnx")},
          {"hugging-face", fixture("fixtures/hugging_face/gpt2.config.json")},
          {"gpu-copies", fixture("fixtures/topology/4xa100-pcie.p2p.txt")},
          {"gpu-copies", fixture("fixtures/topology/8xh100.nvbandwidth.txt")},
          {"gpu-copies", fixture("fixtures/topology/2xh200.nvbandwidth.json")},
          {"workload", fixture("fuzz/seeds/documents/training.workload.json")},
          {"workload", fixture("fuzz/seeds/documents/piper.workload.json")},
          {"rocm-smi", fixture("fixtures/topology/8xmi300x.rocm.txt")},
          {"nvidia-smi", fixture("fixtures/topology/dgx-a100.topo.txt")},
          {"nccl-tests", fixture("fixtures/topology/8xh100.nccl-tests.txt")},
          {"nccl-tests", fixture("fixtures/topology/2x8xh100.nccl-tests.txt")},
          {"kubernetes", fixture("fixtures/topology/6.nodes.json")},
          {"kubernetes", fixture("fixtures/topology/1.nodes.yaml")},
          {"ibstat", fixture("fixtures/topology/3-cards.ibstat.txt")},
          {"calculon-model", fixture("fixtures/simulators/gpt3-175b.calculon.json")},
          {"calculon-system", fixture("fixtures/simulators/8-gpus.calculon.json")},
          {"simumax-model", fixture("fixtures/simulators/mixtral-8x7b.simumax.json")},
          {"simumax-model", fixture("fixtures/simulators/deepseek-v3.simumax.json")},
          {"simumax-system", fixture("fixtures/simulators/8-gpus.simumax.json")},
          {"galvatron-model", fixture("fixtures/simulators/mixtral-8x7b.galvatron.yaml")},
          {"galvatron-hardware", fixture("fixtures/simulators/8-gpus.galvatron.json")},
          {"lstopo", fixture("fixtures/topology/4xa100.lstopo.xml")},
          {"nccl-topology", fixture("fixtures/topology/dgx-a100.xml")},
          {"slurm", fixture("fixtures/topology/site.slurm.txt")},
          {"slurm", fixture("fixtures/topology/site.topology.conf")},
          {"training-log", fixture("fixtures/jobs/llama3-8b.megatron.log")},
          {"megatron", fixture("fixtures/jobs/llama-70b.sh")},
          {"megatron", fixture("fixtures/jobs/mixtral.args.txt")},
          {"torchtitan", fixture("fixtures/jobs/llama3-8b.toml")},
          {"deepspeed", fixture("fixtures/jobs/zero3.ds_config.json")},
          {"nemo", fixture("fixtures/jobs/llama3-8b.nemo.yaml")},
          {"nemo-recipe", fixture("fixtures/jobs/llama3-8b.nemo.py")},
          {"trl", fixture("fixtures/jobs/sft.trl.yaml")},
          {"axolotl", fixture("fixtures/jobs/qwen3-8b.axolotl.yaml")},
          {"megatron-bridge", fixture("fixtures/jobs/qwen3.bridge.yaml")},
          {"accelerate", fixture("fixtures/jobs/fsdp.accelerate.yaml")},
          {"layer-table", fixture("fuzz/seeds/layer_table/named.csv")},
          {"bandwidths", fixture("fixtures/topology/4-devices.bandwidths.csv")}};
}

class TestImporters : public QObject {
  Q_OBJECT

 private slots:
  void each_has_a_name_and_a_sample() {
    std::set<std::string_view> names;
    const auto known = samples();
    for (const io::Importer& importer : io::importers()) {
      QVERIFY2(names.insert(importer.name).second, importer.name.data());
      QVERIFY2(known.count(std::string(importer.name)) > 0, importer.name.data());
      QVERIFY(!importer.ending.empty());
      QVERIFY2(importer.ending != ".json", "any output of that ending would be of this format");
      QVERIFY2(importer.summary.ends_with("(read)") || importer.summary.ends_with("(read, written)"),
               importer.summary.data());
    }
  }

  void each_sample_is_recognised_and_read() {
    for (const auto& [name, text] : samples()) {
      const auto importer = io::importer_of(text);
      QVERIFY2(importer, name.c_str());
      QCOMPARE(std::string((*importer)->name), name);
      const io::ReadOptions options{.profile_micro_batch = 4};
      const auto document = (*importer)->read({text, "folder/sample.txt", options});
      QVERIFY2(document.has_value() != (name == "project"), document ? name.c_str() : document.error().text().c_str());
    }
  }

  /// Every importer accounts for its file, and no part is understood without a word of it.
  void each_sample_ends_with_its_share() {
    for (const auto& [name, text] : samples()) {
      if (name == "project") continue;
      ImportShare share;
      const auto document = io::read_document("folder/sample.txt", text, {.profile_micro_batch = 4, .share = &share});
      QVERIFY2(document, name.c_str());
      QCOMPARE(share.format, name);
      QVERIFY2(share.understood > 0, name.c_str());
      QVERIFY2(line_of(share).starts_with(name + ": understood "), line_of(share).c_str());
      QVERIFY2(share.left_out.size() <= ImportShare::max_listed || name == "megatron", name.c_str());
      for (const std::string& part : share.left_out) QVERIFY2(!part.empty(), name.c_str());
      QVERIFY(!(*io::importer_of(text))->evidence.empty());
    }
  }

  /// A foreign part in a file lowers its share, and is listed by name.
  void a_foreign_part_is_left_out_by_name() {
    struct Case {
      std::string importer, where, part, listed;
    };
    const std::string cards = "hwloc-calc 2.9 says 8 packages\n";
    const std::vector<Case> cases{{"nvidia-smi", "", cards, "hwloc-calc"},
                                  {"rocm-smi", "", cards, "hwloc-calc"},
                                  {"gpu-copies", "", cards, "hwloc-calc"},
                                  {"profile", "{", "\"one_more_thing\": {\"a\": 1, \"b\": 2}, ", "one_more_thing"},
                                  {"cluster", "{", "\"one_more_thing\": 1, ", "one_more_thing"},
                                  {"plan", "{", "\"one_more_thing\": 1, ", "one_more_thing"},
                                  {"model", "{", "\"one_more_thing\": 1, ", "one_more_thing"},
                                  {"hugging-face", "{", "\"one_more_thing\": 1, ", "one_more_thing"},
                                  {"deepspeed", "{", "\"one_more_thing\": 1, ", "one_more_thing"},
                                  {"nccl-topology", "<cpu", "", ""},
                                  {"slurm", "", "NodeName=lost Gres=gpu:a100:8 State=DOWN\n", "lost, down or drained"}};
    for (const Case& one : cases) {
      std::string text = samples().find(one.importer)->second;
      ImportShare before, after;
      const io::ReadOptions options{.profile_micro_batch = 4, .share = &before};
      QVERIFY2(io::read_document("sample.txt", text, options), one.importer.c_str());
      if (one.importer == "nccl-topology") {
        const std::size_t at = text.find("<gpu ");
        text.insert(at, "<c2c count=\"1\"/>");
        QVERIFY2(io::read_document("sample.txt", text, {.share = &after}), one.importer.c_str());
        QVERIFY(std::ranges::find(after.left_out, "elements c2c") != after.left_out.end());
      } else {
        text.insert(text.find(one.where) + one.where.size(), one.part);
        const auto read = io::read_document("sample.txt", text, {.profile_micro_batch = 4, .share = &after});
        QVERIFY2(read, read ? "" : read.error().text().c_str());
        QVERIFY2(std::ranges::any_of(after.left_out,
                                     [&](const std::string& part) { return part.find(one.listed) != part.npos; }),
                 one.importer.c_str());
      }
      QCOMPARE(after.understood, before.understood);
      QVERIFY2(after.parts() > before.parts(), one.importer.c_str());
    }
  }

  void many_foreign_lines_are_counted() {
    std::string text = fixture("fixtures/topology/dgx-a100.topo.txt");
    for (int i = 0; i < 100; ++i) text += "step " + std::to_string(i) + " took 3 s\n";
    ImportShare share;
    QVERIFY(io::read_document("sample.txt", text, {.share = &share}));
    QCOMPARE(share.left_out.size(), ImportShare::max_listed);
    QVERIFY(share.unlisted >= 80);
    QVERIFY(line_of(share).find("left out " + std::to_string(share.unlisted + 20)) != std::string::npos);
  }

  /// Files of others, where this checkout has them: what is read has a share, in its last line.
  void foreign_files_have_a_share() {
    const std::filesystem::path folder = std::filesystem::path(test::shared_data()) / "foreign";
    if (test::shared_data().empty() || !std::filesystem::exists(folder)) QSKIP("no foreign files here");
    int read = 0;
    for (const auto& file : std::filesystem::recursive_directory_iterator(folder)) {
      if (!file.is_regular_file() || io::traces::looks_like_trace(file.path().string())) continue;
      ImportShare share;
      if (!io::read_document(file.path().string(), {.profile_micro_batch = 4, .share = &share})) continue;
      ++read;
      const std::string line = line_of(share);
      QVERIFY2(!share.format.empty() && share.parts() > 0 && share.understood > 0, file.path().c_str());
      QVERIFY2(line.find(share.format + ": understood ") == 0, line.c_str());
      qInfo("%s: %s", file.path().filename().c_str(), line.c_str());
    }
    QVERIFY(read > 50);
  }

  void names_come_from_the_path() {
    const std::string machine = fixture("fixtures/topology/dgx-a100.topo.txt");
    const auto found = io::read_document("/data/node-7.topo.txt", machine, {});
    QVERIFY(found);
    QCOMPARE(std::get<FoundMachines>(*found).machines.front().name, std::string("node-7"));
    const std::string config = fixture("fixtures/hugging_face/gpt2.config.json");
    for (const char* path : {"/models/my-model/config.json", "/models/my-model.config.json", "my-model.json"})
      QCOMPARE(std::get<ParsedTransformer>(io::read_document(path, config, {}).value()).config.name,
               std::string("my-model"));
  }

  void an_unknown_content_is_refused_with_its_place() {
    const std::vector<std::pair<std::string, std::string>> cases{
        {" \n\t", "the file is empty"},
        {"{\"format\": \"pipedeck.nothing\"}", "pipedeck.nothing"},
        {"{}", "found no 'format'"},
        {"[1, 2]", "found no 'format'"},
        {"{\"format\":", "line"},
        {"hello", "no known format"},
        {"layer,time,memory\n1,2,3\n", "found the headings"}};
    for (const auto& [text, expected] : cases) {
      const auto importer = io::importer_of(text);
      QVERIFY2(!importer, text.c_str());
      QCOMPARE(importer.error().code, ErrorCode::bad_input);
      QVERIFY2(importer.error().text().find(expected) != std::string::npos, importer.error().text().c_str());
    }
  }
};

PIPEDECK_TEST(TestImporters)

}  // namespace pipedeck::tst_importers

#include "tst_importers.moc"
