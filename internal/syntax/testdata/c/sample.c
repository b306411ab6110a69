/* ring.c - a ring buffer with a small event loop. */
#include <stdio.h>
#include <sys/types.h>
#include "ring.h"

#ifdef WITH_TRACE
#include "trace.h"
#endif

/** Size of a ring when nobody says otherwise. */
#define RING_SIZE 128
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define FOREACH(ring, item) \
	for (item = (ring)->head; item; item = item->next)

struct ring; /* declared elsewhere */

/* One slot of the ring. */
struct slot {
	char name[32];     /* 名前 */
	int (*handle)(struct slot *self, void *arg);
	unsigned flags : 4, used : 1;
	struct slot *next;
	union {
		long number;
		void *pointer;
	} value;
	struct { int x, y; } at;
};

/* How a ring feels. */
enum state {
	STATE_IDLE,
	STATE_BUSY = 4, /* writing */
	STATE_FULL
};

typedef struct ring_options {
	size_t size;
	enum state first;
} ring_options;

typedef int (*ring_callback)(struct ring *r, const char *event);
typedef unsigned long ring_id;

static const char *const names[] = {"idle", "busy", "full"};
int ring_count;
extern int ring_verbose;
static struct slot slots[RING_SIZE], *spare = NULL;

int ring_push(struct ring *r, const void *data, size_t len);
static void reset(struct slot *s);

static const ring_options defaults = {
	.size = RING_SIZE,
	.first = STATE_IDLE,
};

/*
 * Makes a ring.
 * Returns NULL when there is no memory.
 */
struct ring *
ring_new(const ring_options *options)
{
	struct ring *r = calloc(1, sizeof(*r));
	ring_options local = options ? *options : defaults;
	int i, n = 0;

	if (!r)
		goto fail;
	for (i = 0; i < (int)local.size; i++) {
		struct slot *s = &slots[i];
		s->handle = default_handle;
		s->value.number = MAX(i, n);
		n += s->flags;
		reset(s);
	}
	r->size = local.size;
	ring_count++;
	return r;
fail:
	perror("ring_new");
	return NULL;
}

static inline int default_handle(struct slot *self, void *arg)
{
	ring_callback cb = (ring_callback)arg;
	switch (self->flags) {
	case STATE_IDLE:
		return cb((struct ring *)self, names[0]);
	default:
		break;
	}
	return self->handle(self, arg);
}

static void reset(struct slot *s)
{
	*s = (struct slot){ .next = spare };
	spare = s;
}

int ring_grow(struct ring *r)
{
	/* TODO: not implemented */
	return 0;
}

#if defined(__linux__) && !defined(NO_EPOLL)
static int wait_for(struct ring *r, int timeout_ms)
{
	int ready = epoll_wait(r->fd, r->events, RING_SIZE, timeout_ms);
	return ready < 0 ? -errno : ready;
}
#else
static int wait_for(struct ring *r, int timeout_ms) { return poll(&r->fd, 1, timeout_ms); }
#endif

void (*signal_handler(int sig, void (*handler)(int)))(int)
{
	return handler;
}

int old_style(a, b)
	int a;
	char *b;
{
	return a + *b;
}

EXPORT_SYMBOL(ring_new);

int main(int argc, char **argv)
{
	static int calls;
	struct slot *item;
	char *line;

	calls += argc;
	FOREACH(ring_new(&defaults), item)
		printf("%s\n", item->name);
	while ((line = next_line(stdin)) != NULL && calls < 3)
		ring_push(ring_new(NULL), line, strlen(line));
	return argv[0] ? calls : 1;
}
