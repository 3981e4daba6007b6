package io.ocicat.plugins.httpipam;

import io.ocicat.cni.Attachment;
import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import io.ocicat.cni.IpConfig;
import io.ocicat.cni.PluginConfig;
import io.ocicat.cni.Result;
import io.ocicat.cni.SpecVersion;
import io.ocicat.cni.plugin.AddCall;
import io.ocicat.cni.plugin.Call;
import io.ocicat.cni.plugin.CheckCall;
import io.ocicat.cni.plugin.DelCall;
import io.ocicat.cni.plugin.Delegation;
import io.ocicat.cni.plugin.GcCall;
import io.ocicat.cni.plugin.Plugin;
import io.ocicat.cni.plugin.StatusCall;
import io.ocicat.ip.IpPrefix;
import io.ocicat.plugins.resident.ServerClient;
import io.ocicat.plugins.support.Undo;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Gets addresses from a server over HTTP. It stores nothing on the host: the attachment itself is
 * the key, so repeated requests get the same answer, and DEL needs no state from ADD.
 */
public final class HttpIpamPlugin implements Plugin, ServerClient {
  @Override
  public Result add(AddCall call) {
    HttpIpamConf conf = HttpIpamConf.read(call.config());
    ObjectNode request = AddressRequest.of(call, conf);
    String network = call.network().value();
    return withServer(
        call,
        conf,
        server -> {
          try (Undo undo = new Undo()) {
            GrantedAddresses granted =
                undo.onFailure(
                    server.allocate(network, call.attachment(), request),
                    _ -> server.release(network, call.attachment()));
            requireExpressible(granted, call.version());
            return undo.keep(granted.toResult(conf));
          }
        });
  }

  /** Versions before 0.3.0 have room for one address of each family. */
  private static void requireExpressible(GrantedAddresses granted, SpecVersion version) {
    List<IpPrefix> addresses = granted.addresses().stream().map(IpConfig::address).toList();
    long v4 = addresses.stream().filter(IpPrefix::isV4).count();
    if (!version.isAtLeast(SpecVersion.V0_3_0) && (v4 > 1 || addresses.size() - v4 > 1)) {
      throw new CniException(
          ErrorCode.INTERNAL,
          "CNI version %s does not support more than 1 address per family".formatted(version),
          "the IPAM server gave " + addresses);
    }
  }

  @Override
  public List<Delegation> review(PluginConfig config) {
    HttpIpamConf.read(config);
    return List.of();
  }

  @Override
  public void del(DelCall call) {
    withServer(
        call,
        HttpIpamConf.read(call.config()),
        server -> {
          server.release(call.network().value(), call.attachment());
          return server;
        });
  }

  /** Also renews the lease, if there is one: a container that is checked is alive. */
  @Override
  public void check(CheckCall call) {
    HttpIpamConf conf = HttpIpamConf.read(call.config());
    List<IpPrefix> expected =
        call.requirePreviousResult().ips().stream().map(IpConfig::address).toList();
    withServer(
        call,
        conf,
        server -> {
          GrantedAddresses granted =
              server
                  .get(call.network().value(), call.attachment())
                  .orElseThrow(() -> drift(call, "has no allocation any more"));
          for (IpConfig ip : granted.addresses()) {
            if (!expected.contains(ip.address())) {
              throw drift(
                  call, "has %s there, which is not in %s".formatted(ip.address(), expected));
            }
          }
          if (conf.leaseSeconds() > 0 && !granted.id().isEmpty()) {
            server.renew(granted.id(), conf.leaseSeconds());
          }
          return granted;
        });
  }

  private static CniException drift(CheckCall call, String what) {
    return new CniException(
        HttpIpamErrorCodes.DRIFT,
        "container %s, interface %s %s".formatted(call.containerId(), call.ifName(), what),
        "the IPAM server and the container do not agree: delete the container");
  }

  @Override
  public void status(StatusCall call) {
    HttpIpamConf conf = HttpIpamConf.read(call.config());
    List<IpamServerClient.Level> levels;
    try {
      levels = withServer(call, conf, IpamServerClient::health);
    } catch (CniException e) {
      throw new CniException(ErrorCode.PLUGIN_NOT_AVAILABLE, e.msg(), e.details());
    }
    for (IpamServerClient.Level level : levels) {
      if (level.name().equals(conf.pool()) && conf.wants(level.family()) && level.isFull()) {
        throw new CniException(
            ErrorCode.PLUGIN_NOT_AVAILABLE,
            "all %s %s addresses of pool \"%s\" are in use"
                .formatted(level.capacity(), level.family(), level.name()));
      }
    }
  }

  @Override
  public void gc(GcCall call) {
    Optional<Set<Attachment>> valid = call.validAttachments();
    if (valid.isPresent()) {
      withServer(
          call,
          HttpIpamConf.read(call.config()),
          server -> {
            server.collect(call.network().value(), valid.get());
            return server;
          });
    }
  }

  /** No HTTP class is loaded before the configuration is known to be valid. */
  private static <T> T withServer(
      Call call, HttpIpamConf conf, Function<IpamServerClient, T> question) {
    return HostNetnsConnections.on(
        call,
        () -> {
          try (HttpTransport transport = new HttpTransport(call, conf)) {
            return question.apply(new IpamServerClient(conf, transport));
          } catch (CniException e) {
            throw conf.token().redact(e);
          }
        });
  }

  @Override
  public boolean isIpam() {
    return true;
  }

  @Override
  public boolean hasServer(ObjectNode config) {
    return config.path("ipam").has("serverURL");
  }

  @Override
  public void updateServer(ObjectNode recorded, ObjectNode current) {
    if (recorded.get("ipam") instanceof ObjectNode ipam) {
      for (String member : List.of("serverURL", "tokenFile", "caFile")) {
        JsonNode now = current.path("ipam").path(member);
        if (!now.isMissingNode()) {
          ipam.set(member, now);
        }
      }
    }
  }

  @Override
  public String about() {
    return "CNI ipam plugin, addresses over HTTP (ocicat)";
  }
}
