/* Outside, after a session: finds what commands may have left below its folders. Reads records on stdin and prints
 * records on stdout, each ended by a NUL.
 *
 *   in:  `s` nanoseconds since 1970, the start of the session; `w` a folder; `n` a name of interest, with `*` at one end
 *        for any; `x` the name of a folder in which names are of no interest
 *   out: `g` a `.git`; `b` a folder that git would take for a repository; `n` an entry of a folder that has changed
 *
 * A folder that was not changed and has no folders in it is not read. */
#ifndef FINDER_H
#define FINDER_H
#include "text.h"

#define MAX_NAMES 512
enum { DT_UNKNOWN = 0, DT_DIR = 4, PATH_MAX = 4096 };

static const char *finder_names[MAX_NAMES], *finder_skipped[MAX_NAMES];
static u32 finder_name_count, finder_skipped_count;
static u64 finder_since;
/* Folders that are still to be read; the first character says whether names count in there. */
static char **finder_stack;
static u64 finder_depth, finder_room;

static void print_record(char kind, const char *folder, const char *name) {
  static char buffer[1 << 16];
  static u64 used;
  u64 size = kind ? length(folder) + length(name) + 3 : sizeof buffer;
  if (used + size > sizeof buffer) {
    for (u64 sent = 0; sent < used;) {
      i64 count = call3(write, 1, buffer + sent, used - sent);
      if (count <= 0 && count != -EINTR) leave(125);
      if (count > 0) sent += (u64)count;
    }
    used = 0;
  }
  if (!kind) return;
  char *end = buffer + sizeof buffer, *to = buffer + used;
  *to++ = kind;
  to = append(to, end, folder);
  if (*name) to = append(append(to, end, "/"), end, name);
  used = (u64)(to + 1 - buffer);
}

static void push_folder(const char *folder, const char *name, int counts) {
  static char *free_bytes, *bytes_end;
  u64 size = length(folder) + length(name) + 3;
  if (size > PATH_MAX) return;
  if (free_bytes + size > bytes_end) {
    free_bytes = allocate(4 << 20);
    if (!free_bytes) fail("out of memory", 125);
    bytes_end = free_bytes + (4 << 20);
  }
  if (finder_depth == finder_room) {
    u64 room = finder_room ? finder_room * 2 : 4096;
    char **larger = allocate(room * sizeof *larger);
    if (!larger) fail("out of memory", 125);
    memcpy(larger, finder_stack, finder_depth * sizeof *larger);
    if (finder_room) call2(munmap, finder_stack, finder_room * sizeof *larger);
    finder_stack = larger;
    finder_room = room;
  }
  char *to = free_bytes, *end = to + size;
  *to++ = counts ? '+' : '-';
  to = append(to, end, folder);
  if (*name) append(append(to, end, "/"), end, name);
  finder_stack[finder_depth++] = free_bytes;
  free_bytes += size;
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

static int is_folder(int file, const struct dirent *entry) {
  struct stat state;
  if (entry->kind != DT_UNKNOWN) return entry->kind == DT_DIR;
  return call4(newfstatat, file, entry->name, &state, AT_SYMLINK_NOFOLLOW) == 0 && (state.mode & S_IFMT) == S_IFDIR;
}

static void find_in(const char *folder, int counts) {
  static u8 buffer[1 << 16] __attribute__((aligned(8)));
  struct stat state;
  if (call4(newfstatat, AT_FDCWD, folder, &state, AT_SYMLINK_NOFOLLOW) < 0 || (state.mode & S_IFMT) != S_IFDIR) return;
  int is_changed = state.changed[0] * 1000000000ul + state.changed[1] >= finder_since;
  if (!is_changed && state.nlink == 2) return;
  /* A command may have closed it. */
  if (is_changed && (state.mode & 0500) != 0500) call3(fchmodat, AT_FDCWD, folder, (state.mode | 0500) & 07777);
  int file = (int)call4(openat, AT_FDCWD, folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0);
  if (file < 0) return;
  u32 parts = 0;
  for (i64 size; (size = call3(getdents64, file, buffer, sizeof buffer)) > 0;)
    for (i64 at = 0; at < size;) {
      const struct dirent *entry = (const struct dirent *)(buffer + at);
      const char *name = entry->name;
      at += entry->size;
      if (same(name, ".") || same(name, "..")) continue;
      if (same_letters(name, ".git", 5)) {
        print_record('g', folder, name);
        continue;
      }
      parts |= same(name, "HEAD") ? 1 : same(name, "objects") ? 2 : same(name, "refs") ? 4 : 0;
      if (is_changed && counts && is_of_interest(name)) print_record('n', folder, name);
      if (is_folder(file, entry)) push_folder(folder, name, counts && !is_skipped(name));
    }
  call1(close, file);
  if (parts == 7) print_record('b', folder, "");
}

static void __attribute__((noreturn)) finder(void) {
  u64 size;
  char *records = read_all(0, 4 << 20, &size);
  for (u64 at = 0; at < size; at += length(records + at) + 1) {
    const char *value = records + at + 1;
    if (records[at] == 's') finder_since = number_in(value);
    if (records[at] == 'w') push_folder(value, "", 1);
    if (records[at] == 'n' && *value && finder_name_count < MAX_NAMES) finder_names[finder_name_count++] = value;
    if (records[at] == 'x' && finder_skipped_count < MAX_NAMES) finder_skipped[finder_skipped_count++] = value;
  }
  while (finder_depth > 0) {
    const char *folder = finder_stack[--finder_depth];
    find_in(folder + 1, folder[0] == '+');
  }
  print_record(0, "", "");
  leave(0);
}
#endif
