#include "base/parallel_for.h"

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include "supple/error.h"

namespace supple {

struct Threads::Pool {
  explicit Pool(int count)
      : control(oneapi::tbb::global_control::max_allowed_parallelism,
                static_cast<std::size_t>(count)),
        arena(count) {}

  /// The machine may have fewer cores than the caller asked threads for.
  oneapi::tbb::global_control control;
  oneapi::tbb::task_arena arena;
};

Threads::Threads(int count) {
  if (count < 0 || count > 1024) {
    throw Error(ErrorKind::invalid_input, "threads", "expected a number from 0 (all) to 1024");
  }
  count_ = count > 0 ? count : oneapi::tbb::info::default_concurrency();
  if (count_ > 1) pool_ = std::make_unique<Pool>(count_);
}

Threads::~Threads() = default;

void Threads::run(int n, const void* context, void (*call)(const void*, int)) {
  pool_->arena.execute([&] {
    oneapi::tbb::parallel_for(
        oneapi::tbb::blocked_range<int>(0, n, 1),
        [&](const oneapi::tbb::blocked_range<int>& range) {
          for (int i = range.begin(); i < range.end(); ++i) call(context, i);
        },
        oneapi::tbb::simple_partitioner());
  });
}

}  // namespace supple
