// SPDX-License-Identifier: Apache-2.0
#include "core/analytic/recorded/saved_by_autograd.hpp"

#include <algorithm>
#include <map>

namespace pipedeck::analytic::recorded {

std::string operator_of(std::string_view function) {
  const std::size_t end = function.rfind("Backward");
  if (end == function.npos) return std::string(function);
  std::string name;
  for (std::size_t i = 0; i < end; ++i) {
    const char c = function[i];
    const bool capital = c >= 'A' && c <= 'Z';
    const bool dimensions = c == 'D' && i > 0 && function[i - 1] >= '0' && function[i - 1] <= '9';  // 2D
    if (capital && i > 0 && !dimensions) name += '_';
    name += capital ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return name;
}

double num_elements(const RecordedTensor& tensor) {
  constexpr double most = 1152921504606846976.0;
  double numbers = 1;
  for (const std::int64_t size : tensor.sizes) numbers *= static_cast<double>(size);
  return std::min(numbers, most);
}

std::optional<SavedByOperator> saved_tensors_of(std::string_view function) {
  static const SavedByOperator nothing{}, result{.result = true}, first{.inputs = {0}}, both{.inputs = {0, 1}},
      product{.inputs = {0, 1}, .gemm = true};
  static const SavedByOperator attention{.inputs = {0, 1, 2}, .result = true};
  static const std::map<std::string, SavedByOperator, std::less<>> known{
      {"addmm", {.inputs = {1, 2}, .gemm = true}},
      {"baddbmm", {.inputs = {1, 2}, .gemm = true}},
      {"mm", product},
      {"bmm", product},
      {"mv", both},
      {"dot", both},
      {"linear", product},
      {"mkldnn_linear", product},
      {"mul", {.inputs = {0, 1}, .factors = true}},
      {"convolution", first},
      {"convolution_overrideable", first},
      {"mkldnn_convolution", first},
      {"cudnn_convolution", first},
      {"native_layer_norm", {.inputs = {0}, .rows = 2}},
      {"fused_rms_norm", {.inputs = {0}, .rows = 1}},
      {"native_group_norm", first},
      {"native_batch_norm", {.inputs = {0}, .channels = 2}},
      {"cudnn_batch_norm", {.inputs = {0}, .channels = 2}},
      {"gelu", first},
      {"silu", first},
      {"mish", first},
      {"leaky_relu", first},
      {"hardswish", first},
      {"hardtanh", first},
      {"softplus", first},
      {"pow", first},
      {"abs", first},
      {"log", first},
      {"sin", first},
      {"cos", first},
      {"avg_pool2d", first},
      {"adaptive_avg_pool2d", first},
      {"upsample_bilinear2d", nothing},
      {"max_pool2d_with_indices", {.inputs = {0}, .indices = true}},
      {"relu", result},
      {"elu", result},
      {"sigmoid", result},
      {"tanh", result},
      {"exp", result},
      {"sqrt", result},
      {"rsqrt", result},
      {"softmax", result},
      {"log_softmax", result},
      {"native_dropout", {.mask = true}},
      {"fused_dropout", {.mask = true}},
      {"embedding", {.inputs = {1}}},
      {"nll_loss", both},
      {"nll_loss2d", both},
      {"mse_loss", both},
      {"binary_cross_entropy_with_logits", both},
      {"div", {.inputs = {1}}},
      {"masked_fill", {.inputs = {1}}},
      {"where", {.inputs = {0}}},
      {"index_select", {.inputs = {2}}},
      {"gather", {.inputs = {2}}},
      {"scaled_dot_product_flash_attention", attention},
      {"scaled_dot_product_efficient_attention", attention},
      {"scaled_dot_product_cudnn_attention", attention},
      {"scaled_dot_product_flash_attention_for_cpu", attention}};
  const std::string name = operator_of(function);
  if (const auto found = known.find(name); found != known.end()) return found->second;
  static const std::vector<std::string_view> keep_nothing{"t",
                                                          "transpose",
                                                          "view",
                                                          "reshape",
                                                          "unsafe_view",
                                                          "expand",
                                                          "permute",
                                                          "unsqueeze",
                                                          "squeeze",
                                                          "add",
                                                          "sub",
                                                          "rsub",
                                                          "neg",
                                                          "cat",
                                                          "stack",
                                                          "split",
                                                          "chunk",
                                                          "unbind",
                                                          "slice",
                                                          "select",
                                                          "clone",
                                                          "copy",
                                                          "to_copy",
                                                          "mean",
                                                          "sum",
                                                          "as_strided",
                                                          "alias",
                                                          "narrow",
                                                          "flatten",
                                                          "repeat",
                                                          "detach",
                                                          "contiguous",
                                                          "reshape_alias",
                                                          "split_with_sizes",
                                                          "slice_backward",
                                                          "constant_pad_nd",
                                                          "roll",
                                                          "diagonal",
                                                          "flip",
                                                          "index"};
  if (std::ranges::find(keep_nothing, name) != keep_nothing.end()) return nothing;
  return std::nullopt;
}

}  // namespace pipedeck::analytic::recorded
