package io.ocicat.conformance.check;

import static io.ocicat.conformance.check.ConformanceCheck.must;
import static io.ocicat.conformance.check.ConformanceCheck.should;

import io.ocicat.cni.SpecVersion;
import io.ocicat.conformance.lab.CallResult;
import io.ocicat.conformance.lab.ErrorObject;
import io.ocicat.conformance.lab.Lab;
import io.ocicat.conformance.lab.LabCall;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Checks which variables each verb requires. */
final class EnvironmentChecks {
  private static final int INVALID_ENVIRONMENT = 4;

  private EnvironmentChecks() {}

  static List<ConformanceCheck> all() {
    List<ConformanceCheck> all = new ArrayList<>();
    for (String variable : List.of("CNI_CONTAINERID", "CNI_NETNS", "CNI_IFNAME")) {
      all.add(missing("ADD", variable, SpecVersion.V0_1_0));
      all.add(missing("CHECK", variable, SpecVersion.V0_4_0));
    }
    all.add(missing("DEL", "CNI_CONTAINERID", SpecVersion.V0_1_0));
    all.add(missing("DEL", "CNI_IFNAME", SpecVersion.V0_1_0));
    all.add(
        should(
            "environment.all-missing-named",
            "names all missing variables at once: \"required env variables [A,B,C] missing\"",
            "skel",
            EnvironmentChecks::allNamed));
    all.add(
        must(
            "environment.args-absent",
            "does not need CNI_ARGS",
            "spec 2, parameters",
            lab -> lab.run(lab.call("ADD").without("CNI_ARGS")).succeeds()));
    all.add(
        must(
            "environment.args-empty",
            "accepts an empty CNI_ARGS, as libcni always sets it",
            "libcni",
            lab -> lab.run(lab.call("ADD").with("CNI_ARGS", "")).succeeds()));
    all.add(
        must(
            "environment.args-of-kubernetes",
            "accepts unknown arguments when IgnoreUnknown=1 is among them",
            "conventions, CNI_ARGS",
            lab ->
                lab.run(
                        lab.call("ADD")
                            .with(
                                "CNI_ARGS",
                                "IgnoreUnknown=1;K8S_POD_NAMESPACE=default;K8S_POD_NAME=web-0"))
                    .succeeds()));
    return all;
  }

  private static ConformanceCheck missing(String verb, String variable, SpecVersion since) {
    String id =
        "environment.%s-without-%s"
            .formatted(verb, variable.substring("CNI_".length()))
            .toLowerCase(Locale.ROOT);
    return must(
            id,
            "refuses %s when %s is unset or empty, with code 4, and names it"
                .formatted(verb, variable),
            "spec 2, parameters",
            lab -> {
              refuses(lab, lab.call(verb).without(variable), variable);
              refuses(lab, lab.call(verb).with(variable, ""), variable);
            })
        .since(since);
  }

  private static void refuses(Lab lab, LabCall call, String variable) {
    CallResult answer = lab.run(call);
    ErrorObject error = answer.failsWith(INVALID_ENVIRONMENT);
    Expect.that(error.mentions(variable), "an error that names " + variable, answer.describe());
  }

  private static void allNamed(Lab lab) {
    ErrorObject error =
        lab.run(lab.call("ADD").without("CNI_CONTAINERID", "CNI_NETNS", "CNI_IFNAME")).fails();
    Expect.same(
        "required env variables [CNI_CONTAINERID,CNI_NETNS,CNI_IFNAME] missing",
        error.msg(),
        "msg");
  }
}
