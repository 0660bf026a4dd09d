/* The system call filter of the Landlock form, on top of the one that both forms have (src/sandbox/system-call-filter.ts):
 * which sockets there are, what may be done to processes outside, and which calls the supervisor answers. */
#ifndef FILTER_H
#define FILTER_H
#include "text.h"

enum {
  SECCOMP_SET_MODE_FILTER = 1, SECCOMP_FILTER_FLAG_NEW_LISTENER = 8, SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV = 32,
  BPF_LOAD = 0x20, BPF_AND = 0x54, BPF_IF_EQUAL = 0x15, BPF_IF_AT_LEAST = 0x35, BPF_IF_ANY = 0x45, BPF_RETURN = 0x06,
  CALL_NUMBER = 0, CALL_ARCHITECTURE = 4,
  SOCK_TYPES = 0xf, IPPROTO_TCP = 6, SOL_IP = 0, SOL_IPV6 = 41, MSG_FASTOPEN = 0x20000000,
  SO_BINDTODEVICE = 25, SO_BINDTOIFINDEX = 62, TCP_FASTOPEN_CONNECT = 30, TCP_ULP = 31,
  TIOCGPTPEER = 0x5441, FIOSETOWN = 0x8901, SIOCSPGRP = 0x8902, F_SETOWN = 8, F_SETOWN_EX = 15, PRIO_USER = 2, IOPRIO_WHO_USER = 3,
};
#define SECCOMP_ALLOW 0x7fff0000u
#define SECCOMP_ERROR 0x00050000u
#define SECCOMP_NOTIFY 0x7fc00000u

struct instruction { u16 code; u8 yes, no; u32 value; };
struct bpf_program { u16 size; struct instruction *instructions; };

static struct instruction filter_code[512];
static u32 filter_size;

static void emit(u16 code, u32 value) { filter_code[filter_size++] = (struct instruction){code, 0, 0, value}; }
/* What follows until `done` is skipped if the test fails. */
static u32 when_test(u16 code, u32 value) { return emit(code, value), filter_size; }
static u32 when(u32 value) { return when_test(BPF_IF_EQUAL, value); }
static void done(u32 start) {
  if (filter_size - start > 255) fail("a part of the system call filter is too long", 125);
  filter_code[start - 1].no = (u8)(filter_size - start);
}
static void allow(void) { emit(BPF_RETURN, SECCOMP_ALLOW); }
static void refuse(u32 error) { emit(BPF_RETURN, SECCOMP_ERROR | error); }
static void allow_if(u32 value) {
  u32 start = when(value);
  allow();
  done(start);
}
static void refuse_if(u32 value, u32 error) {
  u32 start = when(value);
  refuse(error);
  done(start);
}
static void load_argument(u32 index) { emit(BPF_LOAD, 16 + 8 * index); }
static void load_upper_half(u32 index) { emit(BPF_LOAD, 20 + 8 * index); }
static void notify_if(u32 call) {
  u32 start = when(call);
  emit(BPF_RETURN, SECCOMP_NOTIFY);
  done(start);
}

static void only_listed(const u8 *values, u32 count) {
  for (u32 i = 0; i < count; i++) allow_if(values[i]);
  refuse(ENOPROTOOPT);
}

/* What else connects, sends to addresses of its own or reaches a driver is not there. A datagram socket of Unix takes an
 * address with each message, where no filter sees it. */
static void filter_sockets(void) {
  u32 call = when(SYS_socket);
  load_argument(0);
  for (int pass = 0; pass < 2; pass++) {
    u32 internet = when(pass ? AF_INET6 : AF_INET);
    load_argument(1);
    emit(BPF_AND, SOCK_TYPES);
    u32 stream = when(SOCK_STREAM);
    load_argument(2);
    allow_if(0);
    allow_if(IPPROTO_TCP);
    refuse(EPROTONOSUPPORT);
    done(stream);
    refuse(EACCES);
    done(internet);
  }
  u32 netlink = when(AF_NETLINK);
  load_argument(2);
  /* NETLINK_ROUTE */
  allow_if(0);
  refuse(EPROTONOSUPPORT);
  done(netlink);
  u32 local = when(AF_UNIX);
  load_argument(1);
  emit(BPF_AND, SOCK_TYPES);
  allow_if(SOCK_STREAM);
  allow_if(SOCK_SEQPACKET);
  refuse(EPROTONOSUPPORT);
  done(local);
  refuse(EAFNOSUPPORT);
  done(call);
  u32 pair = when(SYS_socketpair);
  load_argument(1);
  emit(BPF_AND, SOCK_TYPES);
  allow_if(SOCK_STREAM);
  allow_if(SOCK_SEQPACKET);
  refuse(EPROTONOSUPPORT);
  done(pair);
  static const u16 sending[][2] = {{SYS_sendto, 3}, {SYS_sendmsg, 2}, {SYS_sendmmsg, 3}};
  for (u32 i = 0; i < 3; i++) {
    u32 send = when(sending[i][0]);
    load_argument(sending[i][1]);
    u32 fast = when_test(BPF_IF_ANY, MSG_FASTOPEN);
    refuse(EOPNOTSUPP);
    done(fast);
    allow();
    done(send);
  }
}

/* Source routes, flow labels and devices lead what goes to a permitted address elsewhere; a deferred connect goes out when
 * somebody else may have the port. */
static void filter_socket_options(void) {
  /* TOS, TTL, MTU_DISCOVER, RECVERR, BIND_ADDRESS_NO_PORT */
  static const u8 ip[] = {1, 2, 10, 11, 24};
  /* UNICAST_HOPS, MTU_DISCOVER, RECVERR, V6ONLY, TCLASS, ADDR_PREFERENCES */
  static const u8 ipv6[] = {16, 23, 25, 26, 67, 72};
  u32 call = when(SYS_setsockopt);
  load_argument(1);
  u32 level = when(SOL_IP);
  load_argument(2);
  only_listed(ip, sizeof ip);
  done(level);
  level = when(SOL_IPV6);
  load_argument(2);
  only_listed(ipv6, sizeof ipv6);
  done(level);
  level = when(IPPROTO_TCP);
  load_argument(2);
  refuse_if(TCP_FASTOPEN_CONNECT, ENOPROTOOPT);
  refuse_if(TCP_ULP, ENOPROTOOPT);
  allow();
  done(level);
  level = when(SOL_SOCKET);
  load_argument(2);
  refuse_if(SO_BINDTODEVICE, EPERM);
  refuse_if(SO_BINDTOIFINDEX, EPERM);
  allow();
  done(level);
  allow();
  done(call);
}

/* The processes that hold the sandbox cannot be signalled, nor everything at once. Where Landlock does not limit signals,
 * the supervisor says who may get one; the owner of a file gets signals as well. */
static void filter_signals(const int *protected, u32 count, int is_scoped) {
  static const u16 calls[][2] = {{SYS_kill, 1}, {SYS_tkill, 1}, {SYS_rt_sigqueueinfo, 1}, {SYS_tgkill, 2}, {SYS_rt_tgsigqueueinfo, 2}};
  for (u32 i = 0; i < 5; i++) {
    u32 call = when(calls[i][0]);
    for (u32 argument = 0; argument < calls[i][1]; argument++) {
      load_argument(argument);
      for (u32 k = 0; k < count; k++) refuse_if((u32)protected[k], EPERM);
    }
    if (i == 0) {
      for (u32 k = 0; k < count; k++) refuse_if((u32)-protected[k], EPERM);
      refuse_if((u32)-1, EPERM);
      allow_if(0);
    }
    emit(BPF_RETURN, is_scoped ? SECCOMP_ALLOW : SECCOMP_NOTIFY);
    done(call);
  }
  if (!is_scoped) {
    u32 call = when(SYS_fcntl);
    load_argument(1);
    notify_if(F_SETOWN);
    refuse_if(F_SETOWN_EX, EINVAL);
    allow();
    done(call);
  }
  /* Programs that use it fall back to `kill`, whose target the filter can read. */
  refuse_if(SYS_pidfd_send_signal, ENOSYS);
}

/* Priorities and limits of one's own, none of other processes, which may be outside. */
static void filter_priorities(void) {
  static const u16 calls[][2] = {{SYS_setpriority, PRIO_USER}, {SYS_ioprio_set, IOPRIO_WHO_USER}};
  for (u32 i = 0; i < 2; i++) {
    u32 call = when(calls[i][0]);
    load_argument(0);
    refuse_if(calls[i][1], EPERM);
    load_argument(1);
    allow_if(0);
    refuse(EPERM);
    done(call);
  }
  u32 call = when(SYS_prlimit64);
  load_argument(0);
  allow_if(0);
  load_argument(2);
  u32 is_null = when(0);
  load_upper_half(2);
  allow_if(0);
  done(is_null);
  refuse(EPERM);
  done(call);
}

/* Shared memory, semaphores and queues that are found by number or name: those of other programs would be as well. */
static void filter_shared_objects(void) {
  static const u16 calls[] = {SYS_shmget, SYS_shmat, SYS_shmctl, SYS_semget, SYS_semop, SYS_semctl, SYS_semtimedop,
    SYS_msgget, SYS_msgsnd, SYS_msgrcv, SYS_msgctl, SYS_mq_open, SYS_mq_unlink};
  for (u32 i = 0; i < sizeof calls / sizeof *calls; i++) refuse_if(calls[i], EACCES);
}

/* Installs it, and returns where the supervisor hears of calls. */
static i64 install_filter(const int *protected, u32 count, int is_scoped) {
  filter_size = 0;
  emit(BPF_LOAD, CALL_ARCHITECTURE);
  filter_code[filter_size] = (struct instruction){BPF_IF_EQUAL, 1, 0, AUDIT_ARCH};
  filter_size++;
  refuse(EPERM);
  emit(BPF_LOAD, CALL_NUMBER);
  /* The other numbering of x86-64. */
  u32 other = when_test(BPF_IF_AT_LEAST, 0x40000000);
  refuse(EPERM);
  done(other);
  notify_if(SYS_connect);
  notify_if(SYS_bind);
  notify_if(SYS_listen);
  u32 call = when(SYS_ioctl);
  load_argument(1);
  notify_if(TIOCGPTPEER);
  if (!is_scoped) refuse_if(FIOSETOWN, EINVAL), refuse_if(SIOCSPGRP, EINVAL);
  allow();
  done(call);
  filter_sockets();
  filter_socket_options();
  filter_signals(protected, count, is_scoped);
  filter_priorities();
  filter_shared_objects();
  allow();
  struct bpf_program program = {(u16)filter_size, filter_code};
  return call3(seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER | SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV, &program);
}

/* The filter that both forms have, in the form in which bubblewrap reads it. */
static int install_common_filter(int file) {
  u64 size;
  char *bytes = read_all(file, 1 << 16, &size);
  if (size == 0 || size % sizeof(struct instruction)) return 0;
  struct bpf_program program = {(u16)(size / sizeof(struct instruction)), (struct instruction *)bytes};
  return call3(seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) == 0;
}
#endif
