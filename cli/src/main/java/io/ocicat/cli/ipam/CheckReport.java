package io.ocicat.cli.ipam;

import io.ocicat.base.json.Json;
import io.ocicat.cli.resource.CommandException;
import io.ocicat.cni.CniException;
import io.ocicat.cni.CniJson;
import io.ocicat.ip.IpAddress;
import io.ocicat.ipam.model.AddressInfo;
import io.ocicat.ipam.model.CalicoConventions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The findings of {@code ipam check} in a file, in calicoctl's format, so that either program can
 * release what the other has reported.
 *
 * @param ours whether this program wrote it
 * @param leaked addresses that nobody used, as they were then
 * @param handles those no block knew, with their revisions
 */
record CheckReport(
    boolean ours,
    String version,
    String clusterGuid,
    boolean locked,
    String revision,
    Map<IpAddress, Leaked> leaked,
    Map<String, String> handles) {
  /** Who wrote it; calicoctl, which does not read this, leaves it out. */
  private static final String WRITER = "writtenBy";

  private static final String OCICAT = "ocicat";

  /** How an address was given when it was found. */
  record Leaked(IpAddress address, Optional<String> handle, Optional<Long> sequenceNumber) {}

  CheckReport {
    leaked = Map.copyOf(leaked);
    handles = Map.copyOf(handles);
  }

  /**
   * Composes a report.
   *
   * @param handles of those no block knows, id and revision
   * @param calicoctl the version of the calicoctl that is to read it, which accepts only its own;
   *     null for that of the cluster, which calicoctl insists on as well
   */
  static ObjectNode write(
      ClusterState cluster,
      List<AddressInfo> assigned,
      UsedAddresses used,
      Map<String, String> handles,
      @Nullable String calicoctl) {
    String version = calicoctl == null ? cluster.calicoVersion() : calicoctl;
    ObjectNode document =
        Json.object()
            .put("version", version.isEmpty() ? OCICAT : version)
            .put(WRITER, OCICAT)
            .put("clusterGUID", cluster.guid())
            .put("datastoreLocked", cluster.locked())
            .put("clusterInformationRevision", cluster.revision())
            .put("clusterType", cluster.type());
    ObjectNode allocations = document.putObject("allocations");
    for (AddressInfo info : assigned) {
      allocation(info, used, allocations.withArray("/" + info.address()).addObject());
    }
    if (!handles.isEmpty()) {
      ArrayNode list = document.putArray("leakedHandles");
      handles.forEach(
          (id, revision) ->
              list.addObject().put("ID", id).putNull("UID").put("Revision", revision));
    }
    return document;
  }

  private static void allocation(AddressInfo info, UsedAddresses used, ObjectNode json) {
    List<String> owners = used.ownersOf(info.address());
    Map<String, String> attributes = info.owner();
    json.put("ip", info.address().toString());
    if (info.handle() != null) {
      json.put("handle", info.handle());
    }
    json.put("sequenceNumber", info.sequenceNumber());
    put(json, "pod", attributes.get(CalicoConventions.POD));
    put(json, "namespace", attributes.get(CalicoConventions.NAMESPACE));
    put(json, "node", info.node().orElse(null));
    put(json, "type", attributes.get(CalicoConventions.TYPE));
    put(json, "creationTimestamp", attributes.get(CalicoConventions.TIMESTAMP));
    json.put("inUse", !owners.isEmpty());
    if (info.isBorrowed()) {
      json.put("borrowed", true);
    }
    if (owners.isEmpty()) {
      json.putNull("owners");
    } else {
      json.set("owners", Json.array(owners));
    }
  }

  private static void put(ObjectNode json, String name, @Nullable String value) {
    if (value != null && !value.isEmpty()) {
      json.put(name, value);
    }
  }

  /**
   * Reads a report of ours or of calicoctl's.
   *
   * @throws CommandException when it is not a valid report
   */
  static CheckReport read(Path file) {
    JsonNode json;
    try {
      json = CniJson.parse(Files.readAllBytes(file));
    } catch (IOException e) {
      throw new CommandException("%s cannot be read: %s".formatted(file, e), e);
    } catch (CniException e) {
      throw new CommandException("%s is not a report: %s".formatted(file, e.getMessage()), e);
    }
    if (!json.path("allocations").isObject()) {
      throw new CommandException(
          "%s is not a report: it has no \"allocations\"; make one with \"ocicat ipam check -o\""
              .formatted(file));
    }
    Map<IpAddress, Leaked> leaked = new LinkedHashMap<>();
    for (JsonNode list : json.path("allocations").values()) {
      for (JsonNode allocation : list.values()) {
        if (!allocation.path("inUse").asBoolean(true)
            && !allocation.path("coolingDown").asBoolean(false)) {
          Leaked found = leaked(allocation);
          leaked.put(found.address(), found);
        }
      }
    }
    Map<String, String> handles = new LinkedHashMap<>();
    for (JsonNode handle : json.path("leakedHandles").values()) {
      handles.put(handle.path("ID").asString(""), handle.path("Revision").asString(""));
    }
    return new CheckReport(
        json.path(WRITER).asString("").equals(OCICAT),
        json.path("version").asString(""),
        json.path("clusterGUID").asString(""),
        json.path("datastoreLocked").asBoolean(false),
        json.path("clusterInformationRevision").asString(""),
        leaked,
        handles);
  }

  private static Leaked leaked(JsonNode allocation) {
    JsonNode sequence = allocation.path("sequenceNumber");
    String handle = allocation.path("handle").asString("");
    return new Leaked(
        IpamCommandContext.address(allocation.path("ip").asString("")),
        handle.isEmpty() ? Optional.empty() : Optional.of(handle),
        sequence.isIntegralNumber() ? Optional.of(sequence.longValue()) : Optional.empty());
  }
}
