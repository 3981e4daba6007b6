package io.ocicat.conformance;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.ocicat.cni.exec.PluginPath;
import io.ocicat.conformance.report.ConformanceReport;
import io.ocicat.conformance.subject.PluginKind;
import io.ocicat.conformance.subject.PluginUnderTest;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A plugin that does everything right, or everything except one thing: a script in
 * src/test/plugins.
 */
final class Exemplar {
  private static final Path PLUGINS = Path.of("src/test/plugins").toAbsolutePath();

  private Exemplar() {}

  static PluginUnderTest flawless(PluginKind kind) {
    return of(
        kind,
        kind == PluginKind.CHAINED
            ? "{ \"dataDir\": \"${data}\" }"
            : "{ \"ipam\": { \"type\": \"ipam\", \"dataDir\": \"${data}\" } }");
  }

  /** An interface plugin with an IPAM plugin of Debian's. */
  static PluginUnderTest delegatingTo(String goIpam) {
    return of(
            PluginKind.INTERFACE,
            """
            { "ipam": { "type": "%s", "dataDir": "${data}", "ranges": [[{ "subnet": "10.88.0.0/24" }]] } }
            """
                .formatted(goIpam))
        .path(PluginPath.parse("/usr/lib/cni"));
  }

  private static PluginUnderTest of(PluginKind kind, String config) {
    return PluginUnderTest.of(
            PLUGINS.resolve(kind.toString()),
            Optional.of(kind),
            Optional.of(config.getBytes(UTF_8)))
        .limit(Duration.ofSeconds(30));
  }

  /** Its IPAM plugin is flawless, but must not keep it from mistaking the host for a container. */
  static PluginUnderTest with(PluginKind kind, String defect) {
    String defects = kind + ":" + defect;
    return flawless(kind)
        .environment(
            Map.of(
                "DEFECTS",
                defect.equals("any-namespace") ? defects + " ipam:any-namespace" : defects));
  }

  static ConformanceReport check(PluginKind kind, String defect, String check) {
    return new Conformance(with(kind, defect)).only(List.of(check)).run();
  }
}
