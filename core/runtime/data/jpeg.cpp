// SPDX-License-Identifier: Apache-2.0
// JPEG through libjpeg. Its errors are reported by longjmp, so the function that it leaves has no destructors to run.
#include <array>
#include <csetjmp>
#include <cstdio>

#include <fmt/format.h>
#include <jpeglib.h>

#include "core/runtime/data/image_file.hpp"

namespace pipedeck::runtime::data {
namespace {

struct ErrorState {
  jpeg_error_mgr manager;  ///< first: libjpeg knows only this part
  std::jmp_buf back;
  std::array<char, JMSG_LENGTH_MAX> message;
};

void leave(j_common_ptr jpeg) {
  auto* state = reinterpret_cast<ErrorState*>(jpeg->err);
  state->manager.format_message(jpeg, state->message.data());
  std::longjmp(state->back, 1);
}

/// Treats a warning as an error: it means a truncated or damaged file.
void refuse(j_common_ptr jpeg, int level) {
  if (level < 0) leave(jpeg);
}

bool decode(jpeg_decompress_struct& jpeg, ErrorState& state, const std::string& bytes, Image& image) {
  if (setjmp(state.back) != 0) return false;
  jpeg_create_decompress(&jpeg);
  jpeg_mem_src(&jpeg, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
  jpeg_read_header(&jpeg, TRUE);
  jpeg.out_color_space = jpeg.num_components == 1 ? JCS_GRAYSCALE : JCS_RGB;
  image.shape = {jpeg.num_components == 1 ? 1 : 3, jpeg.image_height, jpeg.image_width};
  if (!is_readable(image.shape)) return false;
  jpeg_start_decompress(&jpeg);
  image.shape = {jpeg.output_components, jpeg.output_height, jpeg.output_width};
  image.pixels.resize(static_cast<std::size_t>(image.shape.values()));
  const std::size_t row = jpeg.output_width * static_cast<std::size_t>(jpeg.output_components);
  while (jpeg.output_scanline < jpeg.output_height) {
    JSAMPROW to = image.pixels.data() + jpeg.output_scanline * row;
    jpeg_read_scanlines(&jpeg, &to, 1);
  }
  jpeg_finish_decompress(&jpeg);
  return true;
}

}  // namespace

Result<Image> decode_jpeg(const std::string& bytes) {
  jpeg_decompress_struct jpeg{};
  ErrorState state{};
  jpeg.err = jpeg_std_error(&state.manager);
  state.manager.error_exit = leave;
  state.manager.emit_message = refuse;
  Image image;
  const bool whole = decode(jpeg, state, bytes, image);
  jpeg_destroy_decompress(&jpeg);
  if (!is_readable(image.shape) && state.message[0] == '\0') return tl::unexpected(check_size(image.shape).error());
  if (!whole) return fail(ErrorCode::bad_input, fmt::format("is no whole JPEG: {}", state.message.data()));
  return image;
}

}  // namespace pipedeck::runtime::data
