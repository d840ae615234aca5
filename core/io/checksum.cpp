// SPDX-License-Identifier: Apache-2.0
#include "core/io/checksum.hpp"

#include <array>

#include <fmt/format.h>
#include <openssl/evp.h>

#include "core/io/documents/formats.hpp"

namespace pipedeck::io {

std::string sha256(const std::string& bytes) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest;
  unsigned int size = 0;
  ensure(EVP_Digest(bytes.data(), bytes.size(), digest.data(), &size, EVP_sha256(), nullptr) == 1,
         "SHA-256 is part of every OpenSSL");
  std::string text;
  for (unsigned int i = 0; i < size; ++i) text += fmt::format("{:02x}", digest[i]);
  return text;
}

std::string sha256_of(const Profile& profile) { return sha256(documents::profile_to_json(profile)); }
std::string sha256_of(const Cluster& cluster) { return sha256(documents::cluster_to_json(cluster)); }

}  // namespace pipedeck::io
