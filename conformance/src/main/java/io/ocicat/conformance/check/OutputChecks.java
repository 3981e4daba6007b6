package io.ocicat.conformance.check;

import static io.ocicat.conformance.check.ConformanceCheck.must;
import static io.ocicat.conformance.check.ConformanceCheck.should;

import io.ocicat.cni.SpecVersion;
import io.ocicat.conformance.lab.AddedContainer;
import io.ocicat.conformance.lab.CallResult;
import io.ocicat.conformance.lab.ErrorObject;
import io.ocicat.conformance.lab.Lab;
import io.ocicat.conformance.lab.LabCall;
import java.util.List;

/** Checks that stdout has one JSON document, and that the exit code matches it. */
final class OutputChecks {
  private static final String SPEC = "spec 2, overview";
  private static final String ERRORS = "spec 5, error";

  private OutputChecks() {}

  static List<ConformanceCheck> all() {
    return List.of(
        must(
            "output.in-time",
            "ends within the time limit, whether it succeeds or fails",
            SPEC,
            OutputChecks::inTime),
        must(
            "output.one-document-on-success",
            "prints exactly one JSON object when ADD succeeds",
            SPEC,
            lab -> lab.run(lab.call("ADD")).document()),
        must(
            "output.one-document-on-failure",
            "prints exactly one JSON object, on stdout, when ADD fails",
            SPEC,
            lab -> lab.run(refused(lab)).printed()),
        must(
            "output.exit-code-on-failure",
            "exits with a code other than 0 when it prints an error",
            SPEC,
            OutputChecks::exitCode),
        must(
            "output.error-shape",
            "prints errors as { code: number, msg: text, details?: text }",
            ERRORS,
            lab -> lab.run(refused(lab)).fails()),
        should(
            "output.error-version",
            "includes the configuration's cniVersion in an error",
            ERRORS,
            OutputChecks::errorVersion),
        must(
            "output.error-code-range",
            "uses only the specification's codes below 100",
            ERRORS,
            OutputChecks::errorCodes),
        should(
            "output.del-silent",
            "prints nothing when DEL succeeds",
            "spec 2, DEL",
            lab -> {
              AddedContainer attached = lab.attach();
              lab.run(lab.call("DEL", attached)).succeedsSilently();
            }),
        should(
                "output.check-silent",
                "prints nothing when CHECK succeeds",
                "spec 2, CHECK",
                lab -> lab.run(lab.call("CHECK", lab.attach())).succeedsSilently())
            .since(SpecVersion.V0_4_0));
  }

  private static void inTime(Lab lab) {
    for (LabCall call :
        List.of(
            VersionChecks.version(lab),
            refused(lab),
            lab.call("ADD"),
            lab.call("DEL", lab.config().without("prevResult")))) {
      CallResult answer = lab.run(call);
      Expect.that(answer instanceof CallResult.Ended, "an end in time", answer.describe());
    }
  }

  private static LabCall refused(Lab lab) {
    return lab.call("ADD", lab.config().put("cniVersion", "99.0.0"));
  }

  private static void exitCode(Lab lab) {
    CallResult answer = lab.run(refused(lab));
    Expect.that(
        answer instanceof CallResult.Ended ended && ended.exitCode() != 0,
        "an exit code other than 0",
        answer.describe());
  }

  private static void errorVersion(Lab lab) {
    CallResult answer = lab.run(lab.call("ADD", lab.config().put("name", "not a name")));
    ErrorObject error = answer.fails();
    Expect.that(
        error.cniVersion().equals(lab.version().text()),
        "an error with cniVersion \"%s\"".formatted(lab.version()),
        answer.describe());
  }

  /** 1 to 8, 11, 50 and 51 have a meaning; plugins may use numbers from 100. */
  private static void errorCodes(Lab lab) {
    for (LabCall call :
        List.of(
            refused(lab),
            lab.call("FROBNICATE"),
            lab.call("ADD").stdin("not JSON"),
            lab.call("ADD").without("CNI_IFNAME"))) {
      CallResult answer = lab.run(call);
      long code = answer.fails().code();
      Expect.that(
          code >= 100 || (code >= 1 && code <= 8) || code == 11 || code == 50 || code == 51,
          "a code of the specification, or one from 100",
          answer.describe());
    }
  }
}
