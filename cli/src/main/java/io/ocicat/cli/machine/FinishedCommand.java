package io.ocicat.cli.machine;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** A command that has ended, with its exit code and output. */
public record FinishedCommand(List<String> command, int code, String out, String err) {

  /**
   * Runs it to its end.
   *
   * @throws MachineException when it cannot be started or does not end in time
   */
  public static FinishedCommand of(List<String> command, Duration limit) {
    Process process;
    try {
      process = new ProcessBuilder(command).start();
    } catch (IOException e) {
      throw new MachineException(
          "cannot run %s: %s".formatted(command.getFirst(), e.getMessage()), e);
    }
    // Not in the common pool: several commands may run at once, and each waits for its output.
    CompletableFuture<String> out =
        CompletableFuture.supplyAsync(() -> text(process, false), Thread::startVirtualThread);
    CompletableFuture<String> err =
        CompletableFuture.supplyAsync(() -> text(process, true), Thread::startVirtualThread);
    try {
      process.getOutputStream().close();
      if (!process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)) {
        process.destroyForcibly();
        throw new MachineException(
            "not done after %d s: %s".formatted(limit.toSeconds(), String.join(" ", command)));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
      throw new MachineException("interrupted", e);
    }
    return new FinishedCommand(command, process.exitValue(), out.join(), err.join());
  }

  private static String text(Process process, boolean err) {
    try (var stream = err ? process.getErrorStream() : process.getInputStream()) {
      return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Its last line of standard error. */
  public String errorOutput() {
    String said = (err.isBlank() ? out : err).strip();
    return said.isEmpty() ? "exit code " + code : said.replaceAll("\\s*\\R\\s*", "; ");
  }
}
