/* Outside the Landlock domain: answers some calls of what is inside. The kernel stops the caller meanwhile.
 *
 *   connect   to the network door, to servers that listen inside, to Unix sockets below given folders; nothing else
 *   bind      of TCP to all addresses becomes one to loopback; the others are the kernel's
 *   listen    on TCP only on loopback; the socket is remembered
 *   ioctl     TIOCGPTPEER, the other end of a new terminal: /dev/pts also has the terminals of everything else
 *   kill      and the like, below ABI 6 of Landlock: to what is inside
 *
 * The caller can change its memory and its descriptors at any time. So an address is read once, and what is permitted is
 * done here, with that copy and the caller's socket. Two things are left to the kernel: other binds, because listen is
 * checked, and signals, whose arguments nobody can change. A connection that has to wait is made by a process of its own.
 * If this process ends, the kernel refuses the calls, and the session ends. */
#ifndef SUPERVISOR_H
#define SUPERVISOR_H
#include "filter.h"
#include "processes.h"
#include "text.h"

/* The exit code of a machine on which the Landlock form cannot work. */
enum { EXIT_UNAVAILABLE = 124 };

enum {
  SO_TYPE = 3, SO_PROTOCOL = 38, SO_DOMAIN = 39, SO_COOKIE = 57, IPV6_V6ONLY = 26, NOTIFICATION_SENDS = 2, NOTIFICATION_CONTINUES = 1,
  MAX_LISTENERS = 4096, MAX_DOORS = 16, MAX_SOCKET_FOLDERS = 64, MAX_WAITING = 256, MAX_PATH = 4096, MAX_ADDRESS = 128,
};
#define NOTIFICATION_RECEIVE 0xc0502100u
#define NOTIFICATION_ANSWER 0xc0182101u
#define NOTIFICATION_IS_VALID 0x40082102u
#define NOTIFICATION_ADD_FILE 0x40182103u
/* The third word of an IPv4 address in the form of IPv6. */
#define V4_IN_V6 0xffff0000u
/* The number of /dev/ptmx, as fstat has it. */
#define TERMINAL_MASTER (5ul << 8 | 2)

struct notification { u64 id; u32 process, flags; int call; u32 architecture; u64 instruction, arguments[6]; };
struct answer { u64 id; i64 value; int error; u32 flags; };
struct added_file { u64 id; u32 flags, source, number, number_flags; };

/* The address of a connection, as the caller had it once. */
struct wanted_address { u64 size; union { u16 family; struct sockaddr_in ip; struct sockaddr_in6 ipv6; struct sockaddr_un local; u8 bytes[MAX_ADDRESS]; }; };

static int notifications, inside_process, supervisor_trial = 1;
/* Cookies of sockets on which something inside listens. */
static u64 listeners[MAX_LISTENERS];
static u32 listener_count;
static u16 doors[MAX_DOORS];
static u32 door_count;
static const char *socket_folders[MAX_SOCKET_FOLDERS];
static u32 socket_folder_count;
static struct { int process; u64 id; } waiting[MAX_WAITING];
static u32 waiting_count;

static u16 swapped(u64 port) { return (u16)((port & 255) << 8 | (port >> 8 & 255)); }

static void add_door(u64 port) { if (door_count < MAX_DOORS) doors[door_count++] = swapped(port); }

/* The path of an open file; empty if there is none. */
static void path_of(int file, char *path) {
  char link[64], *end = link + sizeof link;
  append_number(append(link, end, "/proc/self/fd/"), end, (u64)file);
  i64 size = call4(readlinkat, AT_FDCWD, link, path, MAX_PATH - 1);
  path[size > 0 ? size : 0] = 0;
}

static void add_socket_folder(const char *path) {
  i64 file = call4(openat, AT_FDCWD, path, O_PATH | O_DIRECTORY | O_CLOEXEC, 0);
  if (file < 0) return;
  char *real = allocate(MAX_PATH);
  if (real && socket_folder_count < MAX_SOCKET_FOLDERS) {
    path_of((int)file, real);
    if (real[0] == '/' && real[1]) socket_folders[socket_folder_count++] = real;
  }
  call1(close, file);
}

static void reply(u64 id, i64 result) {
  struct answer answer = {id, result < 0 ? 0 : result, result < 0 ? (int)result : 0, 0};
  call3(ioctl, notifications, NOTIFICATION_ANSWER, &answer);
}

/* False once the caller has ended: its number may then be that of another process. */
static int is_waiting_still(u64 id) { return call3(ioctl, notifications, NOTIFICATION_IS_VALID, &id) == 0; }

static i64 read_memory(u32 process, u64 from, void *to, u64 size) {
  struct iovec here = {to, size}, there = {(void *)from, size};
  i64 count = syscall6(SYS_process_vm_readv, process, (i64)&here, 1, (i64)&there, 1, 0);
  if (count == (i64)size) return 0;
  return count >= 0 || count == -EFAULT ? -EFAULT : -EACCES;
}

/* The process that a thread belongs to. */
static u32 group_of(u32 thread) {
  char path[64], text[1024], *end = path + sizeof path;
  append(append_number(append(path, end, "/proc/"), end, thread), end, "/status");
  i64 file = call4(openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
  if (file < 0) return 0;
  i64 count = call3(read, file, text, sizeof text - 1);
  call1(close, file);
  text[count > 0 ? count : 0] = 0;
  const char *rest;
  for (const char *at = text; *at; at++) if (*at == '\n' && begins(at + 1, "Tgid:\t", &rest)) return (u32)number_in(rest);
  return 0;
}

/* A descriptor of ours for what the caller has as `number`. */
static i64 take_file(u32 thread, u64 number) {
  i64 process = call2(pidfd_open, thread, 0);
  if (process < 0 && process != -ESRCH) process = call2(pidfd_open, group_of(thread), 0);
  if (process < 0) return -EBADF;
  i64 file = call3(pidfd_getfd, process, (u32)number, 0);
  call1(close, process);
  return file == -EPERM ? -EACCES : file;
}

static u32 option_of(int file, int option) {
  u32 value = ~0u, size = sizeof value;
  return call5(getsockopt, file, SOL_SOCKET, option, &value, &size) < 0 ? ~0u : value;
}
static int is_tcp(int file) {
  u32 family = option_of(file, SO_DOMAIN);
  return (family == AF_INET || family == AF_INET6) && option_of(file, SO_TYPE) == SOCK_STREAM && option_of(file, SO_PROTOCOL) == IPPROTO_TCP;
}
static int is_unix(int file) {
  u32 type = option_of(file, SO_TYPE);
  return option_of(file, SO_DOMAIN) == AF_UNIX && (type == SOCK_STREAM || type == SOCK_SEQPACKET);
}

/* A number that the kernel never uses for another socket. */
static u64 cookie_of(int file) {
  u64 cookie = 0;
  u32 size = sizeof cookie;
  return call5(getsockopt, file, SOL_SOCKET, SO_COOKIE, &cookie, &size) < 0 ? 0 : cookie;
}
static int is_listener(u64 cookie) {
  for (u32 i = 0; i < MAX_LISTENERS; i++) if (listeners[i] == cookie && cookie) return 1;
  return 0;
}

static int is_loopback(const struct wanted_address *of) {
  const u8 *bytes = of->ipv6.address;
  if (of->family == AF_INET) return (of->ip.address & 255) == 127;
  for (int i = 0; i < 10; i++) if (bytes[i]) return 0;
  if (bytes[10] == 255 && bytes[11] == 255) return bytes[12] == 127;
  return !bytes[10] && !bytes[11] && !bytes[12] && !bytes[13] && !bytes[14] && bytes[15] == 1;
}
static int is_any(const struct wanted_address *of) {
  if (of->family == AF_INET) return !of->ip.address;
  for (int i = 0; i < 16; i++) if (of->ipv6.address[i]) return 0;
  return 1;
}

/* What stands for all addresses of this machine. A socket for both kinds gets the one that every client tries. */
static void make_loopback(struct wanted_address *to, int is_only_ipv6) {
  static const u8 old[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 127, 0, 0, 1};
  if (to->family == AF_INET) to->ip.address = 0x0100007f;
  else if (is_only_ipv6) to->ipv6.address[15] = 1;
  else memcpy(to->ipv6.address, old, sizeof old);
}

static i64 bind_to_loopback(int file, struct wanted_address *to) {
  int is_only_ipv6 = 0;
  u32 size = sizeof is_only_ipv6;
  if (to->family == AF_INET6) call5(getsockopt, file, SOL_IPV6, IPV6_V6ONLY, &is_only_ipv6, &size);
  make_loopback(to, is_only_ipv6);
  return call3(bind, file, to->bytes, to->family == AF_INET ? sizeof to->ip : sizeof to->ipv6);
}

/* Every listener passes here, however it was bound, and once bound it stays so. */
static i64 listen_for(int file, int backlog) {
  if (is_unix(file)) return call2(listen, file, backlog);
  struct wanted_address own = {0, {0}};
  u32 size = sizeof own.bytes;
  if (!is_tcp(file) || call3(getsockname, file, own.bytes, &size) < 0) return -EACCES;
  if (is_any(&own) && own.ip.port == 0) {
    i64 bound = bind_to_loopback(file, &own);
    if (bound < 0) return bound;
  } else if (!is_loopback(&own)) return -EACCES;
  u64 cookie = cookie_of(file);
  i64 result = call2(listen, file, backlog);
  if (result == 0 && !is_listener(cookie)) listeners[listener_count++ % MAX_LISTENERS] = cookie;
  return result;
}

struct netlink_header { u32 size; u16 type, flags; u32 sequence, port; };
struct diag_socket { u16 port, other_port; u32 address[4], other_address[4], device; u64 cookie; } __attribute__((packed));
struct diag_request { struct netlink_header header; u8 family, protocol, extensions, pad; u32 states; struct diag_socket socket; };
struct diag_reply { struct netlink_header header; u8 family, state, timer, retries; struct diag_socket socket; };

enum { FOUND_OWN = 1, FOUND_OTHER = 2, NETLINK_SOCK_DIAG = 4, SOCK_DIAG_BY_FAMILY = 20, NLMSG_DONE = 3, NLM_REQUEST_DUMP = 0x301, TCP_LISTEN = 10 };

/* Whether a connection to `wanted` may end at a socket that listens at `own`. */
static int serves(u8 family, const u32 *own, const u32 *wanted) {
  int is_old = wanted[2] == V4_IN_V6;
  if (family == AF_INET) return is_old && (!own[0] || own[0] == wanted[3]);
  return (!own[0] && !own[1] && !own[2] && !own[3]) ||
    (own[0] == wanted[0] && own[1] == wanted[1] && own[2] == wanted[2] && (own[3] == wanted[3] || (is_old && !own[3])));
}

/* Who listens where this connection would end; the address is given as IPv6 has it. Negative if the kernel does not say. */
static int owners_of(u16 port, const u32 *wanted) {
  static u8 buffer[1 << 15] __attribute__((aligned(8)));
  static const u8 families[] = {AF_INET, AF_INET6};
  int found = 0;
  int file = (int)call3(socket, AF_NETLINK, 3 | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
  if (file < 0) return -1;
  for (u32 i = 0; i < 2; i++) {
    struct diag_request request = {{sizeof request, SOCK_DIAG_BY_FAMILY, NLM_REQUEST_DUMP, i, 0}, families[i], IPPROTO_TCP, 0, 0, 1u << TCP_LISTEN, {.port = port}};
    if (call3(write, file, &request, sizeof request) != sizeof request) return -1;
    for (int is_done = 0; !is_done;) {
      i64 size = call3(read, file, buffer, sizeof buffer);
      if (size <= 0) return -1;
      for (i64 at = 0; at + (i64)sizeof(struct netlink_header) <= size && !is_done;) {
        const struct diag_reply *reply = (const struct diag_reply *)(buffer + at);
        is_done = reply->header.type == NLMSG_DONE;
        if (is_done) break;
        if (reply->header.type != SOCK_DIAG_BY_FAMILY || reply->header.size < sizeof *reply) return -1;
        if (reply->socket.port == port && serves(reply->family, (const u32 *)(buffer + at + 24), wanted))
          found |= is_listener(reply->socket.cookie) ? FOUND_OWN : FOUND_OTHER;
        at += (i64)(reply->header.size + 3) & ~3l;
      }
    }
  }
  call1(close, file);
  return found;
}

/* The words of an address, as IPv6 has it. */
static void words_of(const struct wanted_address *of, u32 *words) {
  words[0] = words[1] = 0;
  words[2] = V4_IN_V6;
  words[3] = of->ip.address;
  if (of->family == AF_INET6) memcpy(words, of->ipv6.address, 16);
}

static int may_connect(const struct wanted_address *to) {
  u32 words[4];
  words_of(to, words);
  for (u32 i = 0; i < door_count; i++)
    if (doors[i] == to->ip.port && words[2] == V4_IN_V6 && words[3] == 0x0100007f) return FOUND_OWN;
  return owners_of(to->ip.port, words);
}

static i64 connect_tcp(int file, const struct wanted_address *asked) {
  /* Nothing but address and port: other fields can lead elsewhere. */
  struct wanted_address to = {0, {0}};
  u64 size = asked->family == AF_INET ? 16 : 24;
  if (!is_tcp(file) || asked->size < size) return -EINVAL;
  memcpy(to.bytes, asked->bytes, size);
  if (to.family == AF_INET6) to.ipv6.flow = 0;
  else for (int i = 0; i < 8; i++) to.ip.zero[i] = 0;
  if (is_any(&to)) make_loopback(&to, 1);
  if (!is_loopback(&to)) return -EACCES;
  int owners = may_connect(&to);
  if (!owners && to.family == AF_INET6 && to.ipv6.address[15] == 1 && !to.ipv6.address[12]) {
    /* What was bound to all addresses. */
    make_loopback(&to, 0);
    owners = may_connect(&to);
    if (owners != FOUND_OWN) owners = 0;
  }
  if (!owners) return -ECONNREFUSED;
  if (owners != FOUND_OWN) return -EACCES;
  return call3(connect, file, to.bytes, to.family == AF_INET ? sizeof to.ip : sizeof to.ipv6);
}

/* The socket that a path leads to for the caller. What is decided upon is what was opened, wherever links led. */
static i64 open_socket(const struct notification *asked, const char *path) {
  char from[MAX_PATH], *end = from + sizeof from, *at = append_number(append(from, end, "/proc/"), end, asked->process);
  const char *rest;
  i64 folder = AT_FDCWD;
  if (begins(path, "/proc/self/", &rest)) {
    append(append(at, end, "/"), end, rest);
    path = from;
  } else if (path[0] != '/') {
    append(at, end, "/cwd");
    folder = call4(openat, AT_FDCWD, from, O_PATH | O_DIRECTORY | O_CLOEXEC, 0);
    if (folder < 0) return folder;
  }
  return call4(openat, folder, path, O_PATH | O_CLOEXEC, 0);
}

static i64 connect_unix(const struct notification *asked, int file, const struct wanted_address *to) {
  char path[sizeof to->local.path + 1] = {0}, found[MAX_PATH];
  struct sockaddr_un address = {AF_UNIX, {0}};
  if (!is_unix(file) || to->size <= 2 || to->size > sizeof to->local) return -EINVAL;
  memcpy(path, to->local.path, to->size - 2);
  /* A name without a file: who has it cannot be told. */
  if (!path[0]) return -EACCES;
  i64 socket = open_socket(asked, path);
  if (!is_waiting_still(asked->id)) return -ESRCH;
  if (socket < 0) return socket;
  struct stat state;
  if (call2(fstat, socket, &state) < 0 || (state.mode & S_IFMT) != S_IFSOCK) return -ECONNREFUSED;
  path_of((int)socket, found);
  int is_below = 0;
  const char *rest;
  for (u32 i = 0; i < socket_folder_count; i++) is_below |= begins(found, socket_folders[i], &rest) && *rest == '/';
  if (!is_below) return -EACCES;
  char *end = address.path + sizeof address.path;
  append_number(append(address.path, end, "/proc/self/fd/"), end, (u64)socket);
  return call3(connect, file, &address, sizeof address);
}

static i64 make_connection(const struct notification *asked, int file, const struct wanted_address *to) {
  if (to->size < 2) return -EINVAL;
  if (to->family == AF_INET || to->family == AF_INET6) return connect_tcp(file, to);
  return to->family == AF_UNIX ? connect_unix(asked, file, to) : -EACCES;
}

static i64 read_wanted(const struct notification *asked, struct wanted_address *to) {
  to->size = (u64)(int)asked->arguments[2];
  if (to->size > MAX_ADDRESS) return -EINVAL;
  return to->size ? read_memory(asked->process, asked->arguments[1], to->bytes, to->size) : 0;
}

/* In a process of its own, because it may have to wait for whoever listens. */
static void on_connect(const struct notification *asked, int file) {
  struct wanted_address to = {0, {0}};
  i64 problem = read_wanted(asked, &to);
  if (!problem && waiting_count == MAX_WAITING) problem = -EAGAIN;
  /* What was read may be another process's by now. */
  if (!is_waiting_still(asked->id)) return;
  if (problem) return reply(asked->id, problem);
  i64 process = call5(clone, SIGCHLD, 0, 0, 0, 0);
  if (process < 0) return reply(asked->id, -EAGAIN);
  if (process == 0) {
    call5(prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    reply(asked->id, make_connection(asked, file, &to));
    leave(0);
  }
  waiting[waiting_count].process = (int)process;
  waiting[waiting_count++].id = asked->id;
}

static void on_bind(const struct notification *asked, int file) {
  struct wanted_address to = {0, {0}};
  i64 problem = read_wanted(asked, &to);
  if (!is_waiting_still(asked->id)) return;
  u64 size = to.family == AF_INET ? 16 : to.family == AF_INET6 ? 24 : ~0ul;
  if (!problem && to.size >= size && is_tcp(file) && is_any(&to)) return reply(asked->id, bind_to_loopback(file, &to));
  struct answer answer = {asked->id, 0, (int)problem, problem ? 0 : NOTIFICATION_CONTINUES};
  call3(ioctl, notifications, NOTIFICATION_ANSWER, &answer);
}

static void open_terminal(const struct notification *asked, int file) {
  struct stat state;
  if (call2(fstat, file, &state) < 0 || (state.mode & S_IFMT) != S_IFCHR || state.device != TERMINAL_MASTER) return reply(asked->id, -ENOTTY);
  i64 terminal = call3(ioctl, file, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (terminal < 0) return reply(asked->id, terminal);
  struct added_file added = {asked->id, NOTIFICATION_SENDS, (u32)terminal, 0, (u32)(asked->arguments[2] & O_CLOEXEC)};
  call3(ioctl, notifications, NOTIFICATION_ADD_FILE, &added);
  call1(close, terminal);
}

static int wanted_group, found_inside, found_outside;

static int is_inside(struct process process) {
  for (int steps = 0; steps < 4096 && process.id > 1; steps++) {
    if (process.id == inside_process) return 1;
    if (!read_process((u64)process.parent, &process)) return 0;
  }
  return 0;
}
static void look_in_group(const struct process *process) {
  if (process->group != wanted_group) return;
  if (is_inside(*process)) found_inside = 1;
  else found_outside = 1;
}

/* `target` is a process, a thread or, if negative, a group. */
static void on_signal_to(const struct notification *asked, int target) {
  struct process process;
  wanted_group = -target;
  found_inside = found_outside = 0;
  if (target < 0) each_process(look_in_group);
  else if (read_process((u64)target, &process)) *(is_inside(process) ? &found_inside : &found_outside) = 1;
  int problem = found_outside ? -EPERM : found_inside ? 0 : -ESRCH;
  struct answer answer = {asked->id, 0, problem, problem ? 0 : NOTIFICATION_CONTINUES};
  call3(ioctl, notifications, NOTIFICATION_ANSWER, &answer);
}

static void answer_one(void) {
  /* Room for what later kernels add; they want it empty. */
  union { struct notification asked; u8 room[512]; } next = {.room = {0}};
  if (call3(ioctl, notifications, NOTIFICATION_RECEIVE, &next) < 0) return;
  const struct notification *asked = &next.asked;
  if (asked->call == SYS_fcntl) return on_signal_to(asked, (int)asked->arguments[2]);
  if (asked->call == SYS_kill || asked->call == SYS_tkill || asked->call == SYS_tgkill ||
      asked->call == SYS_rt_sigqueueinfo || asked->call == SYS_rt_tgsigqueueinfo)
    return on_signal_to(asked, (int)asked->arguments[0]);
  i64 file = take_file(asked->process, asked->arguments[0]);
  if (!is_waiting_still(asked->id)) file = file < 0 ? file : (call1(close, file), -ESRCH);
  if (file < 0) return reply(asked->id, file);
  if (asked->call == SYS_connect) on_connect(asked, (int)file);
  else if (asked->call == SYS_bind) on_bind(asked, (int)file);
  else if (asked->call == SYS_listen) reply(asked->id, listen_for((int)file, (int)asked->arguments[1]));
  else if (asked->call == SYS_ioctl) open_terminal(asked, (int)file);
  else reply(asked->id, -ENOSYS);
  call1(close, file);
}

/* A process that failed has not answered. One whose caller has ended may wait for long. */
static void look_after_waiting(int process, u32 status) {
  for (u32 i = waiting_count; i-- > 0;) {
    if (waiting[i].process != process) continue;
    if (status) reply(waiting[i].id, -EIO);
    waiting[i] = waiting[--waiting_count];
  }
}
static void end_abandoned(void) {
  for (u32 i = 0; i < waiting_count; i++) if (!is_waiting_still(waiting[i].id)) call2(kill, waiting[i].process, SIGKILL);
}

struct introduction { int process, channel; u64 trial; };

/* Inside: passes on where calls are heard of, and waits until the supervisor has shown that it can answer them. */
static int introduce_to_supervisor(int channel, int file) {
  struct introduction introduction = {(int)call1(getpid, 0), channel, (u64)&supervisor_trial};
  struct { struct cmsghdr header; int file, pad; } rights = {{sizeof(struct cmsghdr) + sizeof(int), SOL_SOCKET, SCM_RIGHTS}, file, 0};
  struct iovec part = {&introduction, sizeof introduction};
  struct msghdr message = {0, 0, 0, &part, 1, &rights, sizeof rights, 0, 0};
  if (call3(sendmsg, channel, &message, MSG_NOSIGNAL) != sizeof introduction) return 0;
  char answer;
  i64 count;
  do count = call3(read, channel, &answer, 1); while (count == -EINTR);
  return count == 1;
}

/* False if inside has ended before it said anything. */
static int be_introduced(int channel) {
  struct introduction introduction;
  struct { struct cmsghdr header; int file, pad; } rights = {0};
  struct iovec part = {&introduction, sizeof introduction};
  struct msghdr message = {0, 0, 0, &part, 1, &rights, sizeof rights, 0, 0};
  i64 count;
  do count = call3(recvmsg, channel, &message, MSG_CMSG_CLOEXEC); while (count == -EINTR);
  if (count != sizeof introduction || rights.header.type != SCM_RIGHTS) return 0;
  notifications = rights.file;
  int trial = 0;
  i64 file = take_file((u32)introduction.process, (u64)introduction.channel);
  i64 problem = file < 0 ? file : read_memory((u32)introduction.process, introduction.trial, &trial, sizeof trial);
  if (problem < 0 || trial != supervisor_trial)
    fail("signalbox may not see what commands connect to on this machine (kernel.yama.ptrace_scope is above 1, or a container forbids pidfd_getfd)", EXIT_UNAVAILABLE);
  call1(close, file);
  const u32 nowhere[4] = {0};
  if (owners_of(swapped(1), nowhere) < 0) fail("the kernel does not say who listens on a port (CONFIG_INET_DIAG)", EXIT_UNAVAILABLE);
  call3(write, channel, "r", 1);
  return 1;
}

static void __attribute__((noreturn)) supervise(int channel, int inside) {
  u64 mask = ~0ul, child = 1ul << (SIGCHLD - 1);
  call4(rt_sigprocmask, SIG_SETMASK, &mask, 0, 8);
  int children = (int)call4(signalfd4, -1, &child, 8, SOCK_CLOEXEC | SOCK_NONBLOCK), hears = be_introduced(channel);
  inside_process = inside;
  for (;;) {
    struct pollfd wanted[2] = {{children, POLLIN, 0}, {hears ? notifications : -1, POLLIN, 0}};
    struct timespec moment = {0, 500000000};
    i64 ready = call5(ppoll, wanted, 2, waiting_count ? &moment : 0, 0, 8);
    u32 status = 0, information[32];
    call3(read, children, information, sizeof information);
    for (i64 process; (process = call4(wait4, -1, &status, WNOHANG, 0)) > 0;) {
      if (process == inside) leave(status & 127 ? 128 + (int)(status & 127) : (int)(status >> 8) & 255);
      look_after_waiting((int)process, status);
    }
    if (ready == 0 || waiting_count > MAX_WAITING / 2) end_abandoned();
    if (wanted[1].revents & POLLIN) answer_one();
    /* Nothing is left that could ask. */
    else if (wanted[1].revents) hears = 0;
  }
}
#endif
