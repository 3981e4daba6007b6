package io.ocicat.datastore.model;

import io.ocicat.datastore.resource.Resource;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.JsonNode;

/**
 * A typed view of an IPReservation: addresses that are never assigned automatically. Invalid
 * entries are skipped, because a mistake in one must not stop all of IPAM.
 */
public record IpReservation(String name, List<IpPrefix> cidrs) {
  public IpReservation {
    cidrs = List.copyOf(cidrs);
  }

  public static IpReservation of(Resource resource) {
    List<IpPrefix> cidrs = new ArrayList<>();
    resource.read(
        document -> {
          for (JsonNode item : document.at("/spec/reservedCIDRs").values()) {
            String text = item.asString("").strip();
            IpPrefix.tryParse(text)
                .or(() -> IpAddress.tryParse(text).map(IpPrefix::host))
                .ifPresent(prefix -> cidrs.add(prefix.network()));
          }
          return cidrs;
        });
    return new IpReservation(resource.key().name(), cidrs);
  }
}
