/* Outside the sandbox: takes away protected paths that do not exist, when a command makes them.
 *
 * Nothing can be mounted where there is nothing, and a placeholder would be seen by `ls`, by builds and by git. So their
 * folders are watched, from outside, where no command can reach this process or the folder `kept` that things are
 * moved to. Init says when commands run, and passes a command's end on only after the keeper has looked.
 *
 *   init -> keeper: `b` a command starts, nothing ran before; `e` one has ended, `i` the last one has (both wait)
 *   keeper -> init: `r` it has looked; `k` end everything that runs
 *   keeper -> launcher: lines of JSON on stdout: removed and unlinked (once until a command ends), git-link, odd-index,
 *     restored, appeared, ended-all, ended-session, stuck, each with a path
 *
 * What appears while nothing runs inside was made by a person or the agent, and stays. */
#ifndef KEEPER_H
#define KEEPER_H
#include "folders.h"
#include "index.h"
#include "processes.h"
#include "report.h"
#include "text.h"

#define MAX_WATCHED 8192
#define MAX_ROOTS 256
#define MAX_REPOSITORIES 256
/* More removals in one second than this: something recreates it on purpose, and everything that runs is ended. After so
 * many in all, the session ends: each is a moment in which a program outside could have read the file. */
#define MAX_REMOVALS 20
#define MAX_ALL_REMOVALS 200
/* After so many things the next ones are deleted. */
#define MAX_KEPT 100
/* NUL-terminated records: `w` a folder; `m` a protected path below one of them; `r` the folder of a repository's index,
 * followed by `t`, its work tree, and `h`, the bytes of its digests; `k` a repository that was there, or may be there; `p` a
 * protected path that exists and that nothing but we can hold (held.h).
 * The list is removed after a good last look. */
#define WATCHED_NAME "watched"
/* What cannot be moved to another disk at once waits beside its place, under this and 32 random digits. */
#define ASIDE ".signalbox-"
#define ASIDE_DIGITS 32
#define KEEPER_REPORT 1

static struct { const char *path; int folder; } roots[MAX_ROOTS];
/* `held`: what somebody outside put there, kept open, so that nothing else gets its inode. `index`: the repository that
 * links to it, counted from 1; `is_linked`: as last read, or WAS_LINKED while it is read again. */
static struct { const char *path, *below; int root, is_told, held; u32 index, is_linked; } watched[MAX_WATCHED];
enum { WAS_LINKED = 2 };
/* Folders in a repository's, in which git goes through a link: it writes logs there, and empties the records of worktrees
 * that are gone. */
static const char *const parts_of_repository[] = {"logs", "worktrees"};
enum { PARTS = 2 };
/* `seen`: the index that was read last. `watches`: of the folder and of its parts. `has_trees`: its user has folders that
 * are no files of the index. */
static struct repository { int folder, parts[PARTS], watches[1 + PARTS], has_trees, is_huge; const char *path, *top; u64 hash_size, seen[6]; } repositories[MAX_REPOSITORIES];
static const char *known[MAX_WATCHED];
static u32 root_count, watched_count, repository_count, known_count, reading;
static int session_folder = -1, kept_folder = -1, watcher = -1;
static int is_idle = 1, is_last, misses_changes, removals, failures, sandbox, control = -1;

/* The innermost of our folders that a path is below, and the rest of the path; -1 if there is none. */
static int root_of(const char *path, const char **below) {
  const char *rest;
  int root = -1;
  for (u32 i = 0; i < root_count; i++)
    if (begins(path, roots[i].path, &rest) && *rest == '/' && (root < 0 || rest + 1 > *below)) root = (int)i, *below = rest + 1;
  return root >= 0 && roots[root].folder >= 0 ? root : -1;
}

static void add_held(const char *path);

/* False if there is no place for it. */
static int add_watched(const char *path, u32 index) {
  const char *below;
  int root = root_of(path, &below);
  if (root < 0) return 1;
  if (watched_count == MAX_WATCHED) return 0;
  watched[watched_count].held = -1;
  watched[watched_count].path = path;
  watched[watched_count].below = below;
  watched[watched_count].index = index;
  watched[watched_count].is_linked = index != 0;
  watched[watched_count++].root = root;
  return 1;
}

/* False if it is not there, or is more than we can watch. */
static int read_watched(int folder) {
  i64 list = call4(openat, folder, WATCHED_NAME, O_RDONLY | O_CLOEXEC, 0);
  if (list < 0) return 0;
  u64 size;
  char *records = read_all((int)list, 4 << 20, &size);
  call1(close, list);
  session_folder = folder;
  kept_folder = (int)call4(openat, folder, "kept", O_PATH | O_DIRECTORY | O_CLOEXEC, 0);
  for (u64 at = 0; at < size; at += length(records + at) + 1) {
    const char *value = records + at + 1;
    switch (records[at]) {
      case 'w':
        if (root_count == MAX_ROOTS) return 0;
        roots[root_count].path = value;
        roots[root_count++].folder = open_folder(value);
        break;
      case 'm':
        if (!add_watched(value, 0)) return 0;
        break;
      case 'r':
        if (repository_count == MAX_REPOSITORIES) return 0;
        for (u32 i = 0; i < PARTS; i++) repositories[repository_count].parts[i] = -1;
        repositories[repository_count].path = value;
        repositories[repository_count++].folder = open_folder(value);
        break;
      case 'p': add_held(value); break;
      case 't': repositories[repository_count - 1].top = value; break;
      case 'h': repositories[repository_count - 1].hash_size = number_in(value); break;
      case 'k':
        if (known_count == MAX_WATCHED) return 0;
        known[known_count++] = value;
        break;
    }
  }
  return 1;
}

/* The number that its events have. */
static int watch(int folder, u32 events) {
  char path[64];
  by_descriptor(path, path + sizeof path, folder);
  events |= IN_CREATE | IN_MOVED_TO | IN_ONLYDIR | IN_MASK_ADD;
  i64 added = call3(inotify_add_watch, watcher, path, events);
  if (added == -EACCES) {
    regain(folder);
    added = call3(inotify_add_watch, watcher, path, events);
  }
  if (added < 0) misses_changes = 1;
  return (int)added;
}

static void random_name(char *to, char *end, const char *start, const char *rest) {
  u8 bytes[16];
  for (u64 got = 0; got < sizeof bytes;) {
    i64 count = call3(getrandom, bytes + got, sizeof bytes - got, 0);
    if (count > 0) got += (u64)count;
  }
  to = append(to, end, start);
  append(append_hex(to, end, bytes, sizeof bytes), end, rest);
}

/* Closed folders in there are opened first, but only when nothing runs inside: a link could lead chmod elsewhere. */
#define OPEN "[ -h \"$1\" ] || chmod -R u+rwX \"$1\"\n"
#define MOVE "mv -T -- \"$1\" \"$2\" || "
#define REMOVE "rm -rf --one-file-system -- \"$1\""
/* Runs a script with `name` in `folder` and `target` in `kept`, in a process of its own, because it may take long. */
static i64 start_script(const char *script, int folder, const char *name, const char *target) {
  i64 pid = call5(clone, SIGCHLD, 0, 0, 0, 0);
  if (pid != 0) return pid;
  char from[512], to[512], *end = from + sizeof from, *to_end = to + sizeof to;
  append(append(by_descriptor(from, end, folder), end, "/"), end, name);
  append(append(by_descriptor(to, to_end, kept_folder), to_end, "/"), to_end, target);
  call3(fcntl, folder, F_SETFD, 0);
  call3(fcntl, kept_folder, F_SETFD, 0);
  u64 mask = 0;
  call4(rt_sigprocmask, SIG_SETMASK, &mask, 0, 8);
  char *words[] = {"sh", "-c", (char *)script, "sh", from, to, 0};
  char *environment[] = {"PATH=/usr/bin:/bin:/usr/sbin:/sbin", 0};
  call1(close, KEEPER_REPORT);
  call1(close, 2);
  call3(execve, "/bin/sh", words, environment);
  leave(127);
}

static void run_script_and_wait(const char *script, int folder, const char *name, const char *target) {
  i64 pid = start_script(script, folder, name, target);
  if (pid > 0) while (call4(wait4, pid, 0, 0, 0) == -EINTR);
}

static void run_script(const char *script, int folder, const char *name, const char *target) {
  if (is_last) run_script_and_wait(script, folder, name, target);
  else start_script(script, folder, name, target);
}

static void dispose_of(int folder, const char *name, const char *target) {
  static u32 kept;
  if (++kept > MAX_KEPT) return run_script(is_last ? OPEN REMOVE : REMOVE, folder, name, "");
  if (folder != kept_folder) run_script(is_last ? OPEN MOVE REMOVE : MOVE REMOVE, folder, name, target);
}

static i64 rename_freely(int folder, const char *name, int to_folder, const char *to) {
  i64 result = syscall6(SYS_renameat2, folder, (i64)name, to_folder, (i64)to, RENAME_NOREPLACE, 0);
  /* Filesystems that do not know the flag. The name is random. */
  return result == -EINVAL || result == -ENOSYS ? call4(renameat, folder, name, to_folder, to) : result;
}

/* Moves what has this name out of every command's reach. 0: done, or somebody else was faster. */
static i64 take_away(int folder, const char *name) {
  /* Most often a folder that was just made; there is nothing in it to keep. */
  if (call3(unlinkat, folder, name, AT_REMOVEDIR) == 0) return 0;
  char target[320], aside[64], shown[260];
  append(append(shown, shown + sizeof shown, "-"), shown + sizeof shown, name);
  random_name(target, target + sizeof target, "", shown);
  target[255] = 0;
  random_name(aside, aside + sizeof aside, ASIDE, "");
  i64 result = -EIO;
  for (int attempt = 0; attempt < 4; attempt++) {
    result = rename_freely(folder, name, kept_folder, target);
    if (result == -EXDEV) {
      /* The name goes at once, the content follows. A command that finds it gains nothing: the name is what counts. */
      result = rename_freely(folder, name, folder, aside);
      if (result >= 0) dispose_of(folder, aside, target);
    } else if (result >= 0) dispose_of(kept_folder, target, target);
    if (result >= 0 || result == -ENOENT) return 0;
    regain(folder);
    int file = open_in(folder, name);
    if (file >= 0) regain(file), call1(close, file);
  }
  return call3(unlinkat, folder, name, 0) == 0 || call3(unlinkat, folder, name, AT_REMOVEDIR) == 0 ? 0 : result;
}

static void end_session(void) {
  if (sandbox) call2(kill, sandbox, SIGKILL);
}

static void count_removal(const char *path) {
  static u32 in_second, in_all;
  static i64 second;
  struct timespec now = {0, 0};
  call2(clock_gettime, 1, &now);
  if (now.seconds != second) in_second = 0;
  second = now.seconds;
  in_second++;
  if (++in_all == MAX_ALL_REMOVALS) return report_path("ended-session", path), end_session();
  if (in_second <= MAX_REMOVALS) return;
  in_second = 0;
  report_path("ended-all", path);
  char order = 'k';
  if (control < 0 || call3(write, control, &order, 1) != 1) end_session();
}

/* False if it could not be taken away. Then the session ends. */
static int take_and_tell(int folder, const char *name, const char *type, const char *path) {
  if (take_away(folder, name) < 0) {
    failures++;
    report_path("stuck", path);
    end_session();
    return 0;
  }
  removals++;
  if (type) report_path(type, path);
  count_removal(path);
  return 1;
}

static u64 milliseconds(void) {
  struct timespec now = {0, 0};
  call2(clock_gettime, 1, &now);
  return (u64)now.seconds * 1000 + (u64)now.nanoseconds / 1000000;
}

/* While commands run, we look this often at what no event tells about. */
#define OFTEN_MS 250
#include "held.h"

static void add_held(const char *path) {
  const char *below;
  int root = root_of(path, &below);
  if (root < 0 || held_count == MAX_HELD) fail("a protected path is in no folder that commands can write, or there are too many", 125);
  held[held_count].path = path;
  held[held_count].below = below;
  held[held_count++].root = root;
}

static int is_same(int one, const struct stat *other) {
  struct stat state;
  return one >= 0 && call2(fstat, one, &state) == 0 && state.ino == other->ino && state.dev == other->dev;
}

/* A command that starts says so before it runs, so one that may have made what we see cannot be missed. */
static int is_quiet(void) {
  char next;
  if (is_idle && control >= 0 && call4(recvfrom, control, &next, 1, MSG_DONTWAIT | MSG_PEEK) != -EAGAIN) is_idle = 0;
  return is_idle;
}

/* Something is at the path, or a link in the place of a folder above it, which git does not follow to a repository. */
static void found(u32 index, int folder, const char *name, int file) {
  const char *path = watched[index].path;
  struct stat state;
  if (call2(fstat, file, &state) < 0 || is_same(watched[index].held, &state)) return;
  if (is_quiet()) {
    if (watched[index].held >= 0) call1(close, watched[index].held);
    watched[index].held = (int)call3(fcntl, file, F_DUPFD_CLOEXEC, 0);
    if (sandbox) report_path("appeared", path);
    return;
  }
  u64 size = length(path);
  const char *type = watched[index].index && size > 5 && same(path + size - 5, "/.git") ? "unlinked" : "removed";
  if (take_and_tell(folder, name, watched[index].is_told ? 0 : type, path)) watched[index].is_told = 1;
}

/* What was put aside and could not be moved on while commands ran. */
static void sweep(int folder) {
  char path[64];
  u8 buffer[8192] __attribute__((aligned(8)));
  by_descriptor(path, path + sizeof path, folder);
  i64 list = call4(openat, AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
  if (list < 0) return;
  for (i64 size; (size = call3(getdents64, list, buffer, sizeof buffer)) > 0;)
    for (i64 at = 0; at < size;) {
      const struct dirent *entry = (const struct dirent *)(buffer + at);
      const char *rest;
      at += entry->size;
      if (!begins(entry->name, ASIDE, &rest) || length(rest) != ASIDE_DIGITS) continue;
      dispose_of(folder, entry->name, rest);
    }
  call1(close, list);
}

/* Goes down to the path as far as it is there, and watches the folders on the way. */
static void look_at(u32 index) {
  int folder = roots[watched[index].root].folder, opened = -1;
  for (const char *at = watched[index].below; *at;) {
    char name[256];
    u64 size = 0;
    while (at[size] && at[size] != '/') size++;
    if (size >= sizeof name) break;
    memcpy(name, at, size);
    name[size] = 0;
    at += size + (at[size] == '/');
    if (is_last) sweep(folder);
    else if (watcher >= 0) watch(folder, 0);
    int file = open_in(folder, name);
    struct stat state;
    if (file < 0 || call2(fstat, file, &state) < 0) break;
    u32 kind = state.mode & S_IFMT;
    if (!*at || (kind == S_IFLNK && !watched[index].index)) found(index, folder, name, file);
    if (opened >= 0) call1(close, opened);
    folder = opened = file;
    if (kind != S_IFDIR) break;
  }
  if (opened >= 0) call1(close, opened);
}

static void look_at_all(void) {
  for (u32 i = 0; i < watched_count; i++) if (!watched[i].index || watched[i].is_linked) look_at(i);
}

/* Of the repository that is read: whether there are links that it did not have before. */
static int has_new_links;

static void add_link(const char *name, const char *rest_of_name) {
  char path[MAX_NAME * 2], *end = path + sizeof path, *to = append(path, end, repositories[reading].top);
  to = append(append(append(to, end, "/"), end, name), end, rest_of_name);
  if (to + 1 >= end) return;
  const char *rest;
  for (u32 i = 0; i < known_count; i++)
    if (same(known[i], path) || (begins(path, known[i], &rest) && *rest == '/')) return;
  for (u32 i = 0; i < watched_count; i++)
    if (watched[i].index == reading + 1 && same(watched[i].path, path)) {
      has_new_links |= !watched[i].is_linked;
      watched[i].is_linked = 1;
      return;
    }
  static char *free_names, *names_end;
  u64 size = (u64)(to - path) + 1;
  if (free_names + size > names_end) {
    free_names = allocate(1 << 20);
    names_end = free_names ? free_names + (1 << 20) : 0;
  }
  if (!free_names || !add_watched(memcpy(free_names, path, size), reading + 1)) {
    report_path("stuck", path);
    failures++;
    return end_session();
  }
  has_new_links = 1;
  free_names += size;
}

/* Git outside goes into a repository that the index links to, and runs what its settings say. */
static void add_gitlink(const char *name) { add_link(name, "/.git"); }

/* A folder that the index has as a whole, because it is not checked out; it may have links in it. If it is there, git
 * outside reads what is in it. */
static void add_tree(const char *name) { if (repositories[reading].has_trees) add_link(name, ""); }

/* Of a file of git's records. */
static const char *record_path(const char *below, const char *name) {
  static char path[MAX_NAME * 2];
  char *end = path + sizeof path, *to = append(path, end, repositories[reading].path);
  append(append(append(to, end, "/"), end, below), end, name);
  return path;
}

struct content { const u8 *bytes; u64 size; };

/* A file of the repository's folder; without bytes if it is not there, or git could not read it either. */
static struct content read_file(const char *name) {
  static u8 *buffer;
  static u64 room;
  struct repository *repository = &repositories[reading];
  struct content content = {0, 0};
  i64 file = call4(openat, repository->folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0);
  struct stat state;
  if (file == -ELOOP && !is_quiet()) take_and_tell(repository->folder, name, "git-link", record_path("", name));
  if (file < 0) return content;
  int is_regular = call2(fstat, file, &state) == 0 && (state.mode & S_IFMT) == S_IFREG;
  int is_huge = is_regular && state.size >= MAX_INDEX;
  if (is_huge && is_quiet()) repository->is_huge = 1;
  else if (is_huge && !repository->is_huge) take_and_tell(repository->folder, name, "odd-index", record_path("", name));
  if (is_regular && !is_huge && state.size + 1 > room) {
    if (buffer) call2(munmap, buffer, room);
    room = state.size + state.size / 4 + 4096;
    buffer = allocate(room);
    if (!buffer) room = 0;
  }
  if (is_regular && !is_huge) content.bytes = buffer;
  for (i64 count = 1; content.bytes && count > 0 && content.size < state.size;) {
    count = call3(read, file, buffer + content.size, state.size - content.size);
    if (count > 0) content.size += (u64)count;
  }
  call1(close, file);
  return content;
}

static void read_one(struct index_reader *reader, const char *name) {
  struct content content = read_file(name);
  if (!content.bytes) return;
  reader->bytes = content.bytes;
  reader->size = content.size;
  reader->has_shared = reader->has_offsets = 0;
  read_index(reader);
}

static void read_repository(void) {
  struct repository *repository = &repositories[reading];
  struct index_reader reader = {.hash_size = repository->hash_size, .gitlink = add_gitlink, .tree = add_tree, .pause = look_at_all};
  /* Those of its user come before the first command. */
  if (is_quiet()) repository->has_trees = 1;
  for (u32 i = 0; i < watched_count; i++) if (watched[i].index == reading + 1 && watched[i].is_linked) watched[i].is_linked = WAS_LINKED;
  read_one(&reader, "index");
  if (reader.has_shared) {
    char name[80], *to = append(name, name + sizeof name, "sharedindex.");
    append_hex(to, name + sizeof name, reader.shared, reader.hash_size);
    read_one(&reader, name);
  }
  for (u32 i = 0; i < watched_count; i++) if (watched[i].index == reading + 1 && watched[i].is_linked == WAS_LINKED) watched[i].is_linked = 0;
  if (is_quiet()) repository->has_trees = reader.has_trees;
  else if (reader.is_odd || (reader.has_trees && !repository->has_trees))
    take_and_tell(repository->folder, "index", "odd-index", record_path("", "index"));
}

static int is_new_index(u32 number) {
  struct stat state;
  if (repositories[number].folder < 0 || call4(newfstatat, repositories[number].folder, "index", &state, AT_SYMLINK_NOFOLLOW) < 0) return 0;
  u64 now[6] = {state.ino, state.size, state.modified[0], state.modified[1], state.changed[0], state.changed[1]};
  u32 i = 0;
  while (i < 6 && now[i] == repositories[number].seen[i]) i++;
  memcpy(repositories[number].seen, now, sizeof now);
  return i < 6;
}

/* A command can change an index through a mapping or another name without any event or a new date. So all are read before
 * the end of a command is passed on, and while one runs, as often as OFTEN_MS. */
/* Reading takes at most this part of the time. */
#define SHARE 20
static u64 next_reading;

/* True if one has new links. */
static int read_repositories(int all) {
  u64 start = milliseconds();
  all |= !is_idle && start >= next_reading;
  has_new_links = 0;
  for (reading = 0; reading < repository_count; reading++)
    if (repositories[reading].folder >= 0 && (is_new_index(reading) || all)) read_repository();
  u64 end = milliseconds(), pause = (end - start) * SHARE;
  if (all) next_reading = end + (pause > OFTEN_MS ? pause : OFTEN_MS);
  return has_new_links;
}

/* Git writes through a link in its records, wherever it leads. It has no names that begin like Emacs' locks. */
static void look_at_link(int folder, const char *below, const char *name) {
  struct stat state;
  if (begins(name, ".#", 0)) return;
  if (call4(newfstatat, folder, name, &state, AT_SYMLINK_NOFOLLOW) < 0 || (state.mode & S_IFMT) != S_IFLNK || is_quiet()) return;
  take_and_tell(folder, name, "git-link", record_path(below, name));
}

static void watch_part(struct repository *repository, u32 part) {
  if (repository->parts[part] >= 0) call1(close, repository->parts[part]);
  repository->parts[part] = open_in(repository->folder, parts_of_repository[part]);
  if (repository->parts[part] >= 0) repository->watches[1 + part] = watch(repository->parts[part], IN_ONLYDIR);
}

static void look_at_part(const struct repository *repository, u32 part, const char *name) {
  char below[16], *end = below + sizeof below;
  append(append(below, end, parts_of_repository[part]), end, "/");
  look_at_link(repository->parts[part], below, name);
}

/* What was made between its own making and our watch. */
static void look_into_part(const struct repository *repository, u32 part) {
  u8 buffer[8192] __attribute__((aligned(8)));
  i64 list = call4(openat, repository->folder, parts_of_repository[part], O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0);
  if (list < 0) return;
  for (i64 size; (size = call3(getdents64, list, buffer, sizeof buffer)) > 0;)
    for (i64 at = 0; at < size;) {
      const struct dirent *entry = (const struct dirent *)(buffer + at);
      at += entry->size;
      look_at_part(repository, part, entry->name);
    }
  call1(close, list);
}

static void look_at_records(const struct inotify_event *event) {
  for (reading = 0; reading < repository_count; reading++) {
    struct repository *repository = &repositories[reading];
    if (event->watch == repository->watches[0]) {
      look_at_link(repository->folder, "", event->name);
      if (begins(event->name, "sharedindex.", 0)) repository->seen[0] = 0;
    }
    for (u32 part = 0; part < PARTS; part++)
      if (event->watch == repository->watches[0] && same(event->name, parts_of_repository[part])) {
        watch_part(repository, part);
        look_into_part(repository, part);
      } else if (repository->parts[part] >= 0 && event->watch == repository->watches[1 + part]) look_at_part(repository, part, event->name);
  }
}

/* Whether a name is part of any watched path, in any case, because some filesystems fold it. Most new files are not, and
 * cost no more than this. */
static int is_part(const char *name) {
  u64 size = length(name);
  for (u32 i = 0; i < watched_count; i++)
    for (const char *at = watched[i].below; *at;) {
      u64 k = 0;
      while (k < size && upper(at[k]) == upper(name[k])) k++;
      if (k == size && (at[k] == '/' || at[k] == 0)) return 1;
      while (*at && *at++ != '/');
    }
  return 0;
}

/* The kernel queues a change before the system call that made it returns, so nothing that ended commands did is missed. */
static void look_at_changes(int all) {
  u8 buffer[8192] __attribute__((aligned(8)));
  int needed = misses_changes;
  for (i64 size; watcher >= 0 && (size = call3(read, watcher, buffer, sizeof buffer)) > 0;)
    for (i64 at = 0; at < size;) {
      const struct inotify_event *event = (const struct inotify_event *)(buffer + at);
      needed |= (event->mask & IN_Q_OVERFLOW) || (event->size > 0 && is_part(event->name));
      if (event->size > 0) look_at_records(event);
      at += (i64)(sizeof *event + event->size);
    }
  if (read_repositories(all) || needed) look_at_all();
}

/* Without a namespace, what is inside could go on when the processes that hold it were killed. Nothing is mounted either,
 * so init waits with the first command until we know what is there. */
static int outlives_namespace;

/* A message is read before the changes that came after it. False at the end of init. */
static int hear_init(void) {
  for (;;) {
    char what, reply = 'r';
    i64 count = call4(recvfrom, control, &what, 1, MSG_DONTWAIT);
    if (count == -EAGAIN || count == -EINTR) return 1;
    if (count <= 0) return 0;
    is_idle = is_idle && what != 'b';
    if (what == 'b' && !outlives_namespace) continue;
    if (what == 'b') remember_held(1);
    else look_at_changes(1), look_at_held(1);
    for (u32 i = 0; i < watched_count; i++) watched[i].is_told = 0;
    if (what != 'b') is_idle = what == 'i';
    call3(write, control, &reply, 1);
  }
}

/* Everything inside has ended, and every mover. What is there now and was not seen while nothing ran was made by a
 * command. */
static void look_last(void) {
  look_at_changes(1);
  if (!is_idle) look_at_held(1);
  is_idle = sandbox = failures = 0;
  control = -1;
  is_last = 1;
  look_at_all();
  if (removals) run_script(OPEN, session_folder, "kept", "");
  /* What is still to be done or told is the launcher's: it finds the list. */
  if (failures == 0) call3(unlinkat, session_folder, WATCHED_NAME, 0);
}

/* Ends as the sandbox ended, when nothing of it is left. */
static void __attribute__((noreturn)) keeper(int process, int init_socket) {
  control = init_socket;
  for (u32 i = 0; i < repository_count && watcher >= 0; i++)
    if (repositories[i].folder >= 0) {
      repositories[i].watches[0] = watch(repositories[i].folder, IN_MODIFY | IN_CLOSE_WRITE);
      for (u32 part = 0; part < PARTS; part++) watch_part(&repositories[i], part);
    }
  if (read_repositories(1)) look_at_all();
  sandbox = process;
  u64 mask = ~0ul, heard = 1ul << (SIGCHLD - 1) | 1ul << (SIGTERM - 1);
  call4(rt_sigprocmask, SIG_SETMASK, &mask, 0, 8);
  int signals = (int)call4(signalfd4, -1, &heard, 8, SOCK_CLOEXEC | SOCK_NONBLOCK);
  u32 ended = 0, status = 0;
  for (int hears = 1;;) {
    struct pollfd wanted[4] = {
      {signals, POLLIN, 0}, {hears ? control : -1, POLLIN, 0}, {watcher, POLLIN, 0}, {KEEPER_REPORT, 0, 0}};
    /* Without changes to wait for, it looks from time to time. */
    int is_orphaned = outlives_namespace && !sandbox;
    if (is_orphaned) kill_descendants((int)call1(getpid, 0));
    struct timespec often = {0, misses_changes || is_orphaned ? 20000000 : OFTEN_MS * 1000000};
    call5(ppoll, wanted, 4, is_idle && !is_orphaned ? 0 : &often, 0, 8);
    if (hears) hears = hear_init();
    look_at_changes(0);
    if (!is_idle) look_at_held(0);
    u32 information[32];
    while (call3(read, signals, information, sizeof information) > 0) if (information[0] == SIGTERM) end_session();
    if (wanted[3].revents) end_session();
    i64 pid;
    while ((pid = call4(wait4, -1, &status, WNOHANG, 0)) > 0) if (pid == sandbox) ended = status, sandbox = 0;
    if (pid == -ECHILD) break;
  }
  look_last();
  leave(ended & 127 ? 128 + (int)(ended & 127) : (int)(ended >> 8) & 255);
}
#endif
