package io.ocicat.sandbox.container;

import java.util.List;
import java.util.Locale;
import java.util.OptionalInt;

/** The signals of Linux by name. Both supported architectures have the same numbers. */
public final class StopSignal {
  public static final int KILL = 9;
  public static final int TERM = 15;

  private static final int FIRST_REALTIME = 34;
  private static final int LAST = 64;
  private static final List<String> NAMES =
      List.of(
          "HUP", "INT", "QUIT", "ILL", "TRAP", "ABRT", "BUS", "FPE", "KILL", "USR1", "SEGV", "USR2",
          "PIPE", "ALRM", "TERM", "STKFLT", "CHLD", "CONT", "STOP", "TSTP", "TTIN", "TTOU", "URG",
          "XCPU", "XFSZ", "VTALRM", "PROF", "WINCH", "IO", "PWR", "SYS");

  private StopSignal() {}

  /**
   * Reads {@code SIGTERM}, {@code term}, {@code RTMIN+3} or {@code 15}; empty for anything else.
   */
  public static OptionalInt parse(String text) {
    String upper = text.toUpperCase(Locale.ROOT);
    String name = upper.startsWith("SIG") ? upper.substring(3) : upper;
    int known = NAMES.indexOf(name);
    if (known >= 0) {
      return OptionalInt.of(known + 1);
    }
    return switch (name) {
      case "CLD" -> OptionalInt.of(NAMES.indexOf("CHLD") + 1);
      case "IOT" -> OptionalInt.of(NAMES.indexOf("ABRT") + 1);
      case "POLL" -> OptionalInt.of(NAMES.indexOf("IO") + 1);
      case "RTMIN" -> OptionalInt.of(FIRST_REALTIME);
      case "RTMAX" -> OptionalInt.of(LAST);
      default -> number(name);
    };
  }

  private static OptionalInt number(String name) {
    try {
      int number;
      if (name.startsWith("RTMIN+")) {
        number = FIRST_REALTIME + Integer.parseUnsignedInt(name.substring(6));
      } else if (name.startsWith("RTMAX-")) {
        number = LAST - Integer.parseUnsignedInt(name.substring(6));
      } else {
        number = Integer.parseUnsignedInt(name);
      }
      return number >= 1 && number <= LAST ? OptionalInt.of(number) : OptionalInt.empty();
    } catch (NumberFormatException _) {
      return OptionalInt.empty();
    }
  }
}
