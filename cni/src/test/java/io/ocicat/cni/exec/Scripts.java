package io.ocicat.cni.exec;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/** Plugins of a few lines of shell, in a directory of the test's own. */
public record Scripts(Path directory) {
  /** Long enough for a loaded machine; it only bounds what hangs. */
  static final Duration PLENTY = Duration.ofSeconds(20);

  public Path write(String name, String... lines) {
    Path script = directory.resolve(name);
    try {
      Files.writeString(script, "#!/bin/sh\n" + String.join("\n", lines) + "\n");
      Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwxr-xr-x"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return script;
  }

  static Invocation invocation(Path executable, Verb verb, String stdin) {
    Map<String, String> environment = new HashMap<>(System.getenv());
    environment.put(CniEnvironment.COMMAND, verb.name());
    return new Invocation(executable, environment, stdin.getBytes(UTF_8), PLENTY);
  }

  static Invocation add(Path executable) {
    return invocation(executable, Verb.ADD, "{}");
  }

  static Invocation limited(Invocation invocation, Duration limit) {
    return new Invocation(
        invocation.executable(), invocation.environment(), invocation.stdin(), limit);
  }
}
