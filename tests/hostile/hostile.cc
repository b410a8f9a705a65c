// Reads stores with one bit flipped or one file cut, in every possible way or a sample of them, and
// checks that nothing crashes or hangs, that memory stays bounded, that the bytes of files sum up,
// and that no more is lost than what the change has hit.
//
//   hostile [--fixtures FOLDER] [--seed N] [--seconds S]      a sample, the same for the same seed
//   hostile [--fixtures FOLDER] --all [--every N] [STORE…]    everything, of some small stores, or
//                                                             one change in N
//   hostile [--fixtures FOLDER] --one STORE FILE flip|cut N   one change; shows what it printed
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <random>
#include <stdexcept>

#include "tests/hostile/hostile_store.h"

extern "C" void __sanitizer_set_death_callback(void (*callback)()) __attribute__((weak));

namespace {

using saranga::test::Change;
using saranga::test::HostileStore;
using Clock = std::chrono::steady_clock;

constexpr int kHangSeconds = 30;
constexpr std::uint64_t kWholeStoreEvery = 16;  // one of so many changes is read with everything
constexpr const char* kSampled[] = {
    "xa",  "unconvertible", "bindings",  "protocols",   "large",
    "aio", "paging",        "compacted", "hornetq-2.4", "cases/a6-reused-file"};
constexpr const char* kSmall[] = {"xa", "unconvertible", "cases/e6-orphan-page-transactions"};

struct Options {
  std::string fixtures = SARANGA_FIXTURES;
  std::uint64_t seed = 1;
  double seconds = 12;
  std::uint64_t every = 1;
  bool all = false;
  bool one = false;
  std::vector<std::string> rest;
};

// What is being read, for whoever ends the process.
char present[512];

void tell_present() {
  static constexpr char kStart[] = "hostile: this change ended the program: ";
  (void)!write(STDERR_FILENO, kStart, sizeof kStart - 1);
  (void)!write(STDERR_FILENO, present, std::strlen(present));
  (void)!write(STDERR_FILENO, "\n", 1);
}

void on_signal(int signal) {
  tell_present();
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

void watch() {
  std::signal(SIGALRM, on_signal);  // a change that takes too long
  if (&__sanitizer_set_death_callback != nullptr) {
    __sanitizer_set_death_callback(tell_present);
    return;
  }
  for (const int signal : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL}) {
    std::signal(signal, on_signal);
  }
}

std::uint64_t number_of(std::string_view text) {
  std::uint64_t number = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), number);
  if (end.ec != std::errc{} || end.ptr != text.data() + text.size()) {
    throw std::invalid_argument("no number: " + std::string(text));
  }
  return number;
}

Options parse(const std::vector<std::string>& arguments) {
  Options options;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    const auto value = [&]() -> const std::string& { return arguments.at(++i); };
    if (argument == "--fixtures") {
      options.fixtures = value();
    } else if (argument == "--seed") {
      options.seed = number_of(value());
    } else if (argument == "--seconds") {
      options.seconds = static_cast<double>(number_of(value()));
    } else if (argument == "--every") {
      options.every = std::max<std::uint64_t>(number_of(value()), 1);
    } else if (argument == "--all") {
      options.all = true;
    } else if (argument == "--one") {
      options.one = true;
    } else {
      options.rest.push_back(argument);
    }
  }
  return options;
}

HostileStore load(const Options& options, const std::string& name) {
  HostileStore store(name, options.fixtures + "/" + name + "/store");
  if (store.changes() == 0) throw std::invalid_argument("no store: " + name);
  return store;
}

// Reads one change and says whether all is well.
bool check(const HostileStore& store, const Change& change, bool whole) {
  const std::string name = store.describe(change);
  std::snprintf(present, sizeof present, "%s%s", name.c_str(), whole ? " (whole store)" : "");
  const itimerval limit{.it_interval = {}, .it_value = {.tv_sec = kHangSeconds, .tv_usec = 0}};
  setitimer(ITIMER_REAL, &limit, nullptr);
  std::string verdict = store.verdict(change, store.print(change, whole));
  if (verdict.empty() && whole) verdict = store.interrogate(change);
  if (verdict.empty()) return true;
  std::printf("FAIL %s: %s\n", present, verdict.c_str());
  return false;
}

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

int run_sample(const Options& options) {
  std::vector<HostileStore> stores;
  for (const char* name : kSampled) stores.push_back(load(options, name));
  std::mt19937_64 random(options.seed);
  const auto start = Clock::now();
  std::uint64_t done = 0;
  std::uint64_t failed = 0;
  while (seconds_since(start) < options.seconds) {
    const HostileStore& store = stores[random() % stores.size()];
    const Change change = store.change(random() % store.changes());
    if (!check(store, change, random() % kWholeStoreEvery == 0)) ++failed;
    ++done;
  }
  std::printf("seed %llu: %llu changes read, %llu failed\n",
              static_cast<unsigned long long>(options.seed), static_cast<unsigned long long>(done),
              static_cast<unsigned long long>(failed));
  return failed == 0 && done != 0 ? 0 : 1;
}

int run_all(const Options& options) {
  std::vector<std::string> names = options.rest;
  if (names.empty()) names.assign(std::begin(kSmall), std::end(kSmall));
  std::uint64_t failed = 0;
  for (const std::string& name : names) {
    const HostileStore store = load(options, name);
    const auto start = Clock::now();
    std::uint64_t done = 0;
    std::uint64_t failed_here = 0;
    for (std::uint64_t i = 0; i < store.changes(); i += options.every) {
      if (!check(store, store.change(i), done % (kWholeStoreEvery * 8) == 0)) ++failed_here;
      ++done;
    }
    std::printf("%s: %llu changes read in %.0f s, %llu failed\n", name.c_str(),
                static_cast<unsigned long long>(done), seconds_since(start),
                static_cast<unsigned long long>(failed_here));
    std::fflush(stdout);
    failed += failed_here;
  }
  return failed == 0 ? 0 : 1;
}

int run_one(const Options& options) {
  if (options.rest.size() != 4) throw std::invalid_argument("--one STORE FILE flip|cut N");
  const HostileStore store = load(options, options.rest[0]);
  for (std::size_t file = 0; file < store.files().size(); ++file) {
    if (store.files()[file].part + "/" + store.files()[file].name != options.rest[1]) continue;
    const Change change{.kind = options.rest[2] == "cut" ? Change::Kind::kCut : Change::Kind::kFlip,
                        .file = file,
                        .at = number_of(options.rest[3])};
    std::printf("%s", store.print(change, false).json.c_str());
    return check(store, change, false) && check(store, change, true) ? 0 : 1;
  }
  throw std::invalid_argument("no file: " + options.rest[1]);
}

}  // namespace

int main(int count, char** values) {
  try {
    const Options options = parse({values + 1, values + count});
    watch();
    if (options.one) return run_one(options);
    return options.all ? run_all(options) : run_sample(options);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "hostile: %s\n", error.what());
    return 2;
  }
}
