package io.ocicat.cni.exec;

import io.ocicat.base.Deadline;
import io.ocicat.base.Quoted;
import io.ocicat.cni.CniException;
import io.ocicat.cni.CniJson;
import io.ocicat.cni.ErrorCode;
import io.ocicat.cni.FailureReason;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * Runs plugins as processes. Whatever they do, a run ends within the limit plus the grace period,
 * keeps a bounded part of what they print and leaves no descriptor open. Thread-safe; interrupting
 * the waiting thread stops the plugin.
 *
 * <p>It never blocks in a read: a background process of the plugin may keep its stdout open for
 * years. Instead the waiting thread polls the pipes, and once more when the plugin has ended,
 * because by then all its output is there.
 */
public final class ProcessExec implements PluginExec {
  /** One byte more than a document may have, so that the reader sees that it is too long. */
  static final int MAX_STDOUT = CniJson.MAX_BYTES + 1;

  static final int MAX_STDERR = 1 << 20;

  private static final Duration GRACE = Duration.ofSeconds(2);
  private static final long SHORTEST_PAUSE_NANOS = 1_000_000;
  private static final long LONGEST_PAUSE_NANOS = 20_000_000;

  /** Any pipe accepts as much at once, however few pages its owner may have. */
  private static final int FITS_EVERY_PIPE = 4096;

  private final Duration grace;

  public ProcessExec() {
    this(GRACE);
  }

  /**
   * @param grace how long a plugin that exceeds the limit may clean up between SIGTERM and SIGKILL
   */
  public ProcessExec(Duration grace) {
    this.grace = grace;
  }

  @Override
  public PluginReply run(Invocation invocation) {
    Deadline deadline = Deadline.in(invocation.limit());
    try {
      Process process = ProcessLaunch.start(invocation, deadline);
      try (InputStream stdout = process.getInputStream();
          InputStream stderr = process.getErrorStream()) {
        feed(process, invocation.stdin().bytes());
        return await(
            process,
            Capture.head(stdout, MAX_STDOUT),
            Capture.tail(stderr, MAX_STDERR),
            invocation,
            deadline);
      }
    } catch (IOException e) {
      throw new CniException(
          ErrorCode.IO_FAILURE,
          "cannot close the output of %s: %s".formatted(invocation.executable(), e.getMessage()),
          e);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      throw new CniException(
          ErrorCode.UNKNOWN,
          "netplugin failed with no error message: interrupted",
          PluginFailure.describe(invocation));
    }
  }

  private static void feed(Process process, byte[] stdin) {
    if (stdin.length <= FITS_EVERY_PIPE) {
      write(process.getOutputStream(), stdin);
    } else {
      Thread.ofPlatform()
          .daemon()
          .name("stdin of " + process.pid())
          .start(() -> write(process.getOutputStream(), stdin));
    }
  }

  private static void write(OutputStream pipe, byte[] stdin) {
    try (pipe) {
      pipe.write(stdin);
    } catch (IOException _) {
      // It ended without reading all of it, as plugins do that answer VERSION.
    }
  }

  private PluginReply await(
      Process process, Capture stdout, Capture stderr, Invocation invocation, Deadline deadline)
      throws InterruptedException {
    ProcessTree tree = new ProcessTree(process, () -> drain(stdout, stderr));
    try {
      long pause = SHORTEST_PAUSE_NANOS;
      while (!process.waitFor(
          Math.min(pause, deadline.remaining().toNanos()), TimeUnit.NANOSECONDS)) {
        if (deadline.hasPassed()) {
          String how = tree.end(grace);
          drain(stdout, stderr);
          throw tookTooLong(invocation, how, stderr.text());
        }
        pause =
            drain(stdout, stderr) ? SHORTEST_PAUSE_NANOS : Math.min(2 * pause, LONGEST_PAUSE_NANOS);
      }
    } catch (InterruptedException e) {
      tree.end(grace);
      throw e;
    }
    drain(stdout, stderr);
    return new PluginReply(process.exitValue(), stdout.bytes(), stderr.text());
  }

  private static boolean drain(Capture stdout, Capture stderr) {
    boolean printed = stdout.drain();
    boolean logged = stderr.drain();
    return printed || logged;
  }

  private static CniException tookTooLong(Invocation invocation, String how, String stderr) {
    String details = PluginFailure.describe(invocation);
    return new CniException(
            ErrorCode.UNKNOWN,
            "netplugin failed with no error message: not finished after %s: %s"
                .formatted(Deadline.describe(invocation.limit()), how),
            stderr.isBlank()
                ? details
                : details + ", stderr " + Quoted.of(PluginFailure.end(stderr)))
        .because(FailureReason.TIMED_OUT);
  }
}
