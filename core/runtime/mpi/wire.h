// SPDX-License-Identifier: Apache-2.0
// A table of C functions through which the runtime uses a message-passing library. The library is in a module of its
// own that is loaded on demand, so that the program starts on machines without it. All calls except library() and
// open() come from the thread that called open(); none of them waits.
#ifndef PIPEDECK_WIRE_H
#define PIPEDECK_WIRE_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

// Incremented with every change of the table or of the messages.
#define PIPEDECK_WIRE_VERSION 1
#define PIPEDECK_WIRE_TEXT 256
#define PIPEDECK_WIRE_CHANNELS 2

typedef struct PipedeckWireRequest PipedeckWireRequest;

typedef struct PipedeckWire {
  int version;
  // Returns the name and version of the library. Any thread may call it at any time.
  const char* (*library)(void);
  // Joins the processes that were started together. Returns 0, or another value and the reason in `error`
  // (PIPEDECK_WIRE_TEXT bytes).
  int (*open)(int* rank, int* size, char* error);
  // Begins a transfer. Transfers of a channel between two processes match in the order they begin. Null if refused.
  PipedeckWireRequest* (*send)(int channel, int peer, const void* bytes, size_t count);
  PipedeckWireRequest* (*receive)(int channel, int peer, void* bytes, size_t count);
  // Returns 1 if a transfer on the channel can be received, 0 if not, and -1 on failure.
  int (*arrived)(int channel, int* peer);
  // Returns 1 when done, 0 while active, -1 on failure with the reason in `error`. The request is freed unless active.
  int (*test)(PipedeckWireRequest* request, char* error);
  // Ends all processes; does not return.
  void (*abort)(int status);
  // Disconnects from the others, which must call it too.
  void (*close)(void);
} PipedeckWire;

// The module's only symbol. Returns the table, or null if the module has another version.
const PipedeckWire* pipedeck_wire(int version);
typedef const PipedeckWire* PipedeckWireFactory(int version);

#ifdef __cplusplus
}
#endif
#endif
