package io.ocicat.plugins.staticipam;

import io.ocicat.cni.CniArgs;
import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import io.ocicat.cni.IpConfig;
import io.ocicat.cni.PluginConfig;
import io.ocicat.cni.Result;
import io.ocicat.cni.plugin.AddCall;
import io.ocicat.cni.plugin.AttachmentCall;
import io.ocicat.cni.plugin.CheckCall;
import io.ocicat.cni.plugin.DelCall;
import io.ocicat.cni.plugin.Delegation;
import io.ocicat.cni.plugin.Plugin;
import io.ocicat.ip.IpAddress;
import java.util.List;
import java.util.Objects;

/**
 * Assigns a container the addresses that its configuration names. It stores nothing, so there is
 * nothing to release or to collect.
 */
public final class StaticPlugin implements Plugin {

  @Override
  public Result add(AddCall call) {
    StaticConf conf = conf(call);
    return Result.empty().withIps(conf.addresses()).withRoutes(conf.routes()).withDns(conf.dns());
  }

  @Override
  public List<Delegation> review(PluginConfig config) {
    StaticConf.read(config, CniArgs.NONE);
    return List.of();
  }

  /** Reads nothing, so that no configuration can keep a container from being deleted. */
  @Override
  public void del(DelCall call) {}

  /** Every address must be in the result, with its configured gateway, if any. */
  @Override
  public void check(CheckCall call) {
    StaticConf conf = conf(call);
    Result previous = call.requirePreviousResult();
    for (IpConfig configured : conf.addresses()) {
      IpAddress address = configured.address().address();
      IpConfig found =
          previous.ips().stream()
              .filter(ip -> ip.address().address().equals(address))
              .findFirst()
              .orElseThrow(() -> mismatch(call, address, "it is not in the previous result"));
      IpAddress gateway = configured.gateway();
      if (gateway != null && !Objects.equals(gateway, found.gateway())) {
        throw mismatch(
            call,
            address,
            "its gateway is %s in the configuration and %s in the previous result"
                .formatted(gateway, Objects.toString(found.gateway(), "none")));
      }
    }
  }

  private static CniException mismatch(CheckCall call, IpAddress address, String why) {
    return new CniException(
        ErrorCode.INTERNAL,
        "static: Failed to match addr %s on interface %s".formatted(address, call.ifName()),
        why);
  }

  private static StaticConf conf(AttachmentCall call) {
    return StaticConf.read(call.config(), call.args());
  }

  @Override
  public boolean isIpam() {
    return true;
  }

  @Override
  public String about() {
    return "CNI static plugin (ocicat)";
  }
}
