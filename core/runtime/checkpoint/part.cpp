// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/checkpoint/part.hpp"

#include <bit>
#include <cstring>

#include <fmt/format.h>

namespace pipedeck::runtime::checkpoint {
namespace {

static_assert(std::endian::native == std::endian::little, "numbers are written as they lie in memory");

/// An upper limit beyond any model: sums and products of accepted values stay far from overflow.
constexpr std::int64_t max_floats = std::int64_t{1} << 44;

class Encoder {
 public:
  template <class Number>
  Encoder& number(Number value) {
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
    return *this;
  }
  Encoder& text(std::string_view value) {
    number(static_cast<std::uint32_t>(value.size()));
    bytes_.append(value);
    return *this;
  }
  template <class List, class Write>
  Encoder& list(const List& values, const Write& write) {
    number(static_cast<std::uint32_t>(values.size()));
    for (const auto& value : values) write(*this, value);
    return *this;
  }
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

/// A reader that returns zeros past the end and remembers it.
class Decoder {
 public:
  explicit Decoder(std::string_view bytes) : bytes_(bytes) {}

  template <class Number>
  Number number() {
    Number value{};
    if (const auto taken = take(sizeof value); !taken.empty()) std::memcpy(&value, taken.data(), sizeof value);
    return value;
  }
  std::string text() { return std::string(take(number<std::uint32_t>())); }
  template <class Value, class Read>
  std::vector<Value> list(const Read& read) {
    std::vector<Value> values;
    const auto count = number<std::uint32_t>();
    for (std::uint32_t i = 0; i < count && good_; ++i) values.push_back(read(*this));
    return values;
  }
  bool whole() const { return good_ && bytes_.empty(); }

 private:
  std::string_view take(std::size_t count) {
    good_ = good_ && count <= bytes_.size();
    if (!good_) return {};
    const auto taken = bytes_.substr(0, count);
    bytes_.remove_prefix(count);
    return taken;
  }

  std::string_view bytes_;
  bool good_ = true;
};

void write_layer(Encoder& out, const ModelLayer& layer) {
  out.text(layer.name).text(layer.kind);
  out.list(layer.sizes, [](Encoder& to, const auto& size) { to.text(size.first).number(size.second); });
}

ModelLayer read_layer(Decoder& in) {
  ModelLayer layer;
  layer.name = in.text();
  layer.kind = in.text();
  const auto sizes = in.list<std::pair<std::string, std::int64_t>>([](Decoder& from) {
    std::string key = from.text();
    return std::pair(std::move(key), from.number<std::int64_t>());
  });
  layer.sizes.insert(sizes.begin(), sizes.end());
  return layer;
}

void write_origin(Encoder& out, const Origin& origin) {
  out.number(origin.lineage).number(model_hash(origin.layers)).text(origin.model).list(origin.layers, write_layer);
  out.number(origin.seed).text(origin.data.kind).text(origin.data.path).number(origin.data.seed);
  out.number(origin.learning_rate)
      .text(origin.plan)
      .number(origin.plan_hash)
      .number(static_cast<std::uint8_t>(origin.optimizer));
  out.number(static_cast<std::int32_t>(origin.global_batch)).number(origin.step).number(origin.samples);
}

/// Also returns the hash that was written of its layers.
std::pair<Origin, std::uint64_t> read_origin(Decoder& in) {
  Origin origin;
  origin.lineage = in.number<std::uint64_t>();
  const auto hash = in.number<std::uint64_t>();
  origin.model = in.text();
  origin.layers = in.list<ModelLayer>(read_layer);
  origin.seed = in.number<std::uint64_t>();
  origin.data.kind = in.text();
  origin.data.path = in.text();
  origin.data.seed = in.number<std::uint64_t>();
  origin.learning_rate = in.number<double>();
  origin.plan = in.text();
  origin.plan_hash = in.number<std::uint64_t>();
  origin.optimizer = static_cast<Optimizer>(in.number<std::uint8_t>());
  origin.global_batch = in.number<std::int32_t>();
  origin.step = in.number<std::uint64_t>();
  origin.samples = in.number<std::uint64_t>();
  return {std::move(origin), hash};
}

void write_layer_part(Encoder& out, const LayerPart& part) {
  out.number(static_cast<std::int32_t>(part.layer)).number(part.whole).number(part.updates);
  out.number(static_cast<std::uint8_t>(part.states))
      .number(static_cast<std::uint8_t>(part.older))
      .list(part.blocks, [](Encoder& to, const layers::ParameterBlock& block) {
        to.number(block.first).number(block.rows).number(block.columns).number(block.stride);
      });
}

LayerPart read_part(Decoder& in) {
  LayerPart part;
  part.layer = in.number<std::int32_t>();
  part.whole = in.number<std::int64_t>();
  part.updates = in.number<std::uint64_t>();
  part.states = in.number<std::uint8_t>();
  part.older = in.number<std::uint8_t>();
  part.blocks = in.list<layers::ParameterBlock>([](Decoder& from) {
    layers::ParameterBlock block;
    for (std::int64_t* number : {&block.first, &block.rows, &block.columns, &block.stride})
      *number = from.number<std::int64_t>();
    return block;
  });
  return part;
}

bool is_within(const layers::ParameterBlock& block, std::int64_t whole) {
  for (const std::int64_t number : {block.first, block.rows, block.columns, block.stride})
    if (number < 0) return false;
  if (block.rows == 0 || block.columns == 0) return true;  // a layer without parameters
  for (const std::int64_t number : {block.first, block.rows, block.columns})
    if (number > whole) return false;
  if (block.rows > 1 && block.stride < block.columns) return false;  // overlapping rows
  const std::int64_t last = block.first + block.columns;
  return last <= whole && (block.rows == 1 || block.stride <= (whole - last) / (block.rows - 1));
}

Result<void> check(const LayerPart& part, const Origin& origin) {
  const auto broken = [&](const char* what) {
    return fail(ErrorCode::bad_input,
                fmt::format("its description of layer {} breaks the format: {}", part.layer, what));
  };
  if (part.layer < 0 || static_cast<std::size_t>(part.layer) >= origin.layers.size())
    return broken("the model has no such layer");
  if (part.whole < 0 || part.whole > max_floats) return broken("no number of parameters");
  if (part.states != states_of(origin.optimizer)) return broken("not the values that its optimizer keeps");
  std::int64_t floats = 0;
  for (const layers::ParameterBlock& block : part.blocks) {
    if (!is_within(block, part.whole)) return broken("a block is outside of the file");
    floats += block.rows * block.columns;
    if (floats > part.whole) return broken("more parameters than it has");
  }
  return {};
}

Result<void> check(const Part& part) {
  const Origin& origin = part.origin;
  if (static_cast<int>(origin.optimizer) > static_cast<int>(Optimizer::rmsprop))
    return fail(ErrorCode::bad_input, "it names an optimizer that there is not");
  if (origin.global_batch < 1 || part.worker < 0 || part.device.value < 0)
    return fail(ErrorCode::bad_input, "it has a negative number where there is none");
  for (const LayerPart& layer : part.layers) TRY_VOID(check(layer, origin));
  return {};
}

}  // namespace

std::int64_t LayerPart::floats() const {
  std::int64_t sum = 0;
  for (const layers::ParameterBlock& block : blocks) sum += block.rows * block.columns;
  return sum;
}

std::int64_t Part::floats() const {
  std::int64_t sum = 0;
  for (const LayerPart& layer : layers) sum += layer.lists() * layer.floats();
  return sum;
}

int states_of(Optimizer optimizer) {
  switch (optimizer) {
    case Optimizer::none:
    case Optimizer::sgd:
      return 1;
    case Optimizer::momentum:
    case Optimizer::rmsprop:
      return 2;
    case Optimizer::adam:
      return 3;
  }
  return 0;
}

std::string encode(const Part& part) {
  Encoder out;
  write_origin(out, part.origin);
  out.number(static_cast<std::int32_t>(part.worker)).number(static_cast<std::int32_t>(part.device.value));
  return out.list(part.layers, write_layer_part).take();
}

Result<Part> decode_part(std::string_view bytes) {
  Decoder in(bytes);
  Part part;
  std::uint64_t hash = 0;
  std::tie(part.origin, hash) = read_origin(in);
  part.worker = in.number<std::int32_t>();
  part.device = DeviceId(in.number<std::int32_t>());
  part.layers = in.list<LayerPart>(read_part);
  if (!in.whole()) return fail(ErrorCode::bad_input, "its header does not end at its stated length");
  if (hash != model_hash(part.origin.layers)) return fail(ErrorCode::bad_input, "its layers are not those of its hash");
  return check(part).map([&] { return std::move(part); });
}

std::uint64_t hash_of(std::string_view bytes, std::uint64_t before) {
  for (const char byte : bytes) before = (before ^ static_cast<unsigned char>(byte)) * 0x100000001b3u;
  return before;
}

std::uint64_t model_hash(const std::vector<ModelLayer>& layers) {
  Encoder out;
  for (const ModelLayer& layer : layers) write_layer(out, {"", layer.kind, layer.sizes});
  return hash_of(out.take());
}

std::uint64_t plan_hash(const Plan& plan) {
  Encoder out;
  const auto numbers = [&](const auto& values) {
    out.list(values, [](Encoder& to, const auto& value) { to.number(value); });
  };
  out.number(plan.schedule).number(plan.warmup).number(plan.optimizer);
  out.number(plan.global_batch).number(plan.micro_batch).number(plan.micro_batches);
  numbers(plan.warmup_counts.value_or(std::vector<int>{}));
  for (const Stage& stage : plan.stages) {
    out.number(stage.first).number(stage.last).number(stage.devices.size()).number(stage.tensor_parallel);
    numbers(stage.samples_per_replica.value_or(std::vector<int>{}));
    numbers(stage.shard_fractions.value_or(std::vector<double>{}));
  }
  return hash_of(out.take());
}

}  // namespace pipedeck::runtime::checkpoint
