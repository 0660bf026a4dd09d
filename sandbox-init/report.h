/* What init and the keeper tell the launcher: lines of JSON, those of init in the form of Node's own channel, so that it
 * can take listeners. */
#ifndef REPORT_H
#define REPORT_H
#include "message.h"
#include "text.h"

/* A socket; the keeper has another one. */
static int report_channel = 3;
#define MAX_SHOWN 4096

/* The launcher may be busy. What does not fit is dropped rather than holding up the commands. */
static void report(const char *line) {
  u64 size = length(line);
  for (u64 sent = 0; sent < size;) {
    struct iovec part = {(void *)(line + sent), size - sent};
    struct msghdr message = {0, 0, 0, &part, 1, 0, 0, 0, 0};
    i64 count = call3(sendmsg, report_channel, &message, MSG_NOSIGNAL | (sent == 0 ? MSG_DONTWAIT : 0));
    if (count == -EINTR) continue;
    if (count <= 0) return;
    sent += (u64)count;
  }
}

static char *append_json(char *to, char *end, const char *text, u64 limit) {
  for (u64 i = 0; text[i] && i < limit && to + 8 < end; i++) {
    u8 c = (u8)text[i];
    if (c == '"' || c == '\\') *to++ = '\\';
    if (c >= 32) *to++ = (char)c;
    else {
      to = append(to, end, "\\u00");
      *to++ = "0123456789abcdef"[c >> 4];
      *to++ = "0123456789abcdef"[c & 15];
    }
  }
  *to = 0;
  return to;
}

static void report_start(const char *id, const char *command, const char *folder) {
  static char line[MAX_SHOWN * 14];
  char *end = line + sizeof line - 8, *at = append(line, end, "{\"type\":\"start\",\"id\":\"");
  at = append(append(at, end, id), end, "\",\"folder\":\"");
  at = append(append_json(at, end, folder, MAX_SHOWN), end, "\",\"command\":\"");
  append(append_json(at, end, command, MAX_SHOWN), line + sizeof line, "\"}\n");
  report(line);
}

static void report_end(const char *id, u32 status) {
  char line[128], *end = line + sizeof line;
  char *at = append(append(append(line, end, "{\"type\":\"end\",\"id\":\""), end, id), end, "\",\"status\":");
  append(append_number(at, end, status), end, "}\n");
  report(line);
}

static void report_path(const char *type, const char *path) {
  static char line[MAX_SHOWN * 7];
  char *end = line + sizeof line - 8;
  char *at = append(append(append(line, end, "{\"type\":\""), end, type), end, "\",\"path\":\"");
  append(append_json(at, end, path, MAX_SHOWN), line + sizeof line, "\"}\n");
  report(line);
}

static void report_listener(u64 port, int file) {
  char line[128], *end = line + sizeof line;
  char *at = append(line, end, "{\"cmd\":\"NODE_HANDLE\",\"type\":\"net.Server\",\"msg\":{\"type\":\"listener\",\"port\":");
  at = append(append_number(at, end, port), end, "}}\n");
  struct rights rights = {{sizeof(struct cmsghdr) + sizeof(int), SOL_SOCKET, SCM_RIGHTS}, {file, 0, 0}, 0};
  struct iovec part = {line, (u64)(at - line)};
  struct msghdr message = {0, 0, 0, &part, 1, &rights, sizeof(struct cmsghdr) + 8, 0, 0};
  if (call3(sendmsg, report_channel, &message, MSG_NOSIGNAL) < 0) fail("cannot pass a listener to the launcher", 125);
}

/* The launcher says nothing that we need, but its end is ours. */
static void hear_launcher(void) {
  u8 ignored[256];
  struct iovec part = {ignored, sizeof ignored};
  struct msghdr message = {0, 0, 0, &part, 1, 0, 0, 0, 0};
  i64 count = call3(recvmsg, report_channel, &message, MSG_DONTWAIT);
  if (count == 0 || (count < 0 && count != -EAGAIN && count != -EINTR)) leave(0);
}
#endif
