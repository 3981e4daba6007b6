package io.ocicat.conformance.report;

import io.ocicat.base.json.Json;
import io.ocicat.cni.SpecVersion;
import io.ocicat.conformance.check.CheckVerdict;
import java.util.Locale;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Writes a report as JSON, for programs. */
public final class JsonReport {
  private JsonReport() {}

  public static String of(ConformanceReport report) {
    ObjectNode json = Json.object();
    json.put("plugin", report.subject().name())
        .put("executable", report.subject().executable().toString())
        .put("kind", report.subject().profile().kind().toString());
    json.set(
        "versions",
        Json.array(report.claims().versions().stream().map(SpecVersion::text).toList()));
    ArrayNode checks = Json.array();
    report.findings().forEach(finding -> checks.add(of(finding)));
    json.set("checks", checks);
    ObjectNode summary = Json.object();
    for (CheckOutcome outcome : CheckOutcome.values()) {
      summary.put(name(outcome), report.count(outcome));
    }
    json.set("summary", summary.put("milliseconds", report.took().toMillis()));
    return Json.pretty(json);
  }

  private static ObjectNode of(CheckFinding finding) {
    ObjectNode json =
        Json.object()
            .put("id", finding.check().id())
            .put("severity", finding.check().severity().name())
            .put("sentence", finding.check().sentence())
            .put("source", finding.check().source())
            .put("outcome", name(finding.outcome()))
            .put("milliseconds", finding.took().toMillis());
    if (!finding.reason().isEmpty()) {
      json.put("deviation", finding.reason());
    }
    switch (finding.verdict()) {
      case CheckVerdict.Passed _ -> {}
      case CheckVerdict.NotApplicable(String why) -> json.put("why", why);
      case CheckVerdict.Failed failed -> {
        json.put("expected", failed.expected()).put("actual", failed.actual());
        json.set("reproduction", Json.array(failed.reproduction()));
      }
    }
    return json;
  }

  private static String name(CheckOutcome outcome) {
    return outcome.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
