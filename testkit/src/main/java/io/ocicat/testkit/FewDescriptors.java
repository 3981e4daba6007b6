package io.ocicat.testkit;

import java.io.FileInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.stream.Stream;

/**
 * What a process does that has no descriptor left. A test has a main class of its own run with
 * {@link #run}, in a JVM that may open few files; that one holds a {@code FewDescriptors} while it
 * is to have none. Closing gives all of them back.
 */
public final class FewDescriptors implements AutoCloseable {
  private final Deque<FileInputStream> open = new ArrayDeque<>();

  private FewDescriptors() {}

  /** Runs a main class with this JVM's class path, and returns what it prints. */
  public static List<String> run(Class<?> main, String... arguments) {
    List<String> argv =
        Stream.concat(
                Stream.of(
                    "prlimit",
                    "--nofile=256:256",
                    System.getProperty("java.home") + "/bin/java",
                    "--enable-native-access=ALL-UNNAMED",
                    "-XX:+UseSerialGC",
                    "-XX:TieredStopAtLevel=1",
                    "-cp",
                    System.getProperty("java.class.path"),
                    main.getName()),
                Stream.of(arguments))
            .toList();
    return Command.of(argv).limit(Duration.ofMinutes(1)).run().stdout().lines().toList();
  }

  /** Takes all that this process may have. */
  public static FewDescriptors takeAll() {
    FewDescriptors all = new FewDescriptors();
    try {
      while (true) {
        all.open.push(new FileInputStream("/dev/null"));
      }
    } catch (IOException _) {
      return all;
    }
  }

  public void giveOneBack() {
    try {
      open.pop().close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    while (!open.isEmpty()) {
      giveOneBack();
    }
  }
}
