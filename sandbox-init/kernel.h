/* The part of the kernel's interface that the helper uses: no libc, so that the program is small and needs nothing. */
#ifndef KERNEL_H
#define KERNEL_H

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long u64;
typedef long i64;

#if defined(__x86_64__)
enum {
  SYS_read = 0, SYS_write = 1, SYS_close = 3, SYS_fstat = 5, SYS_lseek = 8, SYS_mmap = 9, SYS_munmap = 11, SYS_rt_sigaction = 13,
  SYS_rt_sigprocmask = 14, SYS_getpid = 39, SYS_socket = 41, SYS_connect = 42, SYS_sendmsg = 46, SYS_recvmsg = 47,
  SYS_bind = 49, SYS_recvfrom = 45, SYS_listen = 50, SYS_getsockname = 51, SYS_socketpair = 53, SYS_fcntl = 72, SYS_setsockopt = 54, SYS_clone = 56, SYS_execve = 59, SYS_exit = 60, SYS_wait4 = 61,
  SYS_kill = 62, SYS_getcwd = 79, SYS_chdir = 80, SYS_umask = 95, SYS_getppid = 110, SYS_setsid = 112, SYS_prctl = 157,
  SYS_setrlimit = 160, SYS_getdents64 = 217, SYS_waitid = 247, SYS_clock_gettime = 228, SYS_exit_group = 231, SYS_inotify_add_watch = 254,
  SYS_openat = 257, SYS_mkdirat = 258, SYS_newfstatat = 262, SYS_unlinkat = 263, SYS_renameat = 264, SYS_fchmodat = 268, SYS_ppoll = 271, SYS_accept4 = 288,
  SYS_signalfd4 = 289, SYS_dup3 = 292, SYS_pipe2 = 293, SYS_inotify_init1 = 294, SYS_renameat2 = 316, SYS_getrandom = 318, SYS_close_range = 436,
  SYS_ioctl = 16, SYS_shmget = 29, SYS_shmat = 30, SYS_shmctl = 31, SYS_sendto = 44, SYS_getsockopt = 55, SYS_semget = 64, SYS_semop = 65, SYS_semctl = 66,
  SYS_msgget = 68, SYS_msgsnd = 69, SYS_msgrcv = 70, SYS_msgctl = 71, SYS_getsid = 124, SYS_capget = 125, SYS_capset = 126, SYS_rt_sigqueueinfo = 129, SYS_setpriority = 141,
  SYS_tkill = 200, SYS_semtimedop = 220, SYS_tgkill = 234, SYS_mq_open = 240, SYS_mq_unlink = 241, SYS_ioprio_set = 251, SYS_readlinkat = 267, SYS_rt_tgsigqueueinfo = 297,
  SYS_prlimit64 = 302, SYS_sendmmsg = 307, SYS_process_vm_readv = 310, SYS_seccomp = 317,
};
#define AUDIT_ARCH 0xc000003eu
static inline i64 syscall6(i64 n, i64 a, i64 b, i64 c, i64 d, i64 e, i64 f) {
  i64 result;
  register i64 r10 __asm__("r10") = d;
  register i64 r8 __asm__("r8") = e;
  register i64 r9 __asm__("r9") = f;
  __asm__ volatile("syscall" : "=a"(result) : "a"(n), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                   : "rcx", "r11", "memory");
  return result;
}
struct stat { u64 dev, ino, nlink; u32 mode, uid, gid, pad; u64 device, size, block_size, blocks, accessed[2], modified[2], changed[2], rest[3]; };
#elif defined(__aarch64__)
enum {
  SYS_getcwd = 17, SYS_dup3 = 24, SYS_fcntl = 25, SYS_inotify_init1 = 26, SYS_inotify_add_watch = 27, SYS_mkdirat = 34, SYS_unlinkat = 35, SYS_renameat = 38, SYS_chdir = 49, SYS_fchmodat = 53,
  SYS_openat = 56, SYS_close = 57, SYS_pipe2 = 59, SYS_getdents64 = 61, SYS_lseek = 62, SYS_read = 63, SYS_write = 64, SYS_ppoll = 73,
  SYS_signalfd4 = 74, SYS_newfstatat = 79, SYS_fstat = 80, SYS_exit = 93, SYS_exit_group = 94, SYS_waitid = 95, SYS_clock_gettime = 113,
  SYS_kill = 129, SYS_rt_sigaction = 134, SYS_rt_sigprocmask = 135, SYS_setsid = 157, SYS_setrlimit = 164,
  SYS_umask = 166, SYS_prctl = 167, SYS_getpid = 172, SYS_getppid = 173, SYS_socket = 198, SYS_socketpair = 199, SYS_bind = 200, SYS_listen = 201, SYS_getsockname = 204,
  SYS_connect = 203, SYS_recvfrom = 207, SYS_setsockopt = 208, SYS_sendmsg = 211, SYS_recvmsg = 212, SYS_munmap = 215, SYS_clone = 220,
  SYS_execve = 221, SYS_mmap = 222, SYS_accept4 = 242, SYS_wait4 = 260, SYS_renameat2 = 276, SYS_getrandom = 278, SYS_close_range = 436,
  SYS_ioctl = 29, SYS_ioprio_set = 30, SYS_readlinkat = 78, SYS_capget = 90, SYS_capset = 91, SYS_tkill = 130, SYS_tgkill = 131, SYS_rt_sigqueueinfo = 138, SYS_setpriority = 140,
  SYS_getsid = 156, SYS_mq_open = 180, SYS_mq_unlink = 181, SYS_msgget = 186, SYS_msgctl = 187, SYS_msgrcv = 188, SYS_msgsnd = 189, SYS_semget = 190, SYS_semctl = 191, SYS_semtimedop = 192,
  SYS_semop = 193, SYS_shmget = 194, SYS_shmctl = 195, SYS_shmat = 196, SYS_sendto = 206, SYS_getsockopt = 209, SYS_rt_tgsigqueueinfo = 240, SYS_prlimit64 = 261, SYS_sendmmsg = 269,
  SYS_process_vm_readv = 270, SYS_seccomp = 277,
};
#define AUDIT_ARCH 0xc00000b7u
static inline i64 syscall6(i64 n, i64 a, i64 b, i64 c, i64 d, i64 e, i64 f) {
  register i64 x8 __asm__("x8") = n;
  register i64 x0 __asm__("x0") = a;
  register i64 x1 __asm__("x1") = b;
  register i64 x2 __asm__("x2") = c;
  register i64 x3 __asm__("x3") = d;
  register i64 x4 __asm__("x4") = e;
  register i64 x5 __asm__("x5") = f;
  __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory");
  return x0;
}
struct stat { u64 dev, ino; u32 mode, nlink, uid, gid; u64 device, pad, size, block_size, blocks, accessed[2], modified[2], changed[2], rest[1]; };
#else
#error "only x86_64 and aarch64"
#endif

/* These have the same number everywhere. */
enum { SYS_pidfd_send_signal = 424, SYS_pidfd_open = 434, SYS_openat2 = 437, SYS_pidfd_getfd = 438, SYS_landlock_create_ruleset = 444, SYS_landlock_add_rule = 445, SYS_landlock_restrict_self = 446 };

#define CALL(name, a, b, c, d, e) syscall6(SYS_##name, (i64)(a), (i64)(b), (i64)(c), (i64)(d), (i64)(e), 0)
#define call1(name, a) CALL(name, a, 0, 0, 0, 0)
#define call2(name, a, b) CALL(name, a, b, 0, 0, 0)
#define call3(name, a, b, c) CALL(name, a, b, c, 0, 0)
#define call4(name, a, b, c, d) CALL(name, a, b, c, d, 0)
#define call5(name, a, b, c, d, e) CALL(name, a, b, c, d, e)

enum {
  EIO = 5, EINTR = 4, EAGAIN = 11, ELOOP = 40, EXDEV = 18, EINVAL = 22, ENOSYS = 38, EISDIR = 21, EPERM = 1, ENOENT = 2, EACCES = 13, ENOTDIR = 20, ENOEXEC = 8, ENOMEM = 12,
  ESRCH = 3, EBADF = 9, EFAULT = 14, ENOTTY = 25, ENOTSOCK = 88, ENOPROTOOPT = 92, EPROTONOSUPPORT = 93, EOPNOTSUPP = 95, EAFNOSUPPORT = 97, ECONNREFUSED = 111,
  AT_FDCWD = -100, AT_REMOVEDIR = 0x200, AT_SYMLINK_NOFOLLOW = 0x100,
  O_RDONLY = 0, O_NOCTTY = 0400, O_WRONLY = 1, O_RDWR = 2, O_NONBLOCK = 04000, O_CLOEXEC = 02000000, O_PATH = 010000000,
#if defined(__x86_64__)
  O_DIRECTORY = 0200000, O_NOFOLLOW = 0400000,
#else
  O_DIRECTORY = 040000, O_NOFOLLOW = 0100000,
#endif
  F_DUPFD = 0, F_SETFD = 2, F_GETFL = 3, F_DUPFD_CLOEXEC = 1030, RENAME_NOREPLACE = 1,
  AF_UNIX = 1, AF_INET = 2, AF_INET6 = 10, AF_NETLINK = 16, SOCK_STREAM = 1, SOCK_SEQPACKET = 5, SOCK_CLOEXEC = 02000000, SOCK_NONBLOCK = 04000,
  SOL_SOCKET = 1, SO_REUSEADDR = 2, SCM_RIGHTS = 1,
  MSG_PEEK = 2, MSG_DONTWAIT = 0x40, MSG_NOSIGNAL = 0x4000, MSG_CMSG_CLOEXEC = 0x40000000,
  SIGHUP = 1, SIGINT = 2, SIGQUIT = 3, SIGKILL = 9, SIGUSR1 = 10, SIGUSR2 = 12, SIGPIPE = 13, SIGTERM = 15,
  SIGCHLD = 17, SIGCONT = 18,
  SIG_BLOCK = 0, SIG_UNBLOCK = 1, SIG_SETMASK = 2,
  POLLIN = 1, POLLERR = 8, POLLHUP = 16,
  S_IFMT = 0170000, S_IFDIR = 0040000, S_IFREG = 0100000, S_IFBLK = 0060000, S_IFLNK = 0120000, S_IFCHR = 0020000, S_IFSOCK = 0140000,
  PR_SET_PDEATHSIG = 1, PR_SET_DUMPABLE = 4, PR_CAPBSET_DROP = 24, PR_SET_SECUREBITS = 28, PR_SET_NO_NEW_PRIVS = 38, PR_CAP_AMBIENT = 47, PR_SET_CHILD_SUBREAPER = 36,
  RLIMIT_FSIZE = 1, RLIMIT_DATA = 2, RLIMIT_CORE = 4, RLIMIT_NPROC = 6,
  IN_MODIFY = 2, IN_CLOSE_WRITE = 8, IN_MOVED_TO = 0x80, IN_CREATE = 0x100, IN_ONLYDIR = 0x01000000, IN_DONT_FOLLOW = 0x02000000, IN_Q_OVERFLOW = 0x4000, IN_MASK_ADD = 0x20000000,
  WNOHANG = 1, WEXITED = 4, WNOWAIT = 0x01000000, ECHILD = 10,
};

struct pollfd { int fd; short events, revents; };
struct timespec { i64 seconds, nanoseconds; };
struct iovec { void *base; u64 size; };
struct msghdr { void *name; u32 name_size, pad0; struct iovec *parts; u64 part_count; void *control; u64 control_size;
  int flags, pad1; };
struct cmsghdr { u64 size; int level, type; };
struct sockaddr_un { u16 family; char path[108]; };
struct sockaddr_in { u16 family, port; u32 address; u8 zero[8]; };
struct sockaddr_in6 { u16 family, port; u32 flow; u8 address[16]; u32 scope; };
struct sigaction { void *handler; u64 flags; void *restorer; u64 mask; };
struct rlimit { u64 current, max; };
struct dirent { u64 inode, offset; u16 size; u8 kind; char name[]; };
struct inotify_event { int watch; u32 mask, cookie, size; char name[]; };

#endif
