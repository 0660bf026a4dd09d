/* Outside the sandbox: starts programs for its parent, for whom a fork takes longer the more memory it has.
 *
 * Orders come on stdin: a `struct order`, then `size` bytes of NUL-terminated strings (the program, the working folder,
 * the arguments, the environment). The program gets no input, and writes both streams to the parent's descriptor `file`.
 * Replies go to stdout, in the order of the orders for `STARTED` and `FAILED`. It ends with its stdin. */
#ifndef STARTER_H
#define STARTER_H
#include "message.h"
#include "text.h"

enum { STARTED = 1, FAILED = 2, ENDED = 3 };
struct order { u32 magic, size, argument_count, file; };
/* STARTED: the process. FAILED: the error. ENDED: the process and its wait status. */
struct reply { u32 kind, process, value; };

static void tell(u32 kind, u32 process, u32 value) {
  struct reply reply = {kind, process, value};
  for (u64 sent = 0; sent < sizeof reply;) {
    i64 count = call3(write, 1, (u8 *)&reply + sent, sizeof reply - sent);
    if (count == -EINTR) continue;
    if (count <= 0) leave(0);
    sent += (u64)count;
  }
}

static void take(void *to, u64 size) {
  for (u64 got = 0; got < size;) {
    i64 count = call3(read, 0, (u8 *)to + got, size - got);
    if (count == -EINTR) continue;
    if (count <= 0) leave(0);
    got += (u64)count;
  }
}

static char *after(char *text) { return text + length(text) + 1; }

/* The error that kept the program from starting. */
static i64 become_program(const struct order *order, char *body, u64 parent) {
  char path[64], *end = path + sizeof path;
  append_number(append(append_number(append(path, end, "/proc/"), end, parent), end, "/fd/"), end, order->file);
  i64 output = call4(openat, AT_FDCWD, path, O_WRONLY | O_CLOEXEC, 0);
  if (output < 0) return -output;
  i64 none = call4(openat, AT_FDCWD, "/dev/null", O_RDONLY | O_CLOEXEC, 0);
  if (none < 0) return -none;
  char *folder = after(body), *at = after(folder);
  i64 moved = call1(chdir, folder);
  if (moved < 0) return -moved;
  u64 strings = 0;
  for (u32 i = 0; i < order->size; i++) strings += body[i] == 0;
  char **words = allocate((strings + 2) * sizeof *words);
  if (!words) return ENOMEM;
  u64 count = 0;
  for (u32 i = 0; i < order->argument_count; i++, at = after(at)) words[count++] = at;
  words[count++] = 0;
  char **environment = words + count;
  for (; at < body + order->size; at = after(at)) words[count++] = at;
  words[count] = 0;
  call3(dup3, none, 0, 0);
  call3(dup3, output, 1, 0);
  call3(dup3, output, 2, 0);
  call1(setsid, 0);
  u64 mask = 0;
  call4(rt_sigprocmask, SIG_SETMASK, &mask, 0, 8);
  return -call3(execve, body, words, environment);
}

static void carry_out(const struct order *order, char *body, u64 parent) {
  int problem[2];
  i64 made = call2(pipe2, problem, O_CLOEXEC);
  if (made < 0) return tell(FAILED, 0, (u32)-made);
  i64 pid = call5(clone, SIGCHLD, 0, 0, 0, 0);
  if (pid == 0) {
    u32 error = (u32)become_program(order, body, parent);
    call3(write, problem[1], &error, sizeof error);
    leave(127);
  }
  call1(close, problem[1]);
  u32 error = (u32)-pid;
  i64 count = sizeof error;
  /* It closes when the program runs. */
  if (pid > 0) do count = call3(read, problem[0], &error, sizeof error); while (count == -EINTR);
  call1(close, problem[0]);
  if (count == sizeof error) {
    if (pid > 0) call4(wait4, pid, 0, 0, 0);
    return tell(FAILED, 0, error);
  }
  tell(STARTED, (u32)pid, 0);
}

static int is_whole(const struct order *order, const char *body) {
  u64 strings = 0;
  for (u32 i = 0; i < order->size; i++) strings += body[i] == 0;
  return body[order->size - 1] == 0 && order->argument_count > 0 && strings >= (u64)order->argument_count + 2;
}

static void __attribute__((noreturn)) starter(void) {
  u64 parent = (u64)call1(getppid, 0), ended = 1ul << (SIGCHLD - 1);
  call4(rt_sigprocmask, SIG_SETMASK, &ended, 0, 8);
  int signals = (int)call4(signalfd4, -1, &ended, 8, O_CLOEXEC);
  if (signals < 0) leave(125);
  for (;;) {
    struct pollfd wanted[2] = {{0, POLLIN, 0}, {signals, POLLIN, 0}};
    if (call5(ppoll, wanted, 2, 0, 0, 8) < 0) continue;
    if (wanted[1].revents) {
      u8 information[128];
      u32 status = 0;
      call3(read, signals, information, sizeof information);
      for (i64 pid; (pid = call4(wait4, -1, &status, WNOHANG, 0)) > 0;) tell(ENDED, (u32)pid, status);
    }
    if (!wanted[0].revents) continue;
    struct order order;
    take(&order, sizeof order);
    if (order.magic != MAGIC || order.size == 0 || order.size > MAX_REQUEST) leave(125);
    char *body = allocate(order.size);
    if (!body) leave(125);
    take(body, order.size);
    if (!is_whole(&order, body)) leave(125);
    carry_out(&order, body, parent);
    call2(munmap, body, order.size);
  }
}
#endif
