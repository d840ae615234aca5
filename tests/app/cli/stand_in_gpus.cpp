// SPDX-License-Identifier: Apache-2.0
// The module for GPUs on the stand-in for NVIDIA's libraries, as a program loads it. Environment variables describe its
// machine, including those of fake_nvml.cpp. FAKE_GPUS: number of GPUs; FAKE_NAMES: their names, separated by ";";
// FAKE_DRIVER: the CUDA version of the driver (12020); FAKE_LOST_AFTER: milliseconds until the GPUs' memory is damaged
// (ECC); FAKE_MEMORY: KiB of each GPU; FAKE_FAILS: a function whose first call fails. CUDA_VISIBLE_DEVICES works as
// usual.
#include <chrono>
#include <cstdlib>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/cuda_stand_in/stand_in.hpp"

namespace {

std::vector<std::string> words(const char* variable, char divider) {
  std::vector<std::string> list;
  const char* text = std::getenv(variable);
  std::istringstream in(text ? text : "");
  for (std::string word; std::getline(in, word, divider);) list.push_back(word);
  return list;
}

struct Machine {
  Machine() {
    const auto count = words("FAKE_GPUS", ' ');
    int devices = count.empty() ? 2 : std::stoi(count.front());
    if (const auto visible = words("CUDA_VISIBLE_DEVICES", ','); !visible.empty()) {
      devices = static_cast<int>(visible.size());
      for (int i = 0; i < devices; ++i) cuda_stand_in::set_place(i, std::stoi(visible[static_cast<std::size_t>(i)]));
    }
    cuda_stand_in::set_devices(devices);
    const auto names = words("FAKE_NAMES", ';');
    for (std::size_t i = 0; i < names.size(); ++i) cuda_stand_in::set_name(static_cast<int>(i), names[i]);
    if (const auto driver = words("FAKE_DRIVER", ' '); !driver.empty())
      cuda_stand_in::set_driver(std::stoi(driver.front()));
    if (const auto fails = words("FAKE_FAILS", ' '); !fails.empty()) cuda_stand_in::fail_call(1, fails.front());
    if (const auto memory = words("FAKE_MEMORY", ' '); !memory.empty())
      cuda_stand_in::set_memory(std::stoul(memory.front()) << 10);
    if (const auto after = words("FAKE_LOST_AFTER", ' '); !after.empty())
      std::thread([wait = std::stoi(after.front())] {
        std::this_thread::sleep_for(std::chrono::milliseconds(wait));
        cuda_stand_in::lose_devices(cudaErrorECCUncorrectable);
      }).detach();
  }
} const the_machine;

}  // namespace
