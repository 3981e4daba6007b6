package io.ocicat.cli.doctor;

import io.ocicat.cli.check.ShortIds;
import io.ocicat.netlink.NetlinkSocket;
import io.ocicat.netlink.Protocol;
import io.ocicat.netlink.link.Link;
import io.ocicat.netlink.link.Links;
import java.util.List;

/**
 * Finds links of unknown containers. Only reports them and never removes them: they may belong to
 * someone who keeps no records, such as a plugin that is called by hand.
 */
record OrphanLinksCheck(AllAttachments known) implements DoctorCheck {
  /** The prefix of our plugins' aliases. */
  private static final String ALIAS = "cni:";

  private static final int MOST_NAMED = 5;

  @Override
  public String name() {
    return "links";
  }

  @Override
  public List<DoctorFinding> run() {
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

  /** The container of network/container/interface; any text for an alias of another form. */
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
