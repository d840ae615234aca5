// SPDX-License-Identifier: Apache-2.0
#include "core/reproduce/models.hpp"

#include <algorithm>
#include <array>
#include <filesystem>

#include "core/io/importers.hpp"
#include "core/presets/presets.hpp"

namespace pipedeck::reproduce {
namespace {

struct PaperModel {
  const char* name;
  const char* file;  ///< below the data folder; empty: no profile was published
  int measured;      ///< samples of the file
  int computed;      ///< samples of the preset's profile: the paper's
};

// Samples: DAPPLE, Table II; PipeDream, section 5.1 (its released profiles were made with 128 images).
constexpr std::array models{
    PaperModel{"BERT-48", "dapple/bert-48-pbs-2.txt", 2, 2},
    PaperModel{"GNMT-16", "dapple/gnmt-16-pbs-64.txt", 64, 64},
    PaperModel{"VGG-19", "dapple/vgg-19-pbs-32.txt", 32, 32},
    PaperModel{"XLNet-36", "", 0, 1},
    PaperModel{"BERT-Large", "", 0, 2},
    PaperModel{"ResNet-50", "pipedream/resnet50.graph.txt", 128, 128},
    PaperModel{"VGG-16", "pipedream/vgg16.graph.txt", 128, 64},
    PaperModel{"GNMT-8", "pipedream/gnmt.graph.txt", 64, 64},
    PaperModel{"AlexNet", "", 0, 256},
    PaperModel{"AWD-LM", "", 0, 80},
    PaperModel{"S2VT", "", 0, 80},
    PaperModel{"AmoebaNet-36", "", 0, 1},
};

}  // namespace

Result<Profile> computed_model(const std::string& name, int micro_batch) {
  return presets::profile_preset(name, micro_batch);
}

Result<Profile> paper_model(const Bench& bench, const std::string& name) {
  const auto model = std::find_if(models.begin(), models.end(), [&](const PaperModel& m) { return name == m.name; });
  ensure(model != models.end(), "the tables name models that are known");
  const std::string path = bench.data + "/" + model->file;
  std::error_code ignored;
  if (bench.data.empty() || *model->file == '\0' || !std::filesystem::is_regular_file(path, ignored))
    return computed_model(name, model->computed);
  auto profile = io::read_profile(path, {.profile_micro_batch = model->measured});
  if (profile) profile->device = "V100-16GB";
  return profile;
}

}  // namespace pipedeck::reproduce
