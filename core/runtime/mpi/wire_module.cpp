// SPDX-License-Identifier: Apache-2.0
// The wire through MPI. Only this file uses MPI. It is the whole module, and only the module is linked with MPI.
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <string>
#include <vector>

#include "core/runtime/mpi/wire.h"

/// A long transfer consists of several MPI transfers, because MPI's counts are ints.
struct PipedeckWireRequest {
  std::vector<MPI_Request> parts;
};

namespace {

constexpr std::size_t longest_part = std::size_t{1} << 30;

std::array<MPI_Comm, PIPEDECK_WIRE_CHANNELS> channels;

void say(char* error, const char* call, int code) {
  char text[MPI_MAX_ERROR_STRING] = {};
  int length = 0;
  MPI_Error_string(code, text, &length);
  const std::string reason = std::string(call) + ": " + text;
  error[reason.copy(error, PIPEDECK_WIRE_TEXT - 1)] = '\0';
}

const char* library() {
  static const std::string text = [] {
    char version[MPI_MAX_LIBRARY_VERSION_STRING] = {};
    int length = 0;
    MPI_Get_library_version(version, &length);
    const std::string whole(version);
    return whole.substr(0, whole.find_first_of(",\n"));
  }();
  return text.c_str();
}

int open(int* rank, int* size, char* error) {
  int given = 0;
  if (const int code = MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &given); code != MPI_SUCCESS) {
    say(error, "MPI_Init_thread", code);
    return 1;
  }
  if (given < MPI_THREAD_FUNNELED) {
    std::snprintf(error, PIPEDECK_WIRE_TEXT, "this MPI library was built for programs of one thread");
    return 1;
  }
  for (MPI_Comm& channel : channels) {
    if (const int code = MPI_Comm_dup(MPI_COMM_WORLD, &channel); code != MPI_SUCCESS) {
      say(error, "MPI_Comm_dup", code);
      return 1;
    }
    MPI_Comm_set_errhandler(channel, MPI_ERRORS_RETURN);  // lost peers are reported by Pipedeck
  }
  MPI_Comm_rank(MPI_COMM_WORLD, rank);
  MPI_Comm_size(MPI_COMM_WORLD, size);
  return 0;
}

/// Starts the transfer of `count` bytes in parts. `begin` starts the part that begins at byte `first`.
template <class Begin>
PipedeckWireRequest* in_parts(std::size_t count, Begin begin) {
  auto* request = new PipedeckWireRequest;
  std::size_t first = 0;
  do {
    const std::size_t length = std::min(count - first, longest_part);
    request->parts.push_back(MPI_REQUEST_NULL);
    if (begin(first, static_cast<int>(length), &request->parts.back()) != MPI_SUCCESS) {
      delete request;
      return nullptr;
    }
    first += length;
  } while (first < count);
  return request;
}

PipedeckWireRequest* send(int channel, int peer, const void* bytes, std::size_t count) {
  return in_parts(count, [&](std::size_t first, int length, MPI_Request* part) {
    return MPI_Isend(static_cast<const char*>(bytes) + first, length, MPI_BYTE, peer, 0,
                     channels[static_cast<std::size_t>(channel)], part);
  });
}

PipedeckWireRequest* receive(int channel, int peer, void* bytes, std::size_t count) {
  return in_parts(count, [&](std::size_t first, int length, MPI_Request* part) {
    return MPI_Irecv(static_cast<char*>(bytes) + first, length, MPI_BYTE, peer, 0,
                     channels[static_cast<std::size_t>(channel)], part);
  });
}

int arrived(int channel, int* peer) {
  int found = 0;
  MPI_Status status;
  if (MPI_Iprobe(MPI_ANY_SOURCE, 0, channels[static_cast<std::size_t>(channel)], &found, &status) != MPI_SUCCESS)
    return -1;
  if (found) *peer = status.MPI_SOURCE;
  return found ? 1 : 0;
}

int test(PipedeckWireRequest* request, char* error) {
  while (!request->parts.empty()) {
    int done = 0;
    const int code = MPI_Test(&request->parts.back(), &done, MPI_STATUS_IGNORE);
    if (code != MPI_SUCCESS) {
      say(error, "MPI_Test", code);
      delete request;
      return -1;
    }
    if (!done) return 0;
    request->parts.pop_back();
  }
  delete request;
  return 1;
}

void abort(int status) { MPI_Abort(MPI_COMM_WORLD, status); }

void close() {
  for (MPI_Comm& channel : channels) MPI_Comm_free(&channel);
  MPI_Finalize();
}

constexpr PipedeckWire wire{PIPEDECK_WIRE_VERSION, library, open, send, receive, arrived, test, abort, close};

}  // namespace

extern "C" __attribute__((visibility("default"))) const PipedeckWire* pipedeck_wire(int version) {
  return version == PIPEDECK_WIRE_VERSION ? &wire : nullptr;
}
