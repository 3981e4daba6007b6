package io.ocicat.ipamserver;

import io.ocicat.base.json.JsonFields;
import io.ocicat.cni.Dns;
import io.ocicat.cni.Route;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * A pool of addresses, with the routes and DNS settings of containers that use it.
 *
 * @param networks the networks that use it without naming it; empty for any that names it
 */
record Pool(
    String name, Set<String> networks, List<PoolRange> ranges, List<Route> routes, Dns dns) {
  Pool {
    networks = Set.copyOf(networks);
    ranges = List.copyOf(ranges);
    routes = List.copyOf(routes);
  }

  static Pool read(JsonFields in) {
    String name = AllocationRequest.label(in.text("name")).required();
    if (name.isEmpty()) {
      in.problem("name", "must not be empty");
    }
    List<PoolRange> ranges = in.objects("ranges").stream().map(PoolRange::read).toList();
    if (ranges.isEmpty()) {
      in.problem("ranges", "must have at least one range");
    }
    return new Pool(
        name,
        new TreeSet<>(in.texts("networks").or(List.of())),
        ranges,
        in.objects("routes").stream().map(Route::read).toList(),
        Dns.read(in.object("dns")));
  }

  /** In the order of responses. */
  List<AddressFamily> families() {
    return ranges.stream().map(PoolRange::family).distinct().sorted().toList();
  }

  boolean mayServe(String network) {
    return networks.isEmpty() || networks.contains(network);
  }
}
