package io.ocicat.cri.service;

import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** CRI's numbers of signals, which are not the kernel's. */
final class SignalNumbers {
  private static final List<String> NAMES =
      Stream.of(
              Stream.of("", "ABRT", "ALRM", "BUS", "CHLD", "CLD", "CONT", "FPE", "HUP", "ILL"),
              Stream.of("INT", "IO", "IOT", "KILL", "PIPE", "POLL", "PROF", "PWR", "QUIT", "SEGV"),
              Stream.of("STKFLT", "STOP", "SYS", "TERM", "TRAP", "TSTP", "TTIN", "TTOU", "URG"),
              Stream.of("USR1", "USR2", "VTALRM", "WINCH", "XCPU", "XFSZ", "RTMIN"),
              IntStream.rangeClosed(1, 15).mapToObj(n -> "RTMIN+" + n),
              IntStream.rangeClosed(1, 14).mapToObj(n -> "RTMAX-" + (15 - n)),
              Stream.of("RTMAX"))
          .flatMap(names -> names)
          .map(name -> name.isEmpty() ? "" : "SIG" + name)
          .toList();

  private SignalNumbers() {}

  /** The signal's name; empty for the runtime's default. */
  static String name(int number) {
    if (number < 0 || number >= NAMES.size()) {
      throw Required.invalid(
          "config.stop_signal is %d: it must be 0–%d".formatted(number, NAMES.size() - 1));
    }
    return NAMES.get(number);
  }

  /** 0 for a signal that CRI has no number for. */
  static int number(String name) {
    return Math.max(0, NAMES.indexOf(name));
  }
}
