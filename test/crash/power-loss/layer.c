/*
 * Loaded into the program (LD_PRELOAD): writes down what it does to the files of one directory, in order, so that a test can tell what a
 * power failure might have left of them. Nothing is synced: the machine of the test stays up.
 *
 * POWER_LOSS_DIRECTORY: the directory, an absolute path. POWER_LOSS_LOG: the file that gets the records. Both are required.
 *
 * A record is a header (struct record, little-endian) and `length` bytes.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

enum { CREATE = 1, WRITE, TRUNCATE, SYNC, REMOVE, RENAME, SYNC_DIRECTORY };

struct __attribute__((packed)) record {
  uint8_t kind;
  uint32_t file;   /* which file: a new one of the same name has another number */
  uint64_t offset; /* WRITE: where; TRUNCATE: the new size */
  uint32_t length;
};

#define MOST_FILES 4096
#define MOST_DESCRIPTORS 65536
#define DIRECTORY UINT32_MAX

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER; /* an operation and its record are one */
static char directory[4096];
static int log_descriptor = -1;
static uint32_t files = 0;
static char *names[MOST_FILES + 1];               /* by number of the file; NULL: it has no name any more */
static uint32_t by_descriptor[MOST_DESCRIPTORS];  /* 0: not ours */

static int (*real_open)(const char *, int, ...);
static int (*real_close)(int);
static ssize_t (*real_write)(int, const void *, size_t);
static ssize_t (*real_pwrite)(int, const void *, size_t, off64_t);
static int (*real_ftruncate)(int, off64_t);
static int (*real_fsync)(int);
static int (*real_fdatasync)(int);
static int (*real_unlink)(const char *);
static int (*real_rename)(const char *, const char *);

__attribute__((constructor)) static void begin(void) {
  real_open = dlsym(RTLD_NEXT, "open64");
  real_close = dlsym(RTLD_NEXT, "close");
  real_write = dlsym(RTLD_NEXT, "write");
  real_pwrite = dlsym(RTLD_NEXT, "pwrite64");
  real_ftruncate = dlsym(RTLD_NEXT, "ftruncate64");
  real_fsync = dlsym(RTLD_NEXT, "fsync");
  real_fdatasync = dlsym(RTLD_NEXT, "fdatasync");
  real_unlink = dlsym(RTLD_NEXT, "unlink");
  real_rename = dlsym(RTLD_NEXT, "rename");
  const char *place = getenv("POWER_LOSS_DIRECTORY"), *log = getenv("POWER_LOSS_LOG");
  if (!place || !log || strlen(place) >= sizeof directory) abort();
  strcpy(directory, place);
  log_descriptor = real_open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (log_descriptor < 0) abort();
}

static void record(uint8_t kind, uint32_t file, uint64_t offset, const void *bytes, uint32_t length) {
  struct record header = {kind, file, offset, length};
  char *whole = malloc(sizeof header + length);
  memcpy(whole, &header, sizeof header);
  memcpy(whole + sizeof header, bytes, length);
  if (real_write(log_descriptor, whole, sizeof header + length) != (ssize_t)(sizeof header + length)) abort();
  free(whole);
}

/* The name within the directory; NULL for any other path. */
static const char *within(const char *path) {
  size_t length = strlen(directory);
  if (!path || log_descriptor < 0 || strncmp(path, directory, length) != 0 || path[length] != '/') return NULL;
  const char *name = path + length + 1;
  size_t end = strlen(name);
  /* Memory that processes share; it is made anew after a power failure. */
  if (end >= 4 && strcmp(name + end - 4, "-shm") == 0) return NULL;
  return name;
}

static uint32_t file_named(const char *name) {
  for (uint32_t file = files; file > 0; file--)
    if (names[file] && strcmp(names[file], name) == 0) return file;
  return 0;
}

static void forget(uint32_t file) {
  if (file) { free(names[file]); names[file] = NULL; }
}

static uint32_t of(int descriptor) {
  return descriptor >= 0 && descriptor < MOST_DESCRIPTORS ? by_descriptor[descriptor] : 0;
}

static int opened(const char *path, int flags, mode_t mode) {
  const char *name = within(path);
  int is_directory = path && strcmp(path, directory) == 0;
  if (!name && !is_directory) return real_open(path, flags, mode);
  pthread_mutex_lock(&turn);
  int descriptor = real_open(path, flags, mode);
  int error = errno;
  if (descriptor >= MOST_DESCRIPTORS) abort();
  if (descriptor >= 0 && is_directory) by_descriptor[descriptor] = DIRECTORY;
  if (descriptor >= 0 && name) {
    uint32_t file = file_named(name);
    if (!file) {
      if (files == MOST_FILES) abort();
      names[file = ++files] = strdup(name);
      record(CREATE, file, 0, name, strlen(name));
    }
    if (flags & O_TRUNC) record(TRUNCATE, file, 0, "", 0);
    by_descriptor[descriptor] = file;
  }
  pthread_mutex_unlock(&turn);
  errno = error;
  return descriptor;
}

#define MODE(flags, mode) mode_t mode = 0; if (flags & O_CREAT) { va_list more; va_start(more, flags); mode = va_arg(more, mode_t); va_end(more); }

int open(const char *path, int flags, ...) { MODE(flags, mode) return opened(path, flags, mode); }
int open64(const char *path, int flags, ...) { MODE(flags, mode) return opened(path, flags, mode); }

int close(int descriptor) {
  if (!of(descriptor)) return real_close(descriptor);
  pthread_mutex_lock(&turn);
  by_descriptor[descriptor] = 0;
  int result = real_close(descriptor);
  pthread_mutex_unlock(&turn);
  return result;
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t count, off64_t offset) {
  if (!of(descriptor)) return real_pwrite(descriptor, bytes, count, offset);
  pthread_mutex_lock(&turn);
  ssize_t written = real_pwrite(descriptor, bytes, count, offset);
  int error = errno;
  if (written > 0) record(WRITE, of(descriptor), offset, bytes, written);
  pthread_mutex_unlock(&turn);
  errno = error;
  return written;
}
ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t offset) {
  return pwrite64(descriptor, bytes, count, offset);
}

ssize_t write(int descriptor, const void *bytes, size_t count) {
  if (!of(descriptor)) return real_write(descriptor, bytes, count);
  pthread_mutex_lock(&turn);
  off64_t before = lseek64(descriptor, 0, SEEK_CUR);
  ssize_t written = real_write(descriptor, bytes, count);
  int error = errno;
  off64_t after = lseek64(descriptor, 0, SEEK_CUR); /* appending moves it to the end first */
  if (written > 0) record(WRITE, of(descriptor), after > before ? after - written : before, bytes, written);
  pthread_mutex_unlock(&turn);
  errno = error;
  return written;
}

int ftruncate64(int descriptor, off64_t size) {
  if (!of(descriptor)) return real_ftruncate(descriptor, size);
  pthread_mutex_lock(&turn);
  int result = real_ftruncate(descriptor, size);
  int error = errno;
  if (result == 0) record(TRUNCATE, of(descriptor), size, "", 0);
  pthread_mutex_unlock(&turn);
  errno = error;
  return result;
}
int ftruncate(int descriptor, off_t size) { return ftruncate64(descriptor, size); }

static int synced(int descriptor) {
  pthread_mutex_lock(&turn);
  uint32_t file = of(descriptor);
  record(file == DIRECTORY ? SYNC_DIRECTORY : SYNC, file, 0, "", 0);
  pthread_mutex_unlock(&turn);
  return 0;
}

int fsync(int descriptor) { return of(descriptor) ? synced(descriptor) : real_fsync(descriptor); }
int fdatasync(int descriptor) { return of(descriptor) ? synced(descriptor) : real_fdatasync(descriptor); }

int unlink(const char *path) {
  const char *name = within(path);
  if (!name) return real_unlink(path);
  pthread_mutex_lock(&turn);
  int result = real_unlink(path);
  int error = errno;
  if (result == 0) {
    record(REMOVE, 0, 0, name, strlen(name));
    forget(file_named(name));
  }
  pthread_mutex_unlock(&turn);
  errno = error;
  return result;
}

int rename(const char *from, const char *to) {
  const char *old = within(from), *new = within(to);
  if (!old || !new) return real_rename(from, to);
  pthread_mutex_lock(&turn);
  int result = real_rename(from, to);
  int error = errno;
  if (result == 0) {
    char both[8192];
    size_t length = strlen(old) + 1 + strlen(new);
    if (length >= sizeof both) abort();
    strcpy(both, old);
    strcpy(both + strlen(old) + 1, new);
    record(RENAME, 0, 0, both, length);
    uint32_t file = file_named(old);
    forget(file_named(new));
    if (file) { free(names[file]); names[file] = strdup(new); }
  }
  pthread_mutex_unlock(&turn);
  errno = error;
  return result;
}
