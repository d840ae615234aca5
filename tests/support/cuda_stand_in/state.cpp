// SPDX-License-Identifier: Apache-2.0
#include "tests/support/cuda_stand_in/state.hpp"

#include <string_view>

namespace cuda_stand_in {
namespace {

struct Failing {
  int in = 0;  ///< calls from now; 0: none to come
  std::string function;
  int status = 0;
  bool came = false;
};

struct Bookkeeping {
  std::mutex mutex;
  std::map<const void*, std::string> objects;
  Failing failing;
  std::string last;
};

Bookkeeping& book() {
  static Bookkeeping one;
  return one;
}

}  // namespace

void require(bool holds, const char* why, int status) {
  if (!holds) throw Refused(why, status);
}

int entered(const char* function, int status_of_failed_work) {
  if (refused_in_capture(function)) {
    refused(function, "can't be captured");
    return status_of_failed_work;
  }
  Bookkeeping& all = book();
  const std::lock_guard lock(all.mutex);
  Failing& failing = all.failing;
  if (failing.in == 0 || (!failing.function.empty() && failing.function != function)) return 0;
  if (failing.function.empty() && status_of_failed_work == 0) return 0;
  if (--failing.in > 0) return 0;
  failing.came = true;
  all.last = std::string(function) + ": asked to fail";
  return failing.status != 0 ? failing.status : status_of_failed_work;
}

void refused(const char* function, const char* why) {
  Bookkeeping& all = book();
  const std::lock_guard lock(all.mutex);
  all.last = std::string(function) + ": " + why;
}

void made(const void* object, const char* kind) {
  Bookkeeping& all = book();
  const std::lock_guard lock(all.mutex);
  all.objects.emplace(object, kind);
}

void check_alive(const void* object, const char* kind, int status) {
  Bookkeeping& all = book();
  const std::lock_guard lock(all.mutex);
  const auto found = all.objects.find(object);
  if (found == all.objects.end() || found->second != kind)
    throw Refused(std::string("no living ") + kind + " was given", status);
}

void destroyed(const void* object, const char* kind, int status) {
  check_alive(object, kind, status);
  const std::lock_guard lock(book().mutex);
  book().objects.erase(object);
}

void check_aligned(const void* address, std::size_t bytes, const char* what) {
  if (reinterpret_cast<std::uintptr_t>(address) % bytes != 0)
    throw Refused(std::string(what) + " is not aligned to " + std::to_string(bytes) + " bytes");
}

void fail_call(int nth, const std::string& function, int status) {
  const std::lock_guard lock(book().mutex);
  book().failing = {nth, function, status, false};
}

bool failed() {
  const std::lock_guard lock(book().mutex);
  return book().failing.came;
}

int alive() {
  const std::lock_guard lock(book().mutex);
  return static_cast<int>(book().objects.size());
}

std::string alive_words() {
  const std::lock_guard lock(book().mutex);
  std::map<std::string, int> kinds;
  for (const auto& [object, kind] : book().objects) ++kinds[kind];
  std::string words;
  for (const auto& [kind, count] : kinds) words += std::to_string(count) + " " + kind + "; ";
  return words;
}

std::string last_refusal() {
  const std::lock_guard lock(book().mutex);
  return book().last;
}

void forget_failures() {
  const std::lock_guard lock(book().mutex);
  book().failing = {};
  book().last.clear();
  set_nccl(NCCL_VERSION_CODE);
}

}  // namespace cuda_stand_in
