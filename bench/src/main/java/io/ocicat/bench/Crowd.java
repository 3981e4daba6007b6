package io.ocicat.bench;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Objects;

/**
 * What an ADD takes beside many attachments that are there, against beside ten. By ptp, because a
 * bridge has at most 1,023 ports. The many share some namespaces; those of the ADDs that count have
 * nothing else in them.
 */
final class Crowd {
  private static final String HOST = "ocicat-crowd";
  private static final int FEW = 10;
  private static final int PODS = 66;

  private final Path cnicall;
  private final Path home;

  Crowd(Path cnicall, Path home) {
    this.cnicall = cnicall;
    this.home = home;
  }

  /** ADD's median beside so many, as a multiple of that beside ten. */
  double slowdown(int many, int rounds) throws IOException, InterruptedException {
    try (Surroundings around = Surroundings.create(cnicall, home, HOST, PODS)) {
      around.config(
          "ours",
          """
          {"cniVersion":"1.0.0","name":"crowd","type":"ptp",
           "ipam":{"type":"host-local","subnet":"10.64.0.0/12","dataDir":"%s/leases"}}\
          """
              .formatted(around.folder()));
      String ours = around.contender("ours", home.resolve("cni").toString(), "ours", "ptp");
      // Never detached one by one: all go with the namespaces.
      try (OwnDaemon _ = OwnDaemon.start(around)) {
        around.call("each", 2, 10 * rounds, ours);
        around.call("crowd", FEW, 0, ours);
        double few = addMillis(around, rounds, ours);
        around.call("crowd", many, FEW, ours);
        return addMillis(around, rounds, ours) / few;
      }
    }
  }

  private static double addMillis(Surroundings around, int rounds, String ours)
      throws IOException, InterruptedException {
    Sample adds = around.call("each", 2, rounds, ours).get("ours add");
    return Objects.requireNonNull(adds, "nobody called ADD").percentile(0.5) / 1e6;
  }
}
