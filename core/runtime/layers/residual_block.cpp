// SPDX-License-Identifier: Apache-2.0
// The shapes of residual blocks: two 3 x 3 convolutions ("residual"), or 1 x 1, 3 x 3, 1 x 1 ("bottleneck"; the stride
// in the 3 x 3, v1.5). The shortcut is x itself, or a 1 x 1 convolution with a batch norm if the shape changes.
#include "core/runtime/layers/residual_block.hpp"

#include <algorithm>

#include "core/runtime/layers/size_reader.hpp"

namespace pipedeck::runtime::layers {
namespace {

ConvolutionShape behind(const ConvolutionShape& before, std::int64_t out, std::int64_t kernel, std::int64_t stride) {
  return {before.out, out, kernel, stride, kernel / 2, before.out_height(), before.out_width()};
}

BlockShape with_shortcut(SizeReader& size, BlockShape shape) {
  const ConvolutionShape &first = shape.path.front(), &last = shape.path.back();
  if (first.in != last.out || first.height != last.out_height() || first.width != last.out_width()) {
    const std::int64_t stride = size("stride");
    shape.projection = ConvolutionShape{first.in, last.out, 1, stride, 0, first.height, first.width};
  }
  return shape;
}

/// These bounds suffice for every product of the block: its convolutions are 3 wide at most.
Result<void> check(SizeReader& size) {
  const auto real = [&](const char* key) { return static_cast<double>(size(key)); };
  const double widest = std::max({real("in"), real("out")});
  size.bounded("values per sample", widest * real("height") * real("width"));
  size.bounded("weights", 9 * widest * widest);
  return size.result();
}

Result<BlockShape> residual_shape(const ModelLayer& layer) {
  SizeReader size(layer);
  const std::int64_t out = size("out");
  TRY_VOID(check(size));
  const ConvolutionShape first{size("in"), out, 3, size("stride"), 1, size("height"), size("width")};
  return with_shortcut(size, {{first, behind(first, out, 3, 1)}, {}});
}

Result<BlockShape> bottleneck_shape(const ModelLayer& layer) {
  SizeReader size(layer);
  const std::int64_t middle = size("middle");
  size.bounded("values per sample",
               static_cast<double>(middle) * static_cast<double>(size("height")) * static_cast<double>(size("width")));
  size.bounded("weights", 9.0 * static_cast<double>(middle) * static_cast<double>(middle));
  TRY_VOID(check(size));
  const ConvolutionShape first{size("in"), middle, 1, 1, 0, size("height"), size("width")};
  const ConvolutionShape second = behind(first, middle, 3, size("stride"));
  return with_shortcut(size, {{first, second, behind(second, size("out"), 1, 1)}, {}});
}

}  // namespace

Result<BlockShape> block_shape(const ModelLayer& layer) {
  return layer.kind == "residual" ? residual_shape(layer) : bottleneck_shape(layer);
}

Result<BlockPart> block_part(const ModelLayer& layer, const TensorParallelGroup& partners) {
  TRY(auto shape, block_shape(layer));
  for (const ConvolutionShape& unit : shape.path)
    TRY_VOID(check_shardable(layer, unit.out, "channels", partners.shard()));
  return BlockPart{std::move(shape), partners};
}

}  // namespace pipedeck::runtime::layers
