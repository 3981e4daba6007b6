package io.ocicat.sandbox.infra;

import io.ocicat.netlink.linux.Kernel;
import io.ocicat.netlink.linux.Syscall;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/**
 * A process, identified by its pid and start time within one boot, because pids are reused.
 *
 * @param startTicks since boot, as in /proc/pid/stat; 0 for no process
 */
public record ProcessId(long pid, long startTicks) {
  public static final ProcessId NONE = new ProcessId(0, 0);

  public static final int SIGKILL = 9;
  public static final int SIGTERM = 15;

  private static final int STATE = 0;
  private static final int START = 19;
  private static final long SHORTEST_PAUSE = 200_000;
  private static final long LONGEST_PAUSE = 10_000_000;

  /** Returns the process that has this pid now; {@link #NONE} when there is none. */
  public static ProcessId of(long pid) {
    String[] stat = stat(pid);
    return stat.length > START ? new ProcessId(pid, Long.parseLong(stat[START])) : NONE;
  }

  /** The fields after the command's name, which may contain anything. */
  private static String[] stat(long pid) {
    try {
      String text = Files.readString(Path.of("/proc", Long.toString(pid), "stat"));
      return text.substring(text.lastIndexOf(')') + 1).strip().split(" ", -1);
    } catch (IOException _) {
      return new String[0];
    }
  }

  /** Whether it runs; a zombie does not. */
  public boolean isAlive() {
    if (pid <= 0) {
      return false;
    }
    String[] stat = stat(pid);
    return stat.length > START
        && Long.parseLong(stat[START]) == startTicks
        && !stat[STATE].equals("Z")
        && !stat[STATE].equals("X");
  }

  /** Does nothing when it has ended. */
  public void signal(int number) {
    if (isAlive()) {
      Kernel.call(Syscall.KILL, pid, number);
    }
  }

  /** Signals it and its whole process group, which it leads. */
  void signalGroup(int number) {
    if (pid > 1 && (isAlive() || leadsGroup())) {
      Kernel.call(Syscall.KILL, -pid, number);
    }
  }

  /** A group outlives its leader; its pid is not reused until the group is gone. */
  private boolean leadsGroup() {
    return startTicks > 0 && Kernel.call(Syscall.KILL, -pid, 0) == 0 && stat(pid).length == 0;
  }

  /** Returns whether it has ended. */
  public boolean awaitEnd(Duration limit) {
    long deadline = System.nanoTime() + limit.toNanos();
    long pause = SHORTEST_PAUSE;
    while (isAlive()) {
      if (System.nanoTime() - deadline >= 0) {
        return false;
      }
      LockSupport.parkNanos(pause);
      pause = Math.min(2 * pause, LONGEST_PAUSE);
    }
    return true;
  }

  /** Terminates it, and kills it after the grace period. */
  public void end(Duration grace, boolean group) {
    send(SIGTERM, group);
    if (!awaitEnd(grace) || group) {
      send(SIGKILL, group);
      awaitEnd(Duration.ofSeconds(5));
    }
  }

  private void send(int number, boolean group) {
    if (group) {
      signalGroup(number);
    } else {
      signal(number);
    }
  }
}
