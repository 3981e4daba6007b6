package io.ocicat.agent.policy;

import io.ocicat.agent.filter.MemberSetId;
import io.ocicat.agent.policy.model.ServiceName;
import io.ocicat.datastore.selector.Selector;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.OptionalInt;

/** Where the members of a set come from; equal sources share a set. */
sealed interface MemberSource {
  /** Characters of a set's name: of 32 different ones each, so 130 bits. */
  int HASH_LENGTH = 26;

  MemberSetId id();

  /** The networks of whatever a selector matches. */
  record Selected(Selector selector) implements MemberSource {
    @Override
    public MemberSetId id() {
      return new MemberSetId("s" + hash(selector.toString()), MemberSetId.Type.NETWORKS);
    }
  }

  /**
   * The ports of one name of whatever a selector matches.
   *
   * @param protocol empty for any
   */
  record PortsByName(Selector selector, OptionalInt protocol, String name) implements MemberSource {
    @Override
    public MemberSetId id() {
      return new MemberSetId(
          "n" + hash("%s,%d,%s".formatted(selector, protocol.orElse(0), name)),
          MemberSetId.Type.PORTS);
    }
  }

  /** The addresses of a service's endpoints. */
  record ServiceAddresses(ServiceName service) implements MemberSource {
    @Override
    public MemberSetId id() {
      return new MemberSetId("a" + hash(service.toString()), MemberSetId.Type.NETWORKS);
    }
  }

  /** The addresses and ports of a service's endpoints. */
  record ServicePorts(ServiceName service) implements MemberSource {
    @Override
    public MemberSetId id() {
      return new MemberSetId("v" + hash(service.toString()), MemberSetId.Type.PORTS);
    }
  }

  private static String hash(String text) {
    byte[] digest;
    try {
      digest = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("SHA-256 is missing: every Java runtime has it", e);
    }
    StringBuilder name = new StringBuilder(HASH_LENGTH);
    int bits = 0;
    int held = 0;
    for (int i = 0; name.length() < HASH_LENGTH; i++) {
      bits = (bits << 8) | (digest[i] & 0xff);
      held += 8;
      while (held >= 5 && name.length() < HASH_LENGTH) {
        held -= 5;
        name.append("abcdefghijklmnopqrstuvwxyz234567".charAt((bits >> held) & 31));
      }
      bits &= (1 << held) - 1;
    }
    return name.toString();
  }
}
