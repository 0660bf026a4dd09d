/* The first process of the sandbox: starts commands for the clients outside, and ends them when their client ends. */
#ifndef INIT_H
#define INIT_H
#include "message.h"
#include "processes.h"
#include "report.h"
#include "text.h"

/* Descriptors that the launcher passes through bubblewrap. */
enum { FILE_REPORT = 3, FILE_SETTINGS = 6, FILE_SOCKET = 7, FILE_KEEPER = 8, FILE_FIRST_OTHER = 9 };

#define MAX_COMMANDS 1024
#define MAX_VARIABLES 64

struct command {
  int connection, pid, files[3], file_count;
  u32 got;
  struct request request;
  char *body;
  char id[20];
};

static struct command commands[MAX_COMMANDS];
static u32 command_count;

/* From the launcher: NUL-terminated records, each with its letter first. */
static struct {
  const char *shell;
  u64 max_processes, max_file_bytes, max_data_bytes;
  const char *variables[MAX_VARIABLES]; /* NAME=VALUE, with `%` for the command's id */
  u32 variable_count;
} settings;

static void listen_on(u64 port) {
  int file = (int)call3(socket, AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), yes = 1;
  struct sockaddr_in address = {AF_INET, (u16)((port & 255) << 8 | port >> 8), 0x0100007f, {0}};
  call5(setsockopt, file, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (call3(bind, file, &address, sizeof address) < 0 || call2(listen, file, 511) < 0) fail("cannot listen inside the sandbox", 125);
  report_listener(port, file);
  call1(close, file);
}

static void read_settings(void) {
  u64 size;
  char *records = read_all(FILE_SETTINGS, 4 << 20, &size);
  call1(close, FILE_SETTINGS);
  for (u64 at = 0; at < size; at += length(records + at) + 1) {
    const char *value = records + at + 1;
    switch (records[at]) {
      case 'b': settings.shell = value; break;
      case 'n': settings.max_processes = number_in(value); break;
      case 'f': settings.max_file_bytes = number_in(value); break;
      case 'd': settings.max_data_bytes = number_in(value); break;
      case 'v': if (settings.variable_count < MAX_VARIABLES) settings.variables[settings.variable_count++] = value; break;
      case 'l': listen_on(number_in(value)); break;
    }
  }
}

static int sets(const char *setting, const char *variable) {
  while (*setting && *setting == *variable && *setting != '=') setting++, variable++;
  return *setting == '=' && *variable == '=';
}

static const char *next(const char *text) { return text + length(text) + 1; }

/* In the child: runs a program by path or by PATH, and returns only on failure. */
static void run_program(char **words, char **environment) {
  const char *path = "/usr/local/bin:/usr/bin:/bin";
  for (char **at = environment; *at; at++) begins(*at, "PATH=", &path);
  int has_slash = 0;
  for (const char *c = words[0]; *c; c++) has_slash |= *c == '/';
  if (has_slash) {
    call3(execve, words[0], words, environment);
    return;
  }
  while (*path) {
    char file[4096], *at = file, *end = file + sizeof file;
    while (*path && *path != ':' && at + 1 < end) *at++ = *path++;
    while (*path && *path != ':') path++;
    if (*path == ':') path++;
    if (at == file) continue;
    at = append(at, end, "/");
    append(at, end, words[0]);
    call3(execve, file, words, environment);
  }
}

static void limit(int resource, u64 value) {
  struct rlimit both = {value, value};
  if (value != 0 || resource == RLIMIT_CORE) call2(setrlimit, resource, &both);
}

static void __attribute__((noreturn)) become(struct command *command) {
  const char *cwd = command->body, *end = command->body + command->request.size;
  u32 word_count = command->request.argument_count, variable_count = 0;
  for (const char *at = cwd; at < end; at = next(at)) variable_count++;
  char **words = allocate((u64)(word_count + 8 + variable_count + settings.variable_count) * sizeof(char *) + MAX_VARIABLES * 1024);
  if (!words) leave(125);
  char **word = words;
  if (command->request.kind == KIND_LINE) {
    *word++ = "bash";
    *word++ = "--norc";
    *word++ = "--noprofile";
    *word++ = "-c";
    *word++ = "--";
  }
  const char *at = next(cwd);
  for (u32 i = 0; i < word_count && at < end; i++, at = next(at)) *word++ = (char *)at;
  *word++ = 0;
  char **environment = word;
  for (; at < end; at = next(at)) {
    int replaced = 0;
    for (u32 i = 0; i < settings.variable_count; i++) replaced |= sets(settings.variables[i], at);
    if (!replaced) *word++ = (char *)at;
  }
  char **last = word;
  char *text = (char *)(word + settings.variable_count + 1);
  for (u32 i = 0; i < settings.variable_count; i++) {
    char *limit_of_text = text + 1023, *to = text;
    for (const char *from = settings.variables[i]; *from; from++) {
      char one[2] = {*from, 0};
      to = append(to, limit_of_text, *from == '%' ? command->id : one);
    }
    *last++ = text;
    text = to + 1;
  }
  *last = 0;

  call1(setsid, 0);
  for (int file = 0; file < 3; file++) {
    struct stat state;
    int given = command->files[file];
    /* Through a folder of the host a command could reach the whole disk. */
    if (call2(fstat, given, &state) < 0 || (state.mode & S_IFMT) == S_IFDIR)
      given = (int)call4(openat, AT_FDCWD, "/dev/null", O_RDWR | O_CLOEXEC, 0);
    call3(dup3, given, file, 0);
  }
  call3(close_range, 3, ~0u, 0);
  u64 mask = 0;
  call4(rt_sigprocmask, SIG_SETMASK, &mask, 0, 8);
  struct sigaction by_default = {0};
  for (int signal = 1; signal < 65; signal++) call4(rt_sigaction, signal, &by_default, 0, 8);
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_FSIZE, settings.max_file_bytes);
  limit(RLIMIT_DATA, settings.max_data_bytes);
  limit(RLIMIT_NPROC, settings.max_processes);
  if (call1(chdir, cwd) < 0) {
    say("signalbox: the sandbox does not show the folder ");
    say(cwd);
    say("\n");
    leave(126);
  }
  if (command->request.kind == KIND_LINE) call3(execve, settings.shell, words, environment);
  else run_program(words, environment);
  say("signalbox: cannot run ");
  say(command->request.kind == KIND_LINE ? settings.shell : words[0]);
  say("\n");
  leave(127);
}

static void close_files(struct command *command) {
  for (int i = 0; i < command->file_count; i++) call1(close, command->files[i]);
  command->file_count = 0;
}

static void release_body(struct command *command) {
  if (command->body) call2(munmap, command->body, command->request.size + 1);
  command->body = 0;
  close_files(command);
}

static void forget(struct command *command) {
  release_body(command);
  call1(close, command->connection);
  *command = commands[--command_count];
}

static void make_id(char *id) {
  u8 bytes[8];
  for (u64 got = 0; got < sizeof bytes;) {
    i64 count = call3(getrandom, bytes + got, sizeof bytes - got, 0);
    if (count > 0) got += (u64)count;
  }
  for (u32 i = 0; i < sizeof bytes; i++) {
    *id++ = "0123456789abcdef"[bytes[i] >> 4];
    *id++ = "0123456789abcdef"[bytes[i] & 15];
  }
  *id = 0;
}

/* Whether the keeper knows that something runs. */
static int is_busy;

/* Not the first process of a namespace: `kill -1` would mean every process of the user. */
static int shares_processes;

/* An order of the keeper. False for what is none. */
static int obey(char order) {
  if (order == 'k' && shares_processes) kill_descendants((int)call1(getpid, 0));
  else if (order == 'k') call2(kill, -1, SIGKILL);
  return order == 'k';
}

static void hear_keeper(void) {
  char order;
  i64 count = call4(recvfrom, FILE_KEEPER, &order, 1, MSG_DONTWAIT);
  if (count == 0) leave(0);
  if (count > 0) obey(order);
}

/* Says what happened. An end is passed on only when the keeper has looked at what the command left, and where nothing is
 * mounted, a first command starts only when it knows what is there. */
static void tell_keeper(char what) {
  is_busy = what != 'i';
  if (call3(write, FILE_KEEPER, &what, 1) != 1) leave(0);
  while (what != 'b' || shares_processes) {
    char reply;
    i64 count = call3(read, FILE_KEEPER, &reply, 1);
    if (count == -EINTR) continue;
    if (count <= 0) leave(0);
    if (!obey(reply)) return;
  }
}

static int anything_runs(void) {
  u64 ignored[16];
  return call5(waitid, 0, 0, ignored, WEXITED | WNOHANG | WNOWAIT, 0) != -ECHILD;
}

/* A request that is complete: the strings must be there, and as many as it says. */
static int is_valid(const struct command *command) {
  u32 strings = 0;
  for (u32 i = 0; i < command->request.size; i++) strings += command->body[i] == 0;
  return command->file_count == 3 && command->request.size > 0 && command->body[command->request.size - 1] == 0 &&
    command->request.argument_count > 0 && strings > command->request.argument_count;
}

/* False if the connection is to be given up. */
static int start(struct command *command) {
  if (!is_valid(command)) return 0;
  make_id(command->id);
  report_start(command->id, next(command->body), command->body);
  if (!is_busy) tell_keeper('b');
  i64 pid = call5(clone, SIGCHLD, 0, 0, 0, 0);
  if (pid == 0) become(command);
  if (pid < 0) {
    static const char problem[] = "signalbox: too many processes run in the sandbox\n";
    u32 status = 126 << 8;
    call3(write, command->files[2], problem, sizeof problem - 1);
    call3(write, command->connection, &status, sizeof status);
    return 0;
  }
  release_body(command);
  command->pid = (int)pid;
  return 1;
}

static int receive_header(struct command *command) {
  struct rights rights = {0};
  struct iovec part = {(u8 *)&command->request + command->got, sizeof command->request - command->got};
  struct msghdr message = {0, 0, 0, &part, 1, &rights, sizeof rights, 0, 0};
  i64 count = call3(recvmsg, command->connection, &message, MSG_CMSG_CLOEXEC);
  if (count == -EAGAIN || count == -EINTR) return 1;
  if (count <= 0) return 0;
  if (message.control_size >= sizeof(struct cmsghdr) && rights.header.type == SCM_RIGHTS && command->file_count == 0) {
    command->file_count = (int)((rights.header.size - sizeof(struct cmsghdr)) / sizeof(int));
    if (command->file_count > 3) command->file_count = 3;
    for (int i = 0; i < command->file_count; i++) command->files[i] = rights.files[i];
  }
  command->got += (u32)count;
  if (command->got < sizeof command->request) return 1;
  const struct request *request = &command->request;
  if (request->magic != MAGIC || request->size == 0 || request->size > MAX_REQUEST) return 0;
  if (request->kind != KIND_LINE && request->kind != KIND_ARGV) return 0;
  command->body = allocate(request->size + 1);
  command->got = 0;
  return command->body != 0;
}

static int receive_body(struct command *command) {
  i64 count = call3(read, command->connection, command->body + command->got, command->request.size - command->got);
  if (count == -EAGAIN || count == -EINTR) return 1;
  if (count <= 0) return 0;
  command->got += (u32)count;
  return command->got < command->request.size || start(command);
}

static int ended_session, found_in_session;

static void kill_in_session(const struct process *process) {
  if (process->session != ended_session) return;
  call2(kill, process->id, SIGKILL);
  found_in_session |= !process->has_ended;
}

/* All processes of a session, whatever group they are in. A process that forks meanwhile is found on the next round. */
static void kill_session(int session) {
  call2(kill, -session, SIGKILL);
  ended_session = session;
  for (int round = 0; round == 0 || (found_in_session && round < 20); round++) {
    found_in_session = 0;
    each_process(kill_in_session);
  }
}

/* A started command's client: a byte is a signal to pass on, the end of the stream means that the client died. */
static int hear_client(struct command *command) {
  u8 signals[32];
  i64 count = call3(read, command->connection, signals, sizeof signals);
  if (count == -EAGAIN || count == -EINTR) return 1;
  if (count <= 0) {
    kill_session(command->pid);
    return 0;
  }
  for (i64 i = 0; i < count; i++) if (signals[i] > 0 && signals[i] < 65) call2(kill, -command->pid, signals[i]);
  return 1;
}

static void reap(void) {
  u32 status = 0;
  for (i64 pid; (pid = call4(wait4, -1, &status, WNOHANG, 0)) > 0;) {
    u32 i = 0;
    while (i < command_count && commands[i].pid != (int)pid) i++;
    if (i == command_count) continue;
    tell_keeper(anything_runs() ? 'e' : 'i');
    report_end(commands[i].id, status);
    call3(write, commands[i].connection, &status, sizeof status);
    forget(&commands[i]);
  }
  if (is_busy && !anything_runs()) tell_keeper('i');
}

static void accept_client(void) {
  i64 connection = call4(accept4, FILE_SOCKET, 0, 0, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (connection < 0) return;
  struct command *command = &commands[command_count++];
  memset(command, 0, sizeof *command);
  command->connection = (int)connection;
}

static void __attribute__((noreturn)) init(void) {
  /* Commands are of the same user: without this they could read our memory and take the socket from us. */
  call5(prctl, PR_SET_DUMPABLE, 0, 0, 0, 0);
  call1(close, 4);
  call1(close, 5);
  call3(close_range, FILE_FIRST_OTHER, ~0u, 0);
  u64 mask = ~0ul;
  call4(rt_sigprocmask, SIG_SETMASK, &mask, 0, 8);
  u64 child = 1ul << (SIGCHLD - 1);
  int children = (int)call4(signalfd4, -1, &child, 8, SOCK_CLOEXEC | SOCK_NONBLOCK);
  read_settings();
  report("{\"type\":\"ready\"}\n");

  static struct pollfd polled[MAX_COMMANDS + 4];
  for (;;) {
    u32 count = command_count;
    for (u32 i = 0; i < count; i++) polled[i] = (struct pollfd){commands[i].connection, POLLIN, 0};
    polled[count] = (struct pollfd){children, POLLIN, 0};
    polled[count + 1] = (struct pollfd){FILE_KEEPER, POLLIN, 0};
    polled[count + 2] = (struct pollfd){FILE_REPORT, POLLIN, 0};
    polled[count + 3] = (struct pollfd){command_count < MAX_COMMANDS ? FILE_SOCKET : -1, POLLIN, 0};
    call5(ppoll, polled, count + 4, 0, 0, 8);
    if (polled[count + 1].revents) hear_keeper();
    /* Backwards, because the last command takes the place of one that is forgotten. */
    for (u32 i = count; i-- > 0;) {
      if (!polled[i].revents) continue;
      struct command *command = &commands[i];
      int stays = command->pid ? hear_client(command) : command->body ? receive_body(command) : receive_header(command);
      if (!stays) forget(command);
    }
    if (polled[count].revents) {
      u8 ignored[128];
      call3(read, children, ignored, sizeof ignored);
      reap();
    }
    if (polled[count + 2].revents) hear_launcher();
    if (polled[count + 3].revents) accept_client();
  }
}
#endif
