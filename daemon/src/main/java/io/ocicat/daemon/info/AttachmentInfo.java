package io.ocicat.daemon.info;

import io.ocicat.base.BootId;
import io.ocicat.base.json.Json;
import io.ocicat.cni.CniException;
import io.ocicat.cni.IpConfig;
import io.ocicat.cni.Result;
import io.ocicat.cni.SpecVersion;
import io.ocicat.cni.exec.CniEnvironment;
import io.ocicat.daemon.state.CallRecord;
import io.ocicat.daemon.state.NamespaceId;
import io.ocicat.daemon.state.PodName;
import java.time.Instant;
import java.util.List;
import tools.jackson.databind.node.ObjectNode;

/**
 * An attachment, or a call for one, as shown to users, read from its record.
 *
 * @param pod as namespace/name; empty when the runtime did not pass it
 * @param netns the value of CNI_NETNS
 * @param netnsIsThere whether that still leads to the same namespace
 * @param addresses from the result of ADD
 */
public record AttachmentInfo(
    String containerId,
    String ifName,
    String pod,
    String network,
    String plugin,
    String netns,
    boolean netnsIsThere,
    Instant since,
    List<String> addresses) {
  public AttachmentInfo {
    addresses = List.copyOf(addresses);
  }

  public static AttachmentInfo of(CallRecord record, BootId boot) {
    boolean there =
        record.boot().equals(boot)
            && !record.netns().isNone()
            && record.netns().equals(NamespaceId.of(record.netnsPath()));
    return new AttachmentInfo(
        record.environment().getOrDefault(CniEnvironment.CONTAINER_ID, ""),
        record.environment().getOrDefault(CniEnvironment.IFNAME, ""),
        PodName.of(record.environment()),
        record.network(),
        record.plugin(),
        record.netnsPath(),
        there,
        Instant.ofEpochMilli(record.unixMillis()),
        addresses(record));
  }

  private static List<String> addresses(CallRecord record) {
    if (record.result().length == 0) {
      return List.of();
    }
    try {
      return Result.parse(record.result(), SpecVersion.LATEST).ips().stream()
          .map(IpConfig::address)
          .map(Object::toString)
          .toList();
    } catch (CniException _) {
      return List.of();
    }
  }

  ObjectNode toJson() {
    ObjectNode json = Json.object();
    json.put("container", containerId);
    json.put("ifname", ifName);
    json.put("pod", pod);
    json.put("network", network);
    json.put("plugin", plugin);
    json.put("netns", netns);
    json.put("netnsIsThere", netnsIsThere);
    json.put("since", since.toString());
    json.set("addresses", Json.array(addresses));
    return json;
  }
}
