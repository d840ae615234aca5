// SPDX-License-Identifier: Apache-2.0
// Published runs as plans for the engines that ran them, and back.
#include <QTest>

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/io/documents/transformer.hpp"
#include "core/io/files.hpp"
#include "core/mesh/plan_question.hpp"
#include "core/presets/computed_profile.hpp"
#include "core/presets/device_catalogue.hpp"
#include "core/study/accuracy/engines.hpp"
#include "core/study/accuracy/question_of.hpp"
#include "core/study/engines/engine.hpp"
#include "tests/support/shared_data.hpp"
#include "tests/support/test_program.hpp"

namespace pipedeck::tst_published_exports {

namespace accuracy = study::accuracy;
using accuracy::PublishedRun;

const std::map<accuracy::Engine, std::string_view> outputs{{accuracy::Engine::megatron, "megatron"},
                                                           {accuracy::Engine::simumax, "megatron"},
                                                           {accuracy::Engine::bridge, "megatron-bridge"},
                                                           {accuracy::Engine::nemo, "nemo"},
                                                           {accuracy::Engine::titan, "torchtitan"}};

/// The beginnings of all reasons for which a run is no plan of its engine's version.
constexpr std::array<std::string_view, 6> known{
    "adapters: found some",                                       // LoRA
    "model: found latent attention",                              // of NeMo 2
    "products: found \"nvfp4\"",                                  // of NeMo 2, whose recipes are programs
    "stage 0: recompute: found {\"each\":\"block\",\"blocks\":",  // every second block of a model without a flavor
    "stage 0: layers: found",                                     // a layout of NeMo 2
    "hidden: found tensor-parallel communication with"            // printed by a run without sequence parallelism
};

/// The published table names a model, torchtitan's folders a family.
void name_family(TransformerConfig& config) {
  for (const char* const family : {"llama", "qwen3"})
    if (config.family.starts_with(family)) config.family = family;
}

struct Exported {
  std::string_view output;
  std::vector<std::string> reasons;  ///< why there is no plan
};

Exported exported(const PublishedRun& run, mesh::Question question, std::string_view output) {
  name_family(question.config);
  // A count of blocks stands for the time of operations there (accuracy.md).
  if (question.layer.recomputed.operations) question.layer.recomputed.count = -1;
  AnalyticOptions options;
  options.sequence = question.layer.count.sequence, options.micro_batch = question.layer.count.micro_batch;
  options.attention = question.layer.count.attention, options.dropout = question.config.dropout > 0;
  const auto device = presets::catalogue_device("H100-SXM").value();
  const Profile profile = presets::computed_profile(ParsedTransformer{question.config, {}}, device, options)->profile;
  Plan plan = mesh::plan_of(question, profile);
  plan.name = run.row, plan.planner = "hand";
  const auto origin = io::documents::origin_of(profile).value();
  const study::engines::NamedOutput named = study::engines::find_engine_output(output);
  const study::engines::EngineRequest request{plan, profile, *question.cluster, &*origin};
  return {output, study::engines::unsupported_features(*named.engine, request)};
}

class TestPublishedExports : public QObject {
  Q_OBJECT
 private slots:
  /// Each run that has a question is the same plan when its engine's text is read again.
  void runs_come_back() {
    if (test::shared_data().empty()) QSKIP("no ../shared/data");
    const std::string path = test::shared_data() + "/published-runs/train.csv";
    const auto runs = accuracy::runs_from_csv(io::read_file(path).value()).value();
    std::map<std::string_view, int> same, refused;
    for (const PublishedRun& run : runs) {
      const auto output = outputs.find(accuracy::engine_of(run));
      if (output == outputs.end()) continue;
      const accuracy::Expressed expressed = accuracy::question_of(run, presets::device_catalogue());
      if (!expressed.question) continue;
      const Exported one = exported(run, *expressed.question, output->second);
      ++(one.reasons.empty() ? same : refused)[one.output];
      for (const std::string& reason : one.reasons)
        QVERIFY2(std::ranges::any_of(known, [&](std::string_view begin) { return reason.find(begin) != reason.npos; }),
                 (run.row + ": " + reason).c_str());
    }
    for (const auto& [engine, output] : outputs)
      QVERIFY2(same[output] > 8 * refused[output], (std::string(output) + " " + std::to_string(same[output])).c_str());
  }
};

PIPEDECK_TEST(TestPublishedExports)

}  // namespace pipedeck::tst_published_exports

#include "tst_published_exports.moc"
