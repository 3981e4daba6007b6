package io.ocicat.conformance;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.ocicat.conformance.report.Report;
import io.ocicat.conformance.subject.Kind;
import io.ocicat.conformance.subject.Subject;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A plugin that does everything right, or all but one thing: a script in src/test/plugins. */
final class Exemplar {
  private static final Path PLUGINS = Path.of("src/test/plugins").toAbsolutePath();

  private Exemplar() {}

  static Subject flawless(Kind kind) {
    String config =
        kind == Kind.CHAINED
            ? "{ \"dataDir\": \"${data}\" }"
            : "{ \"ipam\": { \"type\": \"ipam\", \"dataDir\": \"${data}\" } }";
    return Subject.of(
            PLUGINS.resolve(kind.toString()),
            Optional.of(kind),
            Optional.of(config.getBytes(UTF_8)))
        .limit(Duration.ofSeconds(30));
  }

  /** Its IPAM plugin is flawless, but must not save it from taking the host for a container. */
  static Subject with(Kind kind, String defect) {
    String defects = kind + ":" + defect;
    return flawless(kind)
        .environment(
            Map.of(
                "DEFECTS",
                defect.equals("any-namespace") ? defects + " ipam:any-namespace" : defects));
  }

  static Report check(Kind kind, String defect, String check) {
    return new Conformance(with(kind, defect)).only(List.of(check)).run();
  }
}
