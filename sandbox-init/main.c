/* The helper of signalbox's sandbox. One program, six roles:
 *
 *   sandbox 'COMMAND'                      client: runs COMMAND inside, and ends as it ended
 *   sandbox -- PROGRAM ARGUMENT...         client, without a shell
 *   sandbox serve FOLDER CGROUPS BWRAP ... opens FOLDER/socket as descriptor 7, starts bubblewrap, and is its keeper
 *   sandbox start                          starter: starts programs for its parent
 *   sandbox find                           finder: what a session has left below its folders
 *   (as process 1, without arguments)      init: runs the commands inside
 */
#include "keeper.h"
#include "client.h"
#include "finder.h"
#include "init.h"
#include "starter.h"

static int opened(i64 file, const char *problem) {
  if (file < 0) fail(problem, 125);
  return (int)file;
}

static void move_to(int file, int number) {
  if (file == number) return;
  call3(dup3, file, number, 0);
  call1(close, file);
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

static void __attribute__((noreturn)) become_bubblewrap(char **arguments, char **environment, int listener, int control) {
  /* In this order: the first may have the number that the second is to get. */
  move_to(listener, FILE_SOCKET);
  move_to(control, FILE_KEEPER);
  move_to((int)call4(openat, AT_FDCWD, "/dev/null", O_RDWR, 0), 1);
  for (char *group = arguments[3], *rest; *group; group = rest) {
    for (rest = group; *rest && *rest != ':'; rest++);
    if (*rest) *rest++ = 0;
    int file = opened(call4(openat, AT_FDCWD, group, O_WRONLY | O_CLOEXEC, 0), "cannot join the control groups of the sandbox");
    if (call3(write, file, "0", 1) != 1) fail("cannot join the control groups of the sandbox", 125);
    call1(close, file);
  }
  be_ended_first();
  call1(umask, 022);
  call3(execve, arguments[4], arguments + 4, environment);
  fail("cannot start bubblewrap", 125);
}

static void __attribute__((noreturn)) serve(char **arguments, char **environment) {
  const char *problem = "cannot make the sandbox's socket";
  int folder = opened(call4(openat, AT_FDCWD, arguments[2], O_PATH | O_DIRECTORY | O_CLOEXEC, 0), problem);
  int listener = opened(call3(socket, AF_UNIX, SOCK_STREAM, 0), problem), pair[2];
  struct sockaddr_un address = {0};
  socket_address(&address, folder);
  call1(umask, 077);
  if (call3(bind, listener, &address, sizeof address) < 0 || call2(listen, listener, 1024) < 0) fail(problem, 125);
  if (call4(socketpair, AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0) fail(problem, 125);
  if (!read_watched(folder)) fail("cannot read which paths are protected", 125);
  watcher = (int)call1(inotify_init1, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (watcher < 0) misses_changes = 1;
  report_channel = KEEPER_REPORT;
  look_at_all();
  /* What is inside is ours to wait for, also when bubblewrap is gone. */
  call5(prctl, PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
  i64 pid = call5(clone, SIGCHLD, 0, 0, 0, 0);
  if (pid < 0) fail("cannot start bubblewrap", 125);
  if (pid == 0) become_bubblewrap(arguments, environment, listener, pair[1]);
  call1(close, pair[1]);
  call1(close, listener);
  /* Bubblewrap's. */
  call3(close_range, 3, 6, 0);
  keeper((int)pid, pair[0]);
}

__attribute__((used)) static void __attribute__((noreturn)) start_here(u64 *stack) {
  int count = (int)stack[0];
  char **arguments = (char **)(stack + 1), **environment = arguments + count + 1, **after = environment;
  while (*after) after++;
  /* The path by which we were started, which is not what argv says. */
  const char *program = arguments[0];
  for (u64 *entry = (u64 *)(after + 1); entry[0]; entry += 2) if (entry[0] == 31) program = (const char *)entry[1];
  if (count == 1 && call1(getpid, 0) == 1) init();
  if (count == 2 && same(arguments[0], "signalbox starter") && same(arguments[1], "start")) starter();
  if (count == 2 && same(arguments[0], "signalbox finder") && same(arguments[1], "find")) finder();
  if (count > 5 && same(arguments[1], "serve")) serve(arguments, environment);
  client(count, arguments, environment, program);
}

#if defined(__x86_64__)
__asm__(".global _start\n_start:\nxor %ebp,%ebp\nmov %rsp,%rdi\nand $-16,%rsp\ncall start_here\n");
#else
__asm__(".global _start\n_start:\nmov x29,#0\nmov x0,sp\nbl start_here\n");
#endif
