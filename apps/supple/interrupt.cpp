#include "supple/interrupt.h"

#include <signal.h>

#include <csignal>

namespace supple::cli {

namespace {

volatile std::sig_atomic_t noted = 0;

constexpr int signals[] = {SIGINT, SIGTERM};

void set_handler(int signal, void (*handler)(int)) {
  struct sigaction now {};
  if (::sigaction(signal, nullptr, &now) != 0 || now.sa_handler == SIG_IGN) return;
  struct sigaction next {};
  next.sa_handler = handler;
  next.sa_flags = SA_RESTART;  // a pending write continues
  ::sigaction(signal, &next, nullptr);
}

void note(int signal) {
  noted = signal;
  for (const int each : signals) set_handler(each, SIG_DFL);
}

}  // namespace

Interrupt::Interrupt() {
  noted = 0;
  for (const int signal : signals) set_handler(signal, note);
}

Interrupt::~Interrupt() {
  for (const int signal : signals) set_handler(signal, SIG_DFL);
}

int Interrupt::signal() { return noted; }

}  // namespace supple::cli
