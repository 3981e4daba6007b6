package io.ocicat.plugins.flannel;

import io.ocicat.base.Quoted;
import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import io.ocicat.ip.IpPrefix;
import io.ocicat.netlink.linux.RegularFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The file {@code subnet.env}, in which flanneld describes this node.
 *
 * @param networks the cluster's networks, IPv4 before IPv6
 * @param subnets this node's part of them, at most one of each family
 * @param ipMasq whether flanneld masquerades, so that nobody else needs to
 */
record SubnetEnv(List<IpPrefix> networks, List<IpPrefix> subnets, long mtu, boolean ipMasq) {
  static final String NETWORK = "FLANNEL_NETWORK";
  static final String IPV6_NETWORK = "FLANNEL_IPV6_NETWORK";
  static final String SUBNET = "FLANNEL_SUBNET";
  static final String IPV6_SUBNET = "FLANNEL_IPV6_SUBNET";
  static final String MTU = "FLANNEL_MTU";
  static final String IPMASQ = "FLANNEL_IPMASQ";

  /** flanneld writes some 200 bytes. */
  private static final int MAX_BYTES = 64 << 10;

  private static final Pattern DIGITS = Pattern.compile("[0-9]{1,64}");
  private static final long MAX_UNSIGNED_32 = 0xffff_ffffL;

  /** A placeholder in flanneld's format, for a node without a file. */
  static final SubnetEnv ANY =
      new SubnetEnv(
          List.of(IpPrefix.parse("10.244.0.0/16")),
          List.of(IpPrefix.parse("10.244.0.0/24")),
          1450,
          false);

  SubnetEnv {
    networks = List.copyOf(networks);
    subnets = List.copyOf(subnets);
  }

  /**
   * Reads the file.
   *
   * @throws CniException with code 11 while it does not exist, because flanneld takes a while after
   *     boot; with code 999 when it is invalid
   */
  static SubnetEnv read(Path file) {
    byte[] bytes;
    try {
      bytes = RegularFile.start(file, MAX_BYTES + 1);
    } catch (IOException e) {
      throw new CniException(
          ErrorCode.TRY_AGAIN_LATER,
          "failed to load flannel's subnet file: open %s: %s".formatted(file, reason(e)),
          "flanneld writes it once it has a lease: look at the log of the flannel pod on this node");
    }
    if (bytes.length > MAX_BYTES) {
      throw refuse(file, "has more than %d bytes: flanneld did not write it".formatted(MAX_BYTES));
    }
    return new Reading(file).read(new String(bytes, StandardCharsets.UTF_8));
  }

  private static String reason(IOException e) {
    return switch (e) {
      case NoSuchFileException _ -> "no such file or directory";
      case AccessDeniedException _ -> "permission denied";
      default -> String.valueOf(e.getMessage());
    };
  }

  private static CniException refuse(Path file, String why) {
    return new CniException(ErrorCode.INTERNAL, file + " " + why);
  }

  /** The values of one file; the last one of a repeated key counts. */
  private static final class Reading {
    private final Path file;
    private List<IpPrefix> networks4 = List.of();
    private List<IpPrefix> networks6 = List.of();
    private @Nullable IpPrefix subnet4;
    private @Nullable IpPrefix subnet6;
    private @Nullable Long mtu;
    private @Nullable Boolean ipMasq;

    Reading(Path file) {
      this.file = file;
    }

    SubnetEnv read(String text) {
      text.lines().forEach(this::line);
      List<String> missing = new ArrayList<>();
      if (networks4.isEmpty() && networks6.isEmpty()) {
        missing.add(NETWORK);
        missing.add(IPV6_NETWORK);
      }
      if (subnet4 == null && subnet6 == null) {
        missing.add(SUBNET);
        missing.add(IPV6_SUBNET);
      }
      if (mtu == null) {
        missing.add(MTU);
      }
      if (ipMasq == null) {
        missing.add(IPMASQ);
      }
      if (mtu == null || ipMasq == null || !missing.isEmpty()) {
        throw refuse(file, "is missing " + String.join(", ", missing));
      }
      List<IpPrefix> networks = new ArrayList<>(networks4);
      networks.addAll(networks6);
      List<IpPrefix> subnets = new ArrayList<>();
      if (subnet4 != null) {
        subnets.add(subnet4);
      }
      if (subnet6 != null) {
        subnets.add(subnet6);
      }
      return new SubnetEnv(networks, subnets, mtu, ipMasq);
    }

    private void line(String line) {
      int equals = line.indexOf('=');
      String key = equals < 0 ? line : line.substring(0, equals);
      switch (key) {
        case NETWORK -> networks4 = prefixes(key, value(line, equals));
        case IPV6_NETWORK -> networks6 = prefixes(key, value(line, equals));
        case SUBNET -> subnet4 = prefix(key, value(line, equals));
        case IPV6_SUBNET -> subnet6 = prefix(key, value(line, equals));
        case MTU -> mtu = number(key, value(line, equals));
        case IPMASQ -> ipMasq = value(line, equals).equals("true");
        default -> {
          // Anything else, including comments, is ignored.
        }
      }
    }

    private String value(String line, int equals) {
      if (equals < 0) {
        throw refuse(file, "has a line %s without a value".formatted(Quoted.brief(line)));
      }
      return line.substring(equals + 1);
    }

    private List<IpPrefix> prefixes(String key, String value) {
      Set<IpPrefix> prefixes = new LinkedHashSet<>();
      for (String text : value.split(",", -1)) {
        prefixes.add(prefix(key, text));
      }
      return List.copyOf(prefixes);
    }

    private IpPrefix prefix(String key, String value) {
      try {
        return IpPrefix.parse(value).network();
      } catch (IllegalArgumentException e) {
        throw refuse(file, "is wrong in %s: %s".formatted(key, e.getMessage()));
      }
    }

    private long number(String key, String value) {
      // A number longer than 64 bits is out of range in any case; leading zeros are fine.
      if (DIGITS.matcher(value).matches()) {
        String digits = value.replaceFirst("^0+(?=.)", "");
        if (digits.length() <= 10 && Long.parseLong(digits) <= MAX_UNSIGNED_32) {
          return Long.parseLong(digits);
        }
      }
      throw refuse(
          file,
          "is wrong in %s: %s is not a number from 0 to %d"
              .formatted(key, Quoted.brief(value), MAX_UNSIGNED_32));
    }
  }
}
