package io.ocicat.conformance.check;

import static io.ocicat.conformance.check.ConformanceCheck.must;
import static io.ocicat.conformance.check.ConformanceCheck.should;
import static io.ocicat.conformance.subject.PluginKind.CHAINED;
import static io.ocicat.conformance.subject.PluginKind.INTERFACE;
import static io.ocicat.conformance.subject.PluginKind.IPAM;
import static io.ocicat.conformance.subject.PluginKind.LOOPBACK;

import io.ocicat.base.json.Json;
import io.ocicat.cni.Interface;
import io.ocicat.cni.IpConfig;
import io.ocicat.cni.Result;
import io.ocicat.cni.SpecVersion;
import io.ocicat.conformance.lab.AddedContainer;
import io.ocicat.conformance.lab.CallResult;
import io.ocicat.conformance.lab.Lab;
import io.ocicat.conformance.lab.LabContainer;
import io.ocicat.conformance.lab.Mismatch;
import io.ocicat.conformance.subject.Damage;
import io.ocicat.ip.IpPrefix;
import io.ocicat.netlink.link.Link;
import java.util.List;
import java.util.stream.IntStream;

/** Checks what ADD leaves in the container, and that its result matches it. */
final class AddChecks {
  private static final String SPEC = "spec 2, ADD";
  private static final int AT_ONCE = 6;

  private AddChecks() {}

  static List<ConformanceCheck> all() {
    return List.of(
        must(
                "add.interface-made",
                "makes the interface CNI_IFNAME in CNI_NETNS, and it is up",
                SPEC,
                AddChecks::interfaceMade)
            .on(INTERFACE, LOOPBACK),
        must(
                "add.interface-in-result",
                "lists that interface in the result, with CNI_NETNS as its sandbox and its hardware address",
                "spec 5, ADD success",
                AddChecks::interfaceInResult)
            .on(INTERFACE)
            .since(SpecVersion.V0_3_0),
        must(
                "add.addresses-configured",
                "assigns every address of the result that refers to the interface to it",
                "spec 5, ADD success",
                AddChecks::addressesConfigured)
            .on(INTERFACE)
            .since(SpecVersion.V0_3_0),
        must(
                "add.twice",
                "refuses ADD for an interface that it has made already, which stays as it is",
                SPEC,
                AddChecks::twice)
            .on(INTERFACE),
        must(
                "add.name-taken",
                "refuses ADD when the container has an interface of that name, and leaves that alone",
                SPEC,
                AddChecks::nameTaken)
            .on(INTERFACE),
        must(
                "add.no-such-netns",
                "refuses ADD for a namespace that does not exist",
                SPEC,
                lab ->
                    lab.run(lab.call("ADD").with("CNI_NETNS", lab.files().nowhere().toString()))
                        .fails())
            .on(INTERFACE, LOOPBACK),
        must(
                "add.netns-is-a-file",
                "refuses ADD when CNI_NETNS is a file that is not a namespace",
                SPEC,
                lab -> lab.run(lab.call("ADD").with("CNI_NETNS", "/dev/null")).fails())
            .on(INTERFACE, LOOPBACK),
        should(
                "add.failure-undone",
                "leaves no interface in the container when its IPAM plugin fails",
                "spec 4, delegated plugin execution",
                AddChecks::failureUndone)
            .on(INTERFACE),
        must(
            "add.after-del",
            "serves ADD again after DEL",
            SPEC,
            lab -> {
              lab.detach(lab.attach());
              lab.removeVeth(lab.container());
              lab.attach(lab.version(), lab.restoreVeth(lab.container()));
            }),
        must(
                "add.in-parallel",
                "serves several containers at once, each with addresses of its own",
                "spec 3, lifecycle and ordering",
                AddChecks::inParallel)
            .on(INTERFACE, IPAM, CHAINED));
  }

  private static void interfaceMade(Lab lab) {
    LabContainer container = lab.attach().container();
    Link link =
        container
            .namespace()
            .link(container.ifName())
            .orElseThrow(() -> new Mismatch("an interface " + container.ifName(), "none"));
    Expect.that(link.isUp(), "an interface %s that is up".formatted(link.name()), "it is down");
  }

  private static void interfaceInResult(Lab lab) {
    AddedContainer attached = lab.attach();
    LabContainer container = attached.container();
    String sandbox = container.namespace().path().toString();
    Interface found =
        result(attached).interfaces().stream()
            .filter(i -> i.name().equals(container.ifName()) && i.sandbox().equals(sandbox))
            .findFirst()
            .orElseThrow(
                () ->
                    new Mismatch(
                        "an interface %s with sandbox %s".formatted(container.ifName(), sandbox),
                        Json.compact(attached.result())));
    String mac =
        container.namespace().link(container.ifName()).map(link -> "" + link.mac()).orElse("none");
    Expect.that(found.mac().equalsIgnoreCase(mac), "mac " + mac, found.mac());
  }

  private static void addressesConfigured(Lab lab) {
    AddedContainer attached = lab.attach();
    Result result = result(attached);
    LabContainer container = attached.container();
    List<IpPrefix> configured = container.namespace().addresses(container.ifName());
    for (IpConfig ip : result.ips()) {
      boolean here =
          result.interfaceOf(ip).filter(i -> i.name().equals(container.ifName())).isPresent();
      Expect.that(
          !here || configured.contains(ip.address()),
          "address %s on %s".formatted(ip.address(), container.ifName()),
          configured.toString());
    }
  }

  private static Result result(AddedContainer attached) {
    return ChainChecks.read(attached.result(), attached.version());
  }

  private static void twice(Lab lab) {
    AddedContainer attached = lab.attach();
    var before = attached.container().namespace().snapshot();
    lab.run(lab.call("ADD")).fails();
    Expect.unchanged("the container", before, attached.container().namespace()::snapshot);
  }

  private static void nameTaken(Lab lab) {
    LabContainer container = lab.container();
    container.namespace().addForeignLink(container.ifName());
    var before = container.namespace().snapshot();
    lab.run(lab.call("ADD")).fails();
    Expect.unchanged("the container", before, container.namespace()::snapshot);
  }

  private static void failureUndone(Lab lab) {
    var config = lab.config();
    config.set("ipam", Json.object().put("type", "ocicat-no-such-ipam"));
    var before = lab.container().namespace().snapshot();
    lab.run(lab.call("ADD", config)).fails();
    Expect.unchanged("the container", before, lab.container().namespace()::snapshot);
  }

  private static void inParallel(Lab lab) {
    List<LabContainer> containers =
        IntStream.range(0, AT_ONCE).mapToObj(_ -> lab.newContainer()).toList();
    List<CallResult> answers =
        lab.runAtOnce(
            containers.stream()
                .map(c -> lab.call("ADD", c, lab.config(lab.version(), c)))
                .toList());
    List<AddedContainer> attached =
        IntStream.range(0, AT_ONCE)
            .mapToObj(
                i ->
                    new AddedContainer(containers.get(i), lab.version(), answers.get(i).document()))
            .toList();
    List<IpPrefix> addresses =
        attached.stream().flatMap(a -> result(a).ips().stream()).map(IpConfig::address).toList();
    // A plugin without state (static) hands out what its configuration says.
    boolean chooses = lab.profile().loss() != Damage.NOTHING;
    Expect.that(
        !chooses || addresses.stream().distinct().count() == addresses.size(),
        "different addresses",
        addresses.toString());
    attached.forEach(lab::detach);
  }
}
