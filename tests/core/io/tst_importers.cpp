// SPDX-License-Identifier: Apache-2.0
// The table of importers: each recognises its own samples, no other one does, and each sample can be read.
#include <QTest>

#include <map>
#include <set>

#include "core/io/files.hpp"
#include "core/io/importers.hpp"
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
