// SPDX-License-Identifier: Apache-2.0
#include "core/study/reports/kind_words.hpp"

namespace pipedeck::study::reports {

std::string label_of(const Translator& words, OpKind kind) {
  switch (kind) {
    case OpKind::forward:
      return words("forward");
    case OpKind::backward:
      return words("backward");
    case OpKind::backward_input:
      return words("input gradient");
    case OpKind::backward_weight:
      return words("weight gradient");
    case OpKind::recompute:
      return words("recompute");
    case OpKind::send:
    case OpKind::receive:
      return words("transfer");
    case OpKind::all_reduce:
      return words("all-reduce");
    case OpKind::optimizer:
      return words("optimizer");
  }
  return {};
}

std::string file_label(const Translator& words, OpKind kind) {
  switch (kind) {
    case OpKind::backward_input:
      return words("backward input");
    case OpKind::backward_weight:
      return words("backward weight");
    case OpKind::send:
      return words("send");
    case OpKind::receive:
      return words("receive");
    case OpKind::all_reduce:
      return words("exposed: gradients");
    default:
      return label_of(words, kind);
  }
}

std::string label_of(const Translator& words, MemoryItem item) {
  switch (item) {
    case MemoryItem::weights:
      return words("weights");
    case MemoryItem::gradients:
      return words("gradients");
    case MemoryItem::optimizer:
      return words("optimizer state");
    case MemoryItem::stashed_weights:
      return words("stashed weights");
    case MemoryItem::activations:
      return words("activations");
    case MemoryItem::boundary:
      return words("stage inputs and outputs");
    case MemoryItem::workspace:
      return words("workspace");
    case MemoryItem::communication:
      return words("communication buffers");
    case MemoryItem::reserve:
      return words("reserve");
  }
  return {};
}

std::string label_of(const Translator& words, TimePart part) {
  switch (part) {
    case TimePart::compute:
      return words("compute");
    case TimePart::imbalance:
      return words("imbalance");
    case TimePart::bubble:
      return words("bubble");
    case TimePart::recompute:
      return words("recompute");
    case TimePart::optimizer:
      return words("optimizer");
    case TimePart::tensor_parallel:
      return words("exposed: tensor parallel");
    case TimePart::context_parallel:
      return words("exposed: context parallel");
    case TimePart::expert_parallel:
      return words("exposed: expert parallel");
    case TimePart::gather:
      return words("exposed: sharded weights");
    case TimePart::point_to_point:
      return words("exposed: pipeline");
    case TimePart::all_reduce:
      return words("all reduce");
  }
  return {};
}

std::string label_of(const Translator& words, Fit fit) {
  return fit == Fit::surely ? words("yes") : fit == Fit::expected ? words("yes (at most: no)") : words("no");
}

std::string label_of(const Translator& words, Collectives choice) {
  switch (choice) {
    case Collectives::best_ring:
      return words("the quicker of a flat and a hierarchical ring");
    case Collectives::ring:
      return words("ring");
    case Collectives::hierarchical:
      return words("hierarchical");
    case Collectives::tree:
      return words("tree");
    case Collectives::nccl:
      return words("nccl");
  }
  return {};
}

}  // namespace pipedeck::study::reports
