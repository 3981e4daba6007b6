package io.ocicat.conformance.check;

import static io.ocicat.conformance.check.ConformanceCheck.must;
import static io.ocicat.conformance.check.ConformanceCheck.should;

import io.ocicat.cni.SpecVersion;
import io.ocicat.cni.exec.Verb;
import io.ocicat.conformance.lab.CallResult;
import io.ocicat.conformance.lab.ErrorObject;
import io.ocicat.conformance.lab.Lab;
import java.util.List;
import java.util.Locale;

/** Checks how a plugin treats unsupported versions, and verbs that a version does not have. */
final class ConfigVersionChecks {
  private static final int INCOMPATIBLE = 1;
  private static final int INVALID_ENVIRONMENT = 4;
  private static final int DECODING = 6;
  private static final int INVALID_CONFIG = 7;
  private static final String SPEC = "spec 2, errors";

  private ConfigVersionChecks() {}

  static List<ConformanceCheck> all() {
    return List.of(
        must(
            "config-version.unsupported",
            "refuses a configuration of a version it does not support, with code 1",
            SPEC,
            lab -> add(lab, "99.0.0").failsWith(INCOMPATIBLE)),
        should(
            "config-version.unsupported-text",
            "names the version it refuses",
            SPEC,
            ConfigVersionChecks::unsupportedText),
        should(
            "config-version.by-its-text",
            "does not treat \"1.0\" as \"1.0.0\": refuses it with code 1",
            "skel",
            lab -> add(lab, "1.0").failsWith(INCOMPATIBLE)),
        must(
            "config-version.garbage",
            "refuses a cniVersion that is not a version, with code 1 or 6",
            SPEC,
            lab -> add(lab, "newest").failsWith(INCOMPATIBLE, DECODING)),
        must(
            "config-version.number",
            "refuses a cniVersion that is not a string, with code 6 or 7",
            SPEC,
            lab ->
                lab.run(lab.call("ADD", lab.config().put("cniVersion", 1)))
                    .failsWith(DECODING, INVALID_CONFIG)),
        must(
            "config-version.absent",
            "reads a configuration without cniVersion as one of 0.1.0",
            "libcni",
            ConfigVersionChecks::absent),
        tooOld(Verb.CHECK, SpecVersion.V0_3_1),
        tooOld(Verb.GC, SpecVersion.V1_0_0),
        tooOld(Verb.STATUS, SpecVersion.V1_0_0));
  }

  private static CallResult add(Lab lab, String version) {
    return lab.run(lab.call("ADD", lab.config().put("cniVersion", version)));
  }

  private static void unsupportedText(Lab lab) {
    CallResult answer = add(lab, "99.0.0");
    ErrorObject error = answer.fails();
    Expect.that(error.mentions("99.0.0"), "an error that names 99.0.0", answer.describe());
  }

  private static void absent(Lab lab) {
    CallResult answer =
        lab.run(lab.call("ADD", lab.config(SpecVersion.V0_1_0).without("cniVersion")));
    if (lab.claims().usable().contains(SpecVersion.V0_1_0)) {
      Expect.shape(answer.document(), SpecVersion.V0_1_0);
    } else {
      answer.failsWith(INCOMPATIBLE);
    }
  }

  /** A plugin that does not know the verb may say so instead. */
  private static ConformanceCheck tooOld(Verb verb, SpecVersion last) {
    return must(
        "config-version.%s-too-old".formatted(verb.name().toLowerCase(Locale.ROOT)),
        "refuses %s for a configuration of %s, with code 1 (or 4 when it does not know the verb)"
            .formatted(verb, last),
        "spec 2, " + verb,
        lab -> {
          CallResult answer = lab.run(lab.call(verb.name(), lab.config(last)));
          boolean knowsVerb = lab.claims().versions().stream().anyMatch(v -> v.compareTo(last) > 0);
          if (knowsVerb) {
            answer.failsWith(INCOMPATIBLE);
          } else {
            answer.failsWith(INCOMPATIBLE, INVALID_ENVIRONMENT);
          }
        });
  }
}
