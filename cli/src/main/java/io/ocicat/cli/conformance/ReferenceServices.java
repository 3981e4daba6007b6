package io.ocicat.cli.conformance;

import io.ocicat.conformance.subject.ConformanceException;
import io.ocicat.conformance.subject.Profile;
import io.ocicat.conformance.subject.RequiredService;

/** What plugins have to find on their host that get addresses from somebody else. */
public final class ReferenceServices {
  private ReferenceServices() {}

  public static RequiredService of(Profile profile) {
    return switch (profile.name()) {
      case "ipam" -> new ReferenceIpam();
      case "calico-ipam" -> new ReferencePools();
      default ->
          throw new ConformanceException(
              "there is no reference service for the plugin " + profile.name());
    };
  }
}
