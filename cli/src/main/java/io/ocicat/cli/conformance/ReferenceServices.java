package io.ocicat.cli.conformance;

import io.ocicat.conformance.subject.ConformanceException;
import io.ocicat.conformance.subject.Profile;
import io.ocicat.conformance.subject.RequiredService;

/** The services that IPAM plugins need on their host while they are checked. */
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
