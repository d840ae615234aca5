// SPDX-License-Identifier: Apache-2.0
#include "core/reproduce/models.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>

#include <fmt/format.h>

#include "core/io/files.hpp"
#include "core/presets/presets.hpp"

namespace pipedeck {
namespace {

struct PaperModel {
  const char* name;
  const char* file;  ///< below the data folder; empty: nobody published a profile
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
};

}  // namespace

Result<Profile> computed_model(const std::string& name, int micro_batch) {
  if (name == "AmoebaNet-36") return amoebanet_36();
  return profile_preset(name, micro_batch);
}

Result<Profile> paper_model(const Bench& bench, const std::string& name) {
  if (name == "AmoebaNet-36") return amoebanet_36();
  const auto model = std::find_if(models.begin(), models.end(), [&](const PaperModel& m) { return name == m.name; });
  ensure(model != models.end(), "the tables name models that are known");
  const std::string path = bench.data + "/" + model->file;
  std::error_code ignored;
  if (bench.data.empty() || *model->file == '\0' || !std::filesystem::is_regular_file(path, ignored))
    return computed_model(name, model->computed);
  auto profile = read_profile(path, {.profile_micro_batch = model->measured});
  if (profile) profile->device = "V100-16GB";
  return profile;
}

// DAPPLE: 933 M parameters, 20 GB at 1 sample (Table II), 11.2 MB cross a cut (Table I); the last third of the cells
// holds 73 % of the parameters, the time of a cell grows by at most 40 % towards the end (section VI-C). The time of it
// all is such that transfers take 0.18 of a stage's computation on config A (Table V): eight samples of 11.2 MB both
// ways over 25 Gbit/s are 57.3 ms, a stage of half the model so 319 ms.
Profile amoebanet_36() {
  constexpr int cells = 36, light = 24;
  constexpr double parameters = 933e6 * 4, total_seconds = 2 * 0.319,
                   saved = 20e9 - 3 * parameters;  // RMSProp: 3 x 4 B
  Profile profile;
  profile.name = "AmoebaNet-36";
  profile.source = "made of the figures that DAPPLE (PPoPP 2021) gives: Tables I, II and V, section VI-C";
  profile.device = "V100-16GB";
  profile.micro_batch = 1;
  double weight = 0;
  for (int i = 0; i < cells; ++i) weight += 1 + 0.4 * i / (cells - 1);
  for (int i = 0; i < cells; ++i) {
    const Seconds both(total_seconds * (1 + 0.4 * i / (cells - 1)) / weight);
    const double share = i < light ? 0.27 / light : 0.73 / (cells - light);
    Layer cell;
    cell.name = fmt::format("cell_{}", i);
    cell.kind = "cell";
    cell.forward = both / 3;
    cell.backward = both * (2.0 / 3);
    cell.backward_weight = both / 3;
    cell.output = Bytes(11'200'000);
    cell.saved = Bytes(std::llround(saved / cells));
    cell.parameters = Bytes(std::llround(parameters * share));
    profile.layers.push_back(std::move(cell));
  }
  return profile;
}

}  // namespace pipedeck
