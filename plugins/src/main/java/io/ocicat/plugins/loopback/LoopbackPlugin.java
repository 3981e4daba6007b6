package io.ocicat.plugins.loopback;

import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import io.ocicat.cni.Interface;
import io.ocicat.cni.IpConfig;
import io.ocicat.cni.Result;
import io.ocicat.cni.plugin.AddCall;
import io.ocicat.cni.plugin.CheckCall;
import io.ocicat.cni.plugin.DelCall;
import io.ocicat.cni.plugin.Plugin;
import io.ocicat.ip.IpPrefix;
import io.ocicat.ip.MacAddress;
import io.ocicat.netlink.link.Link;
import io.ocicat.netlink.link.Links;
import io.ocicat.netlink.route.Address;
import io.ocicat.netlink.route.Addresses;
import io.ocicat.netlink.route.Device;
import io.ocicat.plugins.net.NetnsSockets;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Brings up the loopback interface of a container. It is always {@code lo}, whatever CNI_IFNAME
 * says.
 */
public final class LoopbackPlugin implements Plugin {
  private static final String LO = "lo";

  @Override
  public Result add(AddCall call) {
    Optional<Result> previous = call.previousResult();
    try (NetnsSockets container = NetnsSockets.of(call.netns())) {
      Link lo = container.requireLink(LO);
      container.route().perform(Links.up(lo.index()));
      List<IpPrefix> addresses = loopbackAddresses(container, lo);
      return previous.orElseGet(() -> result(call.netns().text(), addresses));
    }
  }

  @Override
  public void del(DelCall call) {
    NetnsSockets.ofRemaining(call.netns())
        .ifPresent(
            container -> {
              try (container) {
                container.route().perform(Links.down(container.requireLink(LO).index()));
              }
            });
  }

  @Override
  public void check(CheckCall call) {
    try (NetnsSockets container = NetnsSockets.of(call.netns())) {
      if (!container.requireLink(LO).isUp()) {
        throw new CniException(ErrorCode.INTERNAL, "loopback interface is down");
      }
    }
  }

  @Override
  public String about() {
    return "CNI loopback plugin (ocicat)";
  }

  private static List<IpPrefix> loopbackAddresses(NetnsSockets container, Link lo) {
    List<IpPrefix> addresses =
        container.route().list(Addresses.list(Device.of(lo.index(), LO))).stream()
            .map(Address::prefix)
            .toList();
    for (IpPrefix address : addresses) {
      if (!address.address().isLoopback()) {
        throw new CniException(
            ErrorCode.INTERNAL,
            "loopback interface found with non-loopback address \"%s\"".formatted(address));
      }
    }
    return addresses;
  }

  private static Result result(String sandbox, List<IpPrefix> addresses) {
    Interface lo = Interface.inSandbox(LO, sandbox).withMac(MacAddress.parse("00:00:00:00:00:00"));
    Result result = Result.empty().withInterface(lo);
    for (Predicate<IpPrefix> family :
        List.<Predicate<IpPrefix>>of(IpPrefix::isV4, IpPrefix::isV6)) {
      Optional<IpPrefix> first = addresses.stream().filter(family).findFirst();
      if (first.isPresent()) {
        result = result.withIp(IpConfig.of(first.get()).onInterface(0));
      }
    }
    return result;
  }
}
