package io.ocicat.cni.exec;

import java.util.List;

/**
 * The exit status of a process. Java reports a signal only by the shell's convention of 128 + its
 * number, which a process may also return by itself: so the text gives both.
 */
record ExitStatus(int code) {
  /** Linux's numbers, the same on every architecture Java runs on. */
  private static final List<String> SIGNALS =
      List.of(
          "SIGHUP",
          "SIGINT",
          "SIGQUIT",
          "SIGILL",
          "SIGTRAP",
          "SIGABRT",
          "SIGBUS",
          "SIGFPE",
          "SIGKILL",
          "SIGUSR1",
          "SIGSEGV",
          "SIGUSR2",
          "SIGPIPE",
          "SIGALRM",
          "SIGTERM",
          "SIGSTKFLT",
          "SIGCHLD",
          "SIGCONT",
          "SIGSTOP",
          "SIGTSTP",
          "SIGTTIN",
          "SIGTTOU",
          "SIGURG",
          "SIGXCPU",
          "SIGXFSZ",
          "SIGVTALRM",
          "SIGPROF",
          "SIGWINCH",
          "SIGIO",
          "SIGPWR",
          "SIGSYS");

  @Override
  public String toString() {
    int signal = code - 128;
    return signal < 1 || signal > SIGNALS.size()
        ? "exit status " + code
        : "exit status %d (%s)".formatted(code, SIGNALS.get(signal - 1));
  }
}
