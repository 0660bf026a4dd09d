/* The helper of signalbox's sandbox. One program, four roles:
 *
 *   sandbox 'COMMAND'                      client: runs COMMAND inside, and ends as it ended
 *   sandbox -- PROGRAM ARGUMENT...         client, without a shell
 *   sandbox serve FOLDER CGROUP BWRAP ...  opens FOLDER/socket as descriptor 7 and becomes bubblewrap
 *   sandbox start                          starter: starts programs for its parent
 *   (as process 1, without arguments)      init: runs the commands inside
 */
#include "client.h"
#include "init.h"
#include "starter.h"

static void __attribute__((noreturn)) serve(char **arguments, char **environment) {
  int folder = (int)call4(openat, AT_FDCWD, arguments[2], O_PATH | O_DIRECTORY | O_CLOEXEC, 0);
  struct sockaddr_un address = {0};
  socket_address(&address, folder);
  int listener = (int)call3(socket, AF_UNIX, SOCK_STREAM, 0);
  call1(umask, 077);
  if (folder < 0 || listener < 0 || call3(bind, listener, &address, sizeof address) < 0 || call2(listen, listener, 1024) < 0)
    fail("cannot make the sandbox's socket", 125);
  if (listener != FILE_SOCKET) {
    call3(dup3, listener, FILE_SOCKET, 0);
    call1(close, listener);
  }
  if (arguments[3][0]) {
    int group = (int)call4(openat, AT_FDCWD, arguments[3], O_WRONLY | O_CLOEXEC, 0);
    if (group < 0 || call3(write, group, "0", 1) != 1) fail("cannot limit the number of processes", 125);
    call1(close, group);
  }
  call1(umask, 022);
  call3(execve, arguments[4], arguments + 4, environment);
  fail("cannot start bubblewrap", 125);
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
  if (count > 5 && same(arguments[1], "serve")) serve(arguments, environment);
  client(count, arguments, environment, program);
}

#if defined(__x86_64__)
__asm__(".global _start\n_start:\nxor %ebp,%ebp\nmov %rsp,%rdi\nand $-16,%rsp\ncall start_here\n");
#else
__asm__(".global _start\n_start:\nmov x29,#0\nmov x0,sp\nbl start_here\n");
#endif
