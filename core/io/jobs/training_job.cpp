// SPDX-License-Identifier: Apache-2.0
#include "core/io/jobs/training_job.hpp"

namespace pipedeck::io::jobs {

std::vector<std::string> notes_of(const TrainingJob& job) {
  std::vector<std::string> notes;
  for (const std::string& assumed : job.share.assumed) notes.push_back("assumed: " + assumed);
  for (const std::string& option : job.share.left_out)
    notes.push_back("left out, may change time or memory: " + option);
  notes.push_back(job.engine + " " + job.version + ": " + text_of(job.share));
  return notes;
}

}  // namespace pipedeck::io::jobs
