#include "flat.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

// The public functions of the core that are used here, as its documentation
// gives them (library version 0.25, ABI 13 to 15).

typedef struct TSParser TSParser;
typedef struct TSTree TSTree;
typedef struct { uint32_t row, column; } TSPoint;
typedef struct { uint32_t context[4]; const void *id; const void *tree; } TSNode;
typedef struct { const void *tree; const void *id; uint32_t context[3]; } TSTreeCursor;
typedef struct { void *payload; uint32_t current_byte_offset; bool has_error; } TSParseState;
typedef struct { void *payload; bool (*progress_callback)(TSParseState *); } TSParseOptions;
typedef struct {
  void *payload;
  const char *(*read)(void *payload, uint32_t byte, TSPoint position, uint32_t *length);
  int encoding; // 0 is UTF-8
  void *decode;
} TSInput;

extern TSParser *ts_parser_new(void);
extern void ts_parser_delete(TSParser *);
extern bool ts_parser_set_language(TSParser *, const TSLanguage *);
extern TSTree *ts_parser_parse_with_options(TSParser *, const TSTree *, TSInput, TSParseOptions);
extern TSNode ts_tree_root_node(const TSTree *);
extern uint16_t ts_node_symbol(TSNode);
extern uint32_t ts_node_start_byte(TSNode);
extern uint32_t ts_node_end_byte(TSNode);
extern TSPoint ts_node_start_point(TSNode);
extern TSPoint ts_node_end_point(TSNode);
extern uint32_t ts_node_child_count(TSNode);
extern bool ts_node_is_named(TSNode);
extern bool ts_node_is_missing(TSNode);
extern bool ts_node_has_error(TSNode);
extern TSTreeCursor ts_tree_cursor_new(TSNode);
extern TSNode ts_tree_cursor_current_node(const TSTreeCursor *);
extern uint16_t ts_tree_cursor_current_field_id(const TSTreeCursor *);
extern bool ts_tree_cursor_goto_first_child(TSTreeCursor *);
extern bool ts_tree_cursor_goto_next_sibling(TSTreeCursor *);
extern bool ts_tree_cursor_goto_parent(TSTreeCursor *);
extern uint32_t ts_language_symbol_count(const TSLanguage *);
extern const char *ts_language_symbol_name(const TSLanguage *, uint16_t);
extern int ts_language_symbol_type(const TSLanguage *, uint16_t);
extern uint32_t ts_language_field_count(const TSLanguage *);
extern const char *ts_language_field_name_for_id(const TSLanguage *, uint16_t);

// What the cursor has entered at one depth.
typedef struct {
  int32_t node;   // index of the node kept there, or -1
  uint16_t field; // field that a child without one inherits from a node left out
} Level;

struct Worker {
  Arena *arena;
  FlatNode *nodes;
  uint32_t count, capacity;
  FlatNode *others; // of the tree flattened again
  uint32_t other_count, other_capacity;
  Level *stack; // by depth
  uint32_t depth, deepest;
  bool has_error;
  // The parse under way.
  const char *text;
  uint32_t length;
  uint64_t work, max_work; // done and allowed, in steps * STEP; 0 allows any number
  uint64_t began;          // processor time of the thread, in milliseconds
  size_t space, max_space; // bytes used and allowed; 0 allows any number
};

// The scanners of some grammars look ahead as far as the text goes, for each token.
// They are given little at a time, so that it can be counted.
enum { READ_BYTES = 1024 };

// What a step weighs, where a piece of text read weighs 1.
enum { STEP = 8 };

static bool more_work(Worker *w, uint32_t amount) {
  w->work += amount;
  return w->max_work == 0 || w->work <= w->max_work;
}

// Steps of a few grammars have no bound: the parser follows thousands of readings of a
// hostile text at once. No text that people write comes near this much processor time, which
// does not pass while other programs run: half a second and a hundred times what code of its
// length takes. A project may hold many such texts: each that is stopped halves what the
// next may take, down to ten times what code takes.
enum { MAX_MILLISECONDS = 5000, LEAST_MILLISECONDS = 100, MILLISECONDS_OF_KIB = 1, SLACK_MILLISECONDS = 500, SLACK_OF_KIB = 10 };

static atomic_uint stopped; // texts that this process has stopped so

static uint64_t most_milliseconds(uint32_t length) {
  unsigned n = atomic_load(&stopped);
  uint64_t kib = length / 1024;
  uint64_t most = n < 16 ? (SLACK_MILLISECONDS + kib * SLACK_OF_KIB) >> n : 0;
  uint64_t least = LEAST_MILLISECONDS + kib * MILLISECONDS_OF_KIB;
  if (most < least) most = least;
  return most < MAX_MILLISECONDS ? most : MAX_MILLISECONDS;
}

static uint64_t thread_milliseconds(void) {
  struct timespec t;
  if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t) != 0) return 0;
  return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

static const char *read_text(void *payload, uint32_t byte, TSPoint position, uint32_t *length) {
  Worker *w = payload;
  (void)position;
  if (byte >= w->length || (w->max_work != 0 && w->work > w->max_work)) {
    *length = 0;
    return "";
  }
  more_work(w, 1);
  *length = w->length - byte;
  if (*length > READ_BYTES) *length = READ_BYTES;
  return w->text + byte;
}

static bool too_much_space(const Worker *w) { return w->max_space != 0 && w->space > w->max_space; }

// The core asks every hundred or so operations whether to stop. That is a step: work is
// counted, not time, so that a text is read as far on every machine.
static bool too_much(TSParseState *state) {
  Worker *w = state->payload;
  if (w->max_work != 0 && w->work <= w->max_work && thread_milliseconds() - w->began > most_milliseconds(w->length)) {
    w->work += w->max_work;
    atomic_fetch_add(&stopped, 1);
  }
  w->space = arena_used(w->arena);
  return !more_work(w, STEP) || too_much_space(w);
}

Worker *flat_new(void) {
  Worker *w = calloc(1, sizeof *w);
  if (w == NULL) return NULL;
  w->arena = arena_new();
  if (w->arena == NULL) {
    free(w);
    return NULL;
  }
  return w;
}

void flat_delete(Worker *w) {
  arena_delete(w->arena);
  free(w->nodes);
  free(w->others);
  free(w->stack);
  free(w);
}

// swap_nodes has the nodes take the place of the others.
static void swap_nodes(Worker *w) {
  FlatNode *nodes = w->nodes;
  uint32_t count = w->count, capacity = w->capacity;
  w->nodes = w->others;
  w->count = w->other_count;
  w->capacity = w->other_capacity;
  w->others = nodes;
  w->other_count = count;
  w->other_capacity = capacity;
}

static void trim_nodes(Worker *w) {
  if (w->capacity > 1u << 17) {
    free(w->nodes);
    w->nodes = NULL;
    w->capacity = 0;
  }
  w->count = 0;
}

void flat_trim(Worker *w) {
  trim_nodes(w);
  swap_nodes(w);
  trim_nodes(w);
  if (w->deepest > 1u << 16) {
    free(w->stack);
    w->stack = NULL;
    w->deepest = 0;
  }
}

static bool push(Worker *w, int32_t node, uint16_t field) {
  if (w->depth == w->deepest) {
    uint32_t n = w->deepest ? 2 * w->deepest : 256;
    Level *p = realloc(w->stack, (size_t)n * sizeof *p);
    if (p == NULL) return false;
    w->stack = p;
    w->deepest = n;
  }
  w->stack[w->depth++] = (Level){node, node < 0 ? field : 0};
  return true;
}

static FlatNode *append(Worker *w) {
  if (w->count == w->capacity) {
    uint32_t n = w->capacity ? 2 * w->capacity : 4096;
    FlatNode *p = realloc(w->nodes, (size_t)n * sizeof *p);
    if (p == NULL) return NULL;
    w->nodes = p;
    w->capacity = n;
  }
  return &w->nodes[w->count++];
}

// close_node notes where the subtree at the top of the stack ends.
static void close_node(Worker *w) {
  int32_t node = w->stack[--w->depth].node;
  if (node >= 0) w->nodes[node].next = (int32_t)w->count;
}

// flatten walks with a cursor, never by recursion: a hostile file may nest as
// deep as it is long.
static int flatten(Worker *w, TSTreeCursor *cursor, const uint8_t *keep, uint32_t kinds, uint32_t max_nodes) {
  int32_t parent = -1;
  int code = FLAT_DONE;
  uint32_t steps = 0;
  w->count = 0;
  w->depth = 0;
  for (;;) {
    TSNode node = ts_tree_cursor_current_node(cursor);
    uint32_t kind = ts_node_symbol(node);
    bool named = ts_node_is_named(node);
    uint16_t field = ts_tree_cursor_current_field_id(cursor);
    if (field == 0 && w->depth > 0) field = w->stack[w->depth - 1].field;
    if (kind >= kinds) kind = kinds; // ERROR
    uint8_t what = keep[kind];
    if (what == KEEP_DEFAULT) what = named || field != 0 ? KEEP_NODE : KEEP_CHILDREN;
    if (w->depth == 0) what = KEEP_NODE;

    int32_t index = -1;
    if (what == KEEP_NODE || what == KEEP_LEAF) {
      if (w->count >= max_nodes) {
        code = FLAT_NODES;
        break;
      }
      FlatNode *f = append(w);
      if (f == NULL) {
        code = FLAT_MEMORY;
        break;
      }
      index = (int32_t)w->count - 1;
      TSPoint end = ts_node_end_point(node);
      f->start = ts_node_start_byte(node);
      f->end = ts_node_end_byte(node);
      f->start_row = ts_node_start_point(node).row;
      f->end_row = end.row;
      f->parent = parent;
      f->next = index + 1;
      f->kind = (uint16_t)kind;
      f->field = field;
      f->flags = (named ? FLAT_NAMED : 0) | (kind == kinds ? FLAT_ERROR : 0);
      if (f->start == f->end && ts_node_is_missing(node)) f->flags |= FLAT_MISSING;
    }
    if ((++steps & 1023) == 0 && !more_work(w, STEP)) {
      code = FLAT_WORK;
      break;
    }
    if (!push(w, index, field)) {
      code = FLAT_MEMORY;
      break;
    }
    if (what != KEEP_LEAF && what != KEEP_NOTHING && ts_node_child_count(node) > 0 &&
        ts_tree_cursor_goto_first_child(cursor)) {
      if (index >= 0) parent = index;
      continue;
    }
    for (;;) {
      close_node(w);
      if (w->depth == 0) return code;
      if (ts_tree_cursor_goto_next_sibling(cursor)) break;
      ts_tree_cursor_goto_parent(cursor);
      int32_t up = w->stack[w->depth - 1].node;
      if (up >= 0) parent = w->nodes[up].parent;
    }
  }
  while (w->depth > 0) close_node(w);
  return code;
}

// parse_in_arena does the work of flat_parse. Parser and tree live in the arena
// and go with it; only what an external scanner of a grammar owns is malloc's,
// and goes with the parser.
static int parse_in_arena(Worker *w, const TSLanguage *language, const uint8_t *keep, const uint8_t *again,
                          uint32_t kinds, uint32_t max_nodes) {
  TSParser *parser = ts_parser_new();
  if (!ts_parser_set_language(parser, language)) {
    ts_parser_delete(parser);
    return FLAT_LANGUAGE;
  }
  TSInput input = {w, read_text, 0, NULL};
  TSParseOptions options = {w, too_much};
  TSTree *tree = ts_parser_parse_with_options(parser, NULL, input, options);
  int code = too_much_space(w) ? FLAT_SPACE : FLAT_WORK;
  if (tree != NULL) {
    TSNode root = ts_tree_root_node(tree);
    w->has_error = ts_node_has_error(root);
    uint64_t work = w->work; // as after a parse of its own
    if (w->has_error && again != NULL) {
      TSTreeCursor other = ts_tree_cursor_new(root);
      if (flatten(w, &other, again, kinds, max_nodes) != FLAT_DONE) w->count = 0;
      swap_nodes(w);
    }
    w->work = work;
    TSTreeCursor cursor = ts_tree_cursor_new(root);
    code = flatten(w, &cursor, keep, kinds, max_nodes);
  }
  ts_parser_delete(parser);
  return code;
}

int flat_parse(Worker *w, const TSLanguage *language, const char *text, uint32_t length,
               const uint8_t *keep, const uint8_t *again, uint32_t kinds, uint32_t max_nodes, uint64_t max_work,
               size_t max_space) {
  w->count = w->other_count = 0;
  w->has_error = false;
  w->text = text;
  w->length = length;
  w->work = 0;
  w->max_work = max_work * STEP;
  w->space = 0;
  w->max_space = max_space;
  w->began = thread_milliseconds();
  jmp_buf out;
  arena_enter(w->arena, max_space, &out);
  int code = setjmp(out);
  if (code == 0) code = parse_in_arena(w, language, keep, again, kinds, max_nodes);
  else w->space = arena_used(w->arena);
  arena_leave(w->arena);
  w->text = NULL;
  return code;
}

const FlatNode *flat_nodes(const Worker *w, uint32_t *count) {
  *count = w->count;
  return w->nodes;
}

const FlatNode *flat_others(const Worker *w, uint32_t *count) {
  *count = w->other_count;
  return w->others;
}

uint64_t flat_work(const Worker *w) { return w->work / STEP; }

size_t flat_space(const Worker *w) { return w->space; }

bool flat_has_error(const Worker *w) { return w->has_error; }

uint32_t flat_kind_count(const TSLanguage *l) { return ts_language_symbol_count(l); }
const char *flat_kind_name(const TSLanguage *l, uint16_t kind) { return ts_language_symbol_name(l, kind); }
bool flat_kind_named(const TSLanguage *l, uint16_t kind) { return ts_language_symbol_type(l, kind) == 0; }
uint32_t flat_field_count(const TSLanguage *l) { return ts_language_field_count(l); }
const char *flat_field_name(const TSLanguage *l, uint16_t field) { return ts_language_field_name_for_id(l, field); }
