package io.ocicat.cri.service;

import io.ocicat.base.json.Json;
import io.ocicat.cri.message.RuntimeMessages.CgroupDriver;
import io.ocicat.cri.message.RuntimeMessages.EmptyResponse;
import io.ocicat.cri.message.RuntimeMessages.LinuxRuntimeConfiguration;
import io.ocicat.cri.message.RuntimeMessages.RuntimeCondition;
import io.ocicat.cri.message.RuntimeMessages.RuntimeConfigRequest;
import io.ocicat.cri.message.RuntimeMessages.RuntimeConfigResponse;
import io.ocicat.cri.message.RuntimeMessages.RuntimeFeatures;
import io.ocicat.cri.message.RuntimeMessages.RuntimeHandler;
import io.ocicat.cri.message.RuntimeMessages.RuntimeHandlerFeatures;
import io.ocicat.cri.message.RuntimeMessages.RuntimeStatus;
import io.ocicat.cri.message.RuntimeMessages.StatusRequest;
import io.ocicat.cri.message.RuntimeMessages.StatusResponse;
import io.ocicat.cri.message.RuntimeMessages.UpdateRuntimeConfigRequest;
import io.ocicat.cri.message.RuntimeMessages.VersionRequest;
import io.ocicat.cri.message.RuntimeMessages.VersionResponse;
import io.ocicat.sandbox.network.NetworkStatus;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.node.ObjectNode;

/** What kubelet asks about the runtime itself. */
final class RuntimeCalls {
  /** kubelet takes no other. */
  private static final String PROTOCOL = "0.1.0";

  private static final String API = "v1";
  private static final String NAME = "ocicat";

  private final CriParts parts;

  RuntimeCalls(CriParts parts) {
    this.parts = parts;
  }

  VersionResponse version(VersionRequest request) {
    return new VersionResponse(PROTOCOL, NAME, parts.version(), API);
  }

  StatusResponse status(StatusRequest request) {
    NetworkStatus network = parts.networks().status();
    RuntimeCondition runtimeReady = new RuntimeCondition("RuntimeReady", true, "", "");
    RuntimeCondition networkReady =
        new RuntimeCondition(
            "NetworkReady",
            network.ready(),
            network.ready() ? "" : NetworkStatus.NOT_READY,
            network.message());
    return new StatusResponse(
        new RuntimeStatus(List.of(runtimeReady, networkReady)),
        request.verbose() ? Map.of("config", Json.compact(config(network))) : Map.of(),
        List.of(new RuntimeHandler("", new RuntimeHandlerFeatures(true, false))),
        new RuntimeFeatures(true, false, false));
  }

  private ObjectNode config(NetworkStatus network) {
    ObjectNode json = Json.object();
    json.put("runtimeName", NAME);
    json.put("runtimeVersion", parts.version());
    json.put("cgroupDriver", driver().name());
    json.put("network", network.network());
    json.put("networkFile", network.file());
    json.set("networkProblems", Json.array(network.problems()));
    return json;
  }

  RuntimeConfigResponse config(RuntimeConfigRequest request) {
    return new RuntimeConfigResponse(new LinuxRuntimeConfiguration(driver()));
  }

  private CgroupDriver driver() {
    return parts.systemdCgroups() ? CgroupDriver.SYSTEMD : CgroupDriver.CGROUPFS;
  }

  EmptyResponse update(UpdateRuntimeConfigRequest request) {
    if (request.runtimeConfig() != null
        && request.runtimeConfig().networkConfig() != null
        && !request.runtimeConfig().networkConfig().podCidr().isEmpty()) {
      parts.networks().podCidrs(request.runtimeConfig().networkConfig().podCidr());
    }
    return new EmptyResponse();
  }
}
