package io.ocicat.plugins.net;

import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import io.ocicat.cni.FailureReason;
import io.ocicat.cni.Interface;
import io.ocicat.ip.MacAddress;
import io.ocicat.netlink.NetlinkRequest;
import io.ocicat.netlink.link.Link;
import io.ocicat.netlink.link.LinkKind;
import io.ocicat.netlink.link.LinkSettings;
import io.ocicat.netlink.link.Links;
import io.ocicat.netlink.link.SharedDeletion;
import io.ocicat.netlink.linux.Errno;
import io.ocicat.netlink.linux.NetlinkException;
import io.ocicat.netlink.ns.Sysctl;
import io.ocicat.netlink.route.Device;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/**
 * A veth pair between the host and a container. Both ends are created in their namespaces, with
 * their names, addresses and MTU: moving a link costs 15 ms under the kernel's global lock.
 *
 * @param host the host end
 * @param container the container end, still down: whoever configures it brings it up
 */
public record VethPair(End host, End container) {
  private static final int NAME_ATTEMPTS = 10;

  /** One end, with what further requests and the result need. */
  public record End(int index, String name, MacAddress mac) {
    public Device device() {
      return Device.of(index, name);
    }

    public Interface onHost() {
      return Interface.onHost(name).withMac(mac);
    }

    public Interface inSandbox(String sandbox) {
      return Interface.inSandbox(name, sandbox).withMac(mac);
    }
  }

  /**
   * What to create.
   *
   * @param name of the container end
   * @param mtu of both ends; 0 leaves it to the kernel
   * @param mac of the container end; a random one when empty
   * @param hostSide further settings of the host end, for instance its bridge and that it is up
   * @param then maps the name of the host end to further requests in the same send: an alias, or
   *     bridge port options
   * @param ignoringAdvertisements links on the host that, like the host end, must ignore router
   *     advertisements from the container
   */
  public record Plan(
      String name,
      int mtu,
      Optional<MacAddress> mac,
      UnaryOperator<LinkSettings> hostSide,
      Function<String, List<NetlinkRequest>> then,
      List<String> ignoringAdvertisements) {
    public static Plan of(String name) {
      return new Plan(name, 0, Optional.empty(), settings -> settings, _ -> List.of(), List.of());
    }

    public Plan withMtu(int newMtu) {
      return new Plan(name, newMtu, mac, hostSide, then, ignoringAdvertisements);
    }

    public Plan withMac(Optional<MacAddress> newMac) {
      return new Plan(name, mtu, newMac, hostSide, then, ignoringAdvertisements);
    }

    public Plan onHost(UnaryOperator<LinkSettings> newHostSide) {
      return new Plan(name, mtu, mac, newHostSide, then, ignoringAdvertisements);
    }

    public Plan then(Function<String, List<NetlinkRequest>> newThen) {
      return new Plan(name, mtu, mac, hostSide, newThen, ignoringAdvertisements);
    }

    /**
     * Makes another link on the host ignore router advertisements as well, in the same visit as the
     * host end.
     */
    public Plan alsoIgnoringRouterAdvertisements(String link) {
      return new Plan(name, mtu, mac, hostSide, then, List.of(link));
    }
  }

  /**
   * Creates a pair with a random name on the host.
   *
   * @throws CniException when the container already has a link of that name
   */
  public static VethPair create(NetnsSockets host, NetnsSockets container, Plan plan) {
    for (int attempt = 1; ; attempt++) {
      try {
        return create(host, container, randomName(), plan);
      } catch (NetlinkException e) {
        if (!e.is(Errno.EEXIST) || attempt == NAME_ATTEMPTS) {
          throw e;
        }
        requireFreeName(container, plan.name());
      }
    }
  }

  /** The same with a given name. Fails with EEXIST when either name is taken. */
  public static VethPair create(
      NetnsSockets host, NetnsSockets container, String hostName, Plan plan) {
    // Chosen here rather than by the kernel, so that nothing has to be queried afterwards.
    MacAddress hostMac = highMac();
    MacAddress mac = plan.mac().orElseGet(VethPair::randomMac);
    LinkSettings inside = sized(LinkSettings.named(plan.name()).mac(mac), plan.mtu());
    LinkSettings outside = sized(LinkSettings.named(hostName).mac(hostMac), plan.mtu());
    Link made =
        Links.create(
            host.route(),
            plan.hostSide().apply(outside),
            new LinkKind.Veth(inside.in(container.namespace())),
            plan.then().apply(hostName).toArray(NetlinkRequest[]::new));
    ignoreRouterAdvertisements(host, hostName, plan.ignoringAdvertisements());
    return new VethPair(
        new End(made.index(), hostName, hostMac), new End(made.peer(), plan.name(), mac));
  }

  /**
   * A container must not become the host's router by sending router advertisements
   * (CVE-2020-10749).
   */
  private static void ignoreRouterAdvertisements(
      NetnsSockets host, String end, List<String> others) {
    Map<Sysctl, String> settings = new HashMap<>();
    settings.put(acceptRouters(end), "0");
    others.forEach(link -> settings.put(acceptRouters(link), "0"));
    host.writeIfPossible(settings);
  }

  private static Sysctl acceptRouters(String link) {
    return Sysctl.of("net", "ipv6", "conf", link, "accept_ra");
  }

  /** Removes both ends, by the host end; a pair that is already gone is not an error. */
  public void delete(NetnsSockets net) {
    SharedDeletion.delete(net.namespace(), net.route(), host.index());
  }

  /**
   * Fails when the container has a link of that name.
   *
   * @throws CniException naming it
   */
  public static void requireFreeName(NetnsSockets container, String name) {
    if (container.link(name).isPresent()) {
      throw new CniException(
              ErrorCode.INTERNAL,
              "container veth name (\"%s\") already exists".formatted(name),
              "ADD ran before for this interface: run DEL first")
          .because(FailureReason.ALREADY_ATTACHED);
    }
  }

  private static LinkSettings sized(LinkSettings settings, int mtu) {
    return mtu > 0 ? settings.mtu(mtu) : settings;
  }

  /** A random name for the host end, which needs no lookup. */
  public static String randomName() {
    return "veth" + HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextInt());
  }

  /** Random, but high: a bridge that uses the lowest address of its ports keeps the one it has. */
  private static MacAddress highMac() {
    return new MacAddress((0xfeL << 40) | (randomMac().bits() & 0xff_ffff_ffffL));
  }

  /** Random, locally administered, unicast. */
  public static MacAddress randomMac() {
    long random = ThreadLocalRandom.current().nextLong() & 0xfcff_ffff_ffffL;
    return new MacAddress(random | 0x02L << 40);
  }
}
