// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/cpu/convolution_passes.hpp"

#include <unordered_map>
#include <utility>

#include <oneapi/dnnl/dnnl.hpp>

#include "core/runtime/cpu/kernels.hpp"

namespace pipedeck::runtime::cpu {
namespace {

using dnnl::memory;
using Tag = memory::format_tag;
using Arguments = std::unordered_map<int, memory>;

memory::desc floats(const memory::dims& dims, Tag tag) { return {dims, memory::data_type::f32, tag}; }

std::int64_t floats_in(const memory::desc& desc) {
  constexpr std::size_t size = sizeof(float);
  return static_cast<std::int64_t>((desc.get_size() + size - 1) / size);
}

dnnl::primitive_attr scratch_of_the_caller() {
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  return attributes;
}

}  // namespace

struct ConvolutionPasses::Programs {
  /// A primitive with its arguments, whose memory is set at each run.
  struct Pass {
    dnnl::primitive primitive;
    Arguments arguments;
    std::int64_t scratch = 0;  ///< floats

    Pass(const dnnl::engine& engine, const dnnl::primitive& made,
         const std::vector<std::pair<int, memory::desc>>& descs, const memory::desc& scratchpad)
        : primitive(made), scratch(floats_in(scratchpad)) {
      for (const auto& [argument, desc] : descs) arguments.emplace(argument, memory(desc, engine, DNNL_MEMORY_NONE));
      arguments.emplace(DNNL_ARG_SCRATCHPAD, memory(scratchpad, engine, DNNL_MEMORY_NONE));
    }

    void set(int argument, const float* data) { arguments.at(argument).set_data_handle(const_cast<float*>(data)); }

    void run(const dnnl::stream& stream, const std::shared_ptr<tensor::DeviceMemory>& memory) {
      tensor::Tensor space;
      if (scratch > 0) space = tensor::Tensor(memory, 1, scratch);
      set(DNNL_ARG_SCRATCHPAD, space.data());
      primitive.execute(stream, arguments);
    }
  };

  using Forward = dnnl::convolution_forward;
  using BackwardInput = dnnl::convolution_backward_data;
  using BackwardWeight = dnnl::convolution_backward_weights;

  Programs(const layers::ConvolutionShape& s, bool bias, int samples)
      : image(floats({samples, s.in, s.height, s.width}, Tag::nhwc)),
        result(floats({samples, s.out, s.out_height(), s.out_width()}, Tag::nhwc)),
        any_weights(floats({s.out, s.in, s.kernel, s.kernel}, Tag::any)),
        weights(floats({s.out, s.in, s.kernel, s.kernel}, Tag::hwio)),
        bias_desc(bias ? floats({s.out}, Tag::x) : memory::desc()),
        strides{s.stride, s.stride},
        padding{s.padding, s.padding},
        far_padding(far_side(s)),
        forward_desc(forward_description()),
        forward(make_forward()),
        backward_input(make_backward_input()),
        backward_weight(make_backward_weight()) {}

  /// Returns the padding at the image's far end. It is negative if the window does not reach the end.
  static memory::dims far_side(const layers::ConvolutionShape& s) {
    const auto one = [&](std::int64_t in, std::int64_t out) {
      return (out - 1) * s.stride + s.kernel - in - s.padding;
    };
    return {one(s.height, s.out_height()), one(s.width, s.out_width())};
  }

  Forward::primitive_desc forward_description() const {
    return {{dnnl::prop_kind::forward_training, dnnl::algorithm::convolution_direct, image, any_weights, bias_desc,
             result, strides, padding, far_padding},
            scratch_of_the_caller(),
            engine};
  }

  Pass make_forward() const {
    return {engine,
            Forward(forward_desc),
            {{DNNL_ARG_SRC, image},
             {DNNL_ARG_WEIGHTS, forward_desc.weights_desc()},
             {DNNL_ARG_BIAS, bias_desc},
             {DNNL_ARG_DST, result}},
            forward_desc.scratchpad_desc()};
  }

  Pass make_backward_input() const {
    const BackwardInput::primitive_desc desc(
        {dnnl::algorithm::convolution_direct, image, any_weights, result, strides, padding, far_padding},
        scratch_of_the_caller(), engine, forward_desc);
    return {engine,
            BackwardInput(desc),
            {{DNNL_ARG_DIFF_SRC, image}, {DNNL_ARG_WEIGHTS, desc.weights_desc()}, {DNNL_ARG_DIFF_DST, result}},
            desc.scratchpad_desc()};
  }

  Pass make_backward_weight() const {
    const BackwardWeight::primitive_desc desc(
        {dnnl::algorithm::convolution_direct, image, any_weights, bias_desc, result, strides, padding, far_padding},
        scratch_of_the_caller(), engine, forward_desc);
    return {engine,
            BackwardWeight(desc),
            {{DNNL_ARG_SRC, image},
             {DNNL_ARG_DIFF_WEIGHTS, desc.diff_weights_desc()},
             {DNNL_ARG_DIFF_BIAS, bias_desc},
             {DNNL_ARG_DIFF_DST, result}},
            desc.scratchpad_desc()};
  }

  /// Returns the weights in the format of `desc`.
  tensor::Tensor packed(const float* plain, const memory::desc& desc,
                        const std::shared_ptr<tensor::DeviceMemory>& memory) {
    tensor::Tensor result_weights(memory, 1, floats_in(desc));
    reorder(weights, const_cast<float*>(plain), desc, result_weights.data());
    return result_weights;
  }

  void reorder(const memory::desc& from, float* in, const memory::desc& to, float* out) {
    memory source(from, engine, in), target(to, engine, out);
    dnnl::reorder(source, target).execute(stream, source, target);
  }

  dnnl::engine engine{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream{engine};
  memory::desc image, result, any_weights, weights, bias_desc;
  memory::dims strides, padding, far_padding;
  Forward::primitive_desc forward_desc;
  Pass forward, backward_input, backward_weight;
};

/// A scope of exclusive use: programs hold the addresses they work on, so one thread uses them at a time.
class ConvolutionPasses::Loan {
 public:
  Loan(const ConvolutionPasses& owner, int samples) : owner_(owner), samples_(samples) {
    {
      const std::lock_guard lock(owner_.mutex_);
      auto& idle = owner_.idle_[samples];
      if (!idle.empty()) {
        programs_ = std::move(idle.back());
        idle.pop_back();
        return;
      }
    }
    programs_ = std::make_unique<Programs>(owner.shape_, owner.bias_, samples);
  }
  Loan(const Loan&) = delete;
  Loan& operator=(const Loan&) = delete;
  ~Loan() {
    const std::lock_guard lock(owner_.mutex_);
    owner_.idle_[samples_].push_back(std::move(programs_));
  }
  Programs* operator->() const { return programs_.get(); }

 private:
  const ConvolutionPasses& owner_;
  int samples_;
  std::unique_ptr<Programs> programs_;
};

ConvolutionPasses::ConvolutionPasses(layers::ConvolutionShape shape, bool bias) : shape_(shape), bias_(bias) {}
ConvolutionPasses::~ConvolutionPasses() = default;

tensor::Tensor ConvolutionPasses::forward(const tensor::Tensor& input, const float* parameters) const {
  const Loan programs(*this, input.samples());
  Programs::Pass& pass = programs->forward;
  tensor::Tensor output(input.memory(), input.samples(), shape_.out_values());
  const tensor::Tensor packed = programs->packed(parameters, programs->forward_desc.weights_desc(), input.memory());
  pass.set(DNNL_ARG_SRC, input.data());
  pass.set(DNNL_ARG_WEIGHTS, packed.data());
  if (bias_) pass.set(DNNL_ARG_BIAS, parameters + shape_.weights());
  pass.set(DNNL_ARG_DST, output.data());
  pass.run(programs->stream, input.memory());
  return output;
}

tensor::Tensor ConvolutionPasses::backward_input(const tensor::Tensor& output_gradient, const float* parameters) const {
  const Loan programs(*this, output_gradient.samples());
  Programs::Pass& pass = programs->backward_input;
  const auto& memory = output_gradient.memory();
  tensor::Tensor gradient(memory, output_gradient.samples(), shape_.in_values());
  const tensor::Tensor packed = programs->packed(parameters, pass.arguments.at(DNNL_ARG_WEIGHTS).get_desc(), memory);
  pass.set(DNNL_ARG_DIFF_SRC, gradient.data());
  pass.set(DNNL_ARG_WEIGHTS, packed.data());
  pass.set(DNNL_ARG_DIFF_DST, output_gradient.data());
  pass.run(programs->stream, memory);
  return gradient;
}

void ConvolutionPasses::backward_weight(const tensor::Tensor& input, const tensor::Tensor& output_gradient,
                                        float* gradients) const {
  const Loan programs(*this, input.samples());
  Programs::Pass& pass = programs->backward_weight;
  const memory::desc packed_desc = pass.arguments.at(DNNL_ARG_DIFF_WEIGHTS).get_desc();
  tensor::Tensor packed(input.memory(), 1, floats_in(packed_desc)), plain(input.memory(), 1, parameters());
  pass.set(DNNL_ARG_SRC, input.data());
  pass.set(DNNL_ARG_DIFF_WEIGHTS, packed.data());
  if (bias_) pass.set(DNNL_ARG_DIFF_BIAS, plain.data() + shape_.weights());
  pass.set(DNNL_ARG_DIFF_DST, output_gradient.data());
  pass.run(programs->stream, input.memory());
  programs->reorder(packed_desc, packed.data(), programs->weights, plain.data());
  add(gradients, plain.data(), plain.size());
}

}  // namespace pipedeck::runtime::cpu
