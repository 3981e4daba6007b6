package io.ocicat.netlink.linux;

import io.ocicat.testkit.Command;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;

/** Small C programs next to these tests, which do what a JVM cannot or should not do to itself. */
final class NativeProgram {
  private NativeProgram() {}

  /** Compiles {@code name.c} into that directory and returns the program's path. */
  static Path compile(String name, Path directory) throws IOException {
    Path source = directory.resolve(name + ".c");
    Path program = directory.resolve(name);
    try (InputStream in =
        Objects.requireNonNull(NativeProgram.class.getResourceAsStream(name + ".c"))) {
      Files.copy(in, source);
    }
    Command.of("gcc", "-Wall", "-Wextra", "-Werror", "-o", program.toString(), source.toString())
        .run();
    return program;
  }
}
