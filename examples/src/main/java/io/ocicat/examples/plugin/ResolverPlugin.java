package io.ocicat.examples.plugin;

import io.ocicat.base.json.JsonFields;
import io.ocicat.cni.CniException;
import io.ocicat.cni.Dns;
import io.ocicat.cni.ErrorCode;
import io.ocicat.cni.Result;
import io.ocicat.cni.plugin.AddCall;
import io.ocicat.cni.plugin.CheckCall;
import io.ocicat.cni.plugin.DelCall;
import io.ocicat.cni.plugin.Plugin;
import io.ocicat.cni.plugin.PluginMain;
import io.ocicat.ip.IpAddress;
import java.util.List;
import java.util.stream.Stream;

/**
 * A complete CNI plugin, to be chained after one that makes an interface: it gives the container a
 * name server of its own to ask first. This is its whole configuration:
 *
 * <pre>{@code
 * { "type": "resolver", "nameserver": "10.96.0.10", "search": ["svc.example"] }
 * }</pre>
 *
 * Environment, versions, prevResult and the shape of the answer are the framework's business; what
 * is wrong in the configuration is reported with its path.
 */
public final class ResolverPlugin implements Plugin {

  /** What an operator writes. */
  record Conf(IpAddress nameserver, List<String> search) {
    static Conf read(JsonFields in) {
      return new Conf(in.ip("nameserver").required(), in.texts("search").or(List.of()));
    }
  }

  static void main() {
    PluginMain.main(new ResolverPlugin());
  }

  @Override
  public Result add(AddCall call) {
    Conf conf = call.config().read(Conf::read);
    Result previous = call.requirePreviousResult();
    Dns dns = previous.dns();
    call.log("%s asks %s first".formatted(call.containerId(), conf.nameserver()));
    return previous.withDns(
        new Dns(
            join(List.of(conf.nameserver().toString()), dns.nameservers()),
            dns.domain(),
            join(conf.search(), dns.search()),
            dns.options(),
            dns.unknown()));
  }

  /** Nothing was made, so nothing has to go. */
  @Override
  public void del(DelCall call) {}

  @Override
  public void check(CheckCall call) {
    Conf conf = call.config().read(Conf::read);
    if (!call.requirePreviousResult().dns().nameservers().contains(conf.nameserver().toString())) {
      throw new CniException(
          ErrorCode.INVALID_NETWORK_CONFIG,
          "%s does not ask %s".formatted(call.containerId(), conf.nameserver()),
          "a plugin behind this one took the name server away");
    }
  }

  @Override
  public String about() {
    return "resolver: gives containers a name server";
  }

  private static List<String> join(List<String> first, List<String> then) {
    return Stream.concat(first.stream(), then.stream()).distinct().toList();
  }
}
