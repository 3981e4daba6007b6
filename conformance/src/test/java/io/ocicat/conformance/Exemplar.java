package io.ocicat.conformance;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.ocicat.conformance.report.Report;
import io.ocicat.conformance.subject.Kind;
import io.ocicat.conformance.subject.Subject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * A plugin that does everything right, or all but one thing: the script in {@code src/test/plugins}
 * under the name that says so.
 */
record Exemplar(Path directory) {
  private static final Path SCRIPT = Path.of("src/test/plugins/exemplar").toAbsolutePath();

  Subject flawless(Kind kind) {
    return named(kind, kind.toString());
  }

  Subject with(Kind kind, String defect) {
    return named(kind, kind + "--" + defect);
  }

  Report check(Kind kind, String defect, String... checks) {
    return new Conformance(with(kind, defect)).only(List.of(checks)).run();
  }

  private Subject named(Kind kind, String name) {
    String config =
        kind == Kind.CHAINED
            ? "{ \"dataDir\": \"${data}\" }"
            : "{ \"ipam\": { \"type\": \"%s\", \"dataDir\": \"${data}\" } }".formatted(ipam(name));
    install(name);
    return Subject.of(
            directory.resolve(name), Optional.of(kind), Optional.of(config.getBytes(UTF_8)))
        .limit(Duration.ofSeconds(20));
  }

  /** The IPAM plugin is a flawless one, but it must not save its user from this defect. */
  private String ipam(String user) {
    String name = user.equals("interface--any-namespace") ? "ipam--any-namespace" : "ipam";
    install(name);
    return name;
  }

  private void install(String name) {
    try {
      Path program = directory.resolve(name);
      Files.writeString(program, "#!/bin/sh\n. %s\n".formatted(SCRIPT));
      Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }
}
