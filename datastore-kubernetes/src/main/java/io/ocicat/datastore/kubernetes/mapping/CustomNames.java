package io.ocicat.datastore.kubernetes.mapping;

import io.ocicat.datastore.resource.IpVersion;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.ip.IpPrefix;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

/** Calico's names for the custom resources of IPAM, and the labels by which it finds affinities. */
public final class CustomNames {
  public static final String HOST_HASH = "projectcalico.org/hostname-hash";
  public static final String AFFINITY_TYPE = "projectcalico.org/affinity-type";
  public static final String IP_VERSION = "projectcalico.org/ip-version";

  private static final int TOO_LONG = 253;
  private static final int HASH_DIGITS = 11;
  private static final String BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
  private static final int BITS = 5;
  private static final Pattern NAME =
      Pattern.compile("[a-z0-9]([a-z0-9-]*[a-z0-9])?(\\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*");

  private CustomNames() {}

  public static String of(ResourceKey key) {
    return switch (key) {
      case ResourceKey.Named named -> named.name();
      case ResourceKey.Block block -> cidr(block.cidr());
      case ResourceKey.Affinity affinity -> affinity(affinity.host(), cidr(affinity.cidr()));
      case ResourceKey.Handle handle -> handle(handle.id());
      case ResourceKey.IpamConfig config -> config.name();
      case ResourceKey.IpamHost host -> host.host();
    };
  }

  public static String cidr(IpPrefix cidr) {
    return cidr.toString().replace('.', '-').replace(':', '-').replace('/', '-');
  }

  /**
   * Calico uses the id in lower case. Where that is not a valid name (for a network with {@code _},
   * or a virtual machine with a long name) the API rejects Calico's, so no other program expects a
   * certain name: ours ends in a digest of the id.
   */
  private static String handle(String id) {
    String name = id.toLowerCase(Locale.ROOT);
    if (name.length() <= TOO_LONG && NAME.matcher(name).matches()) {
      return name;
    }
    String hash = HexFormat.of().formatHex(digest("SHA-256", id));
    String legible =
        name.substring(0, Math.min(name.length(), TOO_LONG - hash.length() - 1))
            .replaceAll("[^a-z0-9.]+", "-")
            .replaceAll("-*\\.[-.]*", ".")
            .replaceAll("^[-.]+|[-.]+$", "");
    return legible.isEmpty() ? hash : legible + "-" + hash;
  }

  private static String affinity(String host, String cidr) {
    String name = host + "-" + cidr;
    if (name.length() < TOO_LONG) {
      return name;
    }
    String hash = HexFormat.of().formatHex(digest("SHA-256", host + "+" + cidr));
    int kept = TOO_LONG - 1 - cidr.length() - HASH_DIGITS - 2;
    return host.substring(0, kept) + "-" + cidr + "-" + hash.substring(0, HASH_DIGITS);
  }

  /** Sorted by name. */
  public static Map<String, String> labels(ResourceKey.Affinity key) {
    Map<String, String> labels = new TreeMap<>();
    labels.put(HOST_HASH, hostHash(key.host()));
    labels.put(AFFINITY_TYPE, key.type().text());
    labels.put(IP_VERSION, version(IpVersion.of(key.cidr())));
    return labels;
  }

  public static String version(IpVersion version) {
    return version == IpVersion.V4 ? "4" : "6";
  }

  public static String hostHash(String host) {
    byte[] hash = digest("SHA3-256", host);
    StringBuilder text = new StringBuilder();
    int pending = 0;
    int bits = 0;
    for (byte octet : hash) {
      pending = (pending << Byte.SIZE | (octet & 0xff)) & 0xffff;
      bits += Byte.SIZE;
      while (bits >= BITS) {
        bits -= BITS;
        text.append(BASE32.charAt(pending >> bits & 0x1f));
      }
    }
    return bits == 0
        ? text.toString()
        : text.append(BASE32.charAt(pending << (BITS - bits) & 0x1f)).toString();
  }

  private static byte[] digest(String algorithm, String text) {
    try {
      return MessageDigest.getInstance(algorithm).digest(text.getBytes(StandardCharsets.UTF_8));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("this Java has no " + algorithm, e);
    }
  }
}
