package io.ocicat.sandbox.container;

import java.util.List;

/** Whom the first process of a container runs as. */
public record ContainerUser(long uid, long gid, List<Long> groups) {
  public static final ContainerUser ROOT = new ContainerUser(0, 0, List.of(0L));

  public ContainerUser {
    groups = List.copyOf(groups);
  }
}
