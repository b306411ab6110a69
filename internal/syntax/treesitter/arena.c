// Memory for one parse. A parse allocates millions of small blocks and needs
// none of them afterwards, so blocks are cut from large pieces, go to lists by
// size when they are freed, and vanish all at once with the parse. Outside of a
// parse, or from a thread that has none, malloc serves.

#include "flat.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

enum {
  GRAIN = 16,          // sizes are multiples, and so are addresses
  SMALL = 64,          // classes of multiples of GRAIN; larger classes double
  CLASSES = SMALL + 32,
  FOREIGN = 0xffffffff, // class of a block that malloc gave
  FIRST_PIECE = 1 << 20,
  LARGEST_PIECE = 32 << 20,
  KEPT = 8 << 20,   // what an idle arena may keep
  HEAVY = 64 << 20, // what every parse may use, whatever others do
};

// The header before each block. It keeps the block aligned.
typedef struct {
  uint32_t class;
  uint32_t unused;
  size_t size; // usable bytes
} Header;

typedef struct Piece {
  struct Piece *next;
  size_t size;
} Piece;

struct Arena {
  char *at, *end;
  Piece *pieces;
  size_t total;
  size_t used;          // bytes cut from the pieces in this parse, the same on every machine
  size_t most;          // bytes that this parse may use; 0: any number
  jmp_buf *out;         // where a parse ends that may use no more
  bool heavy;           // holds the turn of those that need much
  void *lists[CLASSES]; // freed blocks; the first word is the next one
};

static _Thread_local Arena *current;

static uint32_t class_of(size_t size, size_t *rounded) {
  if (size <= (size_t)SMALL * GRAIN) {
    uint32_t class = size == 0 ? 0 : (uint32_t)((size - 1) / GRAIN);
    *rounded = (size_t)(class + 1) * GRAIN;
    return class;
  }
  uint32_t class = SMALL;
  size_t n = (size_t)SMALL * GRAIN * 2;
  while (n < size) {
    n *= 2;
    class++;
  }
  *rounded = n;
  return class;
}

static void begin_piece(Arena *a, Piece *p) {
  a->at = (char *)(((uintptr_t)(p + 1) + GRAIN - 1) & ~(uintptr_t)(GRAIN - 1));
  a->end = (char *)(p + 1) + p->size;
}

static bool add_piece(Arena *a, size_t need) {
  arena_used(a); // one step of the core may ask for any amount
  size_t size = a->total < FIRST_PIECE ? FIRST_PIECE : a->total;
  if (size > LARGEST_PIECE) size = LARGEST_PIECE;
  if (size < need + GRAIN) size = need + GRAIN;
  Piece *p = malloc(sizeof *p + size);
  if (p == NULL) return false;
  p->next = a->pieces;
  p->size = size;
  a->pieces = p;
  a->total += size;
  begin_piece(a, p);
  return true;
}

// The core does not look at what it is given, so a parse that gets nothing ends at once. All
// that it had lies in the arena, but for the little that an external scanner owns: that is lost.
static void *out_of_memory(void) {
  if (current != NULL && current->out != NULL) longjmp(*current->out, FLAT_MEMORY);
  abort();
}

static void *foreign(size_t size) {
  Header *h = malloc(sizeof *h + size);
  if (h == NULL) return out_of_memory();
  h->class = FOREIGN;
  h->size = size;
  return h + 1;
}

static void *arena_malloc(size_t size) {
  Arena *a = current;
  if (a == NULL) return foreign(size);
  if (size > SIZE_MAX / 4) return out_of_memory();
  size_t rounded;
  uint32_t class = class_of(size, &rounded);
  void *block = a->lists[class];
  if (block != NULL) {
    a->lists[class] = *(void **)block;
    return block;
  }
  size_t need = sizeof(Header) + rounded;
  if (a->most != 0 && a->used + need > a->most) longjmp(*a->out, FLAT_SPACE);
  if ((size_t)(a->end - a->at) < need && !add_piece(a, need)) return out_of_memory();
  Header *h = (Header *)a->at;
  a->at += need;
  a->used += need;
  h->class = class;
  h->size = rounded;
  return h + 1;
}

static void *arena_calloc(size_t count, size_t size) {
  if (size != 0 && count > SIZE_MAX / 4 / size) return out_of_memory();
  void *block = arena_malloc(count * size);
  memset(block, 0, count * size);
  return block;
}

static void arena_free(void *block) {
  if (block == NULL) return;
  Header *h = (Header *)block - 1;
  if (h->class == FOREIGN) {
    free(h);
  } else if (current != NULL) {
    *(void **)block = current->lists[h->class];
    current->lists[h->class] = block;
  }
}

static void *arena_realloc(void *block, size_t size) {
  if (block == NULL) return arena_malloc(size);
  Header *h = (Header *)block - 1;
  if (size <= h->size) return block;
  void *larger = arena_malloc(size);
  memcpy(larger, block, h->size);
  arena_free(block);
  return larger;
}

Arena *arena_new(void) { return calloc(1, sizeof(Arena)); }

void arena_enter(Arena *a, size_t most, jmp_buf *out) {
  current = a;
  a->used = 0;
  a->most = most;
  a->out = out;
}

// Parses of hostile texts run beside each other; only one at a time may grow beyond HEAVY.
static pthread_mutex_t heavy_turn = PTHREAD_MUTEX_INITIALIZER;

size_t arena_used(Arena *a) {
  if (a->used > HEAVY && !a->heavy) {
    pthread_mutex_lock(&heavy_turn);
    a->heavy = true;
  }
  return a->used;
}

// arena_leave takes everything back that was allocated since arena_enter. What
// it keeps is one piece, of the size that this parse needed if that is not too
// much, so that files of a usual size never ask the system.
void arena_leave(Arena *a) {
  current = NULL;
  a->out = NULL;
  memset(a->lists, 0, sizeof a->lists);
  a->at = a->end = NULL;
  if (a->pieces != NULL && a->pieces->next == NULL && a->pieces->size <= KEPT) {
    begin_piece(a, a->pieces);
    return; // never heavy
  }
  size_t wanted = a->total < KEPT ? a->total : KEPT;
  for (Piece *p = a->pieces, *next; p != NULL; p = next) {
    next = p->next;
    free(p);
  }
  a->pieces = NULL;
  a->total = 0;
  if (wanted > 0) add_piece(a, wanted - GRAIN);
  if (a->heavy) {
    a->heavy = false;
    pthread_mutex_unlock(&heavy_turn);
  }
}

void arena_delete(Arena *a) {
  for (Piece *p = a->pieces, *next; p != NULL; p = next) {
    next = p->next;
    free(p);
  }
  free(a);
}

extern void ts_set_allocator(void *(*)(size_t), void *(*)(size_t, size_t), void *(*)(void *, size_t), void (*)(void *));

void flat_setup(void) { ts_set_allocator(arena_malloc, arena_calloc, arena_realloc, arena_free); }
