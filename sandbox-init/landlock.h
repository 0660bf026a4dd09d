/* The second form of the sandbox, for machines that refuse user namespaces: Landlock, system call filters and no
 * privileges. All commands of a session are in one domain. The processes, each the child of the one before:
 *
 *   keeper       outside; as in the other form
 *   supervisor   outside; makes the connections that commands ask for (supervisor.h)
 *   reaper       inside; ends everything in the domain when init or the supervisor has ended
 *   init         inside; as in the other form, with the filters
 *
 * The launcher passes on descriptor 4 what may be reached, as NUL-terminated records; 5 and 6 are as in the other form:
 *
 *   `r` a path to read and run; `l` one to list only; `w` one to read, run and change; `d` a device to read and write
 *   `u` a folder whose Unix sockets may be called; `p` a port of the network door, on 127.0.0.1
 *
 * Rights only add up on the way down. A path that is not there is left out, but for `w`. Only `d` may be a link. */
#ifndef LANDLOCK_H
#define LANDLOCK_H
#include "filter.h"
#include "init.h"
#include "processes.h"
#include "supervisor.h"

enum { FILE_RULES = 4, FILE_FILTER = 5, FILE_SUPERVISOR = 9, FILE_INSIDE = 10, FILE_FIRST_FREE = 11 };
/* The first ABI that limits TCP, and those with device requests and scopes. */
enum { MIN_ABI = 4, ABI_DEVICES = 5, ABI_SCOPES = 6 };

enum {
  FS_EXECUTE = 1, FS_WRITE_FILE = 2, FS_READ_FILE = 4, FS_READ_DIR = 8, FS_ALL_OF_ABI_4 = 0x7fff, FS_TRUNCATE = 0x4000, FS_IOCTL_DEV = 0x8000,
  /* What a rule on a file may name. */
  FS_OF_FILES = FS_EXECUTE | FS_WRITE_FILE | FS_READ_FILE | FS_TRUNCATE | FS_IOCTL_DEV,
  NET_CONNECT_TCP = 2, SCOPE_ABSTRACT_SOCKETS = 1, SCOPE_SIGNALS = 2, LANDLOCK_VERSION = 1, LANDLOCK_RULE_PATH = 1,
};
struct ruleset { u64 files, network, scopes; };
struct path_rule { u64 rights; int file; } __attribute__((packed));

/* Ends the program with a message unless there is an ABI that will do. */
static int usable_abi(u64 limit) {
  i64 abi = call3(landlock_create_ruleset, 0, 0, LANDLOCK_VERSION);
  if (abi == -ENOSYS) fail("this kernel has no Landlock (5.13 is the first that has it, 6.7 the first that will do)", EXIT_UNAVAILABLE);
  if (abi == -EOPNOTSUPP) fail("Landlock is disabled on this machine (the kernel's parameter lsm= does not name it)", EXIT_UNAVAILABLE);
  if (abi < 0) fail("this machine does not permit Landlock (a container's system call filter?)", EXIT_UNAVAILABLE);
  if (limit && (u64)abi > limit) abi = (i64)limit;
  if (abi < MIN_ABI) fail("this kernel's Landlock is too old: ABI 4 is needed, which Linux 6.7 is the first to have", EXIT_UNAVAILABLE);
  return (int)abi;
}

static void drop_capabilities(void) {
  struct { u32 version; int process; } header = {0x20080522, 0};
  struct { u32 effective, permitted, inheritable; } sets[2] = {{0, 0, 0}, {0, 0, 0}};
  const char *problem = "cannot drop its privileges";
  if (call5(prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0) fail(problem, EXIT_UNAVAILABLE);
  /* Without CAP_SETPCAP these two fail; then nothing can be gained either, because of the first. */
  for (int capability = 0; capability < 64; capability++) call5(prctl, PR_CAPBSET_DROP, capability, 0, 0, 0);
  /* Root is nobody special, and all of that is locked. */
  call5(prctl, PR_SET_SECUREBITS, 0xef, 0, 0, 0);
  call5(prctl, PR_CAP_AMBIENT, 4, 0, 0, 0);
  if (call2(capset, &header, sets) < 0 || call2(capget, &header, sets) < 0) fail(problem, EXIT_UNAVAILABLE);
  for (int i = 0; i < 2; i++) if (sets[i].effective | sets[i].permitted | sets[i].inheritable) fail(problem, EXIT_UNAVAILABLE);
}

static struct { char *records; u64 size; } places;

static u64 rights_of(char letter, u64 handled) {
  const u64 reading = FS_EXECUTE | FS_READ_FILE | FS_READ_DIR;
  switch (letter) {
    case 'r': return reading;
    case 'l': return FS_READ_DIR;
    case 'w': return handled & ~(u64)FS_IOCTL_DEV;
    case 'd': return handled & (FS_READ_FILE | FS_WRITE_FILE | FS_READ_DIR | FS_TRUNCATE | FS_IOCTL_DEV);
  }
  return 0;
}

struct open_how { u64 flags, mode, resolve; };
enum { RESOLVE_NO_SYMLINKS = 4 };

/* The launcher resolved all links but those of devices. One that is there now was put there by somebody else. */
static void add_rule(int ruleset, u64 rights, const char *path, int is_needed, int follows) {
  struct stat state;
  struct open_how how = {O_PATH | O_CLOEXEC, 0, follows ? 0 : RESOLVE_NO_SYMLINKS};
  int file = (int)call4(openat2, AT_FDCWD, path, &how, sizeof how);
  struct path_rule rule = {rights, file};
  if (file >= 0 && call2(fstat, file, &state) == 0 && (state.mode & S_IFMT) != S_IFDIR) rule.rights &= FS_OF_FILES;
  i64 added = file < 0 ? file : rule.rights ? call4(landlock_add_rule, ruleset, LANDLOCK_RULE_PATH, &rule, 0) : 0;
  if (file >= 0) call1(close, file);
  if (added == 0 || !is_needed) return;
  say("signalbox: the sandbox cannot show ");
  say(path);
  say("\n");
  leave(125);
}

/* No connection is made from inside: the supervisor makes those that are permitted. */
static void restrict_files(int abi) {
  const char *problem = "cannot make its Landlock rules";
  struct ruleset handled = {FS_ALL_OF_ABI_4, NET_CONNECT_TCP, 0};
  if (abi >= ABI_DEVICES) handled.files |= FS_IOCTL_DEV;
  if (abi >= ABI_SCOPES) handled.scopes = SCOPE_ABSTRACT_SOCKETS | SCOPE_SIGNALS;
  i64 ruleset = call3(landlock_create_ruleset, &handled, sizeof handled - (abi < ABI_SCOPES ? sizeof handled.scopes : 0), 0);
  if (ruleset < 0) fail(problem, EXIT_UNAVAILABLE);
  for (u64 at = 0; at < places.size; at += length(places.records + at) + 1) {
    u64 rights = rights_of(places.records[at], handled.files);
    if (rights) add_rule((int)ruleset, rights, places.records + at + 1, places.records[at] == 'w', places.records[at] == 'd');
  }
  /* Init and the reaper look for processes to end. */
  add_rule((int)ruleset, FS_READ_FILE | FS_READ_DIR, "/proc", 1, 0);
  if (call2(landlock_restrict_self, ruleset, 0) < 0) fail(problem, EXIT_UNAVAILABLE);
  call1(close, ruleset);
}

static void __attribute__((noreturn)) contained_init(const int *protected, u32 count, int is_scoped) {
  if (!install_common_filter(FILE_FILTER)) fail("cannot install the system call filter", EXIT_UNAVAILABLE);
  i64 listener = install_filter(protected, count, is_scoped);
  if (listener < 0) fail("cannot install the filter whose calls the supervisor answers", EXIT_UNAVAILABLE);
  if (!introduce_to_supervisor(FILE_INSIDE, (int)listener)) leave(125);
  call1(close, listener);
  call5(prctl, PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
  shares_processes = 1;
  init();
}

/* Waits for init's end or the supervisor's, and leaves nothing behind. */
static void __attribute__((noreturn)) reaper(int init_process, int is_scoped) {
  u64 mask = ~0ul, child = 1ul << (SIGCHLD - 1);
  call5(prctl, PR_SET_DUMPABLE, 0, 0, 0, 0);
  call5(prctl, PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
  call4(rt_sigprocmask, SIG_SETMASK, &mask, 0, 8);
  call3(close_range, 3, FILE_SUPERVISOR, 0);
  call3(close_range, FILE_FIRST_FREE, ~0u, 0);
  int children = (int)call4(signalfd4, -1, &child, 8, SOCK_CLOEXEC | SOCK_NONBLOCK);
  u32 status = 0, ended = 0, information[32];
  i64 found = 0;
  for (struct pollfd wanted[2] = {{children, POLLIN, 0}, {FILE_INSIDE, 0, 0}}; !found && !wanted[1].revents;) {
    call5(ppoll, wanted, 2, 0, 0, 8);
    call3(read, children, information, sizeof information);
    found = call4(wait4, init_process, &ended, WNOHANG, 0);
  }
  if (!found) call2(kill, init_process, SIGKILL);
  for (i64 process = 0; process != -ECHILD;) {
    struct timespec moment = {0, 2000000};
    /* The kernel keeps this within the domain, and lets nobody fork meanwhile. */
    if (is_scoped) call2(kill, -1, SIGKILL);
    else kill_descendants((int)call1(getpid, 0));
    while ((process = call4(wait4, -1, &status, WNOHANG, 0)) > 0);
    if (process != -ECHILD) call5(ppoll, 0, 0, &moment, 0, 8);
  }
  leave(ended & 127 ? 128 + (int)(ended & 127) : (int)(ended >> 8) & 255);
}

static void __attribute__((noreturn)) enter_domain(char *groups, int abi, int keeper_process) {
  int supervisor_process = (int)call1(getppid, 0), own = (int)call1(getpid, 0);
  call1(setsid, 0);
  join_groups(groups);
  be_ended_first();
  drop_capabilities();
  restrict_files(abi);
  int is_scoped = abi >= ABI_SCOPES && call2(kill, supervisor_process, 0) == -EPERM;
  if (abi >= ABI_SCOPES && !is_scoped) fail("Landlock does not limit signals on this machine", EXIT_UNAVAILABLE);
  i64 process = call5(clone, SIGCHLD, 0, 0, 0, 0);
  if (process < 0) fail("cannot start the sandbox", 125);
  if (process == 0) {
    int protected[] = {(int)call1(getpid, 0), own, supervisor_process, keeper_process};
    contained_init(protected, sizeof protected / sizeof *protected, is_scoped);
  }
  reaper((int)process, is_scoped);
}

/* In the keeper's child, with the descriptors that init is to have. */
static void __attribute__((noreturn)) contain(char *groups, int abi, int keeper_process) {
  int pair[2];
  if (call4(socketpair, AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0) fail("cannot start the sandbox", 125);
  /* Above everything that is to be kept, then down; nothing else of the keeper's comes along. */
  i64 outside = call3(fcntl, pair[0], F_DUPFD, 64), inside = call3(fcntl, pair[1], F_DUPFD, 64);
  if (outside < 0 || inside < 0) fail("cannot start the sandbox", 125);
  call3(dup3, outside, FILE_SUPERVISOR, O_CLOEXEC);
  call3(dup3, inside, FILE_INSIDE, O_CLOEXEC);
  call3(close_range, FILE_FIRST_FREE, ~0u, 0);
  places.records = read_all(FILE_RULES, 16 << 20, &places.size);
  call1(umask, 022);
  i64 process = call5(clone, SIGCHLD, 0, 0, 0, 0);
  if (process < 0) fail("cannot start the sandbox", 125);
  if (process == 0) {
    call1(close, FILE_SUPERVISOR);
    enter_domain(groups, abi, keeper_process);
  }
  call3(close_range, 3, FILE_SUPERVISOR - 1, 0);
  call1(close, FILE_INSIDE);
  drop_capabilities();
  for (u64 at = 0; at < places.size; at += length(places.records + at) + 1) {
    if (places.records[at] == 'u') add_socket_folder(places.records + at + 1);
    if (places.records[at] == 'p') add_door(number_in(places.records + at + 1));
  }
  supervise(FILE_SUPERVISOR, (int)process);
}
#endif
