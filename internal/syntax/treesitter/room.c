// What ulimit leaves to a process, looked at before the runtime of Go starts: that reserves
// address space at its start and threads later, and ends with a trace where it may not.
#ifdef __linux__

#define _GNU_SOURCE
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

enum {
  MEGABYTE = 1 << 20,
  NEEDED_DATA = 160,   // megabytes; below, not even a small project can be read
  NEEDED_SPACE = 1536, // of address space, of which the runtime of Go reserves most and uses little
  THREAD = 1,          // of stack for a thread; nothing recurses on what a text holds
};

static void refuse(const char *of, const char *option, rlim_t is, unsigned needed) {
  char said[256];
  int n = snprintf(said, sizeof said, "code-intel: only %llu MB of %s may be taken (ulimit %s), and %u are needed\n  ulimit %s %u\n",
                   (unsigned long long)(is / MEGABYTE), of, option, needed, option, needed * 1024);
  if (n > 0 && write(STDERR_FILENO, said, (size_t)n) < 0) _exit(2);
  _exit(3);
}

__attribute__((constructor)) static void make_room(void) {
  struct rlimit data, space;
  if (getrlimit(RLIMIT_DATA, &data) != 0 || getrlimit(RLIMIT_AS, &space) != 0) return;
  if (data.rlim_cur / MEGABYTE < NEEDED_DATA) refuse("memory", "-d", data.rlim_cur, NEEDED_DATA);
  if (space.rlim_cur / MEGABYTE < NEEDED_SPACE) refuse("address space", "-v", space.rlim_cur, NEEDED_SPACE);
  if (data.rlim_cur == RLIM_INFINITY && space.rlim_cur == RLIM_INFINITY) return;
  mallopt(M_ARENA_MAX, 1); // each reserves 64 MB
  pthread_attr_t attr;
  if (pthread_attr_init(&attr) != 0) return;
  if (pthread_attr_setstacksize(&attr, THREAD * MEGABYTE) == 0) pthread_setattr_default_np(&attr);
  pthread_attr_destroy(&attr);
}

#endif
