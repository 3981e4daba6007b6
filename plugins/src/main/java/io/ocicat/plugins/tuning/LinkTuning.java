package io.ocicat.plugins.tuning;

import io.ocicat.base.json.Json;
import io.ocicat.base.json.JsonFields;
import io.ocicat.ip.MacAddress;
import io.ocicat.netlink.NetlinkRequest;
import io.ocicat.netlink.link.Link;
import io.ocicat.netlink.link.Links;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.node.ObjectNode;

/**
 * The settings of an interface that are to be changed or restored; the others are empty. The JSON
 * form is that of Go's backup files.
 */
record LinkTuning(
    Optional<MacAddress> mac,
    Optional<Boolean> promisc,
    Optional<Integer> mtu,
    Optional<Boolean> allmulti,
    Optional<Integer> txQLen) {
  static final LinkTuning NONE =
      new LinkTuning(
          Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());

  /** Promiscuous mode off, the default of an interface. */
  static final LinkTuning NOT_PROMISCUOUS =
      new LinkTuning(
          Optional.empty(),
          Optional.of(false),
          Optional.empty(),
          Optional.empty(),
          Optional.empty());

  boolean isEmpty() {
    return equals(NONE);
  }

  /** The current values of the same settings. */
  LinkTuning of(Link link) {
    return new LinkTuning(
        mac.flatMap(_ -> Optional.ofNullable(link.mac())),
        promisc.map(_ -> link.isPromiscuous()),
        mtu.map(_ -> link.mtu()),
        allmulti.map(_ -> link.isAllMulticast()),
        txQLen.map(_ -> link.txQueueLength()));
  }

  /** These, and the other's where these are empty. */
  LinkTuning or(LinkTuning other) {
    return new LinkTuning(
        mac.or(other::mac),
        promisc.or(other::promisc),
        mtu.or(other::mtu),
        allmulti.or(other::allmulti),
        txQLen.or(other::txQLen));
  }

  /** One message each, so that an error names the setting. */
  List<NetlinkRequest> requests(int link) {
    List<NetlinkRequest> requests = new ArrayList<>();
    mac.ifPresent(to -> requests.add(Links.setMac(link, to)));
    promisc.ifPresent(to -> requests.add(Links.setPromiscuous(link, to)));
    mtu.ifPresent(to -> requests.add(Links.setMtu(link, to)));
    allmulti.ifPresent(to -> requests.add(Links.setAllMulticast(link, to)));
    txQLen.ifPresent(to -> requests.add(Links.setTxQueueLength(link, to)));
    return requests;
  }

  /**
   * The differences between a link and the settings, for instance {@code MTU is 1500, should be
   * 1400}.
   */
  List<String> differences(Link link) {
    LinkTuning found = of(link);
    List<String> differences = new ArrayList<>();
    compare("MAC address", found.mac, mac, differences);
    compare("promisc", found.promisc, promisc, differences);
    compare("MTU", found.mtu, mtu, differences);
    compare("allmulti", found.allmulti, allmulti, differences);
    compare("transmit queue length", found.txQLen, txQLen, differences);
    return differences;
  }

  private static <T> void compare(
      String what, Optional<T> found, Optional<T> wanted, List<String> differences) {
    if (!found.equals(wanted)) {
      differences.add(
          "%s is %s, should be %s"
              .formatted(what, found.map(Object::toString).orElse("none"), wanted.get()));
    }
  }

  static LinkTuning read(JsonFields in) {
    return new LinkTuning(
        in.mac("mac").optional(),
        in.bool("promisc").optional(),
        in.integer("mtu", 0, Integer.MAX_VALUE).optional().filter(mtu -> mtu != 0),
        in.bool("allmulti").optional(),
        in.integer("txQLen", 0, Integer.MAX_VALUE).optional());
  }

  ObjectNode toJson() {
    ObjectNode json = Json.object();
    mac.ifPresent(value -> json.put("mac", value.toString()));
    promisc.ifPresent(value -> json.put("promisc", value));
    mtu.ifPresent(value -> json.put("mtu", value));
    allmulti.ifPresent(value -> json.put("allmulti", value));
    txQLen.ifPresent(value -> json.put("txQLen", value));
    return json;
  }
}
