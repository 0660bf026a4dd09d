/* The helper of signalbox's sandbox. One program, several roles:
 *
 *   sandbox 'COMMAND'                      client: runs COMMAND inside, and ends as it ended
 *   sandbox -- PROGRAM ARGUMENT...         client, without a shell
 *   sandbox serve FOLDER CGROUPS BWRAP ... opens FOLDER/socket as descriptor 7, starts bubblewrap, and is its keeper
 *   sandbox serve-landlock FOLDER CGROUPS [ABI]  the same without bubblewrap (landlock.h), with no newer ABI than this
 *   sandbox landlock                       prints the ABI of Landlock, or says why this machine cannot be used
 *   sandbox start                          starter: starts programs for its parent
 *   sandbox find                           finder: what a session has left below its folders
 *   (as process 1, without arguments)      init: runs the commands inside
 */
#include "keeper.h"
#include "client.h"
#include "finder.h"
#include "init.h"
#include "landlock.h"
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

/* What init is to have, and nothing to write to. */
static void place_files(int listener, int control) {
  /* In this order: the first may have the number that the second is to get. */
  move_to(listener, FILE_SOCKET);
  move_to(control, FILE_KEEPER);
  move_to((int)call4(openat, AT_FDCWD, "/dev/null", O_RDWR, 0), 1);
}

static void __attribute__((noreturn)) become_bubblewrap(char **arguments, char **environment) {
  join_groups(arguments[3]);
  be_ended_first();
  call1(umask, 022);
  call3(execve, arguments[4], arguments + 4, environment);
  fail("cannot start bubblewrap", 125);
}

/* `abi`: of Landlock; 0 if bubblewrap is to be used. */
static void __attribute__((noreturn)) serve(char **arguments, char **environment, int abi) {
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
  remember_held(0);
  /* What is inside is ours to wait for, also when bubblewrap is gone. */
  call5(prctl, PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
  int own = (int)call1(getpid, 0);
  i64 pid = call5(clone, SIGCHLD, 0, 0, 0, 0);
  if (pid < 0) fail("cannot start the sandbox", 125);
  if (pid == 0) {
    place_files(listener, pair[1]);
    report_channel = FILE_REPORT;
    if (abi) contain(arguments[3], abi, own);
    become_bubblewrap(arguments, environment);
  }
  call1(close, pair[1]);
  call1(close, listener);
  /* Those of the sandbox. */
  call3(close_range, 3, 6, 0);
  outlives_namespace = abi != 0;
  keeper((int)pid, pair[0]);
}

static void __attribute__((noreturn)) print_abi(void) {
  char line[32], *end = line + sizeof line;
  append(append_number(line, end, (u64)usable_abi(0)), end, "\n");
  leave(call3(write, 1, line, length(line)) < 0 ? 125 : 0);
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
  if (count == 2 && same(arguments[0], "signalbox landlock") && same(arguments[1], "landlock")) print_abi();
  if (count > 5 && same(arguments[1], "serve")) serve(arguments, environment, 0);
  if (count > 3 && same(arguments[1], "serve-landlock")) serve(arguments, environment, usable_abi(count > 4 ? number_in(arguments[4]) : 0));
  client(count, arguments, environment, program);
}

#if defined(__x86_64__)
__asm__(".global _start\n_start:\nxor %ebp,%ebp\nmov %rsp,%rdi\nand $-16,%rsp\ncall start_here\n");
#else
__asm__(".global _start\n_start:\nmov x29,#0\nmov x0,sp\nbl start_here\n");
#endif
