// SPDX-License-Identifier: Apache-2.0
// A mixture of experts with the CPU's parameters in the same order:
//  y = x + shared(n) + sum over a token's experts e of weight_e * expert_e(n), n = rms(x),
// where each expert and the shared part are gated feed-forwards. Rows of tokens are copied into the order of their
// experts, and each expert's products take its rows. The host reads the number of rows of each expert once in a pass:
// products of cublasLt need it, and an expert without rows needs none. Tensors have room for all choices, so that their
// sizes do not depend on the routing.
#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "core/model/layer_kinds.hpp"
#include "core/runtime/cuda/block_products.hpp"
#include "core/runtime/cuda/expert_kernels.hpp"
#include "core/runtime/cuda/layers.hpp"
#include "core/runtime/layers/decoder_layout.hpp"

namespace pipedeck::runtime::cuda {
namespace {

/// The columns of each expert, and of the shared part, that a rank has, and the partners with the others.
struct OwnColumns {
  std::int64_t expert, shared;
  std::optional<layers::TensorParallelGroup> partners;
};

/// The first row of each expert, and the end.
using ExpertEnds = std::vector<int>;

/// Calls work(expert, first row, rows) for each expert that has rows.
template <class Work>
void for_each_expert(const ExpertEnds& first, const Work& work) {
  for (std::size_t expert = 0; expert + 1 < first.size(); ++expert)
    if (const std::int64_t rows = first[expert + 1] - first[expert]; rows > 0)
      work(static_cast<std::int64_t>(expert), std::int64_t{first[expert]}, rows);
}

DeviceResult from_row(const DeviceResult& result, std::int64_t row) {
  const auto skipped = static_cast<std::size_t>(row * result.stride) * bytes_of(result.element);
  return {static_cast<char*>(result.data) + skipped, result.stride, result.element};
}

/// The products of each expert's rows with its own weights (in x out), which follow each other. `rows` is the number of
/// rows that there is room for.
struct ExpertProducts {
  const ExpertEnds& first;
  std::int64_t rows;

  template <class T>
  void forward(CudaDevice& device, T* output, const GemmOperand& input, std::int64_t in, const GemmOperand& weights,
               std::int64_t out) const {
    GemmResult<T> result(input.memory(), output, {rows, out});
    ensure(result.columns() <= weights.pitch(), "weights have values for every column of the result");
    for_each_expert(first, [&](std::int64_t expert, std::int64_t row, std::int64_t count) {
      device.gemms().multiply(count, result.columns(), in, input.from_row(row).matrix(),
                              weights.from_row(expert * in).matrix(), from_row(result.matrix(), row));
    });
    result.finish();
  }

  template <class T>
  void backward(CudaDevice& device, T* input_gradient, const GemmOperand& output_gradient, std::int64_t in,
                const GemmOperand& weights, std::int64_t out) const {
    GemmResult<T> result(weights.memory(), input_gradient, {rows, in});
    const std::int64_t inner = output_gradient.pitch() == weights.pitch() ? weights.pitch() : out;
    for_each_expert(first, [&](std::int64_t expert, std::int64_t row, std::int64_t count) {
      device.gemms().multiply(count, in, inner, output_gradient.from_row(row).matrix(),
                              weights.from_row(expert * in).transposed(), from_row(result.matrix(), row));
    });
    result.finish();
  }

  void add_gradients(CudaDevice& device, float* weights, const GemmOperand& input, std::int64_t in,
                     const GemmOperand& output_gradient, std::int64_t out) const {
    for_each_expert(first, [&](std::int64_t expert, std::int64_t row, std::int64_t count) {
      add_product_gradient(device, {count, in, out}, weights + expert * in * out, input.from_row(row),
                           output_gradient.from_row(row));
    });
  }
};

int* whole_numbers(tensor::Tensor& of) { return reinterpret_cast<int*>(of.data()); }
const int* whole_numbers(const tensor::Tensor& of) { return reinterpret_cast<const int*>(of.data()); }

template <class T>
class Experts final : public CudaLayer {
  using Products = BlockProducts<T>;
  using Gradient = typename Products::Gradient;
  using Tensors = std::vector<tensor::Tensor>;

 public:
  Experts(const ModelLayer& layer, const OwnColumns& own, std::unique_ptr<layers::LayerKernel> on_processor)
      : CudaLayer(std::move(on_processor)),
        products_(layer.size("hidden"), layer.size("sequence"), {}),
        partners_(own.partners),
        f_(own.expert),
        shared_f_(own.shared),
        experts_(layer.size("experts")),
        per_token_(layer.size("per_token")),
        sequence_(layer.size("sequence")),
        sigmoid_(layer.size("sigmoid") == 1),
        normalised_(layer.size("normalised") == 1),
        scale_(static_cast<float>(layer.size("scale_permille")) / 1000),
        auxiliary_(static_cast<float>(layer.size("auxiliary_loss_permille")) / 1000),
        capacity_(capacity_of(layer)),
        epsilon_(epsilon_of(layer)),
        at_(layer.size("hidden"), experts_, f_, shared_f_) {}

  tensor::Tensor forward(tensor::Tensor input, std::span<const float> parameters,
                         layers::SavedTensors& saved) const override {
    CudaDevice& device = CudaDevice::of(input);
    const float* p = parameters.data();
    auto& s = saved.tensors;
    s.resize(forward_count);
    s[x] = std::move(input);
    s[normal] = products_.rms(device, s[x], s[inverse], p, epsilon_);
    const ExpertEnds first = route(device, p, s);
    tensor::Tensor y = shared_forward(device, p, s);
    experts_forward(device, p, s, first, y);
    sum_up(y);
    device.add(y.data(), s[x].data(), y.size());
    return y;
  }

  tensor::Tensor backward_input(tensor::Tensor dy, std::span<const float> parameters, layers::SavedTensors& saved,
                                bool wanted) const override {
    CudaDevice& device = CudaDevice::of(dy);
    const float* p = parameters.data();
    auto& s = saved.tensors;
    Gradient of_y(products_, device, std::move(dy));
    const tensor::Tensor& floats = of_y.floats();
    Tensors left(backward_count);
    tensor::Tensor dweights = products_.wide(floats, per_token_);
    tensor::Tensor dnormal = shared_backward(device, p, s, of_y, left);
    experts_backward(device, p, s, floats, left, dweights, dnormal);
    sum_up(dnormal), sum_up(dweights);
    router_backward(device, p, s, saved.loss_scale, left, dweights, dnormal);
    tensor::Tensor dx = products_.rms_backward(device, floats, dnormal, s[x], s[inverse], p, left[w_gains], wanted);
    left[w_normal] = std::move(s[normal]), left[w_rows] = std::move(s[inverse]);
    left[w_places] = std::move(s[places]), left[w_weights] = std::move(s[weights]);
    left[w_first] = std::move(s[first_rows]);
    left[w_dy] = std::move(of_y).for_products();
    s = std::move(left);
    return dx;
  }

  void backward_weight(layers::SavedTensors& saved, std::span<float> gradients) const override {
    const Tensors& s = saved.tensors;
    CudaDevice& device = CudaDevice::of(s[w_rows]);
    float* g = gradients.data();
    const std::int64_t n = rows(s[w_rows]);
    add_expert_gradients(device, g, s);
    add_product_gradient(device, {n, h(), experts_}, g + at_.router, Products::factor(s[w_normal], n, h()),
                         {s[w_dlogits].memory(), s[w_dlogits].data(), {n, experts_}});
    if (shared_f_ > 0) {
      const GemmOperand dshared = Products::factor(s[w_dshared], n, 2 * shared_f_);
      add_product_gradient(device, {n, shared_f_, h()}, g + at_.shared_out,
                           Products::factor(s[w_shared_active], n, shared_f_), Products::factor(s[w_dy], n, h()));
      add_product_gradient(device, {n, h(), 2 * shared_f_}, g + at_.shared_in, Products::factor(s[w_normal], n, h()),
                           dshared);
    }
    device.add(g + at_.gain, s[w_gains].data(), h());
    saved.tensors.clear();
  }

 private:
  /// Tensors saved by forward. The last two are empty without a shared part, and `loads` without a balancing loss.
  enum Saved : std::size_t {
    x,
    inverse,
    normal,
    scores,
    choices,  ///< whole numbers, as places, first_rows and loads
    weights,
    places,
    first_rows,
    loads,
    gates,
    active,
    shared_gates,
    shared_active,
    forward_count
  };
  /// Tensors left by backward_input.
  enum Left : std::size_t {
    w_normal,
    w_dy,
    w_gains,
    w_rows,
    w_dlogits,
    w_weights,
    w_places,
    w_first,
    w_dgates,
    w_active,
    w_dshared,
    w_shared_active,
    backward_count
  };

  static std::int64_t capacity_of(const ModelLayer& layer) {
    const std::int64_t percent = layer.size("capacity_percent"), all = layer.size("sequence") * layer.size("per_token"),
                       even = 100 * layer.size("experts");
    return percent == 0 ? all : std::min(all, (all * percent + even - 1) / even);
  }

  std::int64_t h() const { return products_.hidden(); }
  std::int64_t rows(const tensor::Tensor& of_floats) const { return products_.rows(of_floats); }
  static T* values(tensor::Tensor& of_t) { return Products::values(of_t); }
  static const T* as_read(const tensor::Tensor& of_t) { return Products::values(of_t); }
  void sum_up(tensor::Tensor& tensor) const {
    if (partners_) partners_->all_reduce(tensor);
  }

  ExpertRouting routing(const tensor::Tensor& like) const {
    return {like.samples(), sequence_, experts_, per_token_, sigmoid_, normalised_, scale_, capacity_};
  }
  ChosenRows chosen(const tensor::Tensor& like, std::int64_t width) const { return {rows(like), per_token_, width}; }
  ExpertProducts products_of(const tensor::Tensor& like, const ExpertEnds& first) const {
    return {first, rows(like) * per_token_};
  }
  /// Returns a tensor of T with `width` values for each choice.
  tensor::Tensor for_choices(const tensor::Tensor& like, std::int64_t width) const {
    return products_.inner(like, per_token_ * width);
  }
  GemmOperand choice_factor(const tensor::Tensor& of_t, const tensor::Tensor& like, std::int64_t width) const {
    return Products::factor(of_t, rows(like) * per_token_, width);
  }
  GemmOperand expert_weights(const tensor::Tensor& beside, const float* from, std::int64_t in, std::int64_t out) const {
    return Products::weights(beside, from, experts_ * in, out);
  }

  /// Reads the first row of each expert, which waits for the device. A pass that does cannot be recorded: the numbers
  /// of rows would stay those of the recording.
  ExpertEnds read_first(CudaDevice& device, const tensor::Tensor& first) const {
    std::vector<float> bits(static_cast<std::size_t>(first.size()));
    device.download(bits, first.data());
    ExpertEnds ends(bits.size());
    std::memcpy(ends.data(), bits.data(), bits.size() * sizeof(float));
    return ends;
  }

  /// Chooses each token's experts and the places of its rows.
  ExpertEnds route(CudaDevice& device, const float* p, Tensors& s) const {
    const ExpertRouting shape = routing(s[x]);
    const std::int64_t n = rows(s[x]);
    s[scores] = products_.wide(s[x], experts_);
    for (const Saved one : {choices, weights, places}) s[one] = products_.wide(s[x], per_token_);
    s[first_rows] = tensor::Tensor(s[x].memory(), 1, experts_ + 1);
    tensor::Tensor counted(s[x].memory(), s[x].samples(), experts_);
    {
      tensor::Tensor logits = products_.wide(s[x], experts_);
      product(device, {n, h(), experts_}, logits.data(), Products::factor(s[normal], n, h()),
              Products::weights(s[x], p + at_.router, h(), experts_), nullptr);
      choose_experts(device.stream(), s[scores].data(), whole_numbers(s[choices]), s[weights].data(), logits.data(),
                     shape);
    }
    place_choices(device.stream(), whole_numbers(s[places]), whole_numbers(s[first_rows]), whole_numbers(counted),
                  whole_numbers(s[choices]), device.context().workspace(place_choices_scratch(shape)), shape);
    if (auxiliary_ != 0) s[loads] = std::move(counted);
    return read_first(device, s[first_rows]);
  }

  /// Adds this rank's part of the experts' outputs to `y`.
  void experts_forward(CudaDevice& device, const float* p, Tensors& s, const ExpertEnds& first,
                       tensor::Tensor& y) const {
    const ExpertProducts products = products_of(s[x], first);
    const int* const to = whole_numbers(s[places]);
    s[gates] = for_choices(s[x], 2 * f_), s[active] = for_choices(s[x], f_);
    {
      tensor::Tensor input = for_choices(s[x], h());
      permute_rows(device.stream(), values(input), as_read(s[normal]), to, nullptr, chosen(s[x], h()));
      products.forward(device, values(s[gates]), choice_factor(input, s[x], h()), h(),
                       expert_weights(s[x], p + at_.in, h(), 2 * f_), 2 * f_);
    }
    silu_gate(device.stream(), values(s[active]), as_read(s[gates]), first.back(), f_);
    tensor::Tensor output = for_choices(s[x], h());
    products.forward(device, values(output), choice_factor(s[active], s[x], f_), f_,
                     expert_weights(s[x], p + at_.out, f_, h()), h());
    add_unpermuted_rows(device.stream(), y.data(), as_read(output), to, s[weights].data(), chosen(s[x], h()));
  }

  /// Adds this rank's part of the gradient of the experts' inputs to `dnormal`. `dweights` becomes its part of that of
  /// the choices' weights.
  void experts_backward(CudaDevice& device, const float* p, Tensors& s, const tensor::Tensor& dy, Tensors& left,
                        tensor::Tensor& dweights, tensor::Tensor& dnormal) const {
    const ExpertEnds first = read_first(device, s[first_rows]);
    const ExpertProducts products = products_of(dy, first);
    const int* const to = whole_numbers(s[places]);
    left[w_dgates] = for_choices(dy, 2 * f_);
    {
      tensor::Tensor dactive = for_choices(dy, f_);
      {
        tensor::Tensor doutput = for_choices(dy, h());
        permute_rows(device.stream(), values(doutput), dy.data(), to, nullptr, chosen(dy, h()));
        products.backward(device, values(dactive), choice_factor(doutput, dy, h()), f_,
                          expert_weights(dy, p + at_.out, f_, h()), h());
      }
      expert_gate_backward(device.stream(), values(left[w_dgates]), dweights.data(), as_read(dactive),
                           as_read(s[gates]), as_read(s[active]), to, s[weights].data(), chosen(dy, f_));
    }
    s[gates].release();
    left[w_active] = std::move(s[active]);
    tensor::Tensor dinput = for_choices(dy, h());
    products.backward(device, values(dinput), choice_factor(left[w_dgates], dy, 2 * f_), h(),
                      expert_weights(dy, p + at_.in, h(), 2 * f_), 2 * f_);
    const float* const unweighted = nullptr;
    add_unpermuted_rows(device.stream(), dnormal.data(), as_read(dinput), to, unweighted, chosen(dy, h()));
  }

  /// Adds the router's part to the gradient of the norm's output.
  void router_backward(CudaDevice& device, const float* p, Tensors& s, float loss_scale, Tensors& left,
                       const tensor::Tensor& dweights, tensor::Tensor& dnormal) const {
    const std::int64_t n = rows(dnormal);
    left[w_dlogits] = products_.wide(dnormal, experts_);
    // The loss of a sample counts as its positions: loss_scale is of a position.
    const float factor = s[loads].empty() ? 0 : auxiliary_ * loss_scale * static_cast<float>(experts_);
    cuda::router_backward(device.stream(), left[w_dlogits].data(), dweights.data(), whole_numbers(s[choices]),
                          s[scores].data(), whole_numbers(s[loads]), factor, routing(dnormal));
    tensor::Tensor more = dnormal.empty_like();
    product_backward(device, {n, h(), experts_}, more.data(),
                     {dnormal.memory(), std::as_const(left[w_dlogits]).data(), {n, experts_}},
                     Products::weights(dnormal, p + at_.router, h(), experts_));
    device.add(dnormal.data(), more.data(), dnormal.size());
  }

  void add_expert_gradients(CudaDevice& device, float* g, const Tensors& s) const {
    const tensor::Tensor& like = s[w_rows];
    const ExpertEnds first = read_first(device, s[w_first]);
    const ExpertProducts products = products_of(like, first);
    tensor::Tensor permuted = for_choices(like, h());
    permute_rows(device.stream(), values(permuted), as_read(s[w_dy]), whole_numbers(s[w_places]), s[w_weights].data(),
                 chosen(like, h()));
    products.add_gradients(device, g + at_.out, choice_factor(s[w_active], like, f_), f_,
                           choice_factor(permuted, like, h()), h());
    permute_rows(device.stream(), values(permuted), as_read(s[w_normal]), whole_numbers(s[w_places]), nullptr,
                 chosen(like, h()));
    products.add_gradients(device, g + at_.in, choice_factor(permuted, like, h()), h(),
                           choice_factor(s[w_dgates], like, 2 * f_), 2 * f_);
  }

  /// Returns this rank's part of the output of what every token passes, or zeros.
  tensor::Tensor shared_forward(CudaDevice& device, const float* p, Tensors& s) const {
    if (shared_f_ == 0) return tensor::Tensor::zeros(s[x].memory(), s[x].samples(), s[x].width());
    s[shared_gates] = products_.into(device, s[x], s[normal], 2 * shared_f_, p + at_.shared_in);
    s[shared_active] = products_.inner(s[x], shared_f_);
    silu_gate(device.stream(), values(s[shared_active]), as_read(s[shared_gates]), rows(s[x]), shared_f_);
    return products_.out_of(device, s[x], s[shared_active], shared_f_, p + at_.shared_out);
  }

  /// Returns this rank's part of the gradient of that part's input, or zeros.
  tensor::Tensor shared_backward(CudaDevice& device, const float* p, Tensors& s, const Gradient& of_y,
                                 Tensors& left) const {
    const tensor::Tensor& dy = of_y.floats();
    if (shared_f_ == 0) return tensor::Tensor::zeros(dy.memory(), dy.samples(), dy.width());
    left[w_dshared] = products_.inner(dy, 2 * shared_f_);
    {
      const tensor::Tensor dactive = products_.out_of_backward(device, of_y, shared_f_, p + at_.shared_out);
      silu_gate_backward(device.stream(), values(left[w_dshared]), as_read(dactive), as_read(s[shared_gates]), rows(dy),
                         shared_f_);
    }
    s[shared_gates].release();
    left[w_shared_active] = std::move(s[shared_active]);
    return products_.into_backward(device, dy, left[w_dshared], 2 * shared_f_, p + at_.shared_in);
  }

  Products products_;  ///< sums over the partners are computed here, once for all parts
  std::optional<layers::TensorParallelGroup> partners_;
  std::int64_t f_, shared_f_;  ///< of the local columns
  std::int64_t experts_, per_token_, sequence_;
  bool sigmoid_, normalised_;
  float scale_, auxiliary_;
  std::int64_t capacity_;  ///< choices of a sample that an expert takes
  float epsilon_;
  layers::ExpertLayout at_;
};

}  // namespace

template <class T>
std::unique_ptr<layers::LayerKernel> make_experts(const ModelLayer& layer,
                                                  std::unique_ptr<layers::LayerKernel> on_processor) {
  const OwnColumns all{layer.size("feed_forward"), layer.size("shared_feed_forward"), {}};
  return std::make_unique<Experts<T>>(layer, all, std::move(on_processor));
}

template <class T>
std::unique_ptr<layers::LayerKernel> make_sharded_experts(const ModelLayer& layer,
                                                          const layers::LayerSharding& sharding,
                                                          std::unique_ptr<layers::LayerKernel> on_processor) {
  const layers::TensorParallelGroup& partners = sharding.partners;
  const auto own = [&](std::int64_t all) { return all > 0 ? partners.local_range(all).count : 0; };
  return std::make_unique<Experts<T>>(
      layer, OwnColumns{own(layer.size("feed_forward")), own(layer.size("shared_feed_forward")), partners},
      std::move(on_processor));
}

#define PIPEDECK_INSTANTIATE(T)                                                                        \
  template std::unique_ptr<layers::LayerKernel> make_experts<T>(const ModelLayer&,                     \
                                                                std::unique_ptr<layers::LayerKernel>); \
  template std::unique_ptr<layers::LayerKernel> make_sharded_experts<T>(                               \
      const ModelLayer&, const layers::LayerSharding&, std::unique_ptr<layers::LayerKernel>);
PIPEDECK_INSTANTIATE(float)
PIPEDECK_INSTANTIATE(Bf16)
#undef PIPEDECK_INSTANTIATE

}  // namespace pipedeck::runtime::cuda
