package io.ocicat.cli.check;

import io.ocicat.base.BootId;
import io.ocicat.cni.CniException;
import io.ocicat.cni.ConfigList;
import io.ocicat.cni.Interface;
import io.ocicat.cni.IpConfig;
import io.ocicat.cni.PluginConfig;
import io.ocicat.cni.Result;
import io.ocicat.cni.SpecVersion;
import io.ocicat.cni.exec.CniEnvironment;
import io.ocicat.cni.runtime.CachedAttachment;
import io.ocicat.daemon.state.AttachmentKey;
import io.ocicat.daemon.state.CallRecord;
import io.ocicat.daemon.state.NamespaceId;
import io.ocicat.daemon.state.PodName;
import io.ocicat.ip.IpPrefix;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The expected state of an attachment: its ADD's request and result.
 *
 * @param pod as namespace/name; empty when the runtime did not pass it
 * @param netns the value of CNI_NETNS
 * @param netnsIsThere whether that still leads to the same namespace
 * @param hostNetns of the process that executed the plugins
 * @param requests the requests to our plugins, in the order of the chain; empty when none of ours
 *     was called
 * @param result the last plugin's
 */
public record ExpectedAttachment(
    AttachmentKey key,
    String pod,
    String network,
    String netns,
    boolean netnsIsThere,
    NamespaceId hostNetns,
    List<CallRecord> requests,
    Optional<Result> result) {
  private static final String CALICO = "calico";

  public ExpectedAttachment {
    requests = List.copyOf(requests);
  }

  /**
   * From our records.
   *
   * @param records of one attachment, at least one
   * @param cached the runtime's own, if it has one: only that has the results of external plugins
   */
  static ExpectedAttachment of(
      AttachmentKey key, List<CallRecord> records, Optional<CachedAttachment> cached, BootId boot) {
    List<CallRecord> chain = inOrder(records, cached);
    CallRecord first = chain.getFirst();
    Optional<Result> last =
        cached
            .flatMap(ExpectedAttachment::result)
            .or(() -> chain.reversed().stream().flatMap(one -> result(one).stream()).findFirst());
    boolean there =
        first.boot().equals(boot)
            && !first.netns().isNone()
            && first.netns().equals(NamespaceId.of(first.netnsPath()));
    return new ExpectedAttachment(
        key,
        PodName.of(first.environment()),
        first.network(),
        first.netnsPath(),
        there,
        first.hostNetns(),
        chain,
        last);
  }

  /** From a runtime's cache; that it was called from here is an assumption. */
  static ExpectedAttachment of(CachedAttachment cached) {
    String netns = cached.container().netns();
    return new ExpectedAttachment(
        keyOf(cached),
        podOf(cached),
        cached.network().value(),
        netns,
        !NamespaceId.of(netns).isNone(),
        NamespaceId.own(),
        List.of(),
        result(cached));
  }

  public static AttachmentKey keyOf(CachedAttachment cached) {
    return new AttachmentKey(cached.container().id().value(), cached.container().ifName().value());
  }

  /** The pod as the runtime passed it to plugins; empty when it did not. */
  public static String podOf(CachedAttachment cached) {
    return PodName.of(Map.of(CniEnvironment.ARGS, cached.container().args().toString()));
  }

  /**
   * Records in the order in which the plugins were called. Those of the same millisecond are
   * ordered by the configuration that the runtime has kept.
   */
  public static List<CallRecord> inOrder(
      List<CallRecord> records, Optional<CachedAttachment> cached) {
    List<String> types = cached.map(ExpectedAttachment::types).orElse(List.of());
    List<CallRecord> ordered = new ArrayList<>(records);
    ordered.sort(
        Comparator.comparingLong(CallRecord::unixMillis)
            .thenComparing(ExpectedAttachment::hasPrevious)
            .thenComparingInt(one -> types.indexOf(one.plugin())));
    return ordered;
  }

  private static boolean hasPrevious(CallRecord record) {
    try {
      return PluginConfig.ofRequest(record.stdin()).previousResult().isPresent();
    } catch (CniException _) {
      return true;
    }
  }

  private static List<String> types(CachedAttachment cached) {
    try {
      return ConfigList.parse(cached.config()).plugins().stream().map(PluginConfig::type).toList();
    } catch (CniException _) {
      return List.of();
    }
  }

  private static Optional<Result> result(CachedAttachment cached) {
    try {
      return cached.result();
    } catch (CniException _) {
      return Optional.empty();
    }
  }

  private static Optional<Result> result(CallRecord record) {
    if (record.result().length == 0) {
      return Optional.empty();
    }
    try {
      return Optional.of(Result.parse(record.result(), SpecVersion.LATEST));
    } catch (CniException _) {
      return Optional.empty();
    }
  }

  /** The addresses of the interface itself, each with the length of its prefix. */
  public List<IpPrefix> addresses() {
    return ips().stream().map(IpConfig::address).toList();
  }

  List<IpConfig> ips() {
    return result.stream()
        .flatMap(all -> all.ips().stream().filter(ip -> isOnInterface(all, ip)))
        .toList();
  }

  private boolean isOnInterface(Result all, IpConfig ip) {
    return all.interfaceOf(ip).map(owner -> owner.name().equals(key.ifName())).orElse(true);
  }

  /** The interface in the container, from the result. */
  Optional<Interface> inside() {
    return result.stream()
        .flatMap(all -> all.interfaces().stream())
        .filter(one -> one.name().equals(key.ifName()) && !one.isOnHost())
        .findFirst();
  }

  /** The interfaces on the host, from the result: the host end of a veth pair, a bridge. */
  List<String> onHost() {
    return result.stream()
        .flatMap(all -> all.interfaces().stream())
        .filter(Interface::isOnHost)
        .map(Interface::name)
        .toList();
  }

  boolean isCalico() {
    return requests.stream().anyMatch(request -> request.plugin().equals(CALICO));
  }

  /** Its name for people. */
  public String name(ShortIds ids) {
    String container = ids.of(key.containerId()) + "/" + key.ifName();
    return pod.isEmpty() ? container : "%s (%s)".formatted(pod, container);
  }
}
