// SPDX-License-Identifier: Apache-2.0
#include "tests/core/presets/recorded_training.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace pipedeck::test {
namespace {

struct Node {
  std::string name;
  std::vector<Node> children;
  int in = 0, out = 0;  ///< of a module that computes: columns
  int layer = -1;       ///< that it is, else -1
};

class Recorder {
 public:
  Recorder(const Training& training, std::mt19937& random) : training_(training), random_(random) {}

  RecordedTraining run() {
    const Node model = make_model();
    const int steps = std::max(1, training_.steps);
    for (int step = 0; step < steps; ++step) {
      const std::int64_t begin = now_;
      pass_by(500);
      std::vector<int> waiting;
      for (int i = 0; i < training_.micro_batches; ++i) {
        for (TrueLayer& layer : made_.layers) layer.forward.push_back(0), layer.backward.push_back(0);
        pass_ = step * training_.micro_batches + i;
        made_in_.emplace_back();
        forward(model, -1);
        pass_by(900);
        waiting.push_back(pass_);
        if (!training_.all_forward_first) backward_of(waiting);
      }
      backward_of(waiting);
      optimizer();
      pass_by(700);
      if (training_.steps > 0)
        event("user_annotation", fmt::format("ProfilerStep#{}", step + 3), main_, begin, now_, "");
    }
    std::ranges::shuffle(events_, random_);
    made_.trace =
        "{\"schemaVersion\": 1, \"deviceProperties\": [{\"id\": 0, \"name\": \"NVIDIA A100-SXM4-80GB\"}], "
        "\"traceEvents\": [\n";
    for (std::size_t i = 0; i < events_.size(); ++i) made_.trace += (i > 0 ? ",\n" : "") + events_[i];
    made_.trace += "]}\n";
    return std::move(made_);
  }

 private:
  /// Made in a forward pass: a backward function, in the order of sequences.
  struct Made {
    std::int64_t sequence;
    const Node* node;
    int layer;
  };

  int pick(int from, int to) { return std::uniform_int_distribution(from, to)(random_); }
  void pass_by(int most) { now_ += pick(1, most); }

  /// Unlike the last, so that no operator takes what the one before took.
  int columns() {
    int one = pick(6, 90);
    while (one == last_columns_) one = pick(6, 90);
    return last_columns_ = one;
  }

  Node leaf(const std::string& kind, int layer) {
    Node node{fmt::format("{}_{}", kind, numbers_++), {}, last_columns_, 0, layer};
    node.out = columns();
    count(node, layer);
    return node;
  }

  void count(const Node& node, int layer) {
    TrueLayer& truth = made_.layers[static_cast<std::size_t>(layer)];
    truth.parameters += 4.0 * (node.in * node.out + node.out);
    truth.saved += 4.0 * training_.samples * node.in;
    truth.output = 4.0 * training_.samples * node.out;
  }

  int begin_layer() {
    made_.layers.emplace_back();
    return static_cast<int>(made_.layers.size()) - 1;
  }
  Node leaf_layer(const std::string& kind) {
    const int layer = begin_layer();
    Node node = leaf(kind, layer);
    made_.layers.back().name = node.name;
    return node;
  }

  /// Returns a block of two or three parts, some with their own parts.
  Node block() {
    const int layer = begin_layer();
    Node node{fmt::format("Block_{}", made_.layers.size()), {}, 0, 0, layer};
    const int parts = pick(2, 4);
    for (int i = 0; i < parts; ++i) {
      if (pick(0, 1) == 0) {
        node.children.push_back(leaf("Linear", layer));
      } else {
        Node part{fmt::format("{}_{}", i % 2 == 0 ? "Attention" : "Feed", numbers_++), {}, 0, 0, layer};
        part.children.push_back(leaf("Linear", layer));
        part.children.push_back(leaf("Linear", layer));
        node.children.push_back(std::move(part));
      }
    }
    // One part at least has parts: else a block would not differ from a leaf.
    Node deep{fmt::format("Output_{}", numbers_++), {}, 0, 0, layer};
    deep.children.push_back(leaf("Linear", layer));
    node.children.push_back(std::move(deep));
    made_.layers[static_cast<std::size_t>(layer)].name = node.name;
    return node;
  }

  Node make_model() {
    Node model{"Model_0", {}, 0, 0, -1};
    last_columns_ = 17;
    model.children.push_back(leaf_layer("Stem"));
    Node encoder{"Encoder_0", {}, 0, 0, -1};
    for (int i = 0; i < training_.blocks; ++i) (training_.in_encoder ? encoder : model).children.push_back(block());
    if (training_.in_encoder) model.children.push_back(std::move(encoder));
    model.children.push_back(leaf_layer("Norm"));
    model.children.push_back(leaf_layer("Head"));
    if (!training_.wrapped) return model;
    return {"DistributedDataParallel_0", {model}, 0, 0, -1};
  }

  void event(const std::string& category, const std::string& name, int thread, std::int64_t begin, std::int64_t end,
             const std::string& arguments) {
    const auto us = [](std::int64_t ns) { return fmt::format("{}.{:03}", ns / 1000, ns % 1000); };
    events_.push_back(fmt::format(
        R"({{"ph": "X", "cat": "{}", "name": "{}", "pid": 40, "tid": {}, "ts": {}, "dur": {}, "args": {{{}}}}})",
        category, name, thread, us(begin), us(end - begin), arguments));
  }

  std::string inputs(const std::string& sizes, const std::string& types) const {
    if (!training_.shapes) return "";
    return fmt::format(R"(, "Input Dims": {}, "Input type": {})", sizes, types);
  }

  /// A kernel on the device, some time later; what it took.
  double launch(int thread, const char* kernel = "gemm") {
    const std::int64_t begin = now_;
    pass_by(60);
    ++correlation_;
    event("cuda_runtime", "cudaLaunchKernel", thread, begin, now_, fmt::format("\"correlation\": {}", correlation_));
    const int took = pick(1, 9000);
    device_ = std::max(device_, now_) + pick(1, 100);
    events_.push_back(fmt::format(
        R"({{"ph": "X", "cat": "kernel", "name": "{}", "pid": 0, "tid": 7, "ts": {}.{:03}, "dur": {}.{:03}, )"
        R"("args": {{"device": 0, "stream": 7, "correlation": {}}}}})",
        kernel, device_ / 1000, device_ % 1000, took / 1000, took % 1000, correlation_));
    device_ += took;
    return took;
  }

  std::vector<double>& times(int layer, bool forward) {
    TrueLayer& truth = made_.layers[static_cast<std::size_t>(layer)];
    return forward ? truth.forward : truth.backward;
  }

  void module(const Node& node, int thread, std::int64_t begin) {
    if (training_.annotations)
      event("user_annotation", node.name, thread, begin, now_, "");
    else
      event("python_function", "nn.Module: " + node.name, thread, begin, now_, "\"Python module id\": 3");
  }

  /// `layer`: which one the module is in; none yet: -1.
  void forward(const Node& node, int layer) {
    const std::int64_t begin = now_;
    const bool is_layer = layer < 0 && node.layer >= 0;
    if (node.layer >= 0) layer = node.layer;
    const bool outer = depth_++ == 0;
    if (!is_layer) pass_by(300);
    for (const Node& child : node.children) {
      forward(child, layer);
      if (layer >= 0) pass_by(200);
    }
    if (node.children.empty()) compute(node, main_, &made_in_.back(), layer);
    if (layer >= 0) pass_by(200);
    --depth_;
    module(node, main_, begin);
    // Without a GPU a layer lasts until the next one begins; the first one begins with the model.
    if (!training_.gpu) {
      if (is_layer) began_.push_back({layer, begin});
      if (outer) {
        began_.front().second = begin;
        for (std::size_t i = 0; i < began_.size(); ++i)
          times(began_[i].first, true).back() =
              static_cast<double>((i + 1 < began_.size() ? began_[i + 1].second : now_) - began_[i].second);
        began_.clear();
      }
    }
  }

  void compute(const Node& node, int thread, std::vector<Made>* made, int layer) {
    const std::int64_t begin = now_;
    pass_by(30);
    const int b = training_.samples;
    const std::string data = fmt::format("[{}, {}]", b, node.in);
    const std::string types = R"(["float", "float", "float"])";
    double took = 0;
    const auto operation = [&](const char* name, const std::string& sizes) {
      const std::int64_t start = now_;
      pass_by(30);
      if (training_.gpu && name[6] == 'a') took += launch(thread);
      event("cpu_op", name, thread, start, now_,
            fmt::format(R"("External id": 1, "Sequence number": {}, "Fwd thread id": 0{})", sequence_,
                        inputs(sizes, types)));
      if (made) made->push_back({sequence_, &node, layer});
      ++sequence_;
    };
    const std::int64_t first = sequence_;
    operation("aten::t", fmt::format("[[{}, {}], [], []]", node.out, node.in));
    operation("aten::addmm", fmt::format("[[{}], {}, [{}, {}]]", node.out, data, node.in, node.out));
    event("cpu_op", "aten::linear", thread, begin, ++now_,
          fmt::format(R"("External id": 1, "Sequence number": {}, "Fwd thread id": 0{})", first,
                      inputs(fmt::format("[{}, [{}, {}], [{}]]", data, node.out, node.in, node.out), types)));
    if (made && training_.gpu) times(layer, true)[static_cast<std::size_t>(pass_)] += took;
  }

  void backward_of(std::vector<int>& passes) {
    if (training_.backward)
      for (const int pass : passes) backward(pass);
    passes.clear();
  }

  void backward(int pass) {
    const int thread = training_.gpu ? autograd_ : main_;
    std::vector<Made>& made = made_in_[static_cast<std::size_t>(pass)];
    int again_layer = -1;
    for (std::size_t i = made.size(); i-- > 0;) {
      const Made one = made[i];
      double& time = times(one.layer, false)[static_cast<std::size_t>(pass)];
      const bool again = training_.recompute && one.layer != again_layer &&
                         made_.layers[static_cast<std::size_t>(one.layer)].name.starts_with("Block");
      again_layer = one.layer;
      const bool of_product = i % 2 == 1;
      time += evaluate(thread, of_product ? "AddmmBackward0" : "TBackward0", one.sequence,
                       fmt::format("[[{}, {}]]", of_product ? training_.samples : one.node->in, one.node->out),
                       again ? one.layer : -1);
      time += evaluate(
          thread, "torch::autograd::AccumulateGrad", -1,
          of_product ? fmt::format("[[{}]]", one.node->out) : fmt::format("[[{}, {}]]", one.node->out, one.node->in),
          -1);
      pass_by(40);
    }
    if (training_.gpu) launch(thread, "ncclDevKernel_AllReduce");
  }

  /// One backward function; what it took, without the layer that it first runs again.
  double evaluate(int thread, const std::string& function, std::int64_t sequence, const std::string& sizes, int again) {
    const std::int64_t begin = now_;
    pass_by(20);
    std::int64_t lost = 0;
    const std::int64_t inner = now_;
    pass_by(20);
    if (again >= 0) {
      const std::int64_t start = now_;
      Node node{made_.layers[static_cast<std::size_t>(again)].name, {}, 8, 9, again};
      pass_by(100);
      compute(node, thread, nullptr, again);
      pass_by(100);
      module(node, thread, start);
      lost = now_ - start;
    }
    double took = training_.gpu ? launch(thread) : 0;
    pass_by(4000);
    const std::string number =
        sequence >= 0 ? fmt::format(R"(, "Sequence number": {}, "Fwd thread id": 1)", sequence) : "";
    event("cpu_op", function, thread, inner, now_, "\"External id\": 2" + number + inputs(sizes, R"(["float"])"));
    pass_by(20);
    event("cpu_op", "autograd::engine::evaluate_function: " + function, thread, begin, now_,
          "\"External id\": 2" + number);
    return training_.gpu ? took : static_cast<double>(now_ - begin - lost);
  }

  void optimizer() {
    const std::int64_t begin = now_;
    for (int i = 0; i < 3; ++i)
      if (training_.gpu) launch(main_);
    pass_by(2000);
    event("user_annotation", "Optimizer.step#SGD.step", main_, begin, now_, "");
    event("python_function", "torch/optim/sgd.py(70): step", main_, begin, now_, "");
  }

  const Training& training_;
  std::mt19937& random_;
  RecordedTraining made_;
  std::vector<std::string> events_;
  std::vector<std::vector<Made>> made_in_;  ///< a pass each
  std::vector<std::pair<int, std::int64_t>> began_;
  static constexpr int main_ = 40, autograd_ = 41;
  std::int64_t now_ = 5'000'000, device_ = 0, sequence_ = 100;
  int correlation_ = 1000, numbers_ = 1, last_columns_ = 0, pass_ = 0, depth_ = 0;
};

}  // namespace

RecordedTraining record(const Training& training, std::mt19937& random) { return Recorder(training, random).run(); }

}  // namespace pipedeck::test
