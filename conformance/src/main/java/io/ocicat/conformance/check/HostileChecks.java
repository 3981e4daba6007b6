package io.ocicat.conformance.check;

import static io.ocicat.conformance.check.ConformanceCheck.must;

import io.ocicat.conformance.lab.RawValue;
import java.util.List;

/** Checks malicious or malformed variables: refused or ignored, but never a crash. */
final class HostileChecks {
  private static final String SPEC = "spec 2, errors";

  private HostileChecks() {}

  static List<ConformanceCheck> all() {
    return List.of(
        survives(
            "huge-args",
            "100 KB of CNI_ARGS",
            "CNI_ARGS",
            RawValue.of("IgnoreUnknown=1;A=").thenRepeat("x", 100_000)),
        survives(
            "many-args",
            "10,000 arguments in CNI_ARGS",
            "CNI_ARGS",
            RawValue.of("IgnoreUnknown=1").thenRepeat(";A=1", 10_000)),
        survives("empty-pairs", "a CNI_ARGS of separators", "CNI_ARGS", RawValue.of(";;=;=;;")),
        survives("no-pairs", "a CNI_ARGS without pairs", "CNI_ARGS", RawValue.of("nothing")),
        survives(
            "args-bad-utf-8",
            "a CNI_ARGS that is not UTF-8",
            "CNI_ARGS",
            RawValue.of("IgnoreUnknown=1;A=").thenRaw("\u00ff\u00c0\u0080")),
        survives(
            "args-line-break",
            "line breaks and control characters in CNI_ARGS",
            "CNI_ARGS",
            RawValue.of("IgnoreUnknown=1;A=\n\u001b[31m\n;B=\r")),
        survives(
            "args-path",
            "a path as value in CNI_ARGS",
            "CNI_ARGS",
            RawValue.of("IgnoreUnknown=1;K8S_POD_NAME=../../../../tmp/escaped;IP=../..")),
        survives(
            "netns-bad-utf-8",
            "a CNI_NETNS that is not UTF-8",
            "CNI_NETNS",
            // Where no file can be created: Go's sbr creates the one that it does not find.
            RawValue.of("/proc/self/ns/").thenRaw("\u00ff\u00fe")),
        survives(
            "netns-too-long",
            "a CNI_NETNS longer than any path",
            "CNI_NETNS",
            RawValue.of("/run/").thenRepeat("x", 20_000)),
        survives(
            "path-of-nothing",
            "a CNI_PATH of empty and missing directories",
            "CNI_PATH",
            RawValue.of("::/nonexistent::")));
  }

  private static ConformanceCheck survives(
      String id, String what, String variable, RawValue value) {
    return must(
        "hostile." + id,
        "survives %s: either success or an error object".formatted(what),
        SPEC,
        lab -> lab.run(lab.call("ADD").with(variable, value)).isInProtocol());
  }
}
