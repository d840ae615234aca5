// SPDX-License-Identifier: Apache-2.0
// The meaning of categories and names of a trace's events. Categories: Kineto's since PyTorch 1.12, and earlier ones
// with capitals. Letter case of names does not matter unless it is stated.
#pragma once

#include <optional>
#include <string_view>

#include "core/model/schedule.hpp"

namespace pipedeck::io::traces {

bool is_kernel(std::string_view category);    ///< work of a GPU, copies and fills among it
bool is_copy(std::string_view category);      ///< a copy to, from or between GPUs
bool is_launch(std::string_view category);    ///< a call of CUDA's, HIP's or another runtime
bool is_operator(std::string_view category);  ///< one of PyTorch's operators

/// Returns true for a kernel that moves data between GPUs: NCCL's and RCCL's, NVSHMEM's, and those that exchange tokens
/// of experts (DeepEP's "void deep_ep::internode::dispatch<...>", MORI's "EpCombineIntraNodeKernel").
bool is_communication(std::string_view kernel);

struct NamedPass {
  OpKind kind = OpKind::forward;
  int micro_batch = 0;  ///< the last number that is no stage; 0 without one
  int stage = 0;        ///< the number behind "stage"; 0 without one
};
/// Returns the meaning of an annotation's or a kernel's name: "ForwardPass", "bwd_mb12", "Optimizer.step#Adam.step",
/// "ncclDevKernel_AllReduce"; an action of torch.distributed.pipelining ("PP:2F0": stage 2, forward of micro-batch 0);
/// a part of a layer with its pass in brackets as in DeepSeek's DualPipe ("attn(F)"); Lightning's modules and training
/// step, which run within its optimizer's. Nothing for an unknown name.
std::optional<NamedPass> pass_in_name(std::string_view name);

/// "Linear: layers.0" of what Lightning annotates, "[pl][module]torch.nn.modules.linear.Linear: layers.0"; any other
/// name as it is.
std::string_view strip_decoration(std::string_view annotation);

}  // namespace pipedeck::io::traces
