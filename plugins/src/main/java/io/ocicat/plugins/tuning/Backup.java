package io.ocicat.plugins.tuning;

import io.ocicat.base.json.Json;
import io.ocicat.base.json.JsonFields;
import io.ocicat.base.json.JsonValue;
import io.ocicat.cni.Attachment;
import io.ocicat.netlink.RequestOutcome;
import io.ocicat.netlink.link.Link;
import io.ocicat.netlink.linux.Errno;
import io.ocicat.netlink.linux.NetlinkException;
import io.ocicat.netlink.ns.Sysctl;
import io.ocicat.plugins.net.NetnsSockets;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The settings from before an ADD, which DEL restores. The JSON form is the one that Go's plugin
 * writes and reads, with additional members that Go ignores: the sysctls and the owner.
 *
 * @param network empty when Go created it
 */
record Backup(String network, Attachment attachment, LinkTuning link, Map<Sysctl, String> sysctls) {
  private static final String OWN = "ocicat";

  Backup {
    sysctls = Collections.unmodifiableMap(new LinkedHashMap<>(sysctls));
  }

  /** The current values of what a configuration is going to change. */
  static Backup of(
      NetnsSockets container,
      Optional<Link> link,
      TuningConf conf,
      String network,
      Attachment attachment) {
    Map<Sysctl, String> sysctls = new LinkedHashMap<>();
    container
        .namespace()
        .visit(
            () -> {
              for (NetSysctl wanted : conf.sysctls()) {
                readable(wanted.setting())
                    .filter(found -> !wanted.isValue(found))
                    .ifPresent(found -> sysctls.put(wanted.setting(), found));
              }
              return sysctls;
            });
    LinkTuning before = link.map(conf.link()::of).orElse(LinkTuning.NONE);
    return new Backup(network, attachment, before, sysctls);
  }

  /** Some sysctls are write-only, such as net/ipv4/route/flush; a missing one shows later. */
  private static Optional<String> readable(Sysctl setting) {
    try {
      return Optional.of(setting.read());
    } catch (NetlinkException e) {
      return Optional.empty();
    }
  }

  boolean isEmpty() {
    return link.isEmpty() && sysctls.isEmpty();
  }

  /** An older backup takes precedence: it was made before the first change. */
  Backup after(Backup older) {
    Map<Sysctl, String> all = new LinkedHashMap<>(sysctls);
    all.putAll(older.sysctls);
    return new Backup(network, attachment, older.link.or(link), all);
  }

  /**
   * Restores everything that can be restored. A link or sysctl that is gone needs nothing.
   *
   * @param failures receives what could not be restored, and why
   */
  void restore(NetnsSockets container, Consumer<String> failures) {
    container
        .link(attachment.ifName())
        .map(found -> container.route().attempt(link.requests(found.index())))
        .ifPresent(
            outcomes ->
                outcomes.stream()
                    .map(RequestOutcome::failure)
                    .flatMap(Optional::stream)
                    .forEach(e -> failures.accept("failed to restore: " + e.getMessage())));
    sysctls.forEach(
        (setting, value) -> {
          try {
            container.write(setting, value);
          } catch (NetlinkException e) {
            if (!e.is(Errno.ENOENT)) {
              failures.accept("failed to restore: " + e.getMessage());
            }
          }
        });
  }

  ObjectNode toJson() {
    ObjectNode values = Json.object();
    sysctls.forEach((setting, value) -> values.put(String.join("/", setting.path()), value));
    ObjectNode own =
        Json.object()
            .put("network", network)
            .put("containerID", attachment.containerId())
            .put("ifname", attachment.ifName());
    own.set("sysctl", values);
    ObjectNode json = link.toJson();
    json.set(OWN, own);
    return json;
  }

  /**
   * Reads what either plugin wrote.
   *
   * @param owner to assume if the file names none
   * @param problems receives what is invalid; the rest is read
   */
  static Backup read(JsonNode json, Attachment owner, Consumer<String> problems) {
    JsonFields in = JsonValue.of(json).object();
    JsonFields own = in.object(OWN);
    Map<Sysctl, String> sysctls = new LinkedHashMap<>();
    JsonFields values = own.object("sysctl");
    for (String path : values.names()) {
      Sysctl setting = new Sysctl(List.of(path.split("/", -1)));
      if (setting.path().getFirst().equals("net")) {
        sysctls.put(setting, values.text(path).required());
      }
    }
    Backup backup =
        new Backup(
            own.text("network").or(""),
            own.has("ifname") ? Attachment.read(own) : owner,
            LinkTuning.read(in),
            sysctls);
    in.problems().all().forEach(problems);
    return backup;
  }
}
