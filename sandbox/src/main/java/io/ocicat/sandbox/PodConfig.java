package io.ocicat.sandbox;

import io.ocicat.base.Quoted;
import io.ocicat.sandbox.SandboxException.Reason;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The configuration of a sandbox: the supported part of kubelet's PodSandboxConfig. Absent texts
 * are empty.
 *
 * @param logDirectory where the containers' logs go; empty for nowhere
 * @param dns null for the host's settings
 * @param networkName which network of the configuration directory; empty for the default one
 * @param overhead what the pod itself needs beside its containers
 * @param resources the sum of its containers' limits
 * @param request the request it was read from, in base64, so that nothing of it is lost; empty for
 *     none
 */
public record PodConfig(
    PodMetadata metadata,
    String hostname,
    String logDirectory,
    @Nullable DnsConfig dns,
    List<PodPort> ports,
    Map<String, String> labels,
    Map<String, String> annotations,
    String networkName,
    NamespaceMode network,
    NamespaceMode pid,
    NamespaceMode ipc,
    PodSysctls sysctls,
    String cgroupParent,
    PodSecurity security,
    LinuxResources overhead,
    LinuxResources resources,
    String request) {
  private static final Pattern HOSTNAME =
      Pattern.compile("[A-Za-z0-9]([A-Za-z0-9.-]{0,62}[A-Za-z0-9])?");
  private static final int MOST_BYTES = 1 << 20;

  public PodConfig {
    ports = List.copyOf(ports);
    labels = Map.copyOf(labels);
    annotations = Map.copyOf(annotations);
  }

  public static Builder of(PodMetadata metadata) {
    return new Builder(metadata);
  }

  public boolean hostNetwork() {
    return network == NamespaceMode.NODE;
  }

  public Optional<DnsConfig> dnsConfig() {
    return Optional.ofNullable(dns);
  }

  /**
   * Validates all of it.
   *
   * @throws SandboxException naming everything that is wrong
   */
  public void check() {
    List<String> problems = new ArrayList<>(metadata.problems());
    if (!hostname.isEmpty() && !HOSTNAME.matcher(hostname).matches()) {
      problems.add("hostname %s is not valid".formatted(Quoted.brief(hostname)));
    }
    if (!logDirectory.isEmpty() && !isAbsolute(logDirectory)) {
      problems.add(
          "log directory %s is not an absolute path".formatted(Quoted.brief(logDirectory)));
    }
    if (dns != null) {
      dns.check(problems);
    }
    ports.forEach(port -> port.check(problems));
    if (network == NamespaceMode.CONTAINER || network == NamespaceMode.TARGET) {
      problems.add("the network namespace must be the pod's or the node's");
    }
    if (pid == NamespaceMode.TARGET || ipc == NamespaceMode.TARGET) {
      problems.add("a pod cannot share the namespaces of one of its containers");
    }
    if (security.runAsGroup() != null && security.runAsUser() == null) {
      problems.add("run_as_group needs run_as_user");
    }
    if (security.userNamespace()) {
      problems.add("user namespaces are not supported: run the pod in the host's");
    }
    if (hostNetwork() && !networkName.isEmpty()) {
      problems.add(
          "a pod of the host's network cannot have network %s, too"
              .formatted(Quoted.brief(networkName)));
    }
    sysctls.check(this, problems);
    PodBandwidth.check(annotations, problems);
    int size = size(annotations) + size(labels);
    if (size > MOST_BYTES) {
      problems.add(
          "labels and annotations have %d characters, at most %d are kept"
              .formatted(size, MOST_BYTES));
    }
    if (!problems.isEmpty()) {
      throw SandboxException.joined(
          Reason.INVALID, "pod %s cannot be run".formatted(Quoted.brief(metadata.pod())), problems);
    }
  }

  private static int size(Map<String, String> pairs) {
    return pairs.entrySet().stream()
        .mapToInt(pair -> pair.getKey().length() + pair.getValue().length())
        .sum();
  }

  private static boolean isAbsolute(String path) {
    return path.indexOf('\0') < 0 && Path.of(path).isAbsolute();
  }

  /** Not thread-safe. */
  public static final class Builder {
    private final PodMetadata metadata;
    private String hostname = "";
    private String logDirectory = "";
    private @Nullable DnsConfig dns;
    private List<PodPort> ports = List.of();
    private Map<String, String> labels = Map.of();
    private Map<String, String> annotations = Map.of();
    private String networkName = "";
    private NamespaceMode network = NamespaceMode.POD;
    private NamespaceMode pid = NamespaceMode.POD;
    private NamespaceMode ipc = NamespaceMode.POD;
    private PodSysctls sysctls = PodSysctls.NONE;
    private String cgroupParent = "";
    private PodSecurity security = PodSecurity.NONE;
    private LinuxResources overhead = LinuxResources.NONE;
    private LinuxResources resources = LinuxResources.NONE;
    private String request = "";

    private Builder(PodMetadata metadata) {
      this.metadata = metadata;
    }

    public Builder hostname(String name) {
      this.hostname = name;
      return this;
    }

    public Builder logDirectory(String directory) {
      this.logDirectory = directory;
      return this;
    }

    public Builder dns(@Nullable DnsConfig config) {
      this.dns = config;
      return this;
    }

    public Builder ports(List<PodPort> all) {
      this.ports = all;
      return this;
    }

    public Builder labels(Map<String, String> all) {
      this.labels = all;
      return this;
    }

    public Builder annotations(Map<String, String> all) {
      this.annotations = all;
      return this;
    }

    public Builder networkName(String name) {
      this.networkName = name;
      return this;
    }

    public Builder network(NamespaceMode mode) {
      this.network = mode;
      return this;
    }

    public Builder pid(NamespaceMode mode) {
      this.pid = mode;
      return this;
    }

    public Builder ipc(NamespaceMode mode) {
      this.ipc = mode;
      return this;
    }

    public Builder sysctls(Map<String, String> settings) {
      this.sysctls = new PodSysctls(settings);
      return this;
    }

    public Builder cgroupParent(String parent) {
      this.cgroupParent = parent;
      return this;
    }

    public Builder security(PodSecurity context) {
      this.security = context;
      return this;
    }

    public Builder overhead(LinuxResources ofPod) {
      this.overhead = ofPod;
      return this;
    }

    public Builder resources(LinuxResources ofContainers) {
      this.resources = ofContainers;
      return this;
    }

    public Builder request(byte[] bytes) {
      this.request = Base64.getEncoder().encodeToString(bytes);
      return this;
    }

    public PodConfig build() {
      return new PodConfig(
          metadata,
          hostname,
          logDirectory,
          dns,
          ports,
          labels,
          annotations,
          networkName,
          network,
          pid,
          ipc,
          sysctls,
          cgroupParent,
          security,
          overhead,
          resources,
          request);
    }
  }
}
