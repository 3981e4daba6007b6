package io.ocicat.conformance.check;

import static io.ocicat.conformance.check.ConformanceCheck.must;
import static io.ocicat.conformance.check.ConformanceCheck.should;

import io.ocicat.conformance.lab.CallResult;
import io.ocicat.conformance.lab.ErrorObject;
import io.ocicat.conformance.lab.Lab;
import java.util.List;

/** Checks known and unknown values of CNI_COMMAND. */
final class VerbChecks {
  private static final int INVALID_ENVIRONMENT = 4;

  private VerbChecks() {}

  static List<ConformanceCheck> all() {
    return List.of(
        must(
            "verb.unknown",
            "refuses a CNI_COMMAND that is not a verb, with code 4",
            "spec 2, errors",
            lab -> lab.run(lab.call("FROBNICATE")).failsWith(INVALID_ENVIRONMENT)),
        should(
            "verb.unknown-text",
            "says \"unknown CNI_COMMAND: <verb>\", which runtimes look for to recognise plugins of 0.1.0",
            "libcni, VERSION probing",
            VerbChecks::unknownText),
        must(
            "verb.lower-case",
            "refuses \"add\", with code 4: verbs are upper-case",
            "spec 2, parameters",
            lab -> lab.run(lab.call("add")).failsWith(INVALID_ENVIRONMENT)),
        must(
            "verb.line-break",
            "refuses \"ADD\" followed by a line break, with code 4",
            "spec 2, parameters",
            lab -> lab.run(lab.call("ADD\n")).failsWith(INVALID_ENVIRONMENT)),
        should(
            "verb.none",
            "prints what it is and which versions it supports when there is no verb, or says that CNI_COMMAND is missing with code 4",
            "skel",
            VerbChecks::none));
  }

  private static void unknownText(Lab lab) {
    ErrorObject error = lab.run(lab.call("FROBNICATE")).fails();
    Expect.same("unknown CNI_COMMAND: FROBNICATE", error.msg(), "msg");
  }

  private static void none(Lab lab) {
    CallResult answer =
        lab.run(
            lab.call("")
                .without("CNI_COMMAND", "CNI_CONTAINERID", "CNI_NETNS", "CNI_IFNAME", "CNI_PATH"));
    if (answer instanceof CallResult.Ended ended && ended.exitCode() == 0) {
      answer.succeedsSilently();
      String versions =
          "CNI protocol versions supported: "
              + String.join(
                  ", ", VersionChecks.reply(lab, VersionChecks.version(lab)).supportedVersions());
      Expect.that(
          ended.stderr().contains(versions), "\"" + versions + "\" on stderr", answer.describe());
    } else {
      ErrorObject error = answer.failsWith(INVALID_ENVIRONMENT);
      Expect.that(
          error.mentions("CNI_COMMAND"), "an error that names CNI_COMMAND", answer.describe());
    }
  }
}
