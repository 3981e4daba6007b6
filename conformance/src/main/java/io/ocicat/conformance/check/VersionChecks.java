package io.ocicat.conformance.check;

import static io.ocicat.conformance.check.ConformanceCheck.must;
import static io.ocicat.conformance.check.ConformanceCheck.should;

import io.ocicat.base.json.Json;
import io.ocicat.cni.CniException;
import io.ocicat.cni.SpecVersion;
import io.ocicat.cni.VersionReply;
import io.ocicat.conformance.lab.CallResult;
import io.ocicat.conformance.lab.Lab;
import io.ocicat.conformance.lab.LabCall;
import io.ocicat.conformance.lab.Mismatch;
import io.ocicat.conformance.lab.Stdin;
import java.util.HashSet;
import java.util.List;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Checks VERSION, which needs nothing else: a runtime calls it before it knows anything about a
 * plugin.
 */
final class VersionChecks {
  private static final String SPEC = "spec 2, VERSION";
  private static final Pattern THREE_NUMBERS = Pattern.compile("\\d+\\.\\d+\\.\\d+");

  private VersionChecks() {}

  static List<ConformanceCheck> all() {
    return List.of(
        must(
            "version.reply-shape",
            "answers VERSION with one object that has a string cniVersion and a list supportedVersions of strings",
            "spec 5, VERSION",
            VersionChecks::replyShape),
        should(
            "version.known-versions",
            "lists each version once, in three numbers, at least one of them of the specification",
            "spec 5, VERSION",
            VersionChecks::knownVersions),
        should(
            "version.echo",
            "repeats the request's cniVersion in the reply to VERSION",
            "spec 5, VERSION",
            VersionChecks::echo),
        must(
            "version.any-request",
            "answers VERSION even to a runtime of a future version",
            SPEC,
            lab -> same(lab, version(lab).stdin("{\"cniVersion\":\"99.0.0\"}"))),
        should(
            "version.empty-stdin",
            "answers VERSION with nothing on stdin",
            "skel",
            lab -> same(lab, version(lab).stdin(""))),
        should(
            "version.garbage-stdin",
            "answers VERSION with something on stdin that is not JSON",
            "skel",
            lab -> same(lab, version(lab).stdin("this is not JSON"))),
        should(
            "version.closed-stdin",
            "answers VERSION with stdin closed",
            "skel",
            lab -> same(lab, version(lab).stdin(new Stdin.Closed()))),
        must(
            "version.no-variables",
            "answers VERSION with no other variable set",
            SPEC,
            lab ->
                same(
                    lab,
                    version(lab)
                        .without("CNI_CONTAINERID", "CNI_NETNS", "CNI_IFNAME", "CNI_PATH"))),
        must(
            "version.bad-variables",
            "answers VERSION whatever the other variables hold",
            SPEC,
            lab ->
                same(
                    lab,
                    version(lab)
                        .with("CNI_CONTAINERID", "../..")
                        .with("CNI_NETNS", "dummy")
                        .with("CNI_IFNAME", "not/a name")
                        .with("CNI_ARGS", ";=;")
                        .with("CNI_PATH", "dummy"))));
  }

  static LabCall version(Lab lab) {
    return lab.call("VERSION", Json.object().put("cniVersion", SpecVersion.LATEST.text()));
  }

  private static void replyShape(Lab lab) {
    CallResult answer = lab.run(version(lab));
    ObjectNode reply = answer.document();
    JsonNode list = reply.path("supportedVersions");
    boolean good =
        reply.path("cniVersion").isString()
            && !reply.path("cniVersion").asString().isEmpty()
            && list.isArray()
            && !list.isEmpty()
            && list.valueStream().allMatch(JsonNode::isString);
    Expect.that(
        good, "a string cniVersion and a list supportedVersions of strings", answer.describe());
  }

  private static void knownVersions(Lab lab) {
    VersionReply reply = reply(lab, version(lab));
    List<String> versions = reply.supportedVersions();
    Expect.that(
        new HashSet<>(versions).size() == versions.size(),
        "each version once",
        versions.toString());
    Expect.that(
        versions.stream().allMatch(THREE_NUMBERS.asMatchPredicate()),
        "versions of three numbers",
        versions.toString());
    Expect.that(
        versions.stream().anyMatch(version -> SpecVersion.find(version).isPresent()),
        "at least one of " + SpecVersion.textsFrom(SpecVersion.V0_1_0),
        versions.toString());
  }

  private static void echo(Lab lab) {
    for (String version : List.of("0.4.0", "1.0.0")) {
      LabCall call = version(lab).stdin("{\"cniVersion\":\"%s\"}".formatted(version));
      Expect.same(version, reply(lab, call).cniVersion(), "cniVersion");
    }
  }

  /** The same list as to an ordinary request. */
  private static void same(Lab lab, LabCall call) {
    List<String> ordinary = reply(lab, version(lab)).supportedVersions();
    Expect.same(ordinary, reply(lab, call).supportedVersions(), "supportedVersions");
  }

  static VersionReply reply(Lab lab, LabCall call) {
    CallResult answer = lab.run(call);
    answer.document();
    try {
      return VersionReply.parse(answer.succeeds().stdout());
    } catch (CniException e) {
      throw new Mismatch("a reply to VERSION (" + e.getMessage() + ")", answer.describe());
    }
  }
}
