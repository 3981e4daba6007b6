package io.ocicat.cli.doctor;

import io.ocicat.cli.check.ShortIds;
import io.ocicat.netlink.NetlinkSocket;
import io.ocicat.netlink.Protocol;
import io.ocicat.netlink.link.Link;
import io.ocicat.netlink.link.Links;
import java.util.List;

/**
 * Links of containers that nobody knows. Only told of, never removed: they may belong to somebody
 * who keeps no records, as a plugin that is called by hand.
 */
record OrphanLinksCheck(AllAttachments known) implements DoctorCheck {
  /** What our plugins' aliases begin with. */
  private static final String ALIAS = "cni:";

  private static final int MOST_NAMED = 5;

  @Override
  public String name() {
    return "links";
  }

  @Override
  public List<DoctorFinding> look() {
    List<String> orphans;
    try (NetlinkSocket route = NetlinkSocket.open(Protocol.ROUTE)) {
      List<Link> links = route.list(Links.all()).stream().filter(this::isOrphan).toList();
      ShortIds ids = ShortIds.among(links.stream().map(OrphanLinksCheck::container).toList());
      orphans =
          links.stream()
              .map(link -> "%s (%s)".formatted(link.name(), ids.in(link.alias())))
              .toList();
    }
    if (orphans.isEmpty()) {
      return List.of();
    }
    return List.of(
        DoctorFinding.warning(
            "%d links belong to containers that neither ocicatd nor the runtime knows: %s"
                .formatted(orphans.size(), some(orphans)),
            "they may be left of containers that ended without a DEL",
            "if the containers are gone, `ocicat net gc NETWORK` removes them"));
  }

  private boolean isOrphan(Link link) {
    return link.alias().startsWith(ALIAS)
        && !known.labels().contains(link.alias().substring(ALIAS.length()));
  }

  /** Of network/container/interface; any text for an alias that is not so. */
  private static String container(Link link) {
    String[] parts = link.alias().split("/", -1);
    return parts.length == 3 ? parts[1] : link.alias();
  }

  /** The first few. */
  static String some(List<String> names) {
    String first = String.join(", ", names.subList(0, Math.min(MOST_NAMED, names.size())));
    return names.size() > MOST_NAMED ? first + ", …" : first;
  }
}
