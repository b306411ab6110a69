#if defined(__linux__)

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SYS_openat2
#define SYS_openat2 437
#endif

static const uint64_t no_symlinks = 0x04; /* RESOLVE_NO_SYMLINKS of linux/openat2.h */

/* Opens a file by a name in which no part is a link at this moment. A kernel that cannot tell
 * opens it as ever. */
static int open_named(const char *name, int flags, int mode) {
	struct { uint64_t flags, mode, resolve; } how = {(uint64_t)(unsigned)flags, 0, no_symlinks};
	if (flags & O_CREAT) how.mode = (uint64_t)(mode & 07777);
	long fd = syscall(SYS_openat2, AT_FDCWD, name, &how, sizeof how);
	if (fd >= 0 || (errno != ENOSYS && errno != EPERM && errno != EINVAL && errno != E2BIG)) return (int)fd;
	return open(name, flags, mode);
}

static int unlink_named(const char *name) {
	char folder[4096];
	const char *slash = strrchr(name, '/');
	if (!slash || slash == name || (size_t)(slash - name) >= sizeof folder) return unlink(name);
	memcpy(folder, name, (size_t)(slash - name));
	folder[slash - name] = 0;
	int dir = open_named(folder, O_PATH | O_DIRECTORY | O_CLOEXEC, 0);
	if (dir < 0) return -1;
	int status = unlinkat(dir, slash + 1, 0), why = errno;
	close(dir);
	errno = why;
	return status;
}

/* SQLite asks which parts of a name are links, to go where they lead. */
static int no_link(const char *name, struct stat *info) { return stat(name, info); }

/* What SQLite's sqlite3_vfs begins with; its layout is part of SQLite's interface. */
typedef void (*call)(void);
struct vfs {
	int version, size, longest;
	void *next;
	const char *name;
	void *data;
	call others[13];
	int (*set)(struct vfs *, const char *, call);
};

/* Weak, since it is defined in another package, which this one is linked with only in a program. */
extern struct vfs *sqlite3_vfs_find(const char *) __attribute__((weak));

int follow_no_links(void) {
	struct vfs *v = sqlite3_vfs_find ? sqlite3_vfs_find(0) : 0;
	if (!v || v->version < 3) return 1;
	return v->set(v, "open", (call)open_named) | v->set(v, "unlink", (call)unlink_named) | v->set(v, "lstat", (call)no_link);
}

#else

int follow_no_links(void) { return 0; }

#endif
