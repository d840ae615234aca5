// SPDX-License-Identifier: Apache-2.0
#include "core/base/crash_report.hpp"

#include <cxxabi.h>
#include <dirent.h>
#include <dlfcn.h>
#include <elf.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <exception>
#include <filesystem>
#include <system_error>
#include <typeinfo>
#include <utility>

namespace pipedeck {

namespace {

constexpr std::array<std::pair<int, std::string_view>, 5> signals{
    {{SIGSEGV, "SIGSEGV"}, {SIGBUS, "SIGBUS"}, {SIGFPE, "SIGFPE"}, {SIGILL, "SIGILL"}, {SIGABRT, "SIGABRT"}}};
constexpr unsigned most_seconds = 10;
constexpr int most_frames = 64;
constexpr std::string_view ending = ".txt";

/// A text of fixed room, which needs no memory. Text without room is left out.
class Text {
 public:
  Text& operator<<(std::string_view text) {
    const std::size_t size = std::min(text.size(), room_.size() - 1 - size_);
    std::memcpy(room_.data() + size_, text.data(), size);
    size_ += size;
    room_[size_] = 0;
    return *this;
  }
  /// Adds a number with at least this many digits.
  Text& number(std::uint64_t value, unsigned base = 10, std::size_t digits = 1) {
    std::array<char, 20> reversed{};
    std::size_t count = 0;
    for (; value > 0 || count < digits; value /= base) reversed[count++] = "0123456789abcdef"[value % base];
    while (count > 0) *this << std::string_view(&reversed[--count], 1);
    return *this;
  }
  Text& hex(std::uint64_t value) { return (*this << "0x").number(value, 16); }
  const char* c_str() const { return room_.data(); }
  std::string_view view() const { return {room_.data(), size_}; }
  void clear() { room_[size_ = 0] = 0; }

 private:
  std::array<char, 4096> room_{};
  std::size_t size_ = 0;
};

/// All that the handler needs, made before.
struct Prepared {
  Text program, header, folder;
  Text exception;  ///< the type that ended the program; written by the terminate handler
  std::terminate_handler usual = nullptr;
  std::atomic<pid_t> thread{0};  ///< that crashed first
  std::atomic<int> signal{0};
  alignas(16) std::array<char, 65536> stack;  ///< of the handler, where the program's own stack overflowed
};
Prepared prepared;

void write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(file, text.data(), text.size());
    if (written <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

std::string_view name_of(int number) {
  for (const auto& [signal, name] : signals)
    if (signal == number) return name;
  return "an unknown signal";
}

[[noreturn]] void end_by(int number) {
  std::signal(number, SIG_DFL);
  ::raise(number);
  ::_exit(128 + number);
}

/// Adds a time as 20261129-113209, or as 2026-11-29T11:32:09Z.
void add_time(Text& text, std::time_t seconds, bool long_form) {
  using namespace std::chrono;
  const sys_seconds now{std::chrono::seconds{seconds}};
  const sys_days day = floor<days>(now);
  const year_month_day date{day};
  const hh_mm_ss time{now - day};
  const auto two = [&text](auto count) { text.number(static_cast<std::uint64_t>(count), 10, 2); };
  text.number(static_cast<std::uint64_t>(static_cast<int>(date.year())), 10, 4) << (long_form ? "-" : "");
  two(static_cast<unsigned>(date.month()));
  text << (long_form ? "-" : "");
  two(static_cast<unsigned>(date.day()));
  text << (long_form ? "T" : "-");
  two(time.hours().count());
  text << (long_form ? ":" : "");
  two(time.minutes().count());
  text << (long_form ? ":" : "");
  two(time.seconds().count());
  text << (long_form ? "Z" : "");
}

/// Returns whether a file name is one of ours: 20261129-113209-pipedeck-4711.txt.
bool is_report(std::string_view name) {
  const auto digits = [name](std::size_t from, std::size_t count) {
    return std::ranges::all_of(name.substr(from, count), [](char c) { return c >= '0' && c <= '9'; });
  };
  return name.size() > 16 + ending.size() && digits(0, 8) && name[8] == '-' && digits(9, 6) && name[15] == '-' &&
         name.ends_with(ending);
}

/// Removes the oldest reports until there is room for one.
void make_room(int folder) {
  for (;;) {
    std::array<char, 256> oldest{};
    int count = 0;
    ::lseek(folder, 0, SEEK_SET);
    alignas(dirent64) std::array<char, 4096> entries;
    for (ssize_t bytes; (bytes = ::getdents64(folder, entries.data(), entries.size())) > 0;)
      for (ssize_t at = 0; at < bytes;) {
        const auto* entry = reinterpret_cast<const dirent64*>(entries.data() + at);
        at += entry->d_reclen;
        if (!is_report(entry->d_name)) continue;
        ++count;
        if (oldest[0] == 0 || std::strcmp(entry->d_name, oldest.data()) < 0) std::strcpy(oldest.data(), entry->d_name);
      }
    if (count < most_crash_reports || ::unlinkat(folder, oldest.data(), 0) != 0) return;
  }
}

/// Makes a folder with its parents; returns it opened, or -1.
int open_folder(const char* path) {
  Text part;
  for (const char* at = path; *at; ++at) {
    if (*at == '/' && at > path) ::mkdir(part.c_str(), 0700);
    part << std::string_view(at, 1);
  }
  ::mkdir(path, 0700);
  return ::open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

std::string_view without_folders(std::string_view path) { return path.substr(path.rfind('/') + 1); }

void write_backtrace(int file) {
  std::array<void*, most_frames> frames{};
  const int count = ::backtrace(frames.data(), most_frames);
  write_all(file, "backtrace:\n");
  for (int i = 0; i < count; ++i) {
    const void* address = frames[static_cast<std::size_t>(i)];
    Text line;
    Dl_info info{};
    line << "  ";
    if (::dladdr(address, &info) == 0 || !info.dli_fname) {
      line.hex(reinterpret_cast<std::uintptr_t>(address)) << "\n";
    } else {
      line << without_folders(info.dli_fname) << "+";
      line.hex(reinterpret_cast<std::uintptr_t>(address) - reinterpret_cast<std::uintptr_t>(info.dli_fbase));
      if (info.dli_sname) line << " " << info.dli_sname;
      line << "\n";
    }
    write_all(file, line.view());
  }
}

void write_report(int number, const siginfo_t& info) {
  const int folder = open_folder(prepared.folder.c_str());
  if (folder < 0) return;
  make_room(folder);
  const std::time_t now = std::time(nullptr);
  Text name;
  add_time(name, now, false);
  (name << "-" << prepared.program.view() << "-").number(static_cast<std::uint64_t>(::getpid())) << ending;
  const int file = ::openat(folder, name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  ::close(folder);
  if (file < 0) return;
  Text text;
  text << prepared.header.view() << "time: ";
  add_time(text, now, true);
  text << "\nsignal: " << name_of(number);
  if (info.si_code > 0 && number != SIGABRT)
    (text << ", code ").number(static_cast<std::uint64_t>(info.si_code)) << ", at address ";
  if (info.si_code > 0 && number != SIGABRT) text.hex(reinterpret_cast<std::uintptr_t>(info.si_addr));
  if (!prepared.exception.view().empty()) text << "\nexception: " << prepared.exception.view();
  text << "\n";
  write_all(file, text.view());
  write_backtrace(file);
  ::close(file);
  text.clear();
  text << prepared.program.view() << ": ended by " << name_of(number) << "; a report is in " << prepared.folder.view()
       << "/" << name.view() << "\n";
  write_all(STDERR_FILENO, text.view());
}

extern "C" void end_late_report(int) { end_by(prepared.signal); }

extern "C" void on_crash(int number, siginfo_t* info, void*) {
  pid_t none = 0;
  if (!prepared.thread.compare_exchange_strong(none, ::gettid())) {
    if (none == ::gettid()) end_by(number);  // the report itself crashed
    for (;;) ::pause();                      // another thread writes its report, and ends the program
  }
  prepared.signal = number;
  std::signal(SIGALRM, end_late_report);
  ::alarm(most_seconds);
  write_report(number, *info);
  end_by(number);
}

/// Notes the type of the exception that nothing caught. Its text may quote a file, so it is left out.
[[noreturn]] void on_terminate() {
  if (const std::type_info* type = abi::__cxa_current_exception_type()) {
    int status = 0;
    char* name = abi::__cxa_demangle(type->name(), nullptr, nullptr, &status);
    prepared.exception << (status == 0 ? name : type->name());
    std::free(name);
  }
  prepared.usual();
  std::abort();
}

/// Adds the build ID of the program, which names its exact bytes to who has the build.
int add_build_id(dl_phdr_info* program, std::size_t, void* text) {
  constexpr std::size_t aligned = 4;
  for (int i = 0; i < program->dlpi_phnum; ++i) {
    const ElfW(Phdr)& header = program->dlpi_phdr[i];
    if (header.p_type != PT_NOTE) continue;
    const auto* at = reinterpret_cast<const std::uint8_t*>(program->dlpi_addr + header.p_vaddr);
    for (const auto* end = at + header.p_memsz; at + sizeof(ElfW(Nhdr)) <= end;) {
      ElfW(Nhdr) note;
      std::memcpy(&note, at, sizeof note);
      const std::uint8_t* content = at + sizeof note + (note.n_namesz + aligned - 1) / aligned * aligned;
      if (note.n_type == NT_GNU_BUILD_ID)
        for (std::size_t byte = 0; byte < note.n_descsz; ++byte) static_cast<Text*>(text)->number(content[byte], 16, 2);
      at = content + (note.n_descsz + aligned - 1) / aligned * aligned;
    }
  }
  return 1;  // the program itself is the first
}

}  // namespace

std::string state_folder() {
  const char *given = std::getenv("XDG_STATE_HOME"), *home = std::getenv("HOME");
  const std::string base = given && *given == '/' ? given : std::string(home ? home : "") + "/.local/state";
  return base + "/pipedeck";
}

std::string crash_folder(const std::string& state) { return state + "/crashes"; }

void report_crashes(std::string_view program, std::string_view version, const std::string& folder) {
  prepared.program << program;
  prepared.folder << folder;
  prepared.header << program << " " << version << "\nbuild ID: ";
  ::dl_iterate_phdr(add_build_id, &prepared.header);
  prepared.header << "\n";
  void* frame = nullptr;
  ::backtrace(&frame, 1);  // loads what it needs
  const stack_t stack{prepared.stack.data(), 0, prepared.stack.size()};
  ::sigaltstack(&stack, nullptr);
  struct sigaction action {};
  action.sa_sigaction = on_crash;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  for (const auto& [number, name] : signals) ::sigaction(number, &action, nullptr);
  prepared.usual = std::set_terminate(on_terminate);
}

std::vector<std::string> crash_reports(const std::string& folder) {
  std::vector<std::string> paths;
  std::error_code error;
  for (auto entry = std::filesystem::directory_iterator(folder, error); !error && entry != decltype(entry){};
       entry.increment(error))
    if (is_report(entry->path().filename().string())) paths.push_back(entry->path().string());
  std::ranges::sort(paths);
  return paths;
}

}  // namespace pipedeck
