// One pool serves the whole program. A caller does its own share of the work, takes over what
// nobody has started and waits only for pieces in progress. So the work gets done even if the
// system gives no thread at all, or gives it late.
//
// A call of parallel_for takes one of a fixed number of slots, writes its work there, opens the
// slot's gate and increments the number that idle workers watch. Its pieces are cut into as many
// contiguous shares as there are threads. Each thread takes its own share from the front, so that
// it meets the same pieces in every region of a frame, and the rest of other shares from the back.
// Then the gate is shut. No lock is taken and nothing is allocated.
//
// Idle workers look at the number for some tens of microseconds, so that the next region of a frame
// finds them awake, and then sleep. A caller that waits for a helper does the same. Nobody looks if
// there are more threads than cores: a fork-join that spins until all have arrived comes to a halt
// as soon as another program wants a core.
#include "base/parallel_for.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <exception>
#include <limits>
#include <mutex>
#include <system_error>
#include <utility>
#include <vector>

#include "base/float_mode.h"
#include "base/parallel_for_system.h"
#include "supple/error.h"

namespace supple {

namespace {

using Word = std::atomic<std::uint32_t>;

/// Calls that can be in progress at the same time; the caller of a further one does it alone.
constexpr std::size_t num_slots = 16;
/// With more threads than this, some have a share in common.
constexpr int max_shares = 32;
/// How long an idle worker, or a caller whose pieces are all started, looks before it sleeps:
/// longer than the caller works alone between two regions of a frame. 20 and 200 us were no better.
constexpr std::chrono::microseconds patience{50};

/// Looks until `found` or until patience is used up. Returns whether it was found.
template <class Found>
bool look_for(const Found& found) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point end = Clock::now() + patience;
  do {
    for (int i = 0; i < 16; ++i) {
      if (found()) return true;
      detail::pause_processor();
    }
  } while (Clock::now() < end);
  return false;
}

/// Pieces first .. end-1 that nobody has started.
class alignas(64) Share {
 public:
  void fill(int first, int end) { left_.store(packed(first, end), std::memory_order_relaxed); }

  /// Takes a piece; -1 if there is none.
  int take_first() {
    return take([](int first, int end) { return std::array{first, first + 1, end}; });
  }
  int take_last() {
    return take([](int first, int end) { return std::array{end - 1, first, end - 1}; });
  }

 private:
  static std::uint64_t packed(int first, int end) {
    return static_cast<std::uint64_t>(first) << 32 | static_cast<std::uint64_t>(end);
  }

  template <class Choice>
  int take(const Choice& choose) {
    std::uint64_t now = left_.load(std::memory_order_relaxed);
    while (true) {
      const int first = static_cast<int>(now >> 32), end = static_cast<int>(now & 0xffffffff);
      if (first >= end) return -1;
      const auto [piece, new_first, new_end] = choose(first, end);
      if (left_.compare_exchange_weak(now, packed(new_first, new_end), std::memory_order_relaxed)) {
        return piece;
      }
    }
  }

  std::atomic<std::uint64_t> left_{0};
};

/// A call of parallel_for.
struct Call {
  const void* context;
  void (*call)(const void*, int);
  std::uint32_t float_mode;
  int num_helpers, num_shares;
};

/// The work of a call of parallel_for, cut into shares.
class Pieces {
 public:
  /// Opens pieces 0 .. n-1.
  void open(const Call& call, int n) {
    call_ = call;
    first_fault_.store(std::numeric_limits<int>::max(), std::memory_order_relaxed);
    for (int k = 0; k < call.num_shares; ++k) {
      shares_[static_cast<std::size_t>(k)].fill(boundary(k, n), boundary(k + 1, n));
    }
  }

  const Call& call() const { return call_; }

  /// Works on the pieces of one share, then on those of the others.
  void work(int share) {
    const auto own = static_cast<std::size_t>(share);
    for (int i = shares_[own].take_first(); i >= 0; i = shares_[own].take_first()) piece(i);
    const auto count = static_cast<std::size_t>(call_.num_shares);
    for (std::size_t k = 1; k < count; ++k) {
      Share& other = shares_[(own + k) % count];
      for (int i = other.take_last(); i >= 0; i = other.take_last()) piece(i);
    }
  }

  /// The exception of the first piece that threw.
  std::exception_ptr fault() { return std::exchange(fault_, nullptr); }

 private:
  int boundary(int share, int n) const {
    return static_cast<int>((std::int64_t{n} * share + call_.num_shares - 1) / call_.num_shares);
  }

  /// If a piece throws, only later pieces are skipped. So of all pieces that would throw, the first
  /// one's exception is kept.
  void piece(int i) noexcept {
    if (i > first_fault_.load(std::memory_order_relaxed)) return;
    try {
      call_.call(call_.context, i);
    } catch (...) {
      const std::lock_guard lock(fault_mutex_);
      if (i > first_fault_.load(std::memory_order_relaxed)) return;
      first_fault_.store(i, std::memory_order_relaxed);
      fault_ = std::current_exception();
    }
  }

  Call call_{};
  std::atomic<int> first_fault_{0};
  std::exception_ptr fault_;
  std::mutex fault_mutex_;
  std::array<Share, max_shares> shares_;
};

/// The place for one call at a time.
class alignas(64) Slot {
 public:
  bool take() {
    return !is_taken_.load(std::memory_order_relaxed) &&
           !is_taken_.exchange(true, std::memory_order_acquire);
  }
  void give_back() { is_taken_.store(false, std::memory_order_release); }

  /// For the caller: opens pieces 0 .. n-1.
  void open(const Call& call, int n) {
    pieces_.open(call, n);
    gate_.store(static_cast<std::uint32_t>(call.num_helpers) * vacancy, std::memory_order_release);
  }

  /// For a helper: enters if help is wanted, works until no piece is left and leaves.
  void help(int worker) {
    std::uint32_t gate = gate_.load(std::memory_order_relaxed);
    do {
      if (gate < vacancy || (gate & caller_sleeps) != 0) return;
    } while (!gate_.compare_exchange_weak(gate, gate - vacancy + 1, std::memory_order_acquire,
                                          std::memory_order_relaxed));
    set_float_mode(pieces_.call().float_mode);
    pieces_.work(1 + worker % (pieces_.call().num_shares - 1));
    gate = gate_.fetch_sub(1, std::memory_order_acq_rel);
    // The caller may be gone by now and another may have come, which then wakes for nothing.
    if (gate == (caller_sleeps | 1)) detail::wake(gate_, true);
  }

  /// For the caller.
  void work() { pieces_.work(0); }

  /// For the caller: lets nobody in any more, and waits for those inside.
  void shut(bool may_look) {
    std::uint32_t inside = gate_.fetch_and(vacancy - 1, std::memory_order_acq_rel) % vacancy;
    const auto empty = [&] { return gate_.load(std::memory_order_acquire) == 0; };
    if (inside == 0 || (may_look && look_for(empty))) return;
    std::uint32_t gate = gate_.fetch_or(caller_sleeps, std::memory_order_acq_rel) | caller_sleeps;
    for (; gate != caller_sleeps; gate = gate_.load(std::memory_order_acquire)) {
      detail::sleep_while(gate_, gate);
    }
    gate_.store(0, std::memory_order_relaxed);
  }

  std::exception_ptr fault() { return pieces_.fault(); }

 private:
  /// The gate: how many helpers are inside, how many more can enter, whether the caller sleeps.
  static constexpr std::uint32_t vacancy = 1 << 12, caller_sleeps = 1u << 31;

  // What helpers write is in a cache line of its own.
  alignas(64) Word gate_{0};
  alignas(64) Pieces pieces_;
  std::atomic<bool> is_taken_{false};
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
    end_ = true;
    announced_.fetch_add(1);
    detail::wake(announced_, true);
    drop_if_forked();
    for (std::thread& thread : threads_) thread.join();
  }

  /// Ensures that there are `count` threads, or as many as the system gives. Returns their number.
  int grow(int count) {
    const std::lock_guard lock(mutex_);
    drop_if_forked();
    const int cores = detail::usable_cores();
    try {
      while (static_cast<int>(threads_.size()) < count) {
        const int number = static_cast<int>(threads_.size());
        threads_.emplace_back([this, number] { serve(number); });
      }
    } catch (const std::system_error&) {
      // One thread fewer.
    }
    may_look_ = static_cast<int>(threads_.size()) < cores;
    return static_cast<int>(threads_.size());
  }

  /// False: all slots are taken.
  bool run(std::size_t first_slot, const Call& call, int n) {
    Slot* slot = nullptr;
    for (std::size_t k = 0; k < num_slots && slot == nullptr; ++k) {
      Slot& candidate = slots_[(first_slot + k) % num_slots];
      if (candidate.take()) slot = &candidate;
    }
    if (slot == nullptr) return false;
    slot->open(call, n);
    announced_.fetch_add(1);
    if (sleepers_.load() > 0) detail::wake(announced_, call.num_helpers > 1);
    slot->work();
    slot->shut(may_look_.load(std::memory_order_relaxed));
    const std::exception_ptr fault = slot->fault();
    slot->give_back();
    if (fault) std::rethrow_exception(fault);
    return true;
  }

  std::size_t next_slot() { return next_slot_.fetch_add(1) % num_slots; }

 private:
  void serve(int number) {
    while (true) {
      const std::uint32_t seen = announced_.load(std::memory_order_acquire);
      if (end_) return;
      for (Slot& slot : slots_) slot.help(number);
      const auto news = [&] { return announced_.load(std::memory_order_relaxed) != seen; };
      if (news()) continue;
      if (may_look_.load(std::memory_order_relaxed) && look_for(news)) continue;
      // Either this thread sees the announcement, or the announcer sees that this thread sleeps.
      sleepers_.fetch_add(1);
      while (announced_.load() == seen) detail::sleep_while(announced_, seen);
      sleepers_.fetch_sub(1);
    }
  }

  /// A forked child has the handles of threads without the threads.
  void drop_if_forked() {
    if (process_ == getpid()) return;
    process_ = getpid();
    for (std::thread& thread : threads_) thread.detach();
    threads_.clear();
    sleepers_ = 0;
  }

  alignas(64) Word announced_{0};
  std::atomic<bool> end_{false}, may_look_{false};
  alignas(64) std::atomic<int> sleepers_{0};
  std::atomic<std::size_t> next_slot_{0};
  std::array<Slot, num_slots> slots_;
  std::mutex mutex_;
  std::vector<std::thread> threads_;
  pid_t process_ = getpid();
};

/// Each share is a task. Since tasks take over the rest of other shares, it does not matter which
/// of them run at the same time, or how late.
void run_as_tasks(TaskSystem& tasks, const Call& call, int n) {
  Pieces pieces;
  pieces.open(call, n);
  const auto task = [](void* context, int share) {
    auto& work = *static_cast<Pieces*>(context);
    const std::uint32_t own_mode = float_mode();
    set_float_mode(work.call().float_mode);
    work.work(share);
    set_float_mode(own_mode);
  };
  tasks.run(call.num_shares, task, &pieces);
  if (const std::exception_ptr fault = pieces.fault()) std::rethrow_exception(fault);
}

}  // namespace

/// Only says which slot to try first: the threads belong to the program.
struct Threads::Pool {
  std::size_t first_slot;
};

Threads::Threads(int count, TaskSystem* tasks) : tasks_(tasks) {
  if (count < 0 || count > 1024) {
    throw Error(ErrorKind::invalid_input, "threads", "expected a number from 0 (all) to 1024");
  }
  const int wanted = count > 0 ? count : detail::usable_cores();
  if (wanted == 1) return;
  if (tasks_ != nullptr) {
    count_ = wanted;
    return;
  }
  Workers& workers = Workers::of_the_program();
  count_ = std::min(wanted, 1 + workers.grow(wanted - 1));
  if (count_ > 1) pool_ = std::make_unique<Pool>(Pool{workers.next_slot()});
}

Threads::~Threads() = default;

void Threads::run(int n, const void* context, void (*call)(const void*, int)) {
  const int helpers = std::min(count_, n) - 1;
  const Call work{.context = context,
                  .call = call,
                  .float_mode = float_mode(),
                  .num_helpers = helpers,
                  .num_shares = std::min(helpers + 1, max_shares)};
  if (tasks_ != nullptr) {
    run_as_tasks(*tasks_, work, n);
    return;
  }
  if (Workers::of_the_program().run(pool_->first_slot, work, n)) return;
  for (int i = 0; i < n; ++i) call(context, i);
}

}  // namespace supple
