// SPDX-License-Identifier: Apache-2.0
// Configurations of transformers.
#include "core/io/huggingface/config.hpp"
#include "tests/fuzz/fuzz.hpp"

using namespace pipedeck;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::judged(io::huggingface::transformer_from_hugging_face(fuzz::text_of(data, size), "fuzz"));
  return 0;
}
