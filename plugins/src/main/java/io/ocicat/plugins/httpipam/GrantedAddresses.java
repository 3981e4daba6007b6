package io.ocicat.plugins.httpipam;

import io.ocicat.base.Quoted;
import io.ocicat.base.json.JsonFields;
import io.ocicat.cni.Attachment;
import io.ocicat.cni.Dns;
import io.ocicat.cni.IpConfig;
import io.ocicat.cni.Result;
import io.ocicat.cni.Route;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import java.util.ArrayList;
import java.util.List;

/**
 * The addresses that the server has allocated to an attachment.
 *
 * @param id empty when the server does not send one
 */
record GrantedAddresses(String id, List<IpConfig> addresses, List<Route> routes, Dns dns) {
  /** No container gets more; a response with more is a mistake. */
  private static final int MAX_ADDRESSES = 64;

  GrantedAddresses {
    addresses = List.copyOf(addresses);
    routes = List.copyOf(routes);
  }

  /** Reads a response about this attachment; one about another is an error. */
  static GrantedAddresses read(JsonFields in, String network, Attachment attachment) {
    same(in, "network", network);
    same(in, "containerId", attachment.containerId());
    same(in, "ifName", attachment.ifName());
    List<IpConfig> addresses = new ArrayList<>();
    for (JsonFields item : in.objects("addresses")) {
      IpPrefix address = item.prefix("address").required();
      IpAddress gateway =
          item.ip("gateway")
              .check(ip -> ip.isV4() == address.isV4(), "is not of the family of " + address)
              .orNull();
      addresses.add(IpConfig.of(address).withGateway(gateway));
    }
    if (addresses.isEmpty() || addresses.size() > MAX_ADDRESSES) {
      in.problem("addresses", "must have 1–%d addresses".formatted(MAX_ADDRESSES));
    }
    return new GrantedAddresses(
        in.text("id").or(""),
        addresses,
        in.objects("routes").stream().map(Route::read).toList(),
        Dns.read(in.object("dns")));
  }

  private static void same(JsonFields in, String name, String expected) {
    String value = in.text(name).or(expected);
    if (!value.equals(expected)) {
      in.problem(
          name, "is %s, but %s was requested".formatted(Quoted.brief(value), Quoted.of(expected)));
    }
  }

  /** With the configured values in place of the server's. */
  Result toResult(HttpIpamConf conf) {
    return Result.empty()
        .withIps(addresses)
        .withRoutes(conf.routes() == null ? routes : conf.routes())
        .withDns(conf.dns() == null ? dns : conf.dns());
  }
}
