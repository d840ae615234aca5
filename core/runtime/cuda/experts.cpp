// SPDX-License-Identifier: Apache-2.0
// A mixture of experts with the CPU's parameters in the same order:
//  y = x + shared(n) + sum over a token's experts e of weight_e * expert_e(n), n = rms(x),
// where each expert and the shared part are gated feed-forwards. Rows of tokens are copied into the order of their
// experts, and each expert's products take its rows. The host reads the number of rows of each expert once in a pass:
// products of cublasLt need it, and an expert without rows needs none. Tensors have room for all choices, so that their
// sizes do not depend on the routing. Expert ranks have some of the experts, or columns of them (parallelism.md,
// section 4): rows go to the experts' GPUs, and come back. Each rank sends its own tokens. Where tensor-parallel ranks
// have the same tokens, each sends those of its positions.
#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "core/model/layer_kinds.hpp"
#include "core/runtime/cpu/layers.hpp"
#include "core/runtime/cuda/block_products.hpp"
#include "core/runtime/cuda/expert_path.hpp"
#include "core/runtime/cuda/layers.hpp"
#include "core/runtime/layers/decoder_layout.hpp"

namespace pipedeck::runtime::cuda {
namespace {

/// The columns of each expert, and of the shared part, that a rank has, the partners with the others, and the experts
/// if ranks divide them.
struct OwnPart {
  std::int64_t expert, shared;
  std::optional<layers::TensorParallelGroup> partners;
  std::optional<layers::ExpertShard> shard;
};

/// Calls work(expert, first row, rows) for each expert that has rows.
template <class Work>
void for_each_expert(const ExpertEnds& first, const Work& work) {
  for (std::size_t expert = 0; expert + 1 < first.size(); ++expert)
    if (const std::int64_t rows = first[expert + 1] - first[expert]; rows > 0)
      work(static_cast<std::int64_t>(expert), first[expert], rows);
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

template <class T>
class Experts final : public CudaLayer {
  using Products = BlockProducts<T>;
  using Gradient = typename Products::Gradient;
  using Tensors = std::vector<tensor::Tensor>;
  using Path = ExpertPath<T>;

 public:
  Experts(const ModelLayer& layer, const OwnPart& own, std::unique_ptr<layers::LayerKernel> on_processor)
      : CudaLayer(std::move(on_processor)),
        products_(layer.size("hidden"), layer.size("sequence"), {}),
        partners_(own.partners),
        shard_(own.shard),
        f_(own.expert),
        shared_f_(own.shared),
        experts_(layer.size("experts")),
        held_(shard_ ? shard_->local_experts(experts_).count : experts_),
        per_token_(layer.size("per_token")),
        sequence_(layer.size("sequence")),
        sigmoid_(layer.size("sigmoid") == 1),
        normalised_(layer.size("normalised") == 1),
        scale_(static_cast<float>(layer.size("scale_permille")) / 1000),
        auxiliary_(static_cast<float>(layer.size("auxiliary_loss_permille")) / 1000),
        biases_(layer.size("bias_rate_millionths") > 0 ? experts_ : 0),
        capacity_(capacity_of(layer)),
        epsilon_(epsilon_of(layer)),
        at_(layer.size("hidden"), experts_, f_, shared_f_, shard_ ? std::optional(held_) : std::nullopt, biases_) {}

  tensor::Tensor forward(tensor::Tensor input, std::span<const float> parameters,
                         layers::SavedTensors& saved) const override {
    CudaDevice& device = CudaDevice::of(input);
    const float* p = parameters.data();
    auto& s = saved.tensors;
    s.resize(forward_count);
    s[x] = std::move(input);
    s[normal] = products_.rms(device, s[x], s[inverse], p, epsilon_);
    route(device, p, s);
    const Path path = path_of(device, s[first_rows], choices_of(s[x]));
    tensor::Tensor y = shared_forward(device, p, s);
    experts_forward(device, p, s, path, y);
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
    tensor::Tensor dweights(floats.memory(), floats.samples(), sequence_ * per_token_);
    tensor::Tensor dnormal = shared_backward(device, p, s, of_y, left);
    experts_backward(device, p, s, floats, left, dweights, dnormal);
    sum_up(dnormal), sum_up(dweights);
    router_backward(device, p, s, saved.loss_scale, left, dweights, dnormal);
    tensor::Tensor dx = products_.rms_backward(device, floats, dnormal, s[x], s[inverse], p, left[w_gains], wanted);
    left[w_normal] = std::move(s[normal]), left[w_rows] = std::move(s[inverse]);
    if (biases_ > 0) left[w_loads] = std::move(s[loads]);
    left[w_first] = std::move(s[first_rows]), left[w_received] = std::move(s[received]);
    if (!shard_) left[w_places] = std::move(s[places]), left[w_weights] = std::move(s[weights]);
    if (!shard_ || shared_f_ > 0) left[w_dy] = std::move(of_y).for_products();
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
    if (biases_ > 0) add_load_excess(device.stream(), g + at_.bias, whole_numbers(s[w_loads]), routing(s[w_rows]));
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
  /// Tensors saved by forward. The last two are empty without a shared part, `loads` without a balancing loss and
  /// biases, and `received`, the rows for the experts here, without experts on other ranks.
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
    received,
    shared_gates,
    shared_active,
    forward_count
  };
  /// Tensors left by backward_input. `w_doutput`, with experts on other ranks: the gradient of the experts' outputs.
  /// Rows and gradients are where the experts are, so that places and weights are not left then.
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
    w_received,
    w_doutput,
    w_dshared,
    w_shared_active,
    w_loads,
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

  ExpertRouting routing(const tensor::Tensor& like, std::int64_t positions) const {
    return {like.samples(), positions, experts_, per_token_, sigmoid_, normalised_, scale_, capacity_};
  }
  ExpertRouting routing(const tensor::Tensor& like) const { return routing(like, sequence_); }
  std::int64_t choices_of(const tensor::Tensor& like) const { return rows(like) * per_token_; }
  /// Returns the shape of the rows of each token, and that of a float of each choice.
  ChosenRows chosen(const tensor::Tensor& like, std::int64_t width) const { return {rows(like), per_token_, width}; }
  ChosenRows singles(const tensor::Tensor& like) const { return {choices_of(like), 1, 1}; }
  const layers::ExpertShard* shard() const { return shard_ ? &*shard_ : nullptr; }
  Path path_of(CudaDevice& device, const tensor::Tensor& first, std::int64_t choices) const {
    return Path(device, shard(), first, choices);
  }
  /// Returns a tensor of T with `width` values for each choice.
  tensor::Tensor for_choices(const tensor::Tensor& like, std::int64_t width) const {
    return Path::rows(like.memory(), choices_of(like), width);
  }
  /// Does the same for each row of the experts here.
  static tensor::Tensor for_rows(const tensor::Tensor& like, const Path& path, std::int64_t width) {
    return Path::rows(like.memory(), path.room(), width);
  }
  static GemmOperand row_factor(const tensor::Tensor& of_t, const Path& path, std::int64_t width) {
    return Products::factor(of_t, path.room(), width);
  }
  GemmOperand expert_weights(const tensor::Tensor& beside, const float* from, std::int64_t in, std::int64_t out) const {
    return Products::weights(beside, from, held_ * in, out);
  }

  /// Chooses each token's experts and the places of its rows.
  void route(CudaDevice& device, const float* p, Tensors& s) const {
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
                     biases_ > 0 ? p + at_.bias : nullptr, shape);
    }
    if (shard_ && partners_)
      place_own_choices(device, s, counted);
    else
      place_choices(device.stream(), whole_numbers(s[places]), whole_numbers(s[first_rows]), whole_numbers(counted),
                    nullptr, whole_numbers(s[choices]), device.context().workspace(place_choices_scratch(shape)),
                    shape);
    if (auxiliary_ != 0 || biases_ > 0) s[loads] = std::move(counted);
    s[first_rows] = first_rows_of_ranks(shard(), std::move(s[first_rows]));
  }

  /// Places the choices of the rank's own positions; others have no place here. `counted` becomes the loads of whole
  /// samples if capacity, loss or biases need them.
  void place_own_choices(CudaDevice& device, Tensors& s, tensor::Tensor& counted) const {
    const layers::ShardRange own = partners_->local_positions(sequence_);
    const ExpertRouting shape = routing(s[x], own.count);
    const tensor::Tensor own_choices = partners_->scatter_positions(s[choices], sequence_);
    void* const scratch = device.context().workspace(place_choices_scratch(shape));
    tensor::Tensor own_places = own_choices.empty_like(), own_counted = counted.empty_like(), earlier;
    if (auxiliary_ != 0 || biases_ > 0 || capacity_ < sequence_ * per_token_) {
      count_choices(device.stream(), whole_numbers(own_counted), whole_numbers(own_choices), scratch, shape);
      const tensor::Tensor gathered = partners_->gather_equal(own_counted);
      earlier = counted.empty_like();
      sum_loads(device.stream(), whole_numbers(earlier), whole_numbers(counted), whole_numbers(gathered),
                counted.size(), partners_->shard().degree, partners_->shard().rank);
    }
    place_choices(device.stream(), whole_numbers(own_places), whole_numbers(s[first_rows]), whole_numbers(own_counted),
                  whole_numbers(std::as_const(earlier)), whole_numbers(own_choices), scratch, shape);
    constexpr int every_bit = 0xff;  // -1: no place
    check(cudaMemsetAsync(s[places].data(), every_bit, static_cast<std::size_t>(s[places].bytes().count),
                          device.stream()),
          "cudaMemsetAsync");
    device.copy_rows(s[places].data() + own.first * per_token_, sequence_ * per_token_, own_places.data(),
                     own.count * per_token_, own_places.samples(), own.count * per_token_);
  }

  /// Adds this rank's part of the experts' outputs to `y`.
  void experts_forward(CudaDevice& device, const float* p, Tensors& s, const Path& path, tensor::Tensor& y) const {
    const ExpertProducts products{path.first(), path.room()};
    const int* const to = whole_numbers(s[places]);
    s[gates] = for_rows(s[x], path, 2 * f_), s[active] = for_rows(s[x], path, f_);
    {
      tensor::Tensor input = for_choices(s[x], h());
      permute_rows(device.stream(), values(input), as_read(s[normal]), to, nullptr, chosen(s[x], h()));
      input = path.to_experts(device, std::move(input), h());
      products.forward(device, values(s[gates]), row_factor(input, path, h()), h(),
                       expert_weights(s[x], p + at_.in, h(), 2 * f_), 2 * f_);
      if (shard_) s[received] = std::move(input);
    }
    silu_gate(device.stream(), values(s[active]), as_read(s[gates]), path.first().back(), f_);
    tensor::Tensor output = for_rows(s[x], path, h());
    products.forward(device, values(output), row_factor(s[active], path, f_), f_,
                     expert_weights(s[x], p + at_.out, f_, h()), h());
    path.from_experts(device, std::move(output), h(), [&](const tensor::Tensor& own) {
      add_unpermuted_rows(device.stream(), y.data(), as_read(own), to, s[weights].data(), chosen(s[x], h()));
    });
  }

  /// Adds this rank's part of the gradient of the experts' inputs to `dnormal`. `dweights` becomes its part of that of
  /// the choices' weights.
  void experts_backward(CudaDevice& device, const float* p, Tensors& s, const tensor::Tensor& dy, Tensors& left,
                        tensor::Tensor& dweights, tensor::Tensor& dnormal) const {
    const Path path = path_of(device, s[first_rows], choices_of(dy));
    const ExpertProducts products{path.first(), path.room()};
    const int* const to = whole_numbers(s[places]);
    left[w_dgates] = for_rows(dy, path, 2 * f_);
    {
      tensor::Tensor doutput = for_choices(dy, h());
      permute_rows(device.stream(), values(doutput), dy.data(), to, nullptr, chosen(dy, h()));
      if (shard_)
        gates_backward_of_ranks(device, p, s, path, std::move(doutput), left, dweights);
      else
        gates_backward(device, p, s, path, std::move(doutput), left,
                       {to, s[weights].data(), dweights.data(), {choices_of(dy), 1, f_}});
    }
    s[gates].release();
    left[w_active] = std::move(s[active]);
    tensor::Tensor dinput = for_rows(dy, path, h());
    products.backward(device, values(dinput), row_factor(left[w_dgates], path, 2 * f_), h(),
                      expert_weights(dy, p + at_.in, h(), 2 * f_), 2 * f_);
    const float* const unweighted = nullptr;
    path.from_experts(device, std::move(dinput), h(), [&](const tensor::Tensor& own) {
      add_unpermuted_rows(device.stream(), dnormal.data(), as_read(own), to, unweighted, chosen(dy, h()));
    });
  }

  /// Rows with their places in the order of experts, their weights and the gradients of these.
  struct WeightedRows {
    const int* places;
    const float* weights;
    float* weight_gradients;
    ChosenRows shape;
  };
  /// Computes the gradients of gates and weights, from those of the experts' outputs without the weights.
  void gates_backward(CudaDevice& device, const float* p, const Tensors& s, const Path& path, tensor::Tensor doutput,
                      Tensors& left, const WeightedRows& of) const {
    tensor::Tensor dactive = for_rows(doutput, path, f_);
    ExpertProducts{path.first(), path.room()}.backward(device, values(dactive), row_factor(doutput, path, h()), f_,
                                                       expert_weights(doutput, p + at_.out, f_, h()), h());
    doutput.release();
    expert_gate_backward(device.stream(), values(left[w_dgates]), of.weight_gradients, as_read(dactive),
                         as_read(s[gates]), as_read(s[active]), of.places, of.weights, of.shape);
  }

  /// Does the same with experts on other ranks: gradients and weights go to the experts, and the weights' gradients
  /// come back. Leaves the gradient of the experts' outputs, times the weights.
  void gates_backward_of_ranks(CudaDevice& device, const float* p, const Tensors& s, const Path& path,
                               tensor::Tensor doutput, Tensors& left, tensor::Tensor& dweights) const {
    tensor::Tensor scales(doutput.memory(), 1, dweights.size());
    permute_rows(device.stream(), scales.data(), s[weights].data(), whole_numbers(s[places]), nullptr, singles(s[x]));
    scales = path.arrive_single(scales);
    const tensor::Tensor arrived = path.arrive(device, std::exchange(doutput, {}), h());
    left[w_doutput] = path.in_order(device, arrived, h(), scales.data());
    tensor::Tensor dscales = scales.empty_like();
    gates_backward(device, p, s, path, path.in_order(device, arrived, h()), left,
                   {path.places(), scales.data(), dscales.data(), path.arriving(f_)});
    device.zero(dweights.values());
    path.return_single(std::move(dscales), [&](const tensor::Tensor& own) {
      add_unpermuted_rows<float>(device.stream(), dweights.data(), own.data(), whole_numbers(s[places]), nullptr,
                                 singles(s[x]));
    });
  }

  /// Adds the router's part to the gradient of the norm's output.
  void router_backward(CudaDevice& device, const float* p, Tensors& s, float loss_scale, Tensors& left,
                       const tensor::Tensor& dweights, tensor::Tensor& dnormal) const {
    const std::int64_t n = rows(dnormal);
    left[w_dlogits] = products_.wide(dnormal, experts_);
    // The loss of a sample counts as its positions: loss_scale is of a position.
    const float factor = auxiliary_ * loss_scale * static_cast<float>(experts_);
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
    const Path path = path_of(device, s[w_first], choices_of(like));
    const ExpertProducts products{path.first(), path.room()};
    tensor::Tensor permuted;
    if (!shard_) {
      permuted = for_choices(like, h());
      permute_rows(device.stream(), values(permuted), as_read(s[w_dy]), whole_numbers(s[w_places]), s[w_weights].data(),
                   chosen(like, h()));
    }
    products.add_gradients(device, g + at_.out, row_factor(s[w_active], path, f_), f_,
                           row_factor(shard_ ? s[w_doutput] : permuted, path, h()), h());
    if (!shard_)
      permute_rows(device.stream(), values(permuted), as_read(s[w_normal]), whole_numbers(s[w_places]), nullptr,
                   chosen(like, h()));
    products.add_gradients(device, g + at_.in, row_factor(shard_ ? s[w_received] : permuted, path, h()), h(),
                           row_factor(s[w_dgates], path, 2 * f_), 2 * f_);
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
  std::optional<layers::ExpertShard> shard_;  ///< if ranks divide the experts
  std::int64_t f_, shared_f_;                 ///< of the local columns
  std::int64_t experts_, held_;               ///< all, and those here
  std::int64_t per_token_, sequence_;
  bool sigmoid_, normalised_;
  float scale_, auxiliary_;
  std::int64_t biases_;    ///< that balance the experts
  std::int64_t capacity_;  ///< choices of a sample that an expert takes
  float epsilon_;
  layers::ExpertLayout at_;
};

}  // namespace

template <class T>
std::unique_ptr<layers::LayerKernel> make_experts(const ModelLayer& layer,
                                                  std::unique_ptr<layers::LayerKernel> on_processor) {
  const OwnPart all{layer.size("feed_forward"), layer.size("shared_feed_forward"), {}, {}};
  return std::make_unique<Experts<T>>(layer, all, std::move(on_processor));
}

template <class T>
std::unique_ptr<layers::LayerKernel> make_sharded_experts(const ModelLayer& layer,
                                                          const layers::LayerSharding& sharding,
                                                          std::unique_ptr<layers::LayerKernel> on_processor) {
  const layers::TensorParallelGroup& partners = sharding.partners;
  const auto own = [&](std::int64_t all) { return all > 0 ? partners.local_range(all).count : 0; };
  return std::make_unique<Experts<T>>(
      layer, OwnPart{own(layer.size("feed_forward")), own(layer.size("shared_feed_forward")), partners, {}},
      std::move(on_processor));
}

template <class T>
Result<std::unique_ptr<layers::LayerKernel>> make_divided_experts(const ModelLayer& layer,
                                                                  const layers::RankPlaces& places) {
  TRY(auto on_processor, cpu::make_divided_experts(layer, places));
  TRY_VOID(check_expert_adapters(layer, *on_processor));
  const layers::ExpertShard& shard = *places.experts;
  OwnPart own{shard.local_columns(layer.size("feed_forward")).count, layer.size("shared_feed_forward"), {}, shard};
  if (places.sharding) {
    own.partners = places.sharding->partners;
    if (own.shared > 0) own.shared = own.partners->local_range(own.shared).count;
    TRY_VOID(layers::check_shardable(layer, layer.size("sequence"), "positions", own.partners->shard()));
  }
  return std::make_unique<Experts<T>>(layer, own, std::move(on_processor));
}

#define PIPEDECK_INSTANTIATE(T)                                                                        \
  template std::unique_ptr<layers::LayerKernel> make_experts<T>(const ModelLayer&,                     \
                                                                std::unique_ptr<layers::LayerKernel>); \
  template std::unique_ptr<layers::LayerKernel> make_sharded_experts<T>(                               \
      const ModelLayer&, const layers::LayerSharding&, std::unique_ptr<layers::LayerKernel>);          \
  template Result<std::unique_ptr<layers::LayerKernel>> make_divided_experts<T>(const ModelLayer&,     \
                                                                                const layers::RankPlaces&);
PIPEDECK_INSTANTIATE(float)
PIPEDECK_INSTANTIATE(Bf16)
#undef PIPEDECK_INSTANTIATE

}  // namespace pipedeck::runtime::cuda
