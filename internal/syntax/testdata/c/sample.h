#ifndef RING_H
#define RING_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* An event. */
typedef struct {
	int id;
	const char *name;
} event_t;

typedef enum { LOW, HIGH } level_t;

/* Pushes one event. */
int event_push(event_t *e, level_t level);

extern const char *event_names[];

static inline int event_id(const event_t *e) { return e->id; }

__attribute__((noreturn)) void event_die(const char *fmt, ...);

#ifdef __cplusplus
}
#endif

#endif /* RING_H */
