/* Outside: finds what commands may have left below its folders, or, before a session, which repositories are there. Reads
 * records on stdin and prints records on stdout, each ended by a NUL. Paths are bytes.
 *
 *   in:  `s` nanoseconds since 1970, the start of the session, nothing before one; `w` a folder; `d` a folder of git's
 *        records; `n` a name of interest, with `*` at one end for any; `x` the name of a folder in which names are of no
 *        interest
 *   out: `g` a `.git`; `b` a folder that git would take for a repository; `n` an entry of a folder that has changed; `l` a
 *        link among git's records, in a folder that has changed; `u` a folder that could not be read
 *
 * A folder that was not changed and has no folders in it is not read. */
#ifndef FINDER_H
#define FINDER_H
#include "folders.h"
#include "text.h"

#define MAX_NAMES 512
/* Git takes no path of more than 4,096 bytes, so none that is deeper than this. */
#define MAX_LEVELS 2100
#define MAX_FOUND_PATH 65536
enum { DT_UNKNOWN = 0, DT_DIR = 4, DT_LNK = 10, COUNTS = 1, IN_GIT = 2, IN_OBJECTS = 4 };

static const char *finder_names[MAX_NAMES], *finder_skipped[MAX_NAMES];
static u32 finder_name_count, finder_skipped_count;
static u64 finder_since = ~0ul;

/* An open folder, and the part of `pending` that has the names of those in it; each starts with its flags. */
static struct level { int file; u64 path_size, start, at, end; } levels[MAX_LEVELS];
static u32 level_count;
static char *pending, finder_path[MAX_FOUND_PATH];
static u64 pending_size, pending_room, finder_path_size;

static void put(const char *bytes, u64 size) {
  static char buffer[1 << 16];
  static u64 used;
  for (u64 i = 0; i < size || (!bytes && used > 0);) {
    if (used == sizeof buffer || !bytes) {
      for (u64 sent = 0; sent < used;) {
        i64 count = call3(write, 1, buffer + sent, used - sent);
        if (count <= 0 && count != -EINTR) leave(125);
        if (count > 0) sent += (u64)count;
      }
      used = 0;
    }
    if (bytes) buffer[used++] = bytes[i++];
  }
}

static void print_record(char kind, const char *name) {
  put(&kind, 1);
  put(finder_path, finder_path_size);
  if (*name) put("/", 1);
  put(name, length(name) + 1);
}

static void push_name(const char *name, char flags) {
  u64 size = length(name) + 2;
  if (pending_size + size > pending_room) {
    u64 room = pending_room ? pending_room * 2 : 1 << 20;
    char *larger = allocate(room);
    if (!larger) fail("out of memory", 125);
    memcpy(larger, pending, pending_size);
    if (pending_room) call2(munmap, pending, pending_room);
    pending = larger;
    pending_room = room;
  }
  pending[pending_size] = flags;
  memcpy(pending + pending_size + 1, name, size - 1);
  pending_size += size;
}

static int same_letters(const char *a, const char *b, u64 size) {
  for (u64 i = 0; i < size; i++) if (upper(a[i]) != upper(b[i])) return 0;
  return 1;
}

static int is_of_interest(const char *name) {
  u64 size = length(name);
  for (u32 i = 0; i < finder_name_count; i++) {
    const char *wanted = finder_names[i];
    u64 wanted_size = length(wanted);
    if (wanted[0] == '*') {
      if (size >= wanted_size - 1 && same_letters(name + size - (wanted_size - 1), wanted + 1, wanted_size - 1)) return 1;
    } else if (wanted[wanted_size - 1] == '*') {
      if (size >= wanted_size - 1 && same_letters(name, wanted, wanted_size - 1)) return 1;
    } else if (size == wanted_size && same_letters(name, wanted, size)) return 1;
  }
  return 0;
}

static int is_skipped(const char *name) {
  for (u32 i = 0; i < finder_skipped_count; i++) if (same(name, finder_skipped[i])) return 1;
  return 0;
}

static u32 kind_of(int file, const struct dirent *entry) {
  struct stat state;
  if (entry->kind != DT_UNKNOWN) return entry->kind;
  return call4(newfstatat, file, entry->name, &state, AT_SYMLINK_NOFOLLOW) == 0 ? (state.mode & S_IFMT) >> 12 : 0;
}

static char flags_below(const char *name, u32 flags, int is_git) {
  if (is_git) return IN_GIT;
  if (flags & IN_GIT) return (char)(flags | (same(name, "objects") ? IN_OBJECTS : 0));
  return flags & COUNTS && !is_skipped(name) ? COUNTS : 0;
}

/* Prints what is in the folder, and leaves the names of the folders in it. Whether git takes it for a repository. */
static int read_names(int file, u32 flags, int is_changed) {
  static u8 buffer[1 << 16] __attribute__((aligned(8)));
  u32 parts = 0;
  i64 size;
  while ((size = call3(getdents64, file, buffer, sizeof buffer)) > 0)
    for (i64 at = 0; at < size;) {
      const struct dirent *entry = (const struct dirent *)(buffer + at);
      const char *name = entry->name;
      at += entry->size;
      if (same(name, ".") || same(name, "..")) continue;
      u32 kind = kind_of(file, entry);
      int is_git = length(name) == 4 && same_letters(name, ".git", 4);
      parts |= same(name, "HEAD") ? 1 : same(name, "objects") ? 2 : same(name, "refs") ? 4 : same(name, "commondir") ? 8 : 0;
      if (is_git) print_record('g', name);
      else if (is_changed && flags & COUNTS && is_of_interest(name)) print_record('n', name);
      if (kind == DT_LNK && flags & IN_GIT && (is_changed || finder_since == ~0ul)) print_record('l', name);
      if (kind == DT_DIR) push_name(name, flags_below(name, flags, is_git));
    }
  if (size < 0) print_record('u', "");
  return (parts & 1) && ((parts & 6) == 6 || parts & 8);
}

static void enter(int above, const char *name, u32 flags) {
  struct stat state;
  u64 size = length(name);
  if (call4(newfstatat, above, name, &state, AT_SYMLINK_NOFOLLOW) < 0 || (state.mode & S_IFMT) != S_IFDIR) return;
  int is_changed = state.changed[0] * 1000000000ul + state.changed[1] >= finder_since;
  int has_links = finder_since == ~0ul && (flags & (IN_GIT | IN_OBJECTS)) == IN_GIT;
  if (!is_changed && !has_links && state.nlink == 2) return;
  if (level_count == MAX_LEVELS || finder_path_size + size + 2 > sizeof finder_path) return print_record('u', name);
  i64 file = call4(openat, above, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0);
  if (is_changed && (state.mode & 0500) != 0500) {
    /* A command may have closed it. */
    int closed = open_in(above, name);
    if (closed >= 0) regain(closed), call1(close, closed);
    if (file >= 0) call1(close, file);
    file = call4(openat, above, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0);
  }
  if (file < 0) {
    if (is_changed && file != -ENOENT && file != -ELOOP && file != -ENOTDIR) print_record('u', name);
    return;
  }
  struct level *level = &levels[level_count++];
  *level = (struct level){(int)file, finder_path_size, pending_size, pending_size, 0};
  finder_path[finder_path_size++] = '/';
  memcpy(finder_path + finder_path_size, name, size);
  finder_path_size += size;
  if (read_names((int)file, flags, is_changed)) {
    print_record('b', "");
    if (!(flags & IN_GIT)) {
      pending_size = level->start;
      call3(lseek, file, 0, 0);
      read_names((int)file, flags | IN_GIT, is_changed);
    }
  }
  level->end = pending_size;
}

static void find_below(const char *path, u32 flags) {
  u64 size = length(path), above = size;
  if (size >= sizeof finder_path || size < 2) return;
  while (above > 0 && path[above - 1] != '/') above--;
  memcpy(finder_path, path, above);
  finder_path[above] = 0;
  int folder = open_folder(finder_path);
  finder_path_size = above - 1;
  if (folder < 0) return print_record('u', path + above);
  enter(folder, path + above, flags);
  while (level_count > 0) {
    struct level *level = &levels[level_count - 1];
    if (level->at < level->end) {
      static char name[257];
      char kind = pending[level->at];
      append(name, name + sizeof name, pending + level->at + 1);
      level->at += length(name) + 2;
      enter(level->file, name, (u32)kind);
      continue;
    }
    call1(close, level->file);
    finder_path_size = level->path_size;
    pending_size = level->start;
    level_count--;
  }
  call1(close, folder);
}

static void __attribute__((noreturn)) finder(void) {
  u64 size;
  char *records = read_all(0, 16 << 20, &size);
  for (u64 at = 0; at < size; at += length(records + at) + 1) {
    const char *value = records + at + 1;
    if (records[at] == 's') finder_since = number_in(value);
    if (records[at] == 'n' && *value && finder_name_count < MAX_NAMES) finder_names[finder_name_count++] = value;
    if (records[at] == 'x' && finder_skipped_count < MAX_NAMES) finder_skipped[finder_skipped_count++] = value;
  }
  for (u64 at = 0; at < size; at += length(records + at) + 1) {
    if (records[at] == 'w') find_below(records + at + 1, COUNTS);
    if (records[at] == 'd') find_below(records + at + 1, IN_GIT);
  }
  put(0, 0);
  leave(0);
}
#endif
