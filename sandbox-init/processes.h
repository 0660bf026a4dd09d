/* The processes of this machine, as /proc shows them. */
#ifndef PROCESSES_H
#define PROCESSES_H
#include "text.h"

struct process { int id, parent, group, session, has_ended; };

/* False if there is none. */
static int read_process(u64 id, struct process *process) {
  char path[64], text[512], *end = path + sizeof path;
  append(append_number(append(path, end, "/proc/"), end, id), end, "/stat");
  int file = (int)call4(openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
  if (file < 0) return 0;
  i64 count = call3(read, file, text, sizeof text - 1);
  call1(close, file);
  if (count <= 0) return 0;
  text[count] = 0;
  const char *field = text + count;
  while (field > text && *field != ')') field--;
  /* ") S parent group session". A zombie has ended, unless only its first thread has, so it is killed like the others. */
  *process = (struct process){(int)id, 0, 0, 0, !(field[0] && field[1] && field[2] != 'Z')};
  int *const numbers[] = {&process->parent, &process->group, &process->session};
  while (*field && *field++ != ' ');
  for (u32 i = 0; i < 3; i++) {
    while (*field && *field++ != ' ');
    *numbers[i] = (int)number_in(field);
  }
  return 1;
}

/* Calls `visit` with each. */
static void each_process(void (*visit)(const struct process *process)) {
  int folder = (int)call4(openat, AT_FDCWD, "/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
  if (folder < 0) return;
  char entries[8192];
  for (i64 size; (size = call3(getdents64, folder, entries, sizeof entries)) > 0;)
    for (i64 at = 0; at < size; at += *(u16 *)(entries + at + 16)) {
      const char *name = entries + at + 19;
      struct process process;
      if (*name >= '0' && *name <= '9' && read_process(number_in(name), &process)) visit(&process);
    }
  call1(close, folder);
}

#define MAX_PROCESSES (1u << 17)
static struct { int id, parent, has_ended, is_below; } *process_list;
static u32 process_count;
static int spared_session;

static void list_process(const struct process *process) {
  if (process->session == spared_session || process_count == MAX_PROCESSES) return;
  process_list[process_count].id = process->id;
  process_list[process_count].parent = process->parent;
  process_list[process_count].has_ended = process->has_ended;
  process_list[process_count++].is_below = 0;
}

/* Kills what descends from `ancestor`, but for those in its own session. One that forks meanwhile is found on the next
 * round. */
static void kill_descendants(int ancestor) {
  if (!process_list) process_list = allocate(MAX_PROCESSES * sizeof *process_list);
  if (!process_list) return;
  spared_session = (int)call1(getsid, 0);
  for (int round = 0, found = 1; found && round < 20; round++) {
    process_count = found = 0;
    each_process(list_process);
    for (int changed = 1; changed;) {
      changed = 0;
      for (u32 i = 0; i < process_count; i++) {
        if (process_list[i].is_below) continue;
        int is_below = process_list[i].parent == ancestor;
        for (u32 k = 0; !is_below && k < process_count; k++)
          is_below = process_list[k].is_below && process_list[k].id == process_list[i].parent;
        if (is_below) process_list[i].is_below = changed = 1;
      }
    }
    for (u32 i = 0; i < process_count; i++) {
      if (!process_list[i].is_below) continue;
      call2(kill, process_list[i].id, SIGKILL);
      found |= !process_list[i].has_ended;
    }
  }
}

/* Moves this process to each of the control groups, whose files are separated by colons. */
static void join_groups(char *groups) {
  for (char *group = groups, *rest; *group; group = rest) {
    for (rest = group; *rest && *rest != ':'; rest++);
    if (*rest) *rest++ = 0;
    i64 file = call4(openat, AT_FDCWD, group, O_WRONLY | O_CLOEXEC, 0);
    if (file < 0 || call3(write, file, "0", 1) != 1) fail("cannot join the control groups of the sandbox", 125);
    call1(close, file);
  }
}

/* Where memory runs out, the kernel ends commands before anything outside that uses less than half of it. */
static void be_ended_first(void) {
  char score[16];
  i64 file = call4(openat, AT_FDCWD, "/proc/self/oom_score_adj", O_RDWR | O_CLOEXEC, 0);
  if (file < 0) return;
  i64 count = call3(read, file, score, sizeof score - 1);
  score[count > 0 ? count : 0] = 0;
  if (number_in(score) < 500) call3(write, file, "500", 3);
  call1(close, file);
}
#endif
