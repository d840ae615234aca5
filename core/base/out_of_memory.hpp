// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cxxabi.h>
#include <execinfo.h>
#include <unistd.h>

#include <exception>
#include <new>
#include <string_view>
#include <typeinfo>

namespace pipedeck {

/// Writes "out of memory" to standard error, without memory.
inline void print_out_of_memory() {
  constexpr std::string_view message = "pipedeck-cli: out of memory\n";
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, message.data(), message.size());
}

/// Makes the end of memory in a thread or a destructor end the program with this message and status 1. An exception
/// without a type is one of a standard function that allows none. Others still abort.
inline void end_without_memory() {
  void* frame = nullptr;
  ::backtrace(&frame, 1);  // loads what the end of a thread needs
  static std::terminate_handler usual = std::get_terminate();
  std::set_terminate([] {
    const std::type_info* exception = abi::__cxa_current_exception_type();
    if (exception ? *exception != typeid(std::bad_alloc) : std::uncaught_exceptions() == 0) usual();
    print_out_of_memory();
    ::_exit(1);
  });
}

}  // namespace pipedeck
