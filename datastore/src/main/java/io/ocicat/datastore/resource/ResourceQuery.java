package io.ocicat.datastore.resource;

import io.ocicat.datastore.error.InvalidException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A selection of resources to list or to watch. */
public sealed interface ResourceQuery {
  Kind kind();

  boolean matches(ResourceKey key);

  /** All resources of a kind. */
  static ResourceQuery of(Kind kind) {
    return switch (kind) {
      case IPAM_BLOCK -> new Blocks(null);
      case BLOCK_AFFINITY -> new Affinities(null, null, null);
      case IPAM_HANDLE -> new Handles();
      case IPAM_CONFIG, IPAM_HOST ->
          throw new InvalidException(kind + " cannot be listed: get it by its key");
      default -> new Named(kind, null, "");
    };
  }

  /** The resources of one namespace. */
  static ResourceQuery in(Kind kind, String namespace) {
    return new Named(kind, namespace, "");
  }

  /** The resources of one namespace (empty for a kind without) whose names start with a prefix. */
  static ResourceQuery startingWith(Kind kind, String namespace, String prefix) {
    return new Named(kind, kind.isNamespaced() ? namespace : null, prefix);
  }

  /**
   * Resources with metadata.
   *
   * @param namespace null for all
   */
  record Named(Kind kind, @Nullable String namespace, String namePrefix) implements ResourceQuery {
    public Named {
      if (kind.isIpam()) {
        throw new IllegalArgumentException(kind + " is not known by a name");
      }
      if (namespace != null && !kind.isNamespaced()) {
        throw new InvalidException(kind + " has no namespace: leave it out");
      }
      if (namespace == null && kind.isNamespaced() && !namePrefix.isEmpty()) {
        throw new InvalidException(kind + " can be listed by name only within a namespace");
      }
    }

    @Override
    public boolean matches(ResourceKey key) {
      return key.kind() == kind
          && (namespace == null || key.namespace().equals(namespace))
          && key.name().startsWith(namePrefix);
    }
  }

  /**
   * Blocks.
   *
   * @param version null for both
   */
  record Blocks(@Nullable IpVersion version) implements ResourceQuery {
    @Override
    public Kind kind() {
      return Kind.IPAM_BLOCK;
    }

    @Override
    public boolean matches(ResourceKey key) {
      return key instanceof ResourceKey.Block block
          && (version == null || IpVersion.of(block.cidr()) == version);
    }
  }

  /** Affinities; null for every type, host or version. A host needs a type, a version a host. */
  record Affinities(@Nullable AffinityType type, @Nullable String host, @Nullable IpVersion version)
      implements ResourceQuery {
    public Affinities {
      if ((type == null && host != null) || (host == null && version != null)) {
        throw new IllegalArgumentException("a host needs a type and a version needs a host");
      }
    }

    @Override
    public Kind kind() {
      return Kind.BLOCK_AFFINITY;
    }

    @Override
    public boolean matches(ResourceKey key) {
      return key instanceof ResourceKey.Affinity affinity
          && (type == null || affinity.type() == type)
          && (host == null || Objects.equals(affinity.host(), host))
          && (version == null || IpVersion.of(affinity.cidr()) == version);
    }
  }

  /** All handles. */
  record Handles() implements ResourceQuery {
    @Override
    public Kind kind() {
      return Kind.IPAM_HANDLE;
    }

    @Override
    public boolean matches(ResourceKey key) {
      return key instanceof ResourceKey.Handle;
    }
  }
}
