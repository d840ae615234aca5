// SPDX-License-Identifier: Apache-2.0
// What categories and names of a trace's events say. Categories: Kineto's since PyTorch 1.12, and with capitals those
// before. Letter case of names does not matter but where it is told.
#pragma once

#include <optional>
#include <string_view>

#include "core/domain/schedule.hpp"

namespace pipedeck::trace {

bool is_kernel(std::string_view category);    ///< work of a GPU, copies and fills among it
bool is_copy(std::string_view category);      ///< a copy to, from or between GPUs
bool is_launch(std::string_view category);    ///< a call of CUDA's, HIP's or another runtime
bool is_operator(std::string_view category);  ///< one of PyTorch's operators

/// Of a kernel: it moves data between GPUs. NCCL's and RCCL's, NVSHMEM's, and those that exchange tokens of experts
/// (DeepEP's "void deep_ep::internode::dispatch<...>", MORI's "EpCombineIntraNodeKernel").
bool is_communication(std::string_view kernel);

struct NamedPass {
  OpKind kind = OpKind::forward;
  int micro_batch = 0;  ///< the last number that is no stage; 0 without one
  int stage = 0;        ///< the number behind "stage"; 0 without one
};
/// What an annotation's or a kernel's name says: "ForwardPass", "bwd_mb12", "Optimizer.step#Adam.step",
/// "ncclDevKernel_AllReduce"; an action of torch.distributed.pipelining ("PP:2F0": stage 2, forward of micro-batch 0);
/// a part of a layer with its pass in brackets as in DeepSeek's DualPipe ("attn(F)"); Lightning's modules and training
/// step, which run within its optimizer's. Nothing: it says nothing.
std::optional<NamedPass> pass_in_name(std::string_view name);

/// "Linear: layers.0" of what Lightning annotates, "[pl][module]torch.nn.modules.linear.Linear: layers.0"; any other
/// name as it is.
std::string_view plain_module(std::string_view annotation);

}  // namespace pipedeck::trace
