// SPDX-License-Identifier: Apache-2.0
#include "core/io/onnx/tensor.hpp"

#include <bit>
#include <cstring>

#include <fmt/format.h>

#include "core/base/limits.hpp"
#include "core/base/one_line.hpp"
#include "core/io/onnx/fields.hpp"
#include "core/io/onnx/wire.hpp"
#include "core/io/text/utf8.hpp"

namespace pipedeck::io::onnx {
namespace {

constexpr std::size_t max_sizes = 64;  ///< dimensions of a tensor

/// Bytes of a number in raw_data; 0: numbers have no size of their own.
std::size_t stored_bytes(std::uint64_t type) {
  using T = ::onnx::TensorProto;
  switch (type) {
    case T::UINT8:
    case T::INT8:
    case T::BOOL:
      return 1;
    case T::UINT16:
    case T::INT16:
    case T::FLOAT16:
    case T::BFLOAT16:
      return 2;
    case T::FLOAT:
    case T::INT32:
    case T::UINT32:
      return 4;
    case T::DOUBLE:
    case T::INT64:
    case T::UINT64:
    case T::COMPLEX64:
      return 8;
    case T::COMPLEX128:
      return 16;
    default:
      return 0;
  }
}

std::uint64_t little_endian(const char* bytes, std::size_t count) {
  std::uint64_t value = 0;
  for (std::size_t i = count; i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

/// Half-width reals are weights: no shape is computed with them.
bool readable(std::uint64_t type) {
  using T = ::onnx::TensorProto;
  return stored_bytes(type) > 0 && stored_bytes(type) <= 8 && type != T::FLOAT16 && type != T::BFLOAT16 &&
         type != T::COMPLEX64;
}

double number(std::uint64_t bits, std::uint64_t type) {
  using T = ::onnx::TensorProto;
  switch (type) {
    case T::FLOAT:
      return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    case T::DOUBLE:
      return std::bit_cast<double>(bits);
    case T::INT8:
      return static_cast<std::int8_t>(bits);
    case T::INT16:
      return static_cast<std::int16_t>(bits);
    case T::INT32:
      return static_cast<std::int32_t>(bits);
    case T::INT64:
      return static_cast<double>(static_cast<std::int64_t>(bits));
    default:
      return static_cast<double>(bits);
  }
}

struct Data {
  std::string_view raw;
  std::vector<std::int64_t> integers;  ///< of int32_data, int64_data, uint64_data
  std::vector<double> reals;           ///< of float_data and double_data
  bool raw_given = false;
};

/// Packed or one by one; what is more than shapes have is not kept.
void append_reals(const Field& field, std::size_t width, std::vector<double>& reals) {
  const auto type = width == 4 ? ::onnx::TensorProto::FLOAT : ::onnx::TensorProto::DOUBLE;
  const auto add = [&](std::uint64_t bits) {
    if (std::cmp_less_equal(reals.size(), Initializer::max_values)) reals.push_back(number(bits, type));
  };
  if (field.kind != Field::Kind::bytes) return add(field.value);
  for (std::size_t at = 0;
       at + width <= field.bytes.size() && std::cmp_less_equal(reals.size(), Initializer::max_values); at += width)
    add(little_endian(field.bytes.data() + at, width));
}

Result<void> attach(Initializer& tensor, const Data& data, std::int64_t count, std::uint64_t type) {
  const std::size_t width = stored_bytes(type);
  if (data.raw_given && width > 0 && data.raw.size() != static_cast<std::size_t>(count) * width)
    return fail(ErrorCode::bad_input,
                fmt::format("found {} bytes of data, expected {} numbers of {} bytes", data.raw.size(), count, width));
  if (count > Initializer::max_values || !readable(type)) return {};
  std::vector<double> values;
  if (data.raw_given) {
    for (std::size_t at = 0; at + width <= data.raw.size(); at += width)
      values.push_back(number(little_endian(data.raw.data() + at, width), type));
  } else if (!data.reals.empty()) {
    values = data.reals;
  } else {
    for (const std::int64_t integer : data.integers) values.push_back(static_cast<double>(integer));
  }
  if (values.empty() && count > 0) return {};  // in another file
  if (std::cmp_not_equal(values.size(), count))
    return fail(ErrorCode::bad_input, fmt::format("found {} numbers, expected {}", values.size(), count));
  tensor.values = std::move(values);
  return {};
}

}  // namespace

Element element_of_onnx(std::uint64_t data_type) {
  using T = ::onnx::TensorProto;
  switch (data_type) {
    case T::FLOAT:
    case T::FLOAT16:
    case T::BFLOAT16:
    case T::DOUBLE:
      return Element::real;
    case T::INT64:
    case T::UINT64:
      return Element::integer_64;
    case T::INT32:
    case T::UINT32:
      return Element::integer_32;
    case T::INT16:
    case T::UINT16:
      return Element::integer_16;
    case T::INT8:
    case T::UINT8:
      return Element::integer_8;
    case T::BOOL:
      return Element::boolean;
    default:
      return Element::other;
  }
}

Result<std::int64_t> count_of(const std::vector<std::int64_t>& shape) {
  std::int64_t count = 1;
  for (const std::int64_t size : shape) {
    if (size < 0) return fail(ErrorCode::bad_input, fmt::format("found a size of {}, expected 0 or more", size));
    if (size > 0 && count > limits::bytes / size)
      return fail(ErrorCode::bad_input,
                  fmt::format("found a tensor of more than {} numbers, expected at most that", limits::bytes));
    count *= size;
  }
  return count;
}

std::string name_from_onnx(std::string_view bytes) { return strip_control_characters(text::to_utf8(bytes)); }

Result<Initializer> tensor_from_onnx(std::string_view message) {
  using T = ::onnx::TensorProto;
  Initializer tensor;
  Data data;
  std::uint64_t type = T::UNDEFINED;
  Fields fields(message);
  for (;;) {
    TRY(const auto next, fields.next());
    if (!next) break;
    const Field& field = *next;
    Result<void> read;
    switch (field.number) {
      case T::kDimsFieldNumber:
        read = append_integers(field, tensor.shape, max_sizes);
        break;
      case T::kDataTypeFieldNumber:
        type = field.value;
        break;
      case T::kNameFieldNumber:
        tensor.name = name_from_onnx(field.bytes);
        break;
      case T::kRawDataFieldNumber:
        data.raw = field.bytes, data.raw_given = true;
        break;
      case T::kInt32DataFieldNumber:
      case T::kInt64DataFieldNumber:
      case T::kUint64DataFieldNumber:
        // More values than shapes have are weights, whose values are not needed: the first ones show that.
        if (field.bytes.size() <= 10 * static_cast<std::size_t>(Initializer::max_values))
          read = append_integers(field, data.integers, std::size_t{10} * Initializer::max_values);
        break;
      case T::kFloatDataFieldNumber:
        append_reals(field, 4, data.reals);
        break;
      case T::kDoubleDataFieldNumber:
        append_reals(field, 8, data.reals);
        break;
      default:
        break;
    }
    if (!read) return tl::unexpected(read.error());
  }
  tensor.element = element_of_onnx(type);
  TRY(const auto count, count_of(tensor.shape));
  TRY_VOID(attach(tensor, data, count, type));
  return tensor;
}

}  // namespace pipedeck::io::onnx
