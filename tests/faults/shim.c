/* Fails the n-th allocation, read or write of a process once it is armed: arm_faults(kind, n), and count_faults() after.

   kind 'm': malloc, calloc and realloc return NULL. 'r': read and pread of a regular file fail with EIO. 'w': write,
   pwrite, ftruncate and fsync of a regular file fail with ENOSPC. With n = 0, points are only counted. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

static volatile int armed_kind = 0;
static volatile long armed_at = 0, points = 0;

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);

void arm_faults(int kind, long at) { points = 0; armed_at = at; armed_kind = kind; }
long count_faults(void) { armed_kind = 0; return points; }

static int fails(int kind) {
    if (armed_kind != kind) return 0;
    return __sync_add_and_fetch(&points, 1) == armed_at;
}

static int is_file(int fd) {
    struct stat about;
    return fstat(fd, &about) == 0 && S_ISREG(about.st_mode);
}

void *malloc(size_t size) {
    if (fails('m')) { errno = ENOMEM; return NULL; }
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
    if (fails('m')) { errno = ENOMEM; return NULL; }
    return __libc_calloc(count, size);
}

void *realloc(void *old, size_t size) {
    if (fails('m')) { errno = ENOMEM; return NULL; }
    return __libc_realloc(old, size);
}

#define WRAP(kind, error, name, parameters, arguments)                                  \
    ssize_t name parameters {                                                           \
        static ssize_t (*real) parameters;                                              \
        if (!real) real = (ssize_t (*) parameters) dlsym(RTLD_NEXT, #name);             \
        if (armed_kind == kind && is_file(fd) && fails(kind)) { errno = error; return -1; } \
        return real arguments;                                                          \
    }

WRAP('r', EIO, read, (int fd, void *buffer, size_t count), (fd, buffer, count))
WRAP('r', EIO, pread, (int fd, void *buffer, size_t count, off_t at), (fd, buffer, count, at))
WRAP('r', EIO, pread64, (int fd, void *buffer, size_t count, off64_t at), (fd, buffer, count, at))
WRAP('w', ENOSPC, write, (int fd, const void *buffer, size_t count), (fd, buffer, count))
WRAP('w', ENOSPC, pwrite, (int fd, const void *buffer, size_t count, off_t at), (fd, buffer, count, at))
WRAP('w', ENOSPC, pwrite64, (int fd, const void *buffer, size_t count, off64_t at), (fd, buffer, count, at))

int fsync(int fd) {
    static int (*real)(int);
    if (!real) real = (int (*)(int)) dlsym(RTLD_NEXT, "fsync");
    if (fails('w')) { errno = EIO; return -1; }
    return real(fd);
}

int fdatasync(int fd) {
    static int (*real)(int);
    if (!real) real = (int (*)(int)) dlsym(RTLD_NEXT, "fdatasync");
    if (fails('w')) { errno = EIO; return -1; }
    return real(fd);
}
