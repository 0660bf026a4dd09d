/* Part of the keeper. In the Landlock form nothing is mounted, so commands can change protected paths that exist. Such
 * changes are taken back: while commands run from time to time, and always before the end of a command is passed on.
 *
 * What a path is, is remembered when nothing runs: the facts of everything in it, and a copy beside the socket, in
 * `held`, numbered like the records. The launcher makes the first copies. What changes while nothing runs was changed by
 * a person or the agent, and is copied again. */
#ifndef HELD_H
#define HELD_H

#define MAX_HELD 4096
#define MAX_FACTS (16u << 20)
#define MAX_HELD_DEPTH 48

/* `facts`: as they were when nothing ran. */
static struct { const char *path, *below; int root, is_there; u8 *facts; u64 size, room; } held[MAX_HELD];
static u32 held_count;

/* Of the path that is looked at. */
static struct { u8 *bytes; u64 size; int is_there, is_cut; } facts;

struct fact { u64 device, inode, size, mode, changed[2]; };

static void add_bytes(const void *bytes, u64 size) {
  if (facts.size + size > MAX_FACTS) facts.is_cut = 1;
  else memcpy(facts.bytes + facts.size, bytes, size), facts.size += size;
}

/* The time of the last change is the kernel's: nobody inside can choose it. */
static void add_fact(const char *name, const struct stat *state, int is_above) {
  struct fact fact = {state->dev, state->ino, 0, state->mode & (is_above ? S_IFMT : ~0u), {0, 0}};
  if (!is_above) fact.size = state->size, fact.changed[0] = state->changed[0], fact.changed[1] = state->changed[1];
  add_bytes(&fact, sizeof fact);
  add_bytes(name, length(name) + 1);
}

static void look_through(int folder, const char *name, u32 depth) {
  struct stat state;
  if (call4(newfstatat, folder, name, &state, AT_SYMLINK_NOFOLLOW) < 0) return;
  facts.is_there = 1;
  add_fact(name, &state, 0);
  if ((state.mode & S_IFMT) != S_IFDIR || facts.is_cut) return;
  if (depth == MAX_HELD_DEPTH) {
    facts.is_cut = 1;
    return;
  }
  char path[64];
  u8 buffer[4096] __attribute__((aligned(8)));
  int file = open_in(folder, name);
  if (file < 0) return;
  by_descriptor(path, path + sizeof path, file);
  i64 list = call4(openat, AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
  for (i64 size; list >= 0 && (size = call3(getdents64, list, buffer, sizeof buffer)) > 0;)
    for (i64 at = 0; at < size;) {
      const struct dirent *entry = (const struct dirent *)(buffer + at);
      at += entry->size;
      if (!same(entry->name, ".") && !same(entry->name, "..")) look_through(file, entry->name, depth + 1);
    }
  if (list >= 0) call1(close, list);
  call1(close, file);
}

/* The first name of a path; returns what follows it, or null if it is too long. */
static const char *first_name(const char *path, char *name) {
  u64 size = 0;
  while (path[size] && path[size] != '/') size++;
  if (size > 255) return 0;
  memcpy(name, path, size);
  name[size] = 0;
  return path + size + (path[size] == '/');
}

/* Looks at a path and the folders above it: none may be another one, or a link. */
static void look_at_facts(u32 index) {
  if (!facts.bytes) facts.bytes = allocate(MAX_FACTS);
  if (!facts.bytes) fail("out of memory", 125);
  facts.size = 0;
  facts.is_there = facts.is_cut = 0;
  int folder = roots[held[index].root].folder, opened = -1;
  for (const char *at = held[index].below; at && *at;) {
    char name[256];
    struct stat state;
    at = first_name(at, name);
    if (!at || !*at) {
      look_through(folder, name, 0);
      break;
    }
    int file = open_in(folder, name);
    if (file < 0 || call2(fstat, file, &state) < 0) break;
    add_fact(name, &state, 1);
    if (opened >= 0) call1(close, opened);
    folder = opened = file;
    if ((state.mode & S_IFMT) != S_IFDIR) break;
  }
  if (opened >= 0) call1(close, opened);
}

/* Whether what was looked at is as it was. What is too much to look at never is. */
static int is_as_before(u32 index) {
  if (facts.is_cut || facts.size != held[index].size) return 0;
  for (u64 i = 0; i < facts.size; i++) if (facts.bytes[i] != held[index].facts[i]) return 0;
  return 1;
}

static void remember_facts(u32 index) {
  if (held[index].room < facts.size) {
    if (held[index].facts) call2(munmap, held[index].facts, held[index].room);
    held[index].room = facts.size + 4096;
    held[index].facts = allocate(held[index].room);
    if (!held[index].facts) fail("out of memory", 125);
  }
  memcpy(held[index].facts, facts.bytes, facts.size);
  held[index].size = facts.size;
  held[index].is_there = facts.is_there;
}

/* From `kept`, which is beside it. */
static void copy_name(u32 index, char *name, char *end) { append_number(append(name, end, "../held/"), end, index); }

/* The folder that a path is in; folders on the way that are gone are made, and what is in their place is taken away. */
static int folder_of_held(u32 index, char *name) {
  int folder = (int)call3(fcntl, roots[held[index].root].folder, F_DUPFD_CLOEXEC, 0);
  for (const char *at = held[index].below; folder >= 0;) {
    struct stat state;
    at = first_name(at, name);
    if (!at || !*at) return at ? folder : -1;
    int file = open_in(folder, name);
    if (file < 0 || call2(fstat, file, &state) < 0 || (state.mode & S_IFMT) != S_IFDIR) {
      if (file >= 0) call1(close, file), take_away(folder, name);
      i64 made = call3(mkdirat, folder, name, 0755);
      file = open_in(folder, name);
      /* Whatever our own mask is. Not by its name, which may lead elsewhere by now. */
      char path[64];
      by_descriptor(path, path + sizeof path, file);
      if (made == 0 && file >= 0 && call2(fstat, file, &state) == 0 && (state.mode & S_IFMT) == S_IFDIR) call3(fchmodat, AT_FDCWD, path, 0755);
    }
    call1(close, folder);
    folder = file;
  }
  return folder;
}

#define COPY "rm -rf -- \"$2\"; cp -aT -- \"$1\" \"$2\""
#define COPY_BACK "cp -aT -- \"$2\" \"$1\""

static void put_back(u32 index) {
  char name[256], copy[64];
  struct stat state;
  int was_there = held[index].is_there;
  int folder = folder_of_held(index, name);
  if (folder >= 0) regain(folder);
  int is_there = folder >= 0 && call4(newfstatat, folder, name, &state, AT_SYMLINK_NOFOLLOW) == 0;
  if (is_there && !take_and_tell(folder, name, "restored", held[index].path)) return;
  if (!is_there) report_path("restored", held[index].path), count_removal(held[index].path);
  copy_name(index, copy, copy + sizeof copy);
  if (folder >= 0 && was_there) run_script_and_wait(COPY_BACK, folder, name, copy);
  if (folder >= 0) call1(close, folder);
  look_at_facts(index);
  remember_facts(index);
  if (facts.is_there == was_there) return;
  failures++;
  report_path("stuck", held[index].path);
  end_session();
}

/* Before anything runs: what is there now is what will be put back. */
static void remember_held(int copies) {
  for (u32 i = 0; i < held_count; i++) {
    char name[256], copy[64];
    look_at_facts(i);
    if (facts.is_cut) fail("there is too much to protect", 125);
    if (is_as_before(i)) continue;
    remember_facts(i);
    if (!copies || !facts.is_there) continue;
    int folder = folder_of_held(i, name);
    copy_name(i, copy, copy + sizeof copy);
    if (folder >= 0) run_script_and_wait(COPY, folder, name, copy), call1(close, folder);
  }
}

#define HELD_SHARE 20
static u64 next_held;

/* While commands run, or when one has just ended. */
static void look_at_held(int is_due) {
  u64 start = held_count ? milliseconds() : 0;
  if (!held_count || (!is_due && start < next_held)) return;
  for (u32 i = 0; i < held_count; i++) {
    look_at_facts(i);
    if (!is_as_before(i)) put_back(i);
  }
  u64 end = milliseconds(), pause = (end - start) * HELD_SHARE;
  next_held = end + (pause > OFTEN_MS ? pause : OFTEN_MS);
}
#endif
