/* Folders by descriptor: a link that a command puts in the way leads nowhere. */
#ifndef FOLDERS_H
#define FOLDERS_H
#include "text.h"

static char *by_descriptor(char *to, char *end, int file) { return append_number(append(to, end, "/proc/self/fd/"), end, (u64)file); }

/* A command may have closed a folder of its own. Gives the rights of its owner back. */
static void regain(int file) {
  struct stat state;
  char path[64];
  if (call2(fstat, file, &state) < 0 || (state.mode & S_IFMT) != S_IFDIR || (state.mode & 0700) == 0700) return;
  by_descriptor(path, path + sizeof path, file);
  call3(fchmodat, AT_FDCWD, path, (state.mode | 0700) & 07777);
}

/* Follows no link: a command could lead us to folders of its choice. */
static int open_in(int folder, const char *name) {
  i64 file = call4(openat, folder, name, O_PATH | O_NOFOLLOW | O_CLOEXEC, 0);
  if (file != -EACCES) return (int)file;
  regain(folder);
  return (int)call4(openat, folder, name, O_PATH | O_NOFOLLOW | O_CLOEXEC, 0);
}

/* The same for a whole path without links. */
static int open_folder(const char *path) {
  int folder = (int)call4(openat, AT_FDCWD, "/", O_PATH | O_DIRECTORY | O_CLOEXEC, 0);
  while (folder >= 0) {
    char name[256];
    u64 size = 0;
    while (*path == '/') path++;
    if (!*path) break;
    while (path[size] && path[size] != '/' && size + 1 < sizeof name) size++;
    memcpy(name, path, size);
    name[size] = 0;
    path += size;
    int next = (int)call4(openat, folder, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0);
    call1(close, folder);
    folder = next;
  }
  return folder;
}
#endif
