package io.ocicat.ipam.model;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.temporal.ChronoField;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Calico's handle names and owner attributes. */
public final class CalicoConventions {
  public static final String NODE = "node";
  public static final String POD = "pod";
  public static final String NAMESPACE = "namespace";
  public static final String TIMESTAMP = "timestamp";
  public static final String TYPE = "type";

  /** The name of KubeVirt's VirtualMachineInstance. */
  public static final String INSTANCE_NAME = "vmi-name";

  public static final String INSTANCE_UID = "vmi-uid";

  /** The UID of the instance's VirtualMachine; an instance may have none. */
  public static final String MACHINE_UID = "vm-uid";

  /** The UID of the migration that moves a machine to the pod. */
  public static final String MIGRATION_UID = "vmim-uid";

  private static final String MACHINE_INFIX = ".vmi.";
  private static final int LONGEST_VM_HANDLE = 128;

  /** Go's default format of a time: as many fraction digits as needed. */
  private static final DateTimeFormatter GO_TIME =
      new DateTimeFormatterBuilder()
          .appendPattern("yyyy-MM-dd HH:mm:ss")
          .appendFraction(ChronoField.NANO_OF_SECOND, 0, 9, true)
          .appendLiteral(" +0000 UTC")
          .toFormatter(Locale.ROOT)
          .withZone(ZoneOffset.UTC);

  /** The tunnels for which a node has an address of its own. */
  public enum Tunnel {
    IPIP("ipip-tunnel-addr-", "ipipTunnelAddress"),
    VXLAN("vxlan-tunnel-addr-", "vxlanTunnelAddress"),
    VXLAN_V6("vxlan-v6-tunnel-addr-", "vxlanV6TunnelAddress"),
    WIREGUARD("wireguard-tunnel-addr-", "wireguardTunnelAddress"),
    WIREGUARD_V6("wireguard-v6-tunnel-addr-", "wireguardV6TunnelAddress");

    private final String prefix;
    private final String type;

    Tunnel(String prefix, String type) {
      this.prefix = prefix;
      this.type = type;
    }

    public String handle(String node) {
      return prefix + node;
    }

    public Map<String, String> attributes(String node) {
      return Map.of(NODE, node, TYPE, type);
    }
  }

  private CalicoConventions() {}

  /** The handle of a container's addresses. */
  public static String containerHandle(String network, String containerId) {
    return network + "." + containerId;
  }

  /** The handle that Calico 2 gave a pod; existing addresses may still have it. */
  public static String legacyHandle(String namespace, String pod) {
    return namespace + "." + pod;
  }

  /** The handle of a virtual machine, which keeps its addresses from pod to pod. */
  public static String virtualMachineHandle(String network, String namespace, String vm) {
    String prefix = network + MACHINE_INFIX;
    String suffix = namespace + "." + vm;
    if (prefix.length() + suffix.length() <= LONGEST_VM_HANDLE) {
      return prefix + suffix;
    }
    String digest = base64Digest(suffix);
    int room = Math.clamp(LONGEST_VM_HANDLE - prefix.length() - 1L, 0, digest.length());
    return prefix + "_" + digest.substring(0, room);
  }

  /**
   * Whether a handle may be a virtual machine's. A container's handle may look the same, depending
   * on its network's name; when in doubt, an address must not be released without asking the
   * cluster.
   */
  public static boolean mayBeVirtualMachine(@Nullable String handle) {
    return handle != null && handle.contains(MACHINE_INFIX);
  }

  /**
   * Returns the virtual machines that a handle may belong to, as {@code namespace/name}: several
   * when the network's name contains the infix, none when the handle has a digest in place of the
   * name.
   */
  public static Set<String> virtualMachinesOf(String handle) {
    Set<String> machines = new LinkedHashSet<>();
    for (int at = handle.indexOf(MACHINE_INFIX);
        at >= 0;
        at = handle.indexOf(MACHINE_INFIX, at + 1)) {
      String machine = handle.substring(at + MACHINE_INFIX.length());
      int dot = machine.indexOf('.');
      if (dot > 0 && dot < machine.length() - 1) {
        machines.add(machine.substring(0, dot) + "/" + machine.substring(dot + 1));
      }
    }
    return machines;
  }

  /** The handle of a LoadBalancer service. */
  public static String serviceHandle(String service, String namespace, String uid) {
    String name = (service + "-" + namespace + "-" + uid).toLowerCase(Locale.ROOT);
    return "lb-" + base64Digest(name).replaceAll("[-_.]", "");
  }

  /**
   * The owner attributes of a container.
   *
   * @param pod null outside Kubernetes, as is the namespace then
   */
  public static Map<String, String> containerAttributes(
      String node, Instant now, @Nullable String namespace, @Nullable String pod) {
    Map<String, String> attributes = new LinkedHashMap<>();
    attributes.put(NODE, node);
    attributes.put(TIMESTAMP, timestamp(now));
    if (pod != null && namespace != null) {
      attributes.put(POD, pod);
      attributes.put(NAMESPACE, namespace);
    }
    return attributes;
  }

  /** {@code 2026-01-01 00:00:01.5 +0000 UTC}. */
  public static String timestamp(Instant time) {
    return GO_TIME.format(time);
  }

  /** Data from host-local had line breaks in its handles: the rest of the handle is ignored. */
  public static String sanitize(String handle) {
    int end = handle.indexOf('\r');
    return end < 0 ? handle : handle.substring(0, end);
  }

  private static String base64Digest(String text) {
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
      return Base64.getUrlEncoder().withoutPadding().encodeToString(digest);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JVM has SHA-256", e);
    }
  }
}
