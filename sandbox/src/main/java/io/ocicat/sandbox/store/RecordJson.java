package io.ocicat.sandbox.store;

import io.ocicat.base.json.Json;
import io.ocicat.base.json.JsonFields;
import io.ocicat.cni.CniException;
import io.ocicat.cni.CniJson;
import io.ocicat.cni.PortMapping.Protocol;
import io.ocicat.sandbox.DnsConfig;
import io.ocicat.sandbox.NamespaceMode;
import io.ocicat.sandbox.PodConfig;
import io.ocicat.sandbox.PodMetadata;
import io.ocicat.sandbox.PodPort;
import io.ocicat.sandbox.PodSecurity;
import io.ocicat.sandbox.SandboxException;
import io.ocicat.sandbox.SandboxException.Reason;
import io.ocicat.sandbox.infra.ProcessId;
import io.ocicat.sandbox.network.PodAttachment;
import io.ocicat.sandbox.store.SandboxRecord.NetworkPhase;
import io.ocicat.sandbox.store.SandboxRecord.Phase;
import java.util.Base64;
import java.util.List;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Converts records to JSON and back. */
final class RecordJson {
  private static final int LAST_PORT = 65535;
  private static final long LAST_ATTEMPT = 0xffffffffL;

  private RecordJson() {}

  static byte[] write(SandboxRecord record) {
    ObjectNode json = Json.object();
    json.put("id", record.id());
    json.put("createdAt", record.createdAt());
    json.put("bootId", record.bootId());
    json.put("phase", record.phase().name());
    json.put("network", record.network().name());
    json.put("netns", record.netns());
    json.put("runtimeHandler", record.runtimeHandler());
    json.put("infra", record.infra());
    json.set("process", process(record.process()));
    record.attachedBy().ifPresent(by -> json.set("attachment", by.toJson()));
    json.set("ips", Json.array(record.ips()));
    ArrayNode containers = json.putArray("containers");
    for (ContainerRecord container : record.containers()) {
      ObjectNode entry = containers.addObject().put("name", container.name());
      entry.set("process", process(container.process()));
      entry.set("command", Json.array(container.command()));
    }
    json.put("ownsLogs", record.ownsLogs());
    json.put("problem", record.problem());
    json.set("config", config(record.config()));
    return Json.compactBytes(json);
  }

  private static ObjectNode process(ProcessId process) {
    return Json.object().put("pid", process.pid()).put("startTicks", process.startTicks());
  }

  static ObjectNode config(PodConfig config) {
    ObjectNode json = Json.object();
    PodMetadata metadata = config.metadata();
    json.putObject("metadata")
        .put("name", metadata.name())
        .put("namespace", metadata.namespace())
        .put("uid", metadata.uid())
        .put("attempt", metadata.attempt());
    json.put("hostname", config.hostname());
    json.put("logDirectory", config.logDirectory());
    config
        .dnsConfig()
        .ifPresent(
            dns -> {
              ObjectNode entry = json.putObject("dns");
              entry.set("servers", Json.array(dns.servers()));
              entry.set("searches", Json.array(dns.searches()));
              entry.set("options", Json.array(dns.options()));
            });
    ArrayNode ports = json.putArray("ports");
    config.ports().forEach(port -> ports.add(port.toCapability()));
    json.set("labels", ResourcesJson.pairs(config.labels()));
    json.set("annotations", ResourcesJson.pairs(config.annotations()));
    json.put("networkName", config.networkName());
    json.put("network", config.network().name());
    json.put("pid", config.pid().name());
    json.put("ipc", config.ipc().name());
    json.set("sysctls", ResourcesJson.pairs(config.sysctls().settings()));
    json.put("cgroupParent", config.cgroupParent());
    json.set("security", security(config.security()));
    json.set("overhead", ResourcesJson.write(config.overhead()));
    json.set("resources", ResourcesJson.write(config.resources()));
    json.put("request", config.request());
    return json;
  }

  private static ObjectNode security(PodSecurity security) {
    ObjectNode json = Json.object().put("privileged", security.privileged());
    if (security.runAsUser() != null) {
      json.put("runAsUser", security.runAsUser());
    }
    if (security.runAsGroup() != null) {
      json.put("runAsGroup", security.runAsGroup());
    }
    ArrayNode groups = json.putArray("supplementalGroups");
    security.supplementalGroups().forEach(group -> groups.add(group.toString()));
    json.put("readonlyRootfs", security.readonlyRootfs());
    json.set("seccomp", ResourcesJson.write(security.seccomp()));
    return json;
  }

  private static PodSecurity readSecurity(JsonFields in) {
    return new PodSecurity(
        in.bool("privileged").or(false),
        in.has("runAsUser")
            ? in.longInteger("runAsUser", Long.MIN_VALUE, Long.MAX_VALUE).required()
            : null,
        in.has("runAsGroup")
            ? in.longInteger("runAsGroup", Long.MIN_VALUE, Long.MAX_VALUE).required()
            : null,
        in.texts("supplementalGroups").or(List.of()).stream().map(Long::valueOf).toList(),
        in.bool("readonlyRootfs").or(false),
        ResourcesJson.readProfile(in.object("seccomp")),
        false);
  }

  /**
   * Reads what {@link #write} wrote.
   *
   * @throws SandboxException with {@link Reason#CORRUPT} when it is damaged
   */
  static SandboxRecord read(String id, byte[] bytes) {
    try {
      if (CniJson.parse(bytes) instanceof ObjectNode document) {
        SandboxRecord record = CniJson.read(document, RecordJson::read);
        if (record.id().equals(id)) {
          return record;
        }
        throw damaged(id, "it is about " + record.id());
      }
      throw damaged(id, "it is not a JSON object");
    } catch (CniException e) {
      throw damaged(id, SandboxException.text(e));
    }
  }

  private static SandboxException damaged(String id, String why) {
    return new SandboxException(
        Reason.CORRUPT, "the record of sandbox %s is damaged: %s".formatted(id, why));
  }

  private static SandboxRecord read(JsonFields in) {
    String id = in.text("id").required();
    PodConfig config = readConfig(in.object("config"));
    String netns = in.text("netns").or("");
    return new SandboxRecord(
        id,
        in.longInteger("createdAt", 0, Long.MAX_VALUE).required(),
        in.text("bootId").or(""),
        config,
        in.text("runtimeHandler").or(""),
        in.choice("phase", Phase.values(), Phase::name).required(),
        in.choice("network", NetworkPhase.values(), NetworkPhase::name).required(),
        netns,
        in.text("infra").or(""),
        readProcess(in.object("process")),
        in.has("attachment")
            ? PodAttachment.read(config.metadata(), id, netns, in.object("attachment"))
            : null,
        in.texts("ips").or(List.of()),
        in.objects("containers").stream().map(RecordJson::readContainer).toList(),
        in.bool("ownsLogs").or(false),
        in.text("problem").or(""));
  }

  private static ContainerRecord readContainer(JsonFields in) {
    return new ContainerRecord(
        in.text("name").required(),
        readProcess(in.object("process")),
        in.texts("command").or(List.of()));
  }

  private static ProcessId readProcess(JsonFields in) {
    return new ProcessId(
        in.longInteger("pid", 0, Integer.MAX_VALUE).or(0L),
        in.longInteger("startTicks", 0, Long.MAX_VALUE).or(0L));
  }

  private static PodConfig readConfig(JsonFields in) {
    JsonFields metadata = in.object("metadata");
    JsonFields dns = in.object("dns");
    return PodConfig.of(
            new PodMetadata(
                metadata.text("name").required(),
                metadata.text("namespace").required(),
                metadata.text("uid").required(),
                metadata.longInteger("attempt", 0, LAST_ATTEMPT).or(0L)))
        .hostname(in.text("hostname").or(""))
        .logDirectory(in.text("logDirectory").or(""))
        .dns(
            in.has("dns")
                ? new DnsConfig(
                    dns.texts("servers").or(List.of()),
                    dns.texts("searches").or(List.of()),
                    dns.texts("options").or(List.of()))
                : null)
        .ports(in.objects("ports").stream().map(RecordJson::readPort).toList())
        .labels(ResourcesJson.readPairs(in.object("labels")))
        .annotations(ResourcesJson.readPairs(in.object("annotations")))
        .networkName(in.text("networkName").or(""))
        .network(mode(in, "network"))
        .pid(mode(in, "pid"))
        .ipc(mode(in, "ipc"))
        .sysctls(ResourcesJson.readPairs(in.object("sysctls")))
        .cgroupParent(in.text("cgroupParent").or(""))
        .security(readSecurity(in.object("security")))
        .overhead(ResourcesJson.read(in.object("overhead")))
        .resources(ResourcesJson.read(in.object("resources")))
        .request(Base64.getDecoder().decode(in.text("request").or("")))
        .build();
  }

  private static NamespaceMode mode(JsonFields in, String name) {
    return in.choice(name, NamespaceMode.values(), NamespaceMode::name).or(NamespaceMode.POD);
  }

  private static PodPort readPort(JsonFields in) {
    return new PodPort(
        in.choice("protocol", Protocol.values(), Protocol::text).or(Protocol.TCP),
        in.integer("containerPort", 0, LAST_PORT).or(0),
        in.integer("hostPort", 0, LAST_PORT).or(0),
        in.text("hostIP").or(""));
  }
}
