package io.ocicat.cli.training;

import io.ocicat.cli.Ocicat;
import io.ocicat.cli.terminal.ErrorReporter;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * Trains the distribution's AOT cache: runs the command lines on standard input, one after the
 * other in this JVM, while the JVM records the classes they need. One cache is trained by one
 * process, so the launcher cannot simply be called several times.
 */
public final class TrainingRun {

  private TrainingRun() {}

  public static void main(String[] args) throws IOException {
    PrintWriter out = new PrintWriter(System.out, true, StandardCharsets.UTF_8);
    PrintWriter err = new PrintWriter(System.err, true, StandardCharsets.UTF_8);
    List<String> lines;
    try (BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
      lines =
          in.lines()
              .map(String::strip)
              .filter(line -> !line.isEmpty() && !line.startsWith("#"))
              .toList();
    }
    for (String line : lines) {
      int exitCode =
          Ocicat.run(Ocicat.commandLine(), new ErrorReporter(err, true), out, line.split(" +", -1));
      if (exitCode != 0) {
        err.println("training: \"ocicat %s\" ended with exit code %d".formatted(line, exitCode));
        System.exit(1);
      }
    }
  }
}
