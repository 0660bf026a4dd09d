/* Outside the sandbox: takes away protected paths that do not exist, when a command makes them.
 *
 * Nothing can be mounted where there is nothing, and a placeholder would be seen by `ls`, by builds and by git. So their
 * folders are watched, from outside, where no command can reach this process or the folder `kept` that things are
 * moved to. Init says when commands run, and passes a command's end on only after the keeper has looked.
 *
 *   init -> keeper: `b` a command starts, nothing ran before; `e` one has ended, `i` the last one has (both wait)
 *   keeper -> init: `r` it has looked; `k` end everything that runs
 *   keeper -> launcher: lines of JSON on stdout: removed (once until a command ends), appeared, ended-all,
 *     ended-session, stuck, each with a path
 *
 * What appears while nothing runs inside was made by a person or the agent, and stays. */
#ifndef KEEPER_H
#define KEEPER_H
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
 * followed by `t`, its work tree, and `h`, the bytes of its digests; `k` a repository that was there, or may be there.
 * The list is removed after a good last look. */
#define WATCHED_NAME "watched"
/* What cannot be moved to another disk at once waits beside its place, under this and 32 random digits. */
#define ASIDE ".signalbox-"
#define ASIDE_DIGITS 32
#define KEEPER_REPORT 1

static struct { const char *path; int folder; } roots[MAX_ROOTS];
/* `device` and `inode`: what somebody outside put there. `index`: the repository that links to it, counted from 1. */
static struct { const char *path, *below; int root, is_told; u32 index, is_linked; u64 device, inode; } watched[MAX_WATCHED];
/* `seen`: the index that was read last. */
static struct { int folder; const char *path, *top; u64 hash_size, seen[6]; } repositories[MAX_REPOSITORIES];
static const char *known[MAX_WATCHED];
static u32 root_count, watched_count, repository_count, known_count, reading;
static int session_folder = -1, kept_folder = -1, watcher = -1;
static int is_idle = 1, is_last, misses_changes, removals, failures, sandbox, control = -1;

/* False if there is no place for it. */
static int add_watched(const char *path, u32 index) {
  const char *rest, *below = 0;
  int root = -1;
  for (u32 i = 0; i < root_count; i++)
    if (begins(path, roots[i].path, &rest) && *rest == '/' && (!below || rest + 1 > below)) root = (int)i, below = rest + 1;
  if (!below || roots[root].folder < 0) return 1;
  if (watched_count == MAX_WATCHED) return 0;
  watched[watched_count].path = path;
  watched[watched_count].below = below;
  watched[watched_count].index = index;
  watched[watched_count].is_linked = index != 0;
  watched[watched_count++].root = root;
  return 1;
}

static int open_folder(const char *path) { return (int)call4(openat, AT_FDCWD, path, O_PATH | O_DIRECTORY | O_CLOEXEC, 0); }

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
        repositories[repository_count].path = value;
        repositories[repository_count++].folder = open_folder(value);
        break;
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

static char *by_descriptor(char *to, char *end, int file) { return append_number(append(to, end, "/proc/self/fd/"), end, (u64)file); }

/* A command may have closed a folder of its own. Gives the rights of its owner back. */
static void regain(int file) {
  struct stat state;
  char path[64];
  if (call2(fstat, file, &state) < 0 || (state.mode & S_IFMT) != S_IFDIR || (state.mode & 0700) == 0700) return;
  by_descriptor(path, path + sizeof path, file);
  call3(fchmodat, AT_FDCWD, path, (state.mode | 0700) & 07777);
}

/* Follows no link: a command could lead us to folders of its choice. */
static int open_in(int folder, const char *name) {
  i64 file = call4(openat, folder, name, O_PATH | O_NOFOLLOW | O_CLOEXEC, 0);
  if (file != -EACCES) return (int)file;
  regain(folder);
  return (int)call4(openat, folder, name, O_PATH | O_NOFOLLOW | O_CLOEXEC, 0);
}

static void watch(int folder, u32 events) {
  char path[64];
  by_descriptor(path, path + sizeof path, folder);
  events |= IN_CREATE | IN_MOVED_TO | IN_ONLYDIR | IN_MASK_ADD;
  i64 added = call3(inotify_add_watch, watcher, path, events);
  if (added == -EACCES) {
    regain(folder);
    added = call3(inotify_add_watch, watcher, path, events);
  }
  if (added < 0) misses_changes = 1;
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
static void run_script(const char *script, int folder, const char *name, const char *target) {
  i64 pid = call5(clone, SIGCHLD, 0, 0, 0, 0);
  if (pid > 0 && is_last) while (call4(wait4, pid, 0, 0, 0) == -EINTR);
  if (pid != 0) return;
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

/* Something is at the path, or a link in the place of a folder above it, which git does not follow to a repository. */
static void found(u32 index, int folder, const char *name, const struct stat *state) {
  const char *path = watched[index].path;
  int is_known = watched[index].inode == state->ino && watched[index].device == state->dev;
  if (is_known) return;
  /* A command that starts says so before it runs, so one that may have made this cannot be missed. */
  char next;
  if (is_idle && control >= 0 && call4(recvfrom, control, &next, 1, MSG_DONTWAIT | MSG_PEEK) != -EAGAIN) is_idle = 0;
  if (is_idle) {
    watched[index].inode = state->ino;
    watched[index].device = state->dev;
    if (sandbox) report_path("appeared", path);
    return;
  }
  if (take_away(folder, name) < 0) {
    failures++;
    report_path("stuck", path);
    return end_session();
  }
  removals++;
  if (!watched[index].is_told) report_path(watched[index].index ? "unlinked" : "removed", path);
  watched[index].is_told = 1;
  count_removal(path);
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
    if (!*at || (kind == S_IFLNK && !watched[index].index)) found(index, folder, name, &state);
    if (opened >= 0) call1(close, opened);
    folder = opened = file;
    if (kind != S_IFDIR) break;
  }
  if (opened >= 0) call1(close, opened);
}

static void look_at_all(void) {
  for (u32 i = 0; i < watched_count; i++) if (!watched[i].index || watched[i].is_linked) look_at(i);
}

/* Git outside goes into a repository that the index links to, and runs what its settings say. */
static void add_link(const char *name) {
  char path[MAX_NAME * 2], *end = path + sizeof path, *to = append(path, end, repositories[reading].top);
  to = append(append(append(to, end, "/"), end, name), end, "/.git");
  if (to + 1 >= end) return;
  const char *rest;
  for (u32 i = 0; i < known_count; i++)
    if (same(known[i], path) || (begins(path, known[i], &rest) && *rest == '/')) return;
  for (u32 i = 0; i < watched_count; i++)
    if (watched[i].index == reading + 1 && same(watched[i].path, path)) {
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
  free_names += size;
}

struct content { u8 *bytes; u64 size, room; };

/* A file of the repository's folder; without bytes if it is not there, or git could not read it either. */
static struct content read_file(const char *name) {
  struct content content = {0, 0, 0};
  int folder = repositories[reading].folder;
  i64 file = call4(openat, folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0);
  struct stat state;
  if (file == -ELOOP && !is_idle) take_away(folder, name);
  if (file < 0) return content;
  if (call2(fstat, file, &state) == 0 && (state.mode & S_IFMT) == S_IFREG && state.size < MAX_INDEX) {
    content.room = state.size + 1;
    content.bytes = allocate(content.room);
  }
  for (i64 count = 1; content.bytes && count > 0 && content.size < state.size;) {
    count = call3(read, file, content.bytes + content.size, state.size - content.size);
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
  reader->has_shared = 0;
  read_index(reader);
  call2(munmap, content.bytes, content.room);
}

static void read_repository(void) {
  struct index_reader reader = {.hash_size = repositories[reading].hash_size, .gitlink = add_link};
  for (u32 i = 0; i < watched_count; i++) if (watched[i].index == reading + 1) watched[i].is_linked = 0;
  read_one(&reader, "index");
  if (reader.has_shared) {
    char name[80], *to = append(name, name + sizeof name, "sharedindex.");
    append_hex(to, name + sizeof name, reader.shared, reader.hash_size);
    read_one(&reader, name);
  }
  if (!reader.is_odd || is_idle) return;
  char path[MAX_NAME * 2], *end = path + sizeof path;
  append(append(path, end, repositories[reading].path), end, "/index");
  if (take_away(repositories[reading].folder, "index") < 0) {
    report_path("stuck", path);
    failures++;
    return end_session();
  }
  report_path("odd-index", path);
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

/* True if one had changed. */
static int read_repositories(void) {
  int changed = 0;
  for (reading = 0; reading < repository_count; reading++)
    if (is_new_index(reading)) read_repository(), changed = 1;
  return changed;
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
static void look_at_changes(void) {
  u8 buffer[8192] __attribute__((aligned(8)));
  int needed = misses_changes;
  for (i64 size; watcher >= 0 && (size = call3(read, watcher, buffer, sizeof buffer)) > 0;)
    for (i64 at = 0; at < size;) {
      const struct inotify_event *event = (const struct inotify_event *)(buffer + at);
      needed |= (event->mask & IN_Q_OVERFLOW) || (event->size > 0 && is_part(event->name));
      if (event->size > 0 && begins(event->name, "sharedindex.", 0))
        for (u32 i = 0; i < repository_count; i++) repositories[i].seen[0] = 0;
      at += (i64)(sizeof *event + event->size);
    }
  if (read_repositories() || needed) look_at_all();
}

/* A message is read before the changes that came after it. False at the end of init. */
static int hear_init(void) {
  for (;;) {
    char what, reply = 'r';
    i64 count = call4(recvfrom, control, &what, 1, MSG_DONTWAIT);
    if (count == -EAGAIN || count == -EINTR) return 1;
    if (count <= 0) return 0;
    is_idle = is_idle && what != 'b';
    if (what == 'b') continue;
    look_at_changes();
    for (u32 i = 0; i < watched_count; i++) watched[i].is_told = 0;
    is_idle = what == 'i';
    call3(write, control, &reply, 1);
  }
}

/* Everything inside has ended, and every mover. What is there now and was not seen while nothing ran was made by a
 * command. */
static void look_last(void) {
  look_at_changes();
  is_idle = sandbox = failures = 0;
  control = -1;
  is_last = 1;
  look_at_all();
  if (removals) run_script(OPEN, session_folder, "kept", "");
  /* What is still to be done or told is the launcher's: it finds the list. */
  if (failures == 0) call3(unlinkat, session_folder, WATCHED_NAME, 0);
}

/* Without a namespace, what is inside could go on when the processes that hold it were killed. */
static int outlives_namespace;

/* Ends as the sandbox ended, when nothing of it is left. */
static void __attribute__((noreturn)) keeper(int process, int init_socket) {
  control = init_socket;
  for (u32 i = 0; i < repository_count && watcher >= 0; i++)
    if (repositories[i].folder >= 0) watch(repositories[i].folder, IN_MODIFY | IN_CLOSE_WRITE);
  if (read_repositories()) look_at_all();
  sandbox = process;
  u64 mask = ~0ul, heard = 1ul << (SIGCHLD - 1) | 1ul << (SIGTERM - 1);
  call4(rt_sigprocmask, SIG_SETMASK, &mask, 0, 8);
  int signals = (int)call4(signalfd4, -1, &heard, 8, SOCK_CLOEXEC | SOCK_NONBLOCK);
  u32 ended = 0, status = 0;
  for (int hears = 1;;) {
    struct pollfd wanted[4] = {
      {signals, POLLIN, 0}, {hears ? control : -1, POLLIN, 0}, {watcher, POLLIN, 0}, {KEEPER_REPORT, 0, 0}};
    /* Without changes to wait for, it looks from time to time. */
    struct timespec often = {0, 20000000};
    int is_orphaned = outlives_namespace && !sandbox;
    if (is_orphaned) kill_descendants((int)call1(getpid, 0));
    call5(ppoll, wanted, 4, is_orphaned || (misses_changes && !is_idle) ? &often : 0, 0, 8);
    if (hears) hears = hear_init();
    look_at_changes();
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
