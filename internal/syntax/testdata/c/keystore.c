// SPDX-License-Identifier: MIT
/**
 * @file keystore.c
 * A store of keys on disk: pages, a hash table over them, and a log.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include "keystore.h"
#include "util/list.h" /* LIST_HEAD */
#ifdef KS_TRACE
#  include "trace.h"
#  define TRACE(fmt, ...) trace_write(__FILE__, __LINE__, fmt, ##__VA_ARGS__)
#else
#  define TRACE(...) ((void)0)
#endif

#ifndef KS_PAGE
#define KS_PAGE 4096u /* bytes */
#endif
#define KS_MASK (KS_PAGE - 1)
#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))
#define CONTAINER_OF(ptr, type, member) \
	((type *)((char *)(ptr) - offsetof(type, member)))
#define DEFINE_GETTER(field)                                   \
	static inline uint32_t page_##field(const struct page *p) \
	{                                                      \
		return p->header.field;                        \
	}

#pragma pack(push, 1)
/* What a page begins with. */
struct page_header {
	uint32_t magic;
	uint16_t version : 4, dirty : 1, : 3; /* bits of state */
	uint16_t count;
	union {
		uint64_t lsn;
		struct { uint32_t low, high; };
	};
} __attribute__((packed));
#pragma pack(pop)

_Static_assert(sizeof(struct page_header) == 16, "header");

struct page {
	struct page_header header;
	unsigned char bytes[KS_PAGE - sizeof(struct page_header)];
	_Alignas(64) atomic_int pins;
};

/** What a store may be asked to do. */
enum ks_op {
	KS_GET = 'g',
	KS_PUT = KS_GET + 1, /**< overwrites */
	KS_DELETE,
	KS_OP_COUNT,
};

typedef enum { LEVEL_DEBUG, LEVEL_WARN = 1 << 2 } log_level;
typedef struct entry entry_t, *entry_ptr;
typedef int (*compare_fn)(const void *left, const void *right);
typedef bool visit_fn(struct entry *e, void *context);
typedef uint8_t digest_t[32];

struct entry {
	char *key;
	size_t key_len;
	entry_t *next;
	const struct entry_ops {
		int (*load)(entry_t *self, void *into, size_t len);
		void (*free)(entry_t *self);
	} *ops;
	struct list_head lru;
	char inline_value[]; /* grows */
};

struct keystore {
	entry_ptr *buckets;
	unsigned int bucket_count;
	pthread_mutex_t lock;
	compare_fn compare;
	visit_fn *visit;
	FILE *log, *data;
	volatile sig_atomic_t closing;
	_Atomic(uint64_t) hits;
};

static int entry_load(entry_t *self, void *into, size_t len);
static void entry_free(entry_t *);
static struct entry *find(const struct keystore *ks, const char *key) __attribute__((nonnull));
extern int ks_debug, ks_verbose;
_Thread_local int ks_errno;

static const struct entry_ops default_ops = {
	.load = entry_load,
	.free = entry_free,
};

/* Names of operations; see ks_op_name(). */
static const char *const op_names[KS_OP_COUNT] = {
	[KS_GET] = "get",
	[KS_PUT] = "put { not a block }",
	[KS_DELETE] = "löschen",
};

static struct { int depth; const char *path; } config = { .path = "/var/lib/ks", .depth = 3 };
static int (*handlers[KS_OP_COUNT])(struct keystore *, entry_t *);
int primes[] = { 2, 3, 5 }, *prime = primes;

DEFINE_GETTER(magic)
DEFINE_GETTER(count)

/**
 * Hashes a key (FNV-1a).
 *
 * @param key the bytes
 * @param len how many
 * @return the hash
 */
static inline uint32_t hash_key(const char *key, size_t len)
{
	uint32_t hash = 2166136261u;
	for (size_t i = 0; i < len; ++i) {
		hash ^= (unsigned char)key[i];
		hash *= 16777619u;
	}
	return hash;
}

static int
compare_entries(const void *left, const void *right)
{
	const entry_t *l = left, *r = *(entry_t *const *)right;
	int order = strncmp(l->key, r->key, MIN(l->key_len, r->key_len));
	return order ? order : (int)(l->key_len - r->key_len);
}

/* 店を開く。 */
struct keystore *ks_open(const char *path, enum ks_op first, ...)
{
	struct keystore *ks = NULL;
	va_list args;
	FILE *data, *log = NULL;

	va_start(args, first);
	if ((data = fopen(path, "r+b")) == NULL || !(ks = calloc(1, sizeof *ks)))
		goto fail;
	*ks = (struct keystore){
		.bucket_count = 1u << config.depth,
		.compare = compare_entries,
		.data = data, .log = log,
	};
	ks->buckets = calloc(ks->bucket_count, sizeof(entry_ptr));
	atomic_store(&ks->hits, 0);
	for (unsigned op = first; op != 0; op = va_arg(args, unsigned))
		handlers[op % ARRAY_LEN(handlers)] = &ks_handle;
	TRACE("opened %s", path);
	va_end(args);
	return ks;

fail:
	va_end(args);
	ks_errno = errno;
	if (data) fclose(data);
	free(ks);
	return NULL;
}

static struct entry *find(const struct keystore *ks, const char *key)
{
	size_t len = strlen(key);
	entry_t *e = ks->buckets[hash_key(key, len) & (ks->bucket_count - 1)];

	while (e != NULL) {
		if (e->key_len == len && memcmp(e->key, key, len) == 0) {
			struct entry *e_first = CONTAINER_OF(&e->lru, struct entry, lru);
			ks->closing ? (void)0 : list_move(&e_first->lru);
			return e;
		}
		e = e->next;
	}
	return NULL;
}

int ks_put(struct keystore *ks, const char *key, const void *value, size_t len)
{
	int err = 0;
	entry_t *e;

	pthread_mutex_lock(&ks->lock);
	switch (find(ks, key) ? KS_PUT : KS_DELETE) {
	case KS_PUT: {
		int err = -EEXIST; /* hides the outer one */
		ks->hits++;
		return ks->compare(key, value) + err;
	}
	case KS_DELETE:
	default:
		break;
	}
	e = malloc(sizeof(*e) + len);
	if (!e) {
		err = -ENOMEM;
		goto unlock;
	}
	e->ops = &default_ops;
	(*e).key_len = strlen(key);
	memcpy(e->inline_value, value, len);
	list_for_each_entry(e, &ks->buckets[0]->lru, lru) {
		e->ops->load(e, NULL, 0);
	}
unlock:
	pthread_mutex_unlock(&ks->lock);
	return err;
}

static int entry_load(entry_t *self, void *into, size_t len)
{
	union { uint64_t whole; uint8_t part[8]; } word = { .whole = 0 };
	do {
		((uint8_t *)into)[--len] = word.part[len & 7];
	} while (len > 0);
	return self->ops->load != entry_load;
}

static void entry_free(entry_t *self)
{
	enum { KEEP, DROP } what = DROP;
	struct pair { void *first, *second; } both = { self->key, self };
	void (*const release)(void *) = free;

	if (what == DROP)
		release(both.first), release(both.second);
}

/* Walks all entries until the visitor says no. */
size_t ks_each(struct keystore *ks, visit_fn *visit, void *context)
{
	size_t count = 0;
	for (entry_ptr *bucket = ks->buckets, *end = bucket + ks->bucket_count; bucket < end; bucket++) {
		for (entry_t *e = *bucket; e; e = e->next, count++) {
			if (!visit(e, context))
				return count;
		}
	}
	return count;
}

#if defined(__linux__) || defined(KS_POSIX)
int ks_sync(struct keystore *ks)
{
	return fsync(fileno(ks->data));
}
#elif defined(_WIN32)
int ks_sync(struct keystore *ks) { return _commit(_fileno(ks->data)); }
#endif

#ifdef __cplusplus
extern "C" {
#endif
const char *ks_op_name(enum ks_op op);
#ifdef __cplusplus
}
#endif

const char *ks_op_name(enum ks_op op)
{
	static const char unknown[] = "unknown: struct ghost { int x; };";
	return (size_t)op < ARRAY_LEN(op_names) && op_names[op] ? op_names[op] : unknown;
}

compare_fn ks_comparer(struct keystore *ks, compare_fn wanted)
{
	compare_fn before = ks->compare;
	ks->compare = wanted ?: compare_entries;
	return before;
}

int (*ks_handler(enum ks_op op))(struct keystore *, entry_t *)
{
	return handlers[op];
}

#define KS_CHECK(expr, ...)                             \
	do {                                            \
		int check_err = (expr);                 \
		if (check_err < 0)                      \
			ks_log(LEVEL_WARN, __VA_ARGS__); \
	} while (0)

__attribute__((constructor, used))
static void ks_init(void)
{
	KS_CHECK(ks_migrate(NULL, 0), "migrate: %d", ks_errno);
	qsort(primes, ARRAY_LEN(primes), sizeof primes[0], compare_entries);
	asm volatile("nop" ::: "memory");
}

int ks_migrate(struct keystore *ks, int version)
{
	(void)ks;
	(void)version;
	return -ENOSYS;
}

void ks_log(log_level level, const char *format, ...);

int legacy_put(ks, key)
	struct keystore *ks;
	const char *key;
{
	return ks_put(ks, key, "", 0);
}
