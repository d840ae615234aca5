// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/cuda/attention.hpp"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

#include "core/runtime/cuda/device.hpp"
#include "core/runtime/cuda/dnn.hpp"
#include "core/runtime/tensor/captured_graph.hpp"

namespace pipedeck::runtime::cuda {
namespace {

/// Sizes that no version computes. cuDNN's release notes of 9.18 list a backward of one position as a known issue.
const char* why_never(bool backward, const AttentionShape& shape) {
  if (shape.head_size % 8 != 0) return "a head's size is no multiple of 8";
  if (shape.head_size > max_head) return "a head has more than 256 values";
  if (backward && shape.sequence == 1) return "its backward needs two positions";
  return nullptr;
}

std::string text_of(const AttentionShape& shape) {
  return fmt::format("{} x {} positions, {} heads of {}", shape.samples, shape.sequence, shape.heads, shape.head_size);
}

/// The values that a graph reads from the host's memory.
struct Numbers {
  explicit Numbers(const AttentionShape& shape) : scale(1 / std::sqrt(static_cast<float>(shape.head_size))) {}
  float scale, masked = -FLT_MAX, unit = 1;
};

using Addresses = std::map<std::int64_t, void*>;

/// Plans promise this alignment, which a slice of a tensor may lack.
bool is_aligned(const Addresses& device) {
  return std::ranges::all_of(device, [](const auto& bound) {
    return reinterpret_cast<std::uintptr_t>(bound.second) % fused::tensor_alignment == 0;
  });
}

void bind_packed(Addresses& to, Bf16* first, fused::Bound q, fused::Bound k, fused::Bound v, std::int64_t hidden) {
  to[q] = first;
  to[k] = first + hidden;
  to[v] = first + 2 * hidden;
}

void bind_numbers(Addresses& to, Numbers& numbers, const AttentionShape& shape) {
  to[fused::score_scale] = &numbers.scale;
  if (shape.causal) to[fused::unseen] = &numbers.masked;
}

/// Calls cuDNN's graph interface: its faults are reported as those of all other calls.
template <class Work>
auto reported(const Work& work) {
  try {
    return work();
  } catch (const fused::Failure& failure) {
    check(failure.status, failure.call);
    throw;  // not reached: the status is none of success
  }
}

/// cuDNN takes no addresses of constants.
template <class T>
T* writable(const T* address) {
  return const_cast<T*>(address);
}

}  // namespace

bool FusedAttention::forward(Bf16* out_values, float* sums, const Bf16* qkv, const AttentionShape& shape) {
  Addresses bound{{fused::out, out_values}, {fused::logsumexp, sums}};
  bind_packed(bound, writable(qkv), fused::queries, fused::keys, fused::values, shape.hidden());
  const std::optional<fused::Plan>& plan = this->plan(Pass::forward, shape);
  if (!plan || !is_aligned(bound)) return false;
  Numbers numbers(shape);
  bind_numbers(bound, numbers, shape);
  void* const space = context_.workspace(plan->workspace());
  reported([&] { plan->execute(context_.dnn(), bound, space); });
  return true;
}

bool FusedAttention::backward(Bf16* qkv_gradient, const Bf16* gradient, const Bf16* out_values, const float* sums,
                              const Bf16* qkv, const AttentionShape& shape) {
  Addresses bound{{fused::out, writable(out_values)},
                  {fused::logsumexp, writable(sums)},
                  {fused::out_gradient, writable(gradient)}};
  bind_packed(bound, writable(qkv), fused::queries, fused::keys, fused::values, shape.hidden());
  bind_packed(bound, qkv_gradient, fused::queries_gradient, fused::keys_gradient, fused::values_gradient,
              shape.hidden());
  const std::optional<fused::Plan>& plan = this->plan(Pass::backward, shape);
  if (!plan || !is_aligned(bound)) return false;
  SharedWorkspace space;
  const std::size_t of_plan = space.add(plan->workspace());
  const std::size_t of_rows = space.add(static_cast<std::size_t>(shape.rows() * shape.heads) * sizeof(float));
  space.take(context_);
  Numbers numbers(shape);
  bind_numbers(bound, numbers, shape);
  bound[fused::row_sums] = space.at(of_rows);
  bound[fused::one] = &numbers.unit;
  reported([&] { plan->execute(context_.dnn(), bound, space.at(of_plan)); });
  return true;
}

std::size_t FusedAttention::plans() const {
  return static_cast<std::size_t>(std::ranges::count_if(plans_, [](const auto& known) { return bool(known.second); }));
}

const std::optional<fused::Plan>& FusedAttention::plan(Pass pass, const AttentionShape& shape) {
  const Key key{pass, shape.samples, shape.sequence, shape.heads, shape.head_size, shape.causal};
  if (const auto known = plans_.find(key); known != plans_.end()) return known->second;
  // Compiling and loading a kernel may synchronise, which ends a capture.
  if (context_.is_capturing()) throw tensor::CaptureUnsupported("attention's kernels have to be compiled");
  return plans_.emplace(key, ask(pass, shape)).first->second;
}

std::optional<fused::Plan> FusedAttention::ask(Pass pass, const AttentionShape& shape) {
  const bool backward = pass == Pass::backward;
  std::string reason;
  if (const char* never = why_never(backward, shape)) {
    reason = never;
  } else {
    const fused::Shape of{shape.samples, shape.sequence, shape.heads, shape.head_size, shape.causal};
    try {
      fused::OperationGraph graph =
          backward ? fused::backward_graph(of, context_.dnn()) : fused::forward_graph(of, context_.dnn());
      return fused::Plan(std::move(graph), {context_.dnn(), nullptr}, most_attention_workspace);
    } catch (const fused::Unavailable& none) {
      reason = none.what();
    } catch (const fused::Failure& failure) {
      if (!failure.refuses()) check(failure.status, failure.call);
      reason = failure.what();
    }
  }
  context_.warn(fmt::format("attention{} of {} by own kernels instead of cuDNN's: {}", backward ? "'s backward" : "",
                            text_of(shape), reason));
  return std::nullopt;
}

template <class T>
void run_attention(CudaDevice& device, T* out, float* logsumexp, const T* qkv, const AttentionShape& shape) {
  if constexpr (std::is_same_v<T, Bf16>)
    if (device.fused_attention().forward(out, logsumexp, qkv, shape)) return;
  attention(device.stream(), out, logsumexp, qkv, shape);
}

template <class T>
void run_attention_backward(CudaDevice& device, T* qkv_gradient, const T* out_gradient, const T* out,
                            const float* logsumexp, const T* qkv, const AttentionShape& shape) {
  if constexpr (std::is_same_v<T, Bf16>)
    if (device.fused_attention().backward(qkv_gradient, out_gradient, out, logsumexp, qkv, shape)) return;
  attention_backward(device.stream(), qkv_gradient, out_gradient, out, logsumexp, qkv,
                     device.context().workspace(attention_backward_scratch(shape)), shape);
}

template void run_attention<float>(CudaDevice&, float*, float*, const float*, const AttentionShape&);
template void run_attention<Bf16>(CudaDevice&, Bf16*, float*, const Bf16*, const AttentionShape&);
template void run_attention_backward<float>(CudaDevice&, float*, const float*, const float*, const float*, const float*,
                                            const AttentionShape&);
template void run_attention_backward<Bf16>(CudaDevice&, Bf16*, const Bf16*, const Bf16*, const float*, const Bf16*,
                                           const AttentionShape&);

}  // namespace pipedeck::runtime::cuda
