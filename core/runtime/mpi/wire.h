// SPDX-License-Identifier: Apache-2.0
// What the runtime asks of a message-passing library, as a table of C functions: the library is in a module of its own
// that is loaded when it is wanted, so that the program starts on machines without it. All calls but library() and
// open() come from the thread that called open(); none of them waits.
#ifndef PIPEDECK_WIRE_H
#define PIPEDECK_WIRE_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

// Counted up with every change of the table or of what is sent.
#define PIPEDECK_WIRE_VERSION 1
#define PIPEDECK_WIRE_TEXT 256
#define PIPEDECK_WIRE_CHANNELS 2

typedef struct PipedeckWireRequest PipedeckWireRequest;

typedef struct PipedeckWire {
  int version;
  // Name and version of the library; may be called by anybody at any time.
  const char* (*library)(void);
  // Joins the processes that were started together. 0, or not, with the reason in `error` (PIPEDECK_WIRE_TEXT bytes).
  int (*open)(int* rank, int* size, char* error);
  // Begins a transfer; transfers of a channel between two processes match in the order they begin. Null: refused.
  PipedeckWireRequest* (*send)(int channel, int peer, const void* bytes, size_t count);
  PipedeckWireRequest* (*receive)(int channel, int peer, void* bytes, size_t count);
  // 1 where somebody's transfer on the channel waits to be received, 0 where none does, -1 where that fails.
  int (*arrived)(int channel, int* peer);
  // 1 done, 0 under way, -1 failed, with the reason; the request is gone unless it is under way.
  int (*test)(PipedeckWireRequest* request, char* error);
  // Ends all processes; does not return.
  void (*abort)(int status);
  // Parts from the others, who must do so too.
  void (*close)(void);
} PipedeckWire;

// The module's only symbol: the table, or null where it has another version.
const PipedeckWire* pipedeck_wire(int version);
typedef const PipedeckWire* PipedeckWireFactory(int version);

#ifdef __cplusplus
}
#endif
#endif
