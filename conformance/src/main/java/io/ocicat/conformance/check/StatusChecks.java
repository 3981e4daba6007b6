package io.ocicat.conformance.check;

import static io.ocicat.conformance.check.ConformanceCheck.must;
import static io.ocicat.conformance.check.ConformanceCheck.should;

import io.ocicat.cni.SpecVersion;
import io.ocicat.conformance.lab.Lab;
import io.ocicat.conformance.lab.LabCall;
import java.util.List;
import tools.jackson.databind.node.ObjectNode;

/** Checks STATUS, which asks whether ADD could be served now. */
final class StatusChecks {
  private static final String SPEC = "spec 2, STATUS";

  private StatusChecks() {}

  static List<ConformanceCheck> all() {
    return List.of(
            must(
                "status.ready",
                "succeeds at STATUS, with nothing on stdout, when it can serve ADD",
                SPEC,
                lab -> {
                  lab.run(status(lab)).succeedsSilently();
                  lab.attach();
                }),
            must(
                "status.no-container",
                "needs no variables of a container for STATUS, unset or empty",
                SPEC,
                lab -> {
                  lab.run(
                          status(lab)
                              .without("CNI_CONTAINERID", "CNI_NETNS", "CNI_IFNAME", "CNI_ARGS"))
                      .succeeds();
                  lab.run(
                          status(lab)
                              .with("CNI_CONTAINERID", "")
                              .with("CNI_NETNS", "")
                              .with("CNI_IFNAME", ""))
                      .succeeds();
                }),
            should(
                "status.changes-nothing",
                "changes nothing on the host at STATUS",
                SPEC,
                lab -> {
                  var before = lab.host().snapshot();
                  lab.run(status(lab)).succeeds();
                  Expect.unchanged("the host", before, lab.host()::snapshot);
                }))
        .stream()
        .map(check -> check.since(SpecVersion.V1_1_0))
        .toList();
  }

  private static LabCall status(Lab lab) {
    ObjectNode config = lab.config();
    config.remove(List.of("prevResult", "runtimeConfig"));
    return lab.call("STATUS", config).without("CNI_CONTAINERID", "CNI_NETNS", "CNI_IFNAME");
  }
}
