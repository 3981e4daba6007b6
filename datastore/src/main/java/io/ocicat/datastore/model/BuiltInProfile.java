package io.ocicat.datastore.model;

import io.ocicat.datastore.error.ExistsException;
import io.ocicat.datastore.error.InvalidException;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.datastore.resource.ResourceQuery;
import java.util.List;
import java.util.Optional;

/** The profile that allows everything, which always exists and is never stored. */
public final class BuiltInProfile {
  private static final ResourceKey.Named ALLOW =
      new ResourceKey.Named(Kind.PROFILE, "", "projectcalico-default-allow");

  private static final Resource ALLOW_PROFILE = allowProfile();

  private BuiltInProfile() {}

  private static Resource allowProfile() {
    Resource profile =
        Resource.of(
            ALLOW,
            spec -> {
              spec.putArray("ingress").addObject().put("action", "Allow");
              spec.putArray("egress").addObject().put("action", "Allow");
            });
    return Resource.stored(ALLOW, Shapes.canonical(Kind.PROFILE, profile.content()), "1");
  }

  public static Optional<Resource> find(ResourceKey key) {
    return key.equals(ALLOW) ? Optional.of(ALLOW_PROFILE) : Optional.empty();
  }

  public static List<Resource> matching(ResourceQuery query) {
    return query.matches(ALLOW) ? List.of(ALLOW_PROFILE) : List.of();
  }

  /** Rejects a write; {@code how} completes "cannot be …". */
  public static void refuseWrite(ResourceKey key, String how) {
    if (key.equals(ALLOW)) {
      if (how.equals("created")) {
        throw new ExistsException(
            key.describe() + " exists already: Calico provides it, choose another name");
      }
      throw new InvalidException(
          "%s cannot be %s: Calico provides it".formatted(key.describe(), how));
    }
  }
}
