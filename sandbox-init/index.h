/* Reads the links to other repositories (mode 160000) in git's index. Of what git could not read either, nothing. */
#ifndef INDEX_H
#define INDEX_H
#include "text.h"

/* Of some millions of files. */
#define MAX_INDEX (256ul << 20)
#define MAX_NAME 4096
enum { ENTRY_MODE = 24, ENTRY_HASH = 40, GITLINK = 0160000, GITTREE = 0040000, MODE_KIND = 0170000, EXTENDED = 0x4000, NAME_MASK = 0xfff };

static u32 big_endian(const u8 *bytes, u32 count) {
  u32 number = 0;
  while (count--) number = number << 8 | *bytes++;
  return number;
}

/* Whether no part of a path is empty, `.` or `..`. Git makes no others. */
static int is_plain(const char *path) {
  for (const char *part = path;; part++) {
    const char *end = part;
    while (*end && *end != '/') end++;
    if (end == part || (part[0] == '.' && (end - part == 1 || (end - part == 2 && part[1] == '.')))) return 0;
    if (!*end) return 1;
    part = end;
  }
}

struct index_reader {
  const u8 *bytes;
  u64 size, hash_size;
  void (*gitlink)(const char *path), (*tree)(const char *path), (*pause)(void);
  /* Git makes no such index. These two stay set. */
  int is_odd;
  /* There are folders in it as a whole. */
  int has_trees;
  /* The digest of the file that has the rest, if there is one. */
  int has_shared;
  u8 shared[32];
  int has_offsets;
  /* The last link or folder. Git sorts them. */
  char last[MAX_NAME + 1];
  u32 links;
};

/* A long index is read with a pause after so many bytes, and after so many links. */
#define PART_BYTES (4ul << 20)
#define PART_LINKS 256

/* Below zero, zero or above, as git sorts. */
static int order_of(const char *one, const char *other) {
  while (*one && *one == *other) one++, other++;
  return (int)(u8)*one - (int)(u8)*other;
}

/* Where the entries end; 0: unreadable. */
static u64 read_entries(struct index_reader *reader, u64 at, u32 left) {
  const u8 *bytes = reader->bytes;
  static char name[MAX_NAME + 1];
  u64 used = 0, next_pause = at + PART_BYTES;
  u32 version = big_endian(bytes + 4, 4);
  for (; left > 0; left--) {
    if (at >= next_pause) reader->pause(), next_pause = at + PART_BYTES;
    u64 start = at, flags_at = at + ENTRY_HASH + reader->hash_size;
    if (flags_at + 4 > reader->size) return 0;
    u32 kind = big_endian(bytes + at + ENTRY_MODE, 4) & MODE_KIND;
    u32 flags = big_endian(bytes + flags_at, 2);
    at = flags_at + (flags & EXTENDED ? 4 : 2);
    u64 same_part = 0, full = flags & NAME_MASK;
    if (version == 4) {
      /* How much of the last name goes: a number of seven bits a byte, each but the last with one added. */
      u64 gone = 0;
      do {
        if (at >= reader->size || gone > MAX_INDEX) return 0;
        gone = (gone << 7) + (bytes[at] & 127) + (bytes[at] & 128 ? 1 : 0);
      } while (bytes[at++] & 128);
      if (gone > used) return 0;
      same_part = used - gone;
    }
    if (full == NAME_MASK) {
      full = same_part;
      for (u64 i = at; i < reader->size && bytes[i]; i++) full++;
    }
    if (full < same_part || at + full - same_part >= reader->size) return 0;
    /* Only version 4 needs the names of others. */
    if (version != 4 && kind != GITLINK && kind != GITTREE) at += full - same_part;
    else for (used = same_part; used < full; used++, at++) if (used < MAX_NAME) name[used] = (char)bytes[at];
    at = version == 4 ? at + 1 : start + ((at - start + 8) & ~7ul);
    if (kind != GITLINK && kind != GITTREE) continue;
    if (kind == GITTREE) reader->has_trees = 1;
    u64 end = used > MAX_NAME ? 0 : used;
    char ending = name[end];
    name[end] = 0;
    int order = order_of(name, reader->last);
    if (used > MAX_NAME || order < 0) reader->is_odd = 1;
    memcpy(reader->last, name, end + 1);
    /* The name of a folder ends with a slash. */
    if (kind == GITTREE && end > 0 && name[end - 1] == '/') name[end - 1] = 0;
    if (reader->is_odd || !is_plain(name)) reader->is_odd = 1;
    else if (order > 0) {
      if (++reader->links % PART_LINKS == 0) reader->pause();
      if (kind == GITLINK) reader->gitlink(name);
      else reader->tree(name);
    }
    memcpy(name, reader->last, end);
    name[end] = ending;
  }
  return at;
}

static int is_extension(const u8 *at, const char *name) {
  return at[0] == (u8)name[0] && at[1] == (u8)name[1] && at[2] == (u8)name[2] && at[3] == (u8)name[3];
}

/* Git may start at the offsets that an index has of its own entries, so these count too: blocks one after the other, and
 * as many entries as there are. Anything else would take time as often as the file likes. */
static void read_offsets(struct index_reader *reader, const u8 *content, u32 size) {
  u64 left = big_endian(reader->bytes + 8, 4), end = 0;
  reader->is_odd |= reader->has_offsets;
  reader->has_offsets = 1;
  reader->last[0] = 0;
  for (u32 at = 4; at + 8 <= size && !reader->is_odd; at += 8) {
    u64 start = big_endian(content + at, 4);
    u32 count = big_endian(content + at + 4, 4);
    if (start < end || count > left || !(end = read_entries(reader, start, count))) reader->is_odd = 1;
    left -= count;
  }
}

static void read_extension(struct index_reader *reader, const u8 *extension, u32 size, u64 first) {
  const u8 *content = extension + 8;
  if (is_extension(extension, "link") && size >= reader->hash_size) {
    reader->has_shared = 1;
    memcpy(reader->shared, content, reader->hash_size);
  }
  if (is_extension(extension, "EOIE") && size >= 4 && big_endian(content, 4) != first) reader->is_odd = 1;
  if (is_extension(extension, "IEOT")) read_offsets(reader, content, size);
}

static void read_index(struct index_reader *reader) {
  if (reader->size < 12 + reader->hash_size || big_endian(reader->bytes, 4) != 0x44495243) return;
  u32 version = big_endian(reader->bytes + 4, 4);
  if (version < 2 || version > 4) return;
  reader->last[0] = 0;
  u64 first = read_entries(reader, 12, big_endian(reader->bytes + 8, 4));
  if (!first) return;
  for (u64 at = first; at + 8 + reader->hash_size <= reader->size;) {
    u32 size = big_endian(reader->bytes + at + 4, 4);
    if (size > reader->size - at - 8) return;
    read_extension(reader, reader->bytes + at, size, first);
    at += 8 + size;
  }
  const u64 end_size = 8 + 4 + reader->hash_size;
  if (reader->size < first + end_size + reader->hash_size) return;
  const u8 *last = reader->bytes + reader->size - reader->hash_size - end_size;
  if (is_extension(last, "EOIE") && big_endian(last + 8, 4) != first) reader->is_odd = 1;
}
#endif
