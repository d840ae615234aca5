// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "core/analytic/transformer/shapes.hpp"
#include "core/io/documents/weight_type.hpp"
#include "core/presets/amp_rows.hpp"
#include "core/presets/paper_profiles.hpp"

namespace pipedeck::presets {
namespace {

constexpr int width = 9;                            // of the first stage's picture (section 6.5.3)
constexpr int small_width = width * 32;             // five times upsampled
constexpr int window = 16;                          // TransGAN's grid attention
constexpr double small_blocks_inefficiency = 1.67;  // products of width 16 fill no GPU: Table 11's cuts tell so

ModelLayer block(int i, int hidden, int heads, int tokens) {
  return {fmt::format("block_{}", i),
          "transformer",
          {{"hidden", hidden}, {"heads", heads}, {"feed_forward", 4 * hidden}, {"sequence", tokens}, {"causal", 0}}};
}

/// Twelve blocks of the first stage, twelve of the sixth on one window each.
std::vector<Layer> computed_blocks() {
  ModelSpec model;
  for (int i = 0; i < 12; ++i) model.layers.push_back(block(i, 1024, 4, width * width));
  for (int i = 12; i < 24; ++i) model.layers.push_back(block(i, 16, 4, window * window));
  const analytic::transformer::DeviceSpeed v100{"V100-16GB", transgan_efficiency * 125e12,
                                                gigabytes_per_second(0.8 * 900)};
  return analytic::transformer::profile_from_shapes(model, v100, 1).value().layers;
}

/// A block of width 16 on all windows of the picture.
Layer on_picture(Layer block, Bytes picture) {
  constexpr double windows = static_cast<double>(small_width) / window * small_width / window;
  for (Seconds* time : {&block.forward, &block.backward, &block.backward_weight})
    *time = *time * (windows * small_blocks_inefficiency);
  block.output = picture;
  block.saved = Bytes(static_cast<std::int64_t>(static_cast<double>(block.saved.count) * windows));
  return block;
}

}  // namespace

Profile transgan() {
  const std::vector<Layer> blocks = computed_blocks();
  const Bytes picture(std::int64_t{4} * 16 * small_width * small_width), first = blocks.front().output;
  Profile profile;
  profile.name = "TransGAN";
  profile.source = fmt::format(
      "the generator of Jiang et al., arXiv 2102.07074, in the 56 rows of AMP (NeurIPS 2022, sections 4.3 and 6.5.3), "
      "computed from shapes in 16 bits; that {:.1f} % of the V100's peak of 125 TFLOP/s are reached is an assumption",
      transgan_efficiency * 100);
  profile.device = "V100-16GB";
  profile.micro_batch = 1;
  const auto add = [&](Layer layer) { profile.layers.push_back(std::move(layer)); };
  const auto add_idle = [&](int i, Bytes output) { add(idle_row(fmt::format("lambda_{}", i), output)); };
  for (int i = 0; i < 4; ++i) add_idle(i, i < 3 ? Bytes() : first);
  for (std::size_t i = 0; i < 12; ++i) add(blocks[i]);
  for (int i = 16; i < 42; ++i) add_idle(i, i < 41 ? first : picture);
  for (std::size_t i = 12; i < 24; ++i) add(on_picture(blocks[i], picture));
  for (int i = 54; i < 56; ++i) add_idle(i, picture);
  return io::documents::with_weight_type(in_16_bits_with_tensor_parallelism(std::move(profile)), "fp16");
}

}  // namespace pipedeck::presets
