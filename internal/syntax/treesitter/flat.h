// What the Go side and flat.c share. The functions of the tree-sitter core that
// flat.c calls are declared in flat.c; the core itself is compiled by its own
// Go module and meets this code at the final link.
#ifndef CODEINTEL_FLAT_H
#define CODEINTEL_FLAT_H

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct TSLanguage TSLanguage;

// One node of a tree in pre-order. The Go type Node has the same layout.
typedef struct {
  uint32_t start, end;         // bytes
  uint32_t start_row, end_row; // 0-based
  int32_t parent;              // index of the enclosing node, -1 for the root
  int32_t next;                // index of the first node after this subtree
  uint16_t kind, field;
  uint8_t flags;
  uint8_t unused[3];
} FlatNode;

enum { FLAT_NAMED = 1, FLAT_MISSING = 2, FLAT_ERROR = 4 };

enum { FLAT_DONE = 0, FLAT_WORK = 1, FLAT_NODES = 2, FLAT_MEMORY = 3, FLAT_LANGUAGE = 4, FLAT_SPACE = 5 };

// What becomes of a node of some kind; see Keep in Go.
enum { KEEP_DEFAULT = 0, KEEP_NODE = 1, KEEP_CHILDREN = 2, KEEP_LEAF = 3, KEEP_NOTHING = 4 };

// An Arena gives the core its memory during one parse; see arena.c.
typedef struct Arena Arena;

Arena *arena_new(void);
void arena_delete(Arena *a);
// arena_enter begins a parse. One that asks for more bytes than most, or for some that the
// system does not have, ends at out, with FLAT_SPACE or FLAT_MEMORY.
void arena_enter(Arena *a, size_t most, jmp_buf *out);
void arena_leave(Arena *a);

// arena_used returns the bytes that the core has asked for since arena_enter, as far as
// they were not there from blocks it gave back. Beyond a size it waits for its turn.
size_t arena_used(Arena *a);

// A Worker owns an arena and the buffers that one parse after another fills.
typedef struct Worker Worker;

// flat_setup gives the core its allocator: the Go module that compiles the core
// routes every allocation through Go, which costs more than the parsing does.
// It must be called once, before the first parse.
void flat_setup(void);

Worker *flat_new(void);
void flat_delete(Worker *w);

// flat_parse parses text and leaves the flat tree in the worker. It returns one
// of the FLAT_ codes; after FLAT_NODES the nodes seen so far are there. A tree with an
// error is flattened a second time with what again keeps, unless that is NULL.
int flat_parse(Worker *w, const TSLanguage *language, const char *text, uint32_t length,
               const uint8_t *keep, const uint8_t *again, uint32_t kinds, uint32_t max_nodes, uint64_t max_work,
               size_t max_space);

const FlatNode *flat_nodes(const Worker *w, uint32_t *count);
const FlatNode *flat_others(const Worker *w, uint32_t *count); // of the second time; none if it came upon a limit
bool flat_has_error(const Worker *w);
uint64_t flat_work(const Worker *w);  // steps of the last parse
size_t flat_space(const Worker *w);   // bytes that the core needed for it

// flat_trim gives back buffers that one large file made large.
void flat_trim(Worker *w);

uint32_t flat_kind_count(const TSLanguage *language);
const char *flat_kind_name(const TSLanguage *language, uint16_t kind);
bool flat_kind_named(const TSLanguage *language, uint16_t kind);
uint32_t flat_field_count(const TSLanguage *language);
const char *flat_field_name(const TSLanguage *language, uint16_t field);

#endif
