/* Protected paths that do not exist. Nothing can be mounted where there is nothing, and a placeholder would be seen by
 * `ls` and by builds. So their folders are watched. What appears there while something runs inside loses its name at
 * once, and is kept for the user to look at. */
#ifndef PROTECT_H
#define PROTECT_H
#include "report.h"
#include "text.h"

#define MAX_PROTECTED 512
/* More removals in one second than this: something recreates it on purpose, and everything that runs is ended. */
#define MAX_REMOVALS 20
/* A folder of the session's, outside the workspace. After so many things the next ones are deleted. */
#define KEPT_FOLDER "/run/signalbox/kept"
#define MAX_KEPT 100

/* `renamed`: the path was free when its remover started, so what is there afterwards was made meanwhile. */
static struct { const char *path; int remover, renamed; } protected_paths[MAX_PROTECTED];
static u32 protected_count;
/* Paths start with one of these, whose own folders need no watch. */
static const char *protected_roots[64];
static u32 root_count;
static int watcher = -1;

static void set_protected_root(const char *path) { if (root_count < 64) protected_roots[root_count++] = path; }
static void add_protected(const char *path) {
  if (protected_count < MAX_PROTECTED) protected_paths[protected_count++].path = path;
}

static u32 removals;
static i64 removal_second;

static void count_removal(const char *path) {
  struct timespec now = {0, 0};
  call2(clock_gettime, 1, &now);
  if (now.seconds != removal_second) removals = 0;
  removal_second = now.seconds;
  if (++removals <= MAX_REMOVALS) return;
  removals = 0;
  report_path("ended-all", path);
  call2(kill, -1, SIGKILL);
}

/* Without a process inside, it was somebody outside. */
static int anything_runs(void) {
  u64 ignored[16];
  return call5(waitid, 0, 0, ignored, WEXITED | WNOHANG | WNOWAIT, 0) != -ECHILD;
}

/* Takes its name from what is at `path`, then moves it out of the workspace. The mover's pid, or 0. */
static int set_aside(const char *path, int *renamed) {
  static u32 kept;
  count_removal(path);
  report_path("removed", path);
  char aside[4200], target[4200], *end = aside + sizeof aside - 1, *at = append(aside, end, path), *name = at;
  while (name > aside && name[-1] != '/') name--;
  char *to = append(target, target + sizeof target, KEPT_FOLDER "/");
  to = append_number(to, target + sizeof target, ++kept);
  append(append(to, target + sizeof target, "-"), target + sizeof target, name);
  append_number(append(name, end, ".signalbox-"), end, kept);
  *renamed = call4(renameat, AT_FDCWD, path, AT_FDCWD, aside) >= 0;
  if (!*renamed) append(aside, end, path);
  /* Most often a folder that was just made; there is nothing in it to keep. */
  if (call3(unlinkat, AT_FDCWD, aside, AT_REMOVEDIR) == 0) return 0;
  i64 pid = call5(clone, SIGCHLD, 0, 0, 0, 0);
  if (pid != 0) return pid > 0 ? (int)pid : 0;
  call3(close_range, 3, ~0u, 0);
  u64 mask = 0;
  call4(rt_sigprocmask, SIG_SETMASK, &mask, 0, 8);
  char *move[] = {"mv", "-T", "--", aside, target, 0}, *remove[] = {"rm", "-rf", "--one-file-system", "--", aside, 0};
  char *none[] = {0}, **words = kept > MAX_KEPT ? remove : move;
  call3(execve, kept > MAX_KEPT ? "/bin/rm" : "/bin/mv", words, none);
  call3(execve, kept > MAX_KEPT ? "/usr/bin/rm" : "/usr/bin/mv", words, none);
  leave(127);
}

static void remove_path(u32 index) {
  if (protected_paths[index].remover) return;
  if (anything_runs()) {
    protected_paths[index].remover = set_aside(protected_paths[index].path, &protected_paths[index].renamed);
    return;
  }
  report_path("appeared", protected_paths[index].path);
  protected_paths[index].path = 0;
}

/* Watches every folder above a protected path that is there, and removes the path itself. A link in its place counts
 * as the path: the folder that it points to could be filled elsewhere. */
static void check(u32 index) {
  const char *path = protected_paths[index].path;
  if (!path) return;
  u64 start = 0, rest;
  const char *ignored;
  for (u32 i = 0; i < root_count; i++)
    if (begins(path, protected_roots[i], &ignored) && *ignored == '/' && (rest = length(protected_roots[i])) > start) start = rest;
  char part[4096];
  u64 size = length(path);
  if (start == 0 || size >= sizeof part) return;
  memcpy(part, path, start);
  part[start] = 0;
  call3(inotify_add_watch, watcher, part, IN_CREATE | IN_MOVED_TO | IN_ONLYDIR);
  for (u64 at = start; at < size;) {
    do part[at] = path[at], at++; while (at < size && path[at] != '/');
    part[at] = 0;
    struct stat state;
    if (call4(newfstatat, AT_FDCWD, part, &state, AT_SYMLINK_NOFOLLOW) < 0) return;
    if (at == size) return remove_path(index);
    if ((state.mode & S_IFMT) == S_IFLNK) {
      int ignored_too;
      if (anything_runs()) set_aside(part, &ignored_too);
      return;
    }
    if ((state.mode & S_IFMT) != S_IFDIR) return;
    call3(inotify_add_watch, watcher, part, IN_CREATE | IN_MOVED_TO | IN_ONLYDIR | IN_DONT_FOLLOW);
  }
}

static void check_all(void) {
  for (u32 i = 0; i < protected_count; i++) check(i);
}

/* The program that removed a path has ended: look again, because the path may have been made anew meanwhile. Called
 * before the program is reaped, so that it still counts as running and a command that has ended since gains nothing. If
 * the path could not be renamed, that would never end; then the check waits until it is reaped. */
static int ends_removal(int pid, int is_reaped) {
  for (u32 i = 0; i < protected_count; i++) {
    if (protected_paths[i].remover != pid) continue;
    if (!protected_paths[i].renamed && !is_reaped) return 1;
    protected_paths[i].remover = 0;
    check(i);
    return 1;
  }
  return 0;
}

static int watch_protected(void) {
  if (protected_count == 0) return -1;
  watcher = (int)call1(inotify_init1, SOCK_CLOEXEC | SOCK_NONBLOCK);
  check_all();
  return watcher;
}

/* Whether a name is part of any protected path. Most new files are not, and cost no more than this. */
static int is_part(const char *name) {
  u64 size = length(name);
  for (u32 i = 0; i < protected_count; i++)
    for (const char *at = protected_paths[i].path; at && *at; at++) {
      if (*at != '/') continue;
      u64 k = 0;
      while (k < size && at[1 + k] == name[k]) k++;
      if (k == size && (at[1 + k] == '/' || at[1 + k] == 0)) return 1;
    }
  return 0;
}

static void protect(int changes) {
  u8 buffer[8192] __attribute__((aligned(8)));
  int needed = 0;
  for (i64 size; (size = call3(read, changes, buffer, sizeof buffer)) > 0;)
    for (i64 at = 0; at < size;) {
      const struct inotify_event *event = (const struct inotify_event *)(buffer + at);
      needed |= (event->mask & IN_Q_OVERFLOW) || (event->size > 0 && is_part(event->name));
      at += (i64)(sizeof *event + event->size);
    }
  if (needed) check_all();
}
#endif
