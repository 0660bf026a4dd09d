/* Outside the sandbox: has one command run inside, and ends as it ended. */
#ifndef CLIENT_H
#define CLIENT_H
#include "keeper.h"
#include "message.h"
#include "text.h"

/* Records of the file `environment` beside the socket; each starts with its letter. The first file decides what goes
 * in: `k` keeps a name, `d` drops a name, `p` drops a prefix, `w` drops names with this word between underscores,
 * `s` drops names that contain this, `=` sets NAME=VALUE, `a` appends VALUE to what NAME has. `x` drops a name even if
 * it is kept. */
static struct { char *records; u64 size; } rules;

static int has_word(const char *name, u64 size, const char *word) {
  for (u64 i = 0; i < size; i++) {
    if (i > 0 && name[i - 1] != '_') continue;
    u64 k = 0;
    while (word[k] && i + k < size && upper(name[i + k]) == upper(word[k])) k++;
    if (!word[k] && (i + k == size || name[i + k] == '_')) return 1;
  }
  return 0;
}
static int has_part(const char *name, u64 size, const char *part) {
  for (u64 i = 0; i < size; i++) {
    u64 k = 0;
    while (part[k] && i + k < size && upper(name[i + k]) == upper(part[k])) k++;
    if (!part[k]) return 1;
  }
  return 0;
}
static int is_name(const char *name, u64 size, const char *text) {
  for (u64 i = 0; i < size; i++) if (text[i] != name[i] || !text[i]) return 0;
  return text[size] == 0 || text[size] == '=';
}
/* Whether a variable goes in as it is. */
static int passes(const char *variable) {
  u64 size = 0;
  while (variable[size] && variable[size] != '=') size++;
  if (variable[size] != '=' || size == 0) return 0;
  int kept = 0, dropped = 0;
  for (u64 at = 0; at < rules.size; at += length(rules.records + at) + 1) {
    const char *value = rules.records + at + 1;
    switch (rules.records[at]) {
      case 'k': kept |= is_name(variable, size, value); break;
      case 'd': dropped |= is_name(variable, size, value); break;
      case 'w': dropped |= has_word(variable, size, value); break;
      case 's': dropped |= has_part(variable, size, value); break;
      case 'p': if (begins(variable, value, 0)) return 0; break;
      case 'x':
      case '=': if (is_name(variable, size, value)) return 0; break;
    }
  }
  return kept || !dropped;
}

/* What is appended to a variable that goes in; empty if nothing is. */
static const char *suffix(const char *variable) {
  u64 size = 0;
  while (variable[size] && variable[size] != '=') size++;
  for (u64 at = 0; at < rules.size; at += length(rules.records + at) + 1)
    if (rules.records[at] == 'a' && is_name(variable, size, rules.records + at + 1)) return rules.records + at + size + 2;
  return "";
}

static volatile int connection = -1;

static void forward(int signal) {
  u8 number = (u8)signal;
  struct iovec part = {&number, 1};
  struct msghdr message = {0, 0, 0, &part, 1, 0, 0, 0, 0};
  call3(sendmsg, connection, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
}
#if defined(__x86_64__)
__asm__(".text\nrestore_signal:\nmov $15,%eax\nsyscall\n");
void restore_signal(void);
#define SIGNAL_FLAGS 0x04000000u
#define RESTORER restore_signal
#else
#define SIGNAL_FLAGS 0u
#define RESTORER 0
#endif

static void on_signal(int signal, void *handler) {
  struct sigaction action = {handler, SIGNAL_FLAGS, RESTORER, 0};
  call4(rt_sigaction, signal, &action, 0, 8);
}

static void send_all(const void *data, u64 size) {
  const u8 *bytes = data;
  for (u64 sent = 0; sent < size;) {
    struct iovec part = {(void *)(bytes + sent), size - sent};
    struct msghdr message = {0, 0, 0, &part, 1, 0, 0, 0, 0};
    i64 count = call3(sendmsg, connection, &message, MSG_NOSIGNAL);
    if (count == -EINTR) continue;
    if (count <= 0) fail("the sandbox of this session has ended", 125);
    sent += (u64)count;
  }
}

/* A socket's path may be at most 107 bytes; through the folder's descriptor every folder will do. */
static void socket_address(struct sockaddr_un *address, int folder) {
  char *end = address->path + sizeof address->path;
  address->family = AF_UNIX;
  char *at = append(address->path, end, "/proc/self/fd/");
  at = append_number(at, end, (u64)folder);
  append(at, end, "/" SOCKET_NAME);
}

static int open_folder_of(const char *program) {
  char path[4096];
  u64 size = length(program);
  while (size > 0 && program[size - 1] != '/') size--;
  if (size + 2 > sizeof path) return -1;
  memcpy(path, program, size);
  path[size] = '.';
  path[size + 1] = 0;
  return (int)call4(openat, AT_FDCWD, path, O_PATH | O_DIRECTORY | O_CLOEXEC, 0);
}

static void __attribute__((noreturn)) end_as(u32 status) {
  int signal = (int)(status & 127);
  if (signal == 0) leave((int)(status >> 8) & 255);
  struct rlimit none = {0, 0};
  call2(setrlimit, RLIMIT_CORE, &none);
  on_signal(signal, 0);
  u64 mask = 0;
  call4(rt_sigprocmask, SIG_SETMASK, &mask, 0, 8);
  call2(kill, call1(getpid, 0), signal);
  leave(128 + signal);
}

/* The stream ended without a status. Whoever started us goes on only when somebody has looked from outside at what
 * commands left in protected places: the keeper, or the launcher if the keeper was killed. */
static void __attribute__((noreturn)) end_without_status(int folder) {
  for (int round = 0; round < 2000; round++) {
    /* The kernel writes what is left of it. */
    struct timespec moment = {0, 5000000};
    struct stat state;
    if (call4(newfstatat, folder, WATCHED_NAME, &state, 0) < 0) fail("the sandbox of this session has ended", 125);
    call5(ppoll, 0, 0, &moment, 0, 8);
  }
  fail("the sandbox of this session has ended, and nobody has removed what a command may have created in protected places", 125);
}

/* A file that the command may only read goes in as a pipe: by its descriptor the command could open it again, to write.
 * What it may write was lent to it by whoever redirected the output. */
static int for_reading(int file) {
  struct stat state;
  int pipe[2];
  if (call2(fstat, file, &state) < 0 || ((state.mode & S_IFMT) != S_IFREG && (state.mode & S_IFMT) != S_IFBLK)) return file;
  if ((call2(fcntl, file, F_GETFL) & (O_WRONLY | O_RDWR)) != 0) return file;
  if (call2(pipe2, pipe, O_CLOEXEC) < 0) fail("out of descriptors", 125);
  i64 pid = call5(clone, SIGCHLD, 0, 0, 0, 0);
  if (pid < 0) fail("too many processes run", 125);
  if (pid > 0) {
    call1(close, pipe[1]);
    return pipe[0];
  }
  call3(dup3, pipe[1], 3, 0);
  if (file != 0) call3(dup3, file, 0, 0);
  call1(close, 1);
  call1(close, 2);
  call3(close_range, 4, ~0u, 0);
  static u8 buffer[65536];
  for (i64 size; (size = call3(read, 0, buffer, sizeof buffer)) > 0;)
    for (i64 sent = 0, now; sent < size; sent += now)
      if ((now = call3(write, 3, buffer + sent, size - sent)) <= 0) leave(0);
  leave(0);
}

static void __attribute__((noreturn)) client(int count, char **arguments, char **environment, const char *program) {
  int kind = count == 2 ? KIND_LINE : KIND_ARGV;
  if (count < 2 || (kind == KIND_ARGV && !same(arguments[1], "--")))
    fail("usage: sandbox 'COMMAND' (runs it in this session's sandbox)", 2);
  char **words = arguments + (kind == KIND_LINE ? 1 : 2);
  u32 word_count = (u32)(kind == KIND_LINE ? 1 : count - 2);

  for (int file = 0; file < 3; file++) {
    struct stat state;
    if (call2(fstat, file, &state) < 0) call4(openat, AT_FDCWD, "/dev/null", O_RDWR, 0);
  }
  int folder = open_folder_of(program);
  if (folder < 0) fail("the sandbox of this session has ended", 125);
  i64 settings = call4(openat, folder, "environment", O_RDONLY | O_CLOEXEC, 0);
  if (settings < 0) fail("the sandbox of this session has ended", 125);
  rules.records = read_all((int)settings, 4 << 20, &rules.size);

  char cwd[8192];
  if (call2(getcwd, cwd, sizeof cwd) < 0) fail("the working folder is gone or its path is too long", 126);
  u64 size = length(cwd) + 1;
  for (u32 i = 0; i < word_count; i++) size += length(words[i]) + 1;
  for (char **at = environment; *at; at++) if (passes(*at)) size += length(*at) + length(suffix(*at)) + 1;
  for (u64 at = 0; at < rules.size; at += length(rules.records + at) + 1)
    if (rules.records[at] == '=') size += length(rules.records + at + 1) + 1;
  if (size > MAX_REQUEST) fail("the command and its environment are too large", 126);
  char *body = allocate(size), *to = body;
  if (!body) fail("out of memory", 125);
#define PUT(text) do { const char *from = (text); u64 bytes = length(from) + 1; memcpy(to, from, bytes); to += bytes; } while (0)
  PUT(cwd);
  for (u32 i = 0; i < word_count; i++) PUT(words[i]);
  for (char **at = environment; *at; at++) {
    if (!passes(*at)) continue;
    PUT(*at);
    to--;
    PUT(suffix(*at));
  }
  for (u64 at = 0; at < rules.size; at += length(rules.records + at) + 1)
    if (rules.records[at] == '=') PUT(rules.records + at + 1);

  struct sockaddr_un address = {0};
  socket_address(&address, folder);
  connection = (int)call3(socket, AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  i64 connected = call3(connect, connection, &address, sizeof address);
  if (connected == -EPERM || connected == -EACCES) fail("another sandbox keeps this command from reaching the session's sandbox", 125);
  if (connected < 0) fail("the sandbox of this session has ended", 125);

  static const u8 forwarded[] = {SIGHUP, SIGINT, SIGQUIT, SIGUSR1, SIGUSR2, SIGTERM, SIGCONT};
  u64 mask = 0;
  /* Until the request is complete a signal waits: its byte would be taken for a part of the request. */
  for (u32 i = 0; i < sizeof forwarded; i++) mask |= 1ul << (forwarded[i] - 1);
  call4(rt_sigprocmask, SIG_BLOCK, &mask, 0, 8);
  for (u32 i = 0; i < sizeof forwarded; i++) {
    struct sigaction before = {0};
    call4(rt_sigaction, forwarded[i], 0, &before, 8);
    /* What our parent had us ignore (nohup, a background command) does not reach the command either. */
    if (before.handler == (void *)1) continue;
    on_signal(forwarded[i], forward);
  }

  struct request request = {MAGIC, (u32)kind, (u32)size, word_count};
  int files[3] = {for_reading(0), for_reading(1), for_reading(2)};
  struct rights rights = {{sizeof(struct cmsghdr) + 3 * sizeof(int), SOL_SOCKET, SCM_RIGHTS}, {files[0], files[1], files[2]}, 0};
  struct iovec part = {&request, sizeof request};
  struct msghdr message = {0, 0, 0, &part, 1, &rights, sizeof rights, 0, 0};
  if (call3(sendmsg, connection, &message, MSG_NOSIGNAL) != sizeof request) fail("the sandbox of this session has ended", 125);
  for (int i = 0; i < 3; i++) if (files[i] != i) call1(close, files[i]);
  send_all(body, size);
  call4(rt_sigprocmask, SIG_UNBLOCK, &mask, 0, 8);

  u32 status = 0;
  for (u64 got = 0; got < sizeof status;) {
    i64 bytes = call3(read, connection, (u8 *)&status + got, sizeof status - got);
    if (bytes == -EINTR) continue;
    if (bytes <= 0) end_without_status(folder);
    got += (u64)bytes;
  }
  end_as(status);
}
#endif
