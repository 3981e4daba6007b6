package io.ocicat.plugins.net;

import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import io.ocicat.cni.FailureReason;
import io.ocicat.cni.Interface;
import io.ocicat.ip.MacAddress;
import io.ocicat.netlink.NetlinkRequest;
import io.ocicat.netlink.link.BridgePort;
import io.ocicat.netlink.link.Link;
import io.ocicat.netlink.link.LinkKind;
import io.ocicat.netlink.link.LinkSettings;
import io.ocicat.netlink.link.Links;
import io.ocicat.netlink.link.SharedDeletion;
import io.ocicat.netlink.linux.Errno;
import io.ocicat.netlink.linux.NetlinkException;
import io.ocicat.netlink.ns.Sysctl;
import io.ocicat.netlink.route.Device;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;

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
   * @param container the container end
   * @param host the host end
   * @param mtu of both ends; 0 leaves it to the kernel
   * @param queues of both ends, in each direction; 0 leaves them to the kernel
   */
  public record Plan(ContainerEnd container, HostEnd host, int mtu, int queues) {
    public static Plan of(String name) {
      return new Plan(new ContainerEnd(name, Optional.empty()), HostEnd.RANDOM, 0, 0);
    }

    /** With a hardware address for the container end; a random one when empty. */
    public Plan withMac(Optional<MacAddress> mac) {
      return new Plan(new ContainerEnd(container.name(), mac), host, mtu, queues);
    }

    public Plan withHost(HostEnd newHost) {
      return new Plan(container, newHost, mtu, queues);
    }

    public Plan withMtu(int newMtu) {
      return new Plan(container, host, newMtu, queues);
    }

    public Plan withQueues(int newQueues) {
      return new Plan(container, host, mtu, newQueues);
    }
  }

  /**
   * The container end to create.
   *
   * @param mac a random one when empty
   */
  public record ContainerEnd(String name, Optional<MacAddress> mac) {}

  /**
   * The host end to create.
   *
   * @param name a random one when empty
   * @param mac a random one when empty
   * @param port of which bridge it is a port; it is up from the start then
   * @param alias empty for none
   */
  public record HostEnd(
      Optional<String> name, Optional<MacAddress> mac, Optional<Port> port, String alias) {
    /** Nothing about it is prescribed. */
    public static final HostEnd RANDOM =
        new HostEnd(Optional.empty(), Optional.empty(), Optional.empty(), "");

    public HostEnd named(String newName) {
      return new HostEnd(Optional.of(newName), mac, port, alias);
    }

    public HostEnd withMac(MacAddress newMac) {
      return new HostEnd(name, Optional.of(newMac), port, alias);
    }

    public HostEnd as(Port newPort) {
      return new HostEnd(name, mac, Optional.of(newPort), alias);
    }

    public HostEnd withAlias(String newAlias) {
      return new HostEnd(name, mac, port, newAlias);
    }
  }

  /**
   * A port of a bridge.
   *
   * @param bridge its index
   * @param options if others than the kernel's
   */
  public record Port(int bridge, Optional<BridgePort> options) {}

  /**
   * Creates a pair. What cannot be part of the creation is in the same send, but for the alias of
   * an end whose name is given: if that name is taken, the alias would go to somebody else's link.
   *
   * @throws CniException when the name of the host end is random, and the container already has a
   *     link of that name
   * @throws NetlinkException with EEXIST when the name of the host end is given, and it or that of
   *     the container end is taken
   */
  public static VethPair create(NetnsSockets host, NetnsSockets container, Plan plan) {
    if (plan.host().name().isPresent()) {
      return createNamed(host, container, plan, plan.host().name().get());
    }
    for (int attempt = 1; ; attempt++) {
      try {
        return create(host, container, plan, randomName(), plan.host().alias());
      } catch (NetlinkException e) {
        if (!e.is(Errno.EEXIST) || attempt == NAME_ATTEMPTS) {
          throw e;
        }
        requireFreeName(container, plan.container().name());
      }
    }
  }

  /** The alias at once: without it, the link may be considered stale, or somebody else's. */
  private static VethPair createNamed(
      NetnsSockets host, NetnsSockets container, Plan plan, String name) {
    VethPair made = create(host, container, plan, name, "");
    if (plan.host().alias().isEmpty()) {
      return made;
    }
    try {
      host.route().perform(Links.setAlias(made.host().index(), plan.host().alias()));
    } catch (NetlinkException e) {
      host.route().attempt(List.of(Links.delete(made.host().index())));
      throw e;
    }
    return made;
  }

  private static VethPair create(
      NetnsSockets host, NetnsSockets container, Plan plan, String hostName, String alias) {
    // Chosen here rather than by the kernel, so that nothing has to be queried afterwards.
    MacAddress hostMac = plan.host().mac().orElseGet(VethPair::highMac);
    MacAddress mac = plan.container().mac().orElseGet(VethPair::randomMac);
    LinkSettings inside = sized(LinkSettings.named(plan.container().name()).mac(mac), plan);
    LinkSettings outside = sized(LinkSettings.named(hostName).mac(hostMac), plan);
    List<NetlinkRequest> then = new ArrayList<>();
    if (plan.host().port().isPresent()) {
      Port port = plan.host().port().get();
      outside = outside.master(port.bridge()).up();
      port.options().ifPresent(options -> then.add(Links.setPort(hostName, options)));
    }
    if (!alias.isEmpty()) {
      then.add(Links.set(hostName, LinkSettings.none().alias(alias)));
    }
    Link made =
        Links.create(
            host.route(),
            outside,
            new LinkKind.Veth(inside.in(container.namespace())),
            then.toArray(NetlinkRequest[]::new));
    return new VethPair(
        new End(made.index(), hostName, hostMac),
        new End(made.peer(), plan.container().name(), mac));
  }

  /**
   * A container must not become the host's router by sending router advertisements
   * (CVE-2020-10749).
   *
   * @param others links on the host that must ignore them like the host end
   */
  public void ignoreRouterAdvertisements(NetnsSockets net, String... others) {
    Map<Sysctl, String> settings = new HashMap<>();
    settings.put(acceptRouters(host.name()), "0");
    for (String link : others) {
      settings.put(acceptRouters(link), "0");
    }
    net.writeIfPossible(settings);
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

  private static LinkSettings sized(LinkSettings settings, Plan plan) {
    LinkSettings sized =
        plan.queues() > 0 ? settings.queues(plan.queues(), plan.queues()) : settings;
    return plan.mtu() > 0 ? sized.mtu(plan.mtu()) : sized;
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
