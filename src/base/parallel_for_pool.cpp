// In place of parallel_for.cpp where there is no TBB. One pool serves the whole program: threads
// sleep until there is work, and whoever brings work does his share, so that it gets done even
// where the system gives no thread at all.
#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "base/parallel_for.h"
#include "supple/error.h"

namespace supple {

namespace {

/// A call of parallel_for. It lives on the stack of its caller, who waits for the helpers.
struct Job {
  const void* context;
  void (*call)(const void*, int);
  int size;
  // Guarded by the pool's mutex.
  int helpers_wanted;
  int helpers = 0;           // at work
  std::exception_ptr fault;  // the first
  Job* younger = nullptr;

  std::atomic<int> next{0};

  bool wants_help() const { return helpers_wanted > 0 && next.load() < size; }

  void work(std::mutex& mutex) noexcept {
    try {
      for (int i = next.fetch_add(1); i < size; i = next.fetch_add(1)) call(context, i);
    } catch (...) {
      next.store(size);
      const std::lock_guard lock(mutex);
      if (!fault) fault = std::current_exception();
    }
  }
};

class Workers {
 public:
  static Workers& of_the_program() {
    static Workers workers;
    return workers;
  }

  Workers() = default;
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;
  ~Workers() {
    {
      const std::lock_guard lock(mutex_);
      ends_ = true;
    }
    work_came_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

  /// Sees to it that there are `count` threads, or as many as the system gives; how many there are.
  int grow(int count) {
    const std::lock_guard lock(mutex_);
    try {
      while (static_cast<int>(threads_.size()) < count) {
        threads_.emplace_back([this] { serve(); });
      }
    } catch (const std::system_error&) {
      // One thread less.
    }
    return static_cast<int>(threads_.size());
  }

  void run(Job& job) {
    {
      const std::lock_guard lock(mutex_);
      *last_link() = &job;
    }
    work_came_.notify_all();
    job.work(mutex_);
    std::unique_lock lock(mutex_);
    take_out(job);
    helper_left_.wait(lock, [&] { return job.helpers == 0; });
    if (job.fault) std::rethrow_exception(job.fault);
  }

 private:
  /// Where the next job goes. Jobs are few: one for each thread that brings work.
  Job** last_link() {
    Job** link = &oldest_;
    while (*link != nullptr) link = &(*link)->younger;
    return link;
  }

  void take_out(const Job& job) {
    Job** link = &oldest_;
    while (*link != &job) link = &(*link)->younger;
    *link = job.younger;
  }

  Job* job_to_help() const {
    Job* job = oldest_;
    while (job != nullptr && !job->wants_help()) job = job->younger;
    return job;
  }

  void serve() {
    std::unique_lock lock(mutex_);
    while (true) {
      Job* job = nullptr;
      work_came_.wait(lock, [&] { return ends_ || (job = job_to_help()) != nullptr; });
      if (job == nullptr) return;
      --job->helpers_wanted;
      ++job->helpers;
      lock.unlock();
      job->work(mutex_);
      lock.lock();
      if (--job->helpers == 0) helper_left_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable work_came_, helper_left_;
  Job* oldest_ = nullptr;
  bool ends_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace

/// Only says that there is help to be had: the threads are the program's.
struct Threads::Pool {};

Threads::Threads(int count) {
  if (count < 0 || count > 1024) {
    throw Error(ErrorKind::invalid_input, "threads", "expected a number from 0 (all) to 1024");
  }
  const int wanted =
      count > 0 ? count : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  count_ = wanted == 1 ? 1 : std::min(wanted, 1 + Workers::of_the_program().grow(wanted - 1));
  if (count_ > 1) pool_ = std::make_unique<Pool>();
}

Threads::~Threads() = default;

void Threads::run(int n, const void* context, void (*call)(const void*, int)) {
  Job job{.context = context, .call = call, .size = n, .helpers_wanted = std::min(count_, n) - 1};
  Workers::of_the_program().run(job);
}

}  // namespace supple
