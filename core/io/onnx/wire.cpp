// SPDX-License-Identifier: Apache-2.0
#include "core/io/onnx/wire.hpp"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/wire_format_lite.h>

#include <fmt/format.h>

namespace pipedeck::io::onnx {
namespace {

using google::protobuf::internal::WireFormatLite;
using google::protobuf::io::CodedInputStream;

CodedInputStream stream_of(std::string_view bytes) {
  return CodedInputStream(reinterpret_cast<const std::uint8_t*>(bytes.data()), static_cast<int>(bytes.size()));
}

tl::unexpected<Error> cut_off(std::size_t at) {
  return fail(ErrorCode::bad_input,
              fmt::format("found a message that is cut off after {} bytes, expected it whole", at));
}

}  // namespace

Result<std::optional<Field>> Fields::next() {
  if (at_ >= message_.size()) return std::nullopt;
  const std::string_view rest = message_.substr(at_);
  CodedInputStream in = stream_of(rest);
  const std::uint32_t tag = in.ReadTag();
  Field field;
  field.number = WireFormatLite::GetTagFieldNumber(tag);
  if (field.number == 0) return cut_off(at_);
  std::uint32_t small = 0;
  switch (WireFormatLite::GetTagWireType(tag)) {
    case WireFormatLite::WIRETYPE_VARINT:
      if (!in.ReadVarint64(&field.value)) return cut_off(at_);
      break;
    case WireFormatLite::WIRETYPE_FIXED64:
      field.kind = Field::Kind::fixed_64;
      if (!in.ReadLittleEndian64(&field.value)) return cut_off(at_);
      break;
    case WireFormatLite::WIRETYPE_FIXED32:
      field.kind = Field::Kind::fixed_32;
      if (!in.ReadLittleEndian32(&small)) return cut_off(at_);
      field.value = small;
      break;
    case WireFormatLite::WIRETYPE_LENGTH_DELIMITED: {
      field.kind = Field::Kind::bytes;
      const bool read = in.ReadVarint32(&small);
      const auto start = static_cast<std::size_t>(in.CurrentPosition());
      if (!read || small > rest.size() - start) return cut_off(at_);
      field.bytes = rest.substr(start, small);
      at_ += start + small;
      return field;
    }
    default:
      return fail(ErrorCode::bad_input,
                  fmt::format("found field {} of a kind that ONNX has not, expected a number or bytes", field.number));
  }
  at_ += static_cast<std::size_t>(in.CurrentPosition());
  return field;
}

Result<void> append_integers(const Field& field, std::vector<std::int64_t>& numbers, std::size_t most) {
  const auto add = [&](std::uint64_t number) {
    numbers.push_back(static_cast<std::int64_t>(number));
    return numbers.size() <= most;
  };
  const auto too_many = [&] {
    return fail(ErrorCode::bad_input, fmt::format("found more than {} numbers, expected at most that", most));
  };
  if (field.kind != Field::Kind::bytes) {
    if (!add(field.value)) return too_many();
    return {};
  }
  CodedInputStream in = stream_of(field.bytes);
  std::uint64_t number = 0;
  while (static_cast<std::size_t>(in.CurrentPosition()) < field.bytes.size()) {
    if (!in.ReadVarint64(&number)) return cut_off(static_cast<std::size_t>(in.CurrentPosition()));
    if (!add(number)) return too_many();
  }
  return {};
}

}  // namespace pipedeck::io::onnx
