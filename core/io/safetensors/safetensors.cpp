// SPDX-License-Identifier: Apache-2.0
#include "core/io/safetensors/safetensors.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <filesystem>
#include <limits>
#include <optional>

#include <fmt/format.h>

#include "core/io/files.hpp"
#include "core/io/json/reader.hpp"
#include "core/io/json/writer.hpp"

namespace pipedeck::io::safetensors {
namespace {

constexpr std::uint64_t longest_header = 100'000'000;  // as the format's own library
constexpr std::int64_t most_values = std::int64_t{1} << 50;

static_assert(std::endian::native == std::endian::little, "files are little-endian");

std::optional<std::uint64_t> bytes_of_type(std::string_view type) {
  constexpr std::array<std::pair<std::string_view, std::uint64_t>, 16> types{{{"F64", 8},
                                                                              {"I64", 8},
                                                                              {"U64", 8},
                                                                              {"F32", 4},
                                                                              {"I32", 4},
                                                                              {"U32", 4},
                                                                              {"F16", 2},
                                                                              {"BF16", 2},
                                                                              {"I16", 2},
                                                                              {"U16", 2},
                                                                              {"F8_E4M3", 1},
                                                                              {"F8_E5M2", 1},
                                                                              {"F8_E8M0", 1},
                                                                              {"I8", 1},
                                                                              {"U8", 1},
                                                                              {"BOOL", 1}}};
  const auto found = std::ranges::find(types, type, [](const auto& one) { return one.first; });
  return found == types.end() ? std::nullopt : std::optional(found->second);
}

float from_half(std::uint16_t half) {
  const std::uint32_t sign = static_cast<std::uint32_t>(half & 0x8000u) << 16, exponent = (half >> 10) & 0x1fu,
                      fraction = half & 0x3ffu;
  if (exponent == 0)
    return std::bit_cast<float>(sign) + (sign ? -1.0f : 1.0f) * static_cast<float>(fraction) * 0x1p-24f;
  const std::uint32_t wide = exponent == 31 ? 255 : exponent + 112;
  return std::bit_cast<float>(sign | wide << 23 | fraction << 13);
}

float from_brain(std::uint16_t brain) { return std::bit_cast<float>(static_cast<std::uint32_t>(brain) << 16); }

/// Reads a whole number. Reports any other value.
std::int64_t whole(const json::Value& value, const std::string& place, json::ErrorCollector& problems) {
  return json::read_integer(value, 0, most_values, place, problems);
}

/// Reads one entry; its place is relative to the values.
TensorEntry read_entry(json::ObjectReader& in, std::string name, json::ErrorCollector& problems) {
  TensorEntry tensor{std::move(name), in.text("dtype"), {}, 0, 0};
  in.values("shape", [&](const json::Value& value, const std::string& place) {
    tensor.shape.push_back(whole(value, place, problems));
  });
  std::vector<std::int64_t> offsets;
  in.values("data_offsets", [&](const json::Value& value, const std::string& place) {
    offsets.push_back(whole(value, place, problems));
  });
  if (!in.ok()) return tensor;
  if (offsets.size() != 2 || offsets[1] < offsets[0])
    return in.fail("data_offsets", "found no begin and end, expected two numbers in ascending order"), tensor;
  tensor.first = static_cast<std::uint64_t>(offsets[0]);
  tensor.bytes = static_cast<std::uint64_t>(offsets[1] - offsets[0]);
  const std::optional<std::uint64_t> width = bytes_of_type(tensor.type);
  double count = 1;
  for (const std::int64_t size : tensor.shape) count *= static_cast<double>(size);
  if (!width)
    in.fail("dtype", fmt::format("found \"{}\", expected a type of safetensors, such as F32", tensor.type));
  else if (count * static_cast<double>(*width) != static_cast<double>(tensor.bytes))
    in.fail("data_offsets", fmt::format("found {} bytes, expected {} of type {} and shape {}", tensor.bytes,
                                        count * static_cast<double>(*width), tensor.type, shape_text(tensor.shape)));
  return tensor;
}

Result<std::vector<TensorEntry>> read_header(const std::string& text) {
  TRY(const auto document, json::parse(text));
  const auto* members = document.as<json::Members>();
  if (!members) return fail(ErrorCode::bad_input, "found a header that is no object, expected one of tensors");
  json::ErrorCollector problems;
  std::vector<TensorEntry> tensors;
  for (const auto& [name, value] : *members) {
    if (name == "__metadata__") continue;
    json::ObjectReader in(value, json::step(name), problems);
    tensors.push_back(read_entry(in, name, problems));
    in.preserve_unknown_members();
  }
  if (problems.first) return tl::unexpected(*problems.first);
  return tensors;
}

/// Checks that tensors lie one after the other from the first to the last of `bytes` bytes.
Result<void> check_places(std::vector<TensorEntry> tensors, std::uint64_t bytes) {
  std::ranges::sort(tensors, {}, [](const TensorEntry& one) { return std::pair(one.first, one.bytes); });
  std::uint64_t next = 0;
  for (const TensorEntry& tensor : tensors) {
    if (tensor.first != next)
      return fail(ErrorCode::bad_input,
                  fmt::format("found it at byte {} of the values, expected {}, the end of those "
                              "before it",
                              tensor.first, next),
                  json::step(tensor.name) + "/data_offsets");
    next += tensor.bytes;
  }
  if (next == bytes) return {};
  return fail(ErrorCode::bad_input, fmt::format("found {} bytes behind the header, expected {}, the end of the last "
                                                "tensor",
                                                bytes, next));
}

tl::unexpected<Error> named(Error error, const std::string& path) {
  error.file = path;
  return tl::unexpected(std::move(error));
}

}  // namespace

std::int64_t TensorEntry::count() const {
  if (std::ranges::find(shape, 0) != shape.end()) return 0;
  std::int64_t product = 1;  // at most the file's size
  for (const std::int64_t size : shape) product *= size;
  return product;
}

std::string shape_text(const std::vector<std::int64_t>& shape) { return fmt::format("[{}]", fmt::join(shape, ", ")); }

const TensorEntry* TensorFile::find(const std::string& name) const {
  const auto found = std::ranges::lower_bound(tensors_, name, {}, &TensorEntry::name);
  return found == tensors_.end() || found->name != name ? nullptr : &*found;
}

Result<TensorFile> TensorFile::open(const std::string& path) {
  const auto bad = [&](std::string message) { return named({ErrorCode::bad_input, std::move(message), {}, {}}, path); };
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return bad("found no such file");
  if (!std::filesystem::is_regular_file(path, error)) return bad("found no plain file, expected one of safetensors");
  const std::uint64_t size = std::filesystem::file_size(path, error);
  TensorFile opened;
  opened.path_ = path;
  opened.file_.open(path, std::ios::binary);
  std::uint64_t length = 0;
  if (error || !opened.file_) return named({ErrorCode::io, "cannot be read", {}, {}}, path);
  if (size < sizeof length || !opened.file_.read(reinterpret_cast<char*>(&length), sizeof length))
    return bad(fmt::format("found {} bytes, expected 8 with the header's length and the header", size));
  if (length > size - sizeof length || length > longest_header)
    return bad(fmt::format("found a header of {} bytes in a file of {}, expected at most {}", length, size,
                           std::min(size - sizeof length, longest_header)));
  std::string header(length, ' ');
  if (!opened.file_.read(header.data(), static_cast<std::streamsize>(length)))
    return named({ErrorCode::io, "cannot be read to the end of its header", {}, {}}, path);
  auto tensors = read_header(header);
  if (!tensors) return named(tensors.error(), path);
  const std::uint64_t begin = sizeof length + length;
  if (auto whole = check_places(*tensors, size - begin); !whole) return named(whole.error(), path);
  for (TensorEntry& tensor : *tensors) tensor.first += begin;
  std::ranges::sort(*tensors, {}, &TensorEntry::name);
  opened.tensors_ = *std::move(tensors);
  return opened;
}

Result<std::vector<float>> TensorFile::read(const TensorEntry& tensor) {
  const bool wide = tensor.type == "F32", half = tensor.type == "F16";
  if (!wide && !half && tensor.type != "BF16")
    return fail(ErrorCode::bad_input, fmt::format("found the type {}, expected F32, F16 or BF16", tensor.type),
                json::step(tensor.name) + "/dtype", path_);
  std::vector<float> values(static_cast<std::size_t>(tensor.count()));
  std::vector<std::uint16_t> narrow(wide ? 0 : values.size());
  file_.clear();
  file_.seekg(static_cast<std::streamoff>(tensor.first));
  char* const to = wide ? reinterpret_cast<char*>(values.data()) : reinterpret_cast<char*>(narrow.data());
  if (!file_.read(to, static_cast<std::streamsize>(tensor.bytes)))
    return tl::unexpected(Error{ErrorCode::io, fmt::format("tensor {} cannot be read", tensor.name), path_, {}});
  if (!wide) std::ranges::transform(narrow, values.begin(), half ? from_half : from_brain);
  return values;
}

Result<void> write(const std::string& path, const std::vector<WrittenTensor>& tensors) {
  json::ObjectWriter header;
  std::int64_t next = 0;
  std::vector<std::size_t> counts;
  for (const WrittenTensor& tensor : tensors) {
    json::List shape;
    std::int64_t count = 1;
    for (const std::int64_t size : tensor.shape) shape.push_back(json::integer(size)), count *= size;
    const std::int64_t end = next + count * static_cast<std::int64_t>(sizeof(float));
    json::ObjectWriter entry;
    entry.add("dtype", "F32").add("shape", json::Value(std::move(shape)));
    entry.add("data_offsets", json::Value(json::List{json::integer(next), json::integer(end)}));
    header.add(tensor.name, entry.finish());
    next = end;
    counts.push_back(static_cast<std::size_t>(count));
  }
  std::string text = json::compact(header.finish());
  text.append((8 - text.size() % 8) % 8, ' ');  // aligns the values
  const std::uint64_t length = text.size();
  return write_file_chunks(path, [&](const text::ChunkSink& sink) {
    if (!sink({reinterpret_cast<const char*>(&length), sizeof length}) || !sink(text)) return false;
    for (std::size_t i = 0; i < tensors.size(); ++i) {
      std::vector<float> values(counts[i]);
      tensors[i].values(values);
      if (!sink({reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)})) return false;
    }
    return true;
  });
}

}  // namespace pipedeck::io::safetensors
