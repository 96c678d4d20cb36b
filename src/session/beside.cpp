#include <utility>

#include "session/session_state.h"
#include "supple/error.h"

namespace supple {

void begin(SessionState& s, Command command, const char* busy, bool alone, Work work) {
  s.job.emplace(Job{.command = std::move(command), .busy = busy, .alone = alone, .work = {}});
  s.job->work.start(std::move(work));
  if (s.job->work.is_done(s.options.wait_ms)) end_job(s);
}

bool may_begin(SessionState& s) {
  if (s.dropped.has_work() && s.dropped.is_done()) s.dropped = {};
  return !s.job && !s.dropped.has_work();
}

bool end_job(SessionState& s) {
  if (!s.job || !s.job->work.is_done()) return false;
  Job job = std::move(*s.job);
  s.job.reset();
  try {
    const Finish finish = job.work.take();
    Answer answer = finish(s);
    reply(s, job.command, answer);
  } catch (const Error& error) {
    reply_error(s, job.command.client, job.command.id, error);
  } catch (const std::exception& error) {  // from the standard library, mostly out of memory
    reply_error(s, job.command.client, job.command.id,
                Error(ErrorKind::invalid_input, job.command.name, error.what()));
  }
  return true;
}

void drop_job(SessionState& s, const std::string& why) {
  Job job = std::move(*s.job);
  s.job.reset();
  // A job begins only when nothing dropped is left, so this waits for nothing.
  s.dropped = std::move(job.work);
  if (job.command.name.empty()) return take_back(s);  // the job settled a pause
  reply_error(s, job.command.client, job.command.id,
              Error(ErrorKind::invalid_input, job.command.name, why));
}

void retire(SessionState& s, std::unique_ptr<Simulation> simulation) {
  if (!simulation->change_is_waiting()) return;
  // The simulation is destroyed here, whoever destroys the last copy of the work.
  const auto last = std::make_shared<std::unique_ptr<Simulation>>(std::move(simulation));
  s.retired.start([last]() -> Finish {
    last->reset();
    return {};
  });
}

}  // namespace supple
