package io.ocicat.cni.exec;

import io.ocicat.base.Deadline;
import io.ocicat.base.Quoted;
import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Starts the process of a plugin. */
final class ProcessLaunch {
  /** Copying an executable takes no longer; libcni gives up after six seconds, too. */
  private static final Duration BUSY_LIMIT = Duration.ofSeconds(6);

  private static final long LONGEST_PAUSE_MILLIS = 250;
  private static final int ETXTBSY = 26;

  /** How the JDK reports why execve failed. */
  private static final Pattern EXEC_FAILED = Pattern.compile("error[:=] ?(\\d+),? \\(?([^)]+)");

  /** The JDK's encoding of an environment; it writes a question mark for other characters. */
  private static final Charset NATIVE =
      Charset.forName(System.getProperty("sun.jnu.encoding", "UTF-8"));

  private ProcessLaunch() {}

  /**
   * Starts it, retrying while its file is still being written.
   *
   * @throws CniException when it cannot be started
   */
  static Process start(Invocation invocation, Deadline limit) throws InterruptedException {
    Path executable = invocation.executable();
    requireProgram(executable);
    // A bare name would be searched for in PATH.
    ProcessBuilder builder = new ProcessBuilder(executable.toAbsolutePath().toString());
    replace(builder.environment(), invocation.environment());
    Deadline busy = limit.atMost(BUSY_LIMIT);
    for (long pause = 5; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MILLIS)) {
      try {
        return builder.start();
      } catch (IOException e) {
        String reason = reason(e);
        if (!isBusy(e)) {
          throw refuse(executable, reason, "");
        }
        if (busy.hasPassed()) {
          throw refuse(executable, reason, "it is still being written to");
        }
      }
      Thread.sleep(pause);
    }
  }

  /**
   * The JDK runs what the kernel cannot execute with /bin/sh, which accepts an empty file: a plugin
   * whose installation was interrupted would succeed in doing nothing.
   */
  private static void requireProgram(Path executable) {
    if (!Files.isRegularFile(executable)) {
      return;
    }
    byte[] start;
    try (InputStream in = Files.newInputStream(executable)) {
      start = in.readNBytes(4);
    } catch (IOException _) {
      // Executing it shows why, also when it may be executed but not read.
      return;
    }
    boolean script = start.length >= 2 && start[0] == '#' && start[1] == '!';
    boolean elf =
        start.length == 4
            && start[0] == 0x7f
            && start[1] == 'E'
            && start[2] == 'L'
            && start[3] == 'F';
    if (!script && !elf) {
      throw refuse(executable, "exec format error", "it is neither an ELF file nor starts with #!");
    }
  }

  /** Unchanged variables are not touched: they may contain bytes that Java cannot represent. */
  private static void replace(Map<String, String> environment, Map<String, String> wanted) {
    environment.keySet().retainAll(wanted.keySet());
    wanted.forEach(
        (name, value) -> {
          if (!value.equals(environment.get(name))) {
            put(environment, name, value);
          }
        });
  }

  private static void put(Map<String, String> environment, String name, String value) {
    if (!NATIVE.newEncoder().canEncode(name + value)) {
      throw refuse(name, value, "this JVM runs with LC_ALL=C or the like: set LC_ALL=C.UTF-8");
    }
    try {
      environment.put(name, value);
    } catch (IllegalArgumentException e) {
      throw refuse(name, value, String.valueOf(e.getMessage()));
    }
  }

  private static CniException refuse(String name, String value, String why) {
    return new CniException(
        ErrorCode.INVALID_ENVIRONMENT,
        "%s=%s cannot be in an environment".formatted(Quoted.brief(name), Quoted.brief(value)),
        why);
  }

  private static boolean isBusy(IOException e) {
    Matcher failed = EXEC_FAILED.matcher(String.valueOf(e.getMessage()));
    return failed.find() && Integer.parseInt(failed.group(1)) == ETXTBSY;
  }

  private static String reason(IOException e) {
    String message = String.valueOf(e.getMessage());
    Matcher failed = EXEC_FAILED.matcher(message);
    return failed.find() ? failed.group(2).strip().toLowerCase(Locale.ROOT) : message;
  }

  private static CniException refuse(Path executable, String why, String details) {
    return new CniException(
        ErrorCode.UNKNOWN,
        "netplugin failed with no error message: fork/exec %s: %s".formatted(executable, why),
        details);
  }
}
