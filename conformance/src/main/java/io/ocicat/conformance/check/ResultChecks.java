package io.ocicat.conformance.check;

import static io.ocicat.conformance.check.ConformanceCheck.must;

import io.ocicat.cni.SpecVersion;
import io.ocicat.conformance.lab.AddedContainer;
import io.ocicat.conformance.lab.Lab;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** Checks every version that a plugin claims, from ADD to DEL. */
final class ResultChecks {
  private ResultChecks() {}

  static List<ConformanceCheck> all() {
    return Arrays.stream(SpecVersion.values()).map(ResultChecks::of).toList();
  }

  private static ConformanceCheck of(SpecVersion version) {
    return must(
            "versions." + version,
            "serves ADD, %sDEL in %s and answers with a result of exactly that version and shape"
                .formatted(version.isAtLeast(SpecVersion.V0_4_0) ? "CHECK and " : "and ", version),
            "spec 5, ADD success",
            lab -> lifeIn(lab, version))
        .unless(
            (_, claims) ->
                claims.usable().contains(version)
                    ? Optional.empty()
                    : Optional.of("the plugin supports " + claims));
  }

  private static void lifeIn(Lab lab, SpecVersion version) {
    AddedContainer attached = lab.attach(version);
    Expect.shape(attached.result(), version);
    if (version.isAtLeast(SpecVersion.V0_4_0)) {
      lab.run(lab.call("CHECK", attached)).succeeds();
    }
    lab.detach(attached);
  }
}
