package io.ocicat.conformance;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.ocicat.cni.exec.PluginPath;
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
    return of(
        kind,
        kind == Kind.CHAINED
            ? "{ \"dataDir\": \"${data}\" }"
            : "{ \"ipam\": { \"type\": \"ipam\", \"dataDir\": \"${data}\" } }");
  }

  /** An interface plugin with an IPAM plugin of Debian's. */
  static Subject delegatingTo(String goIpam) {
    return of(
            Kind.INTERFACE,
            """
            { "ipam": { "type": "%s", "dataDir": "${data}", "ranges": [[{ "subnet": "10.88.0.0/24" }]] } }
            """
                .formatted(goIpam))
        .path(PluginPath.parse("/usr/lib/cni"));
  }

  private static Subject of(Kind kind, String config) {
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
