/* Strings without a libc. */
#ifndef TEXT_H
#define TEXT_H
#include "kernel.h"

void *memset(void *to, int value, u64 size) {
  u8 *bytes = to;
  for (u64 i = 0; i < size; i++) bytes[i] = (u8)value;
  return to;
}
void *memcpy(void *to, const void *from, u64 size) {
  u8 *target = to;
  const u8 *source = from;
  for (u64 i = 0; i < size; i++) target[i] = source[i];
  return to;
}
static u64 length(const char *text) {
  u64 size = 0;
  while (text[size]) size++;
  return size;
}
static int same(const char *a, const char *b) {
  while (*a && *a == *b) a++, b++;
  return *a == *b;
}
/* Whether `text` starts with `start`; the rest is put into `rest`. */
static int begins(const char *text, const char *start, const char **rest) {
  while (*start) if (*text++ != *start++) return 0;
  if (rest) *rest = text;
  return 1;
}
/* The end of what was written; always ends with a NUL within `end`. */
static char *append(char *to, char *end, const char *text) {
  while (*text && to + 1 < end) *to++ = *text++;
  *to = 0;
  return to;
}
static char *append_number(char *to, char *end, u64 number) {
  char digits[24];
  int at = sizeof digits;
  digits[--at] = 0;
  do digits[--at] = (char)('0' + number % 10); while (number /= 10);
  return append(to, end, digits + at);
}
static char *append_hex(char *to, char *end, const u8 *bytes, u64 size) {
  for (u64 i = 0; i < size; i++) {
    char digits[3] = {"0123456789abcdef"[bytes[i] >> 4], "0123456789abcdef"[bytes[i] & 15], 0};
    to = append(to, end, digits);
  }
  return to;
}
static u64 number_in(const char *text) {
  u64 number = 0;
  while (*text >= '0' && *text <= '9') number = number * 10 + (u64)(*text++ - '0');
  return number;
}
static char upper(char c) { return c >= 'a' && c <= 'z' ? (char)(c - 32) : c; }

static void say(const char *text) { call3(write, 2, text, length(text)); }
static void __attribute__((noreturn)) leave(int code) {
  for (;;) call1(exit_group, code);
}
static void __attribute__((noreturn)) fail(const char *text, int code) {
  say("signalbox: ");
  say(text);
  say("\n");
  leave(code);
}
static void *allocate(u64 size) {
  i64 at = syscall6(SYS_mmap, 0, (i64)size, 3, 0x22, -1, 0);
  return at < 0 && at > -4096 ? 0 : (void *)at;
}
/* All of a stream. Ends the program if it is larger than `limit`. */
static char *read_all(int file, u64 limit, u64 *size) {
  char *buffer = allocate(limit + 1);
  u64 got = 0;
  if (!buffer) fail("out of memory", 125);
  for (;;) {
    i64 count = call3(read, file, buffer + got, limit + 1 - got);
    if (count == -EINTR) continue;
    if (count < 0) fail("cannot read its settings", 125);
    if (count == 0) break;
    got += (u64)count;
    if (got > limit) fail("settings are too large", 125);
  }
  buffer[got] = 0;
  *size = got;
  return buffer;
}
#endif
