/**
 * C source of a library that is preloaded into a server and changes its wall clock.
 *
 * Only the wall clock is changed. Redis times its event loop with the monotonic clock, so it keeps
 * its real pace, as on a machine whose clock is set. The library reads the clock from the kernel
 * and not through libc: if it looked up libc's own functions, the allocator could call it before it
 * has found them.
 *
 * Valkey 9.1 reads the wall clock only once a millisecond, and in between adds what a counter of the
 * processor shows, which no library can change. On x86-64 it does so only if /proc/cpuinfo says that the
 * counter is steady. So the library hides that file, and the server reads the clock each time.
 *
 * The source is text in a module, so that the TypeScript compiler alone builds the whole package.
 */
export const CLOCK_SHIM_SOURCE = String.raw`
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

_Static_assert(sizeof(long) == 8, "needs a 64-bit system");

/* From real_ns on, the clock shows shown_ns and advances rate times as fast as the real one. */
struct line { int64_t real_ns; int64_t shown_ns; double rate; };

/* The writer fills the line that is not in use, and then switches over with a single byte. */
struct page { uint8_t version; uint8_t unused[7]; struct line lines[2]; };

static const volatile struct page *page;

__attribute__((constructor)) static void open_page(void) {
  const char *path = getenv("QUORATE_CLOCK_FILE");
  int fd = path == NULL ? -1 : open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return;
  void *map = mmap(NULL, sizeof(struct page), PROT_READ, MAP_SHARED, fd, 0);
  close(fd);
  if (map != MAP_FAILED) page = map;
}

static int64_t shown(int64_t real_ns) {
  if (page == NULL) return real_ns;
  for (;;) {
    uint8_t version = __atomic_load_n(&page->version, __ATOMIC_ACQUIRE);
    const volatile struct line *line = &page->lines[version & 1];
    int64_t passed_ns = real_ns - line->real_ns;
    int64_t shown_ns = line->shown_ns;
    double rate = line->rate;
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    if (__atomic_load_n(&page->version, __ATOMIC_RELAXED) != version) continue;
    return shown_ns + (rate == 1.0 ? passed_ns : (int64_t)((double)passed_ns * rate));
  }
}

static int64_t shown_now(void) {
  struct timespec real;
  syscall(SYS_clock_gettime, CLOCK_REALTIME, &real);
  return shown((int64_t)real.tv_sec * 1000000000 + real.tv_nsec);
}

int clock_gettime(clockid_t clock, struct timespec *out) {
  if (clock != CLOCK_REALTIME && clock != CLOCK_REALTIME_COARSE)
    return (int)syscall(SYS_clock_gettime, clock, out);
  int64_t ns = shown_now();
  out->tv_sec = ns / 1000000000;
  out->tv_nsec = ns % 1000000000;
  return 0;
}

int gettimeofday(struct timeval *restrict out, void *restrict zone) {
  (void)zone;
  int64_t ns = shown_now();
  out->tv_sec = ns / 1000000000;
  out->tv_usec = ns % 1000000000 / 1000;
  return 0;
}

time_t time(time_t *out) {
  time_t seconds = shown_now() / 1000000000;
  if (out != NULL) *out = seconds;
  return seconds;
}

static FILE *open_stream(const char *path, const char *mode) {
  if (page != NULL && strcmp(path, "/proc/cpuinfo") == 0) {
    errno = ENOENT;
    return NULL;
  }
  FILE *(*libc_fopen)(const char *, const char *);
  *(void **)&libc_fopen = dlsym(RTLD_NEXT, "fopen");
  return libc_fopen(path, mode);
}

FILE *fopen(const char *restrict path, const char *restrict mode) {
  return open_stream(path, mode);
}

/* What programs with _FILE_OFFSET_BITS=64 call. On a 64-bit system it is the same; musl has only the macro. */
#undef fopen64
FILE *fopen64(const char *restrict path, const char *restrict mode) {
  return open_stream(path, mode);
}
`;
