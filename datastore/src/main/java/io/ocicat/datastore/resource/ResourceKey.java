package io.ocicat.datastore.resource;

import io.ocicat.base.Quoted;
import io.ocicat.datastore.error.InvalidException;
import io.ocicat.ip.IpPrefix;

/** The identity of a resource within its datastore. */
public sealed interface ResourceKey {
  Kind kind();

  /** The namespace; empty for kinds that have none. */
  default String namespace() {
    return "";
  }

  String name();

  static ResourceKey of(Kind kind, String name) {
    return new Named(kind, "", name);
  }

  static ResourceKey of(Kind kind, String namespace, String name) {
    return new Named(kind, namespace, name);
  }

  /** For messages: {@code NetworkPolicy shop/allow-web}. */
  default String describe() {
    return kind() + " " + (namespace().isEmpty() ? "" : namespace() + "/") + name();
  }

  /** A resource with metadata. */
  record Named(Kind kind, String namespace, String name) implements ResourceKey {
    public Named {
      if (kind.isIpam()) {
        throw new IllegalArgumentException(kind + " is not known by a name");
      }
      checkPart(kind, "namespace", namespace, kind.isNamespaced());
      checkPart(kind, "name", name, true);
    }
  }

  /** A block of addresses. */
  record Block(IpPrefix cidr) implements ResourceKey {
    public Block {
      cidr = cidr.network();
    }

    @Override
    public Kind kind() {
      return Kind.IPAM_BLOCK;
    }

    @Override
    public String name() {
      return cidr.toString();
    }
  }

  /** The claim of a block by an owner. */
  record Affinity(AffinityType type, String host, IpPrefix cidr) implements ResourceKey {
    public Affinity {
      cidr = cidr.network();
      checkPart(Kind.BLOCK_AFFINITY, "host", host, true);
    }

    public static Affinity ofHost(String host, IpPrefix cidr) {
      return new Affinity(AffinityType.HOST, host, cidr);
    }

    @Override
    public Kind kind() {
      return Kind.BLOCK_AFFINITY;
    }

    @Override
    public String name() {
      return type.text() + ":" + host + ":" + cidr;
    }
  }

  /** The addresses that were assigned to one owner, by the owner's id. */
  record Handle(String id) implements ResourceKey {
    public Handle {
      checkPart(Kind.IPAM_HANDLE, "id", id, true);
    }

    @Override
    public Kind kind() {
      return Kind.IPAM_HANDLE;
    }

    @Override
    public String name() {
      return id;
    }
  }

  /** IPAM's settings, a singleton. */
  record IpamConfig() implements ResourceKey {
    @Override
    public Kind kind() {
      return Kind.IPAM_CONFIG;
    }

    @Override
    public String name() {
      return "default";
    }
  }

  /** Records that a host has used IPAM; only very old data has it. */
  record IpamHost(String host) implements ResourceKey {
    public IpamHost {
      checkPart(Kind.IPAM_HOST, "host", host, true);
    }

    @Override
    public Kind kind() {
      return Kind.IPAM_HOST;
    }

    @Override
    public String name() {
      return host;
    }
  }

  /** A slash would make a key with another meaning. */
  private static void checkPart(Kind kind, String what, String text, boolean wanted) {
    if (text.isEmpty() == wanted) {
      throw new InvalidException(
          wanted
              ? "%s needs a %s".formatted(kind, what)
              : "%s has no %s: leave out \"%s\"".formatted(kind, what, text));
    }
    if (text.indexOf('/') >= 0 || text.chars().anyMatch(Character::isISOControl)) {
      throw new InvalidException(
          "%s %s must not contain slashes or control characters: %s"
              .formatted(kind, what, Quoted.brief(text)));
    }
  }
}
