/*
 * Executes CNI plugins as a runtime does and tells how long each call took.
 *
 *   cnicall <mode> <count> <rounds> <netns prefix> <name>=<directory>:<conf file>[:<plugin>] ...
 *
 * The contenders take turns, and the one that begins changes from round to round. Modes:
 *   each    count ADDs one after the other, then count DELs one after the other
 *   burst   count ADDs started together, then count DELs started together: the time until the last has ended
 *   many    count ADDs of as many interfaces, all in the first namespace; unmany takes them away again
 *   crowd   ADDs of interfaces until there are count, where <rounds> are already, spread over the namespaces 2 to 65
 *   loop    count clients that ADD and DEL without pause for <rounds> seconds
 * The namespaces <prefix>0, <prefix>1, ... must exist and this process be in the host's. Prints lines of
 * "<name> add|del <milliseconds>", and "<name> cycles <per second>" for loop. Ends with 1 when any call failed.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct contender {
  char name[32], plugin[512], path[512], conf[512];
};

static struct contender contenders[8];
static int contender_count;
static const char *prefix;
static int failures;

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1e3 + t.tv_nsec / 1e6;
}

extern char **environ;

static pid_t start(const struct contender *who, const char *verb, int pod, int client) {
  static char command[64], id[96], netns[256], ifname[64], path[600];
  snprintf(command, sizeof command, "CNI_COMMAND=%s", verb);
  snprintf(id, sizeof id, "CNI_CONTAINERID=%s-%d-%d", who->name, pod, client);
  snprintf(netns, sizeof netns, "CNI_NETNS=/run/netns/%s%d", prefix, pod);
  snprintf(ifname, sizeof ifname, "CNI_IFNAME=%.10s%d", who->name, client);
  snprintf(path, sizeof path, "CNI_PATH=%s", who->path);
  char *env[128];
  int count = 0;
  for (char **e = environ; *e && count < 120; e++) env[count++] = *e;
  env[count++] = command;
  env[count++] = id;
  env[count++] = netns;
  env[count++] = ifname;
  env[count++] = path;
  env[count] = NULL;
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, 0, who->conf, O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, 1, "/dev/null", O_WRONLY, 0);
  char *argv[] = {(char *)who->plugin, NULL};
  pid_t pid;
  int failed = posix_spawn(&pid, who->plugin, &files, NULL, argv, env);
  posix_spawn_file_actions_destroy(&files);
  if (failed) {
    fprintf(stderr, "cannot start %s: %s\n", who->plugin, strerror(failed));
    exit(2);
  }
  return pid;
}

static void finish(const struct contender *who, const char *verb, pid_t pid) {
  int status;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status)) {
    fprintf(stderr, "%s %s failed with status %d\n", who->name, verb, status);
    failures++;
  }
}

static void each(const struct contender *who, const char *verb, int count) {
  for (int pod = 0; pod < count; pod++) {
    double begin = now();
    finish(who, verb, start(who, verb, pod, 0));
    printf("%s %s %.3f\n", who->name, verb[0] == 'A' ? "add" : "del", now() - begin);
  }
}

static void burst(const struct contender *who, const char *verb, int count) {
  pid_t pids[count];
  double begin = now();
  for (int pod = 0; pod < count; pod++) pids[pod] = start(who, verb, pod, 0);
  for (int pod = 0; pod < count; pod++) finish(who, verb, pids[pod]);
  printf("%s %s %.3f\n", who->name, verb[0] == 'A' ? "add" : "del", now() - begin);
}

static void many(const struct contender *who, const char *verb, int count) {
  for (int i = 1; i <= count; i++) finish(who, verb, start(who, verb, 0, i));
}

static void crowd(const struct contender *who, int from, int count) {
  for (int i = from + 1; i <= count; i++) finish(who, "ADD", start(who, "ADD", 2 + i % 64, i));
}

static void loop(const struct contender *who, int clients, int seconds) {
  double begin = now(), end = begin + seconds * 1e3;
  int results[2];
  if (pipe(results)) exit(2);
  for (int client = 0; client < clients; client++) {
    if (fork() == 0) {
      int cycles = 0;
      while (now() < end) {
        finish(who, "ADD", start(who, "ADD", client, client));
        finish(who, "DEL", start(who, "DEL", client, client));
        cycles++;
      }
      int report[2] = {cycles, failures};
      if (write(results[1], report, sizeof report) != sizeof report) _exit(2);
      _exit(0);
    }
  }
  long cycles = 0;
  for (int client = 0; client < clients; client++) {
    int report[2];
    if (read(results[0], report, sizeof report) != sizeof report) exit(2);
    cycles += report[0];
    failures += report[1];
  }
  while (wait(NULL) > 0) {
  }
  printf("%s cycles %.1f\n", who->name, cycles / ((now() - begin) / 1e3));
}

int main(int argc, char **argv) {
  if (argc < 6) {
    fprintf(stderr, "usage: cnicall each|burst|many|unmany|crowd|loop <count> <rounds> <netns prefix> "
                    "<name>=<directory>:<conf>[:<plugin>]...\n");
    return 2;
  }
  int count = atoi(argv[2]), rounds = atoi(argv[3]);
  prefix = argv[4];
  for (int i = 5; i < argc && contender_count < 8; i++) {
    struct contender *who = &contenders[contender_count++];
    char directory[512], type[64] = "bridge";
    if (sscanf(argv[i], "%31[^=]=%511[^:]:%511[^:]:%63s", who->name, who->path, who->conf, type) < 3) return 2;
    strcpy(directory, who->path);
    snprintf(who->plugin, sizeof who->plugin, "%.440s/%s", directory, type);
  }
  if (strcmp(argv[1], "loop") == 0) {
    for (int i = 0; i < contender_count; i++) loop(&contenders[i], count, rounds);
    return failures != 0;
  }
  if (strcmp(argv[1], "many") == 0 || strcmp(argv[1], "unmany") == 0) {
    for (int i = 0; i < contender_count; i++) many(&contenders[i], argv[1][0] == 'm' ? "ADD" : "DEL", count);
    return failures != 0;
  }
  if (strcmp(argv[1], "crowd") == 0) {
    for (int i = 0; i < contender_count; i++) crowd(&contenders[i], rounds, count);
    return failures != 0;
  }
  void (*run)(const struct contender *, const char *, int) = strcmp(argv[1], "burst") == 0 ? burst : each;
  for (int round = 0; round < rounds; round++) {
    for (int turn = 0; turn < contender_count; turn++) {
      const struct contender *who = &contenders[(turn + round) % contender_count];
      run(who, "ADD", count);
      run(who, "DEL", count);
    }
  }
  return failures != 0;
}
