/* What client and init say to each other, over a stream socket.
 *
 * Client: one `struct request` with the descriptors 0, 1, 2 attached; then `size` bytes of NUL-terminated strings (the
 * working folder, the arguments, the environment); after that one byte for every signal to forward.
 * Init: the wait status of the command in four bytes. A stream that ends without it means that the sandbox is gone. */
#ifndef MESSAGE_H
#define MESSAGE_H
#include "kernel.h"

#define MAGIC 0x31584253u
#define MAX_REQUEST (16u << 20)
/* A directory that commands cannot see; the socket in it has this name. */
#define SOCKET_NAME "socket"

enum { KIND_LINE = 1, KIND_ARGV = 2 };

struct request { u32 magic, kind, size, argument_count; };

struct rights { struct cmsghdr header; int files[3]; int pad; };

#endif
