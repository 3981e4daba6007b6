package io.ocicat.cli.terminal;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Adds advice to error messages of the kernel, SQLite or Java that do not say what to do. */
public final class ErrorAdvice {
  private record Advice(Pattern words, Pattern unless, String advice) {
    static Advice of(String words, String unless, String advice) {
      return new Advice(Pattern.compile(words), Pattern.compile(unless), advice);
    }
  }

  private static final Advice ROOT =
      Advice.of(
          "(?i)permission denied|operation not permitted",
          "needs root",
          "this needs root: run it with sudo");

  private static final List<Advice> ADVICE =
      List.of(
          Advice.of(
              "Unknown device type|\\((EPROTONOSUPPORT|EAFNOSUPPORT)\\)",
              "doctor|CONFIG_",
              "this kernel lacks it: \"ocicat doctor\" says what to load"),
          Advice.of(
              "(?i)address already in use",
              "ss -",
              "another process has the port (ss -ltnp shows which): end it, or choose another"),
          Advice.of("(?i)no space left on device|disk quota exceeded", "room", "make room there"),
          Advice.of("SQLITE_(IOERR|FULL)", "room", "if its disk is full (df -h), make room there"));

  /** Errors for which Java's message is only the name of a class. */
  private static final Pattern REFUSED =
      Pattern.compile(
          "java\\.nio\\.file\\.(AccessDenied|NoSuchFile|FileAlreadyExists|NotDirectory)Exception: [^;]+");

  private static final Pattern REST = Pattern.compile("java\\.(?:nio\\.file|io)\\.\\w+Exception: ");

  private ErrorAdvice() {}

  /** For this user: root is not advised to become root. */
  public static String of(String message) {
    return of(message, isRoot());
  }

  public static String of(String message, boolean root) {
    String plain =
        REFUSED
            .matcher(message)
            .replaceAll(
                found ->
                    switch (found.group(1)) {
                      case "AccessDenied" -> "permission denied";
                      case "NoSuchFile" -> "there is no such file";
                      default -> "it is not a directory";
                    });
    plain = REST.matcher(plain).replaceAll(Matcher.quoteReplacement(""));
    if (!root && fits(ROOT, plain)) {
      return plain + "; " + ROOT.advice();
    }
    for (Advice advice : ADVICE) {
      if (fits(advice, plain)) {
        return plain + "; " + advice.advice();
      }
    }
    return plain;
  }

  private static boolean fits(Advice advice, String message) {
    return advice.words().matcher(message).find() && !advice.unless().matcher(message).find();
  }

  private static boolean isRoot() {
    try {
      return Files.getAttribute(Path.of("/proc/self"), "unix:uid").equals(0);
    } catch (IOException _) {
      return true; // Nobody knows, so it is not said.
    }
  }
}
