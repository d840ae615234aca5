// SPDX-License-Identifier: Apache-2.0
#include "core/runtime/mpi/heartbeat.hpp"

#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "core/runtime/transport/plain_bytes.hpp"

namespace pipedeck::runtime::mpi {

std::string encode_heartbeat(const Heartbeat& beat) {
  std::string bytes;
  transport::put(bytes, beat.since_progress);
  transport::put(bytes, beat.workers);
  return bytes;
}

Heartbeat beat_of(std::string_view bytes) {
  transport::ByteReader reader(bytes);
  Heartbeat beat;
  reader.get(beat.since_progress);
  reader.get(beat.workers);
  return beat;
}

std::string ProcessIdentity::text() const { return fmt::format("process {} on {}", pid, host); }

ProcessIdentity local_identity() {
  ProcessIdentity identity;
  identity.pid = getpid();
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  identity.host = host.data();
  std::ifstream("/proc/sys/kernel/random/boot_id") >> identity.machine;
  std::error_code none;
  identity.machine += std::filesystem::read_symlink("/proc/self/ns/pid", none).string();
  return identity;
}

std::string identity_text(const ProcessIdentity& identity) {
  std::string bytes;
  transport::put(bytes, identity.host);
  transport::put(bytes, identity.machine);
  transport::put(bytes, identity.pid);
  return bytes;
}

ProcessIdentity decode_identity(std::string_view bytes) {
  transport::ByteReader reader(bytes);
  ProcessIdentity identity;
  reader.get(identity.host);
  reader.get(identity.machine);
  reader.get(identity.pid);
  return identity;
}

std::string error_text(const Error& error) {
  std::string bytes;
  transport::put(bytes, error.code);
  transport::put(bytes, error.message);
  transport::put(bytes, error.file);
  transport::put(bytes, error.place);
  return bytes;
}

Error error_of(std::string_view bytes) {
  transport::ByteReader reader(bytes);
  Error error;
  reader.get(error.code);
  reader.get(error.message);
  reader.get(error.file);
  reader.get(error.place);
  return error;
}

}  // namespace pipedeck::runtime::mpi
