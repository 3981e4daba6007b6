package io.ocicat.cli.ipam;

import io.ocicat.base.json.Json;
import io.ocicat.cli.options.RuntimeDirOptions;
import io.ocicat.cli.resource.CommandContext;
import io.ocicat.cli.resource.CommandException;
import io.ocicat.daemon.address.KernelAddresses;
import io.ocicat.daemon.info.CallSelection;
import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.error.CorruptException;
import io.ocicat.datastore.model.IpPool;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceQuery;
import io.ocicat.ip.IpAddress;
import io.ocicat.ipam.Ipam;
import io.ocicat.ipam.model.AddressInfo;
import io.ocicat.ipam.model.BlockOwner;
import io.ocicat.ipam.model.CalicoConventions;
import io.ocicat.ipam.model.IpamException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.node.ObjectNode;

/** {@code ocicat ipam why}: explains who has an address, and why. */
@Command(
    name = "why",
    description = {
      "Show who has an address, since when, and who knows of it.",
      "Looks at Calico's blocks, and on this machine at host-local's leases, attachments and"
          + " interfaces."
    },
    footer = {"", "Example: ocicat ipam why 10.65.0.7"})
final class IpamWhyCommand extends IpamCommandContext {
  @Parameters(
      paramLabel = "IP|POD|CONTAINER",
      description =
          "The address; or a pod (name or namespace/name) or a container's id, or the beginning of"
              + " it, for all of its addresses.")
  private String about = "";

  @Mixin private RuntimeDirOptions dirs = new RuntimeDirOptions();

  private final Supplier<Set<IpAddress>> kernel;

  IpamWhyCommand(CommandContext context) {
    this(context, KernelAddresses::ofMachine);
  }

  /**
   * @param kernel the addresses of all interfaces of this machine
   */
  IpamWhyCommand(CommandContext context, Supplier<Set<IpAddress>> kernel) {
    super(context);
    this.kernel = kernel;
  }

  @Override
  protected int run() {
    return withIpam(
        (datastore, ipam) -> {
          LocalAddresses local = local();
          List<ObjectNode> documents = new ArrayList<>();
          for (IpAddress address : addresses(datastore, local)) {
            if (!json && !documents.isEmpty()) {
              out().println();
            }
            documents.add(explain(datastore, ipam, local, address));
          }
          if (json) {
            print(documents.size() == 1 ? documents.getFirst() : all(documents));
          } else {
            local
                .obstacles()
                .forEach(why -> out().println("not everything could be checked: " + why));
          }
          return 0;
        });
  }

  private LocalAddresses local() {
    Map<String, String> environment = context.environment();
    return LocalAddresses.of(
        environment, dirs.confDirectory(environment::get), dirs.cacheDirectory(), kernel);
  }

  private static ObjectNode all(List<ObjectNode> documents) {
    ObjectNode all = Json.object();
    all.putArray("addresses").addAll(documents);
    return all;
  }

  private Set<IpAddress> addresses(Datastore datastore, LocalAddresses local) {
    Optional<IpAddress> address = IpAddress.tryParse(about).map(IpAddress::unmap);
    if (address.isPresent()) {
      return Set.of(address.get());
    }
    Set<IpAddress> found = new LinkedHashSet<>(local.addressesOf(about));
    for (AddressInfo info : BlockList.assigned(datastore)) {
      Map<String, String> owner = info.owner();
      String pod =
          owner.getOrDefault(CalicoConventions.NAMESPACE, "")
              + "/"
              + owner.get(CalicoConventions.POD);
      if (owner.containsKey(CalicoConventions.POD) && CallSelection.isAbout(about, "", pod)) {
        found.add(info.address());
      }
    }
    if (found.isEmpty()) {
      throw new CommandException(
          "\"%s\" is not an IP address, and no pod or container of that name has one"
              .formatted(about));
    }
    return found;
  }

  private ObjectNode explain(
      Datastore datastore, Ipam ipam, LocalAddresses local, IpAddress address) {
    Map<String, String> facts = new LinkedHashMap<>();
    Optional<AddressInfo> info = IpamShowCommand.info(ipam, address);
    List<String> users = UsedAddresses.of(datastore).ownersOf(address);
    List<String> here = local.holdersOf(address);
    facts.put("address", address.toString());
    facts.put("pool", pool(datastore, address));
    info.ifPresent(found -> holder(found, others(ipam, found), facts));
    facts.put("used by", users.isEmpty() ? "nobody" : String.join(", ", users));
    if (users.isEmpty() && !here.isEmpty()) {
      facts.put("this machine", String.join(", ", here));
    }
    facts.put("verdict", verdict(info, users, here, local.obstacles().isEmpty()));
    ObjectNode document = Json.object();
    if (json) {
      facts.forEach((name, value) -> document.put(member(name), value));
      document.set("obstacles", Json.array(local.obstacles()));
      info.ifPresent(found -> IpamShowCommand.put(document.putObject("attributes"), found.owner()));
    } else {
      facts.forEach((name, value) -> out().println("%-15s %s".formatted(name + ":", value)));
    }
    return document;
  }

  /** {@code "used by"} as {@code usedBy}. */
  private static String member(String words) {
    StringBuilder member = new StringBuilder();
    for (String word : words.split(" ", -1)) {
      member.append(
          member.isEmpty() ? word : Character.toUpperCase(word.charAt(0)) + word.substring(1));
    }
    return member.toString();
  }

  private static String pool(Datastore datastore, IpAddress address) {
    return datastore.list(ResourceQuery.of(Kind.IP_POOL)).items().stream()
        .flatMap(IpamWhyCommand::readable)
        .filter(pool -> pool.cidr().contains(address))
        .map(
            pool ->
                "%s (%s)%s".formatted(pool.name(), pool.cidr(), pool.enabled() ? "" : ", disabled"))
        .findFirst()
        .orElse("none");
  }

  private static Stream<IpPool> readable(Resource pool) {
    try {
      return Stream.of(IpPool.of(pool));
    } catch (CorruptException _) {
      return Stream.empty();
    }
  }

  private static void holder(AddressInfo info, List<String> others, Map<String, String> facts) {
    Map<String, String> owner = info.owner();
    facts.put(
        "block",
        "%s of %s"
            .formatted(
                info.block(),
                Optional.ofNullable(info.blockOwner()).map(BlockOwner::toString).orElse("nobody")));
    facts.put("handle", Objects.toString(info.handle(), "none"));
    if (owner.containsKey(CalicoConventions.POD)) {
      facts.put(
          "pod",
          owner.getOrDefault(CalicoConventions.NAMESPACE, "")
              + "/"
              + owner.get(CalicoConventions.POD));
    }
    if (info.alternate().containsKey(CalicoConventions.POD)) {
      facts.put(
          "moves to",
          "%s/%s on node %s"
              .formatted(
                  info.alternate().getOrDefault(CalicoConventions.NAMESPACE, ""),
                  info.alternate().get(CalicoConventions.POD),
                  info.alternate().getOrDefault(CalicoConventions.NODE, "unknown")));
    }
    if (owner.containsKey(CalicoConventions.TYPE)) {
      facts.put("type", Borrowed.type(info));
    }
    facts.put(
        "node", info.node().orElse("unknown") + (info.isBorrowed() ? ", which borrows it" : ""));
    facts.put("since", owner.getOrDefault(CalicoConventions.TIMESTAMP, "not noted"));
    if (!others.isEmpty()) {
      facts.put("also has", String.join(", ", others));
    }
  }

  /** The other addresses of the handle. */
  private static List<String> others(Ipam ipam, AddressInfo info) {
    if (info.handle() == null) {
      return List.of();
    }
    try {
      List<String> others = new ArrayList<>();
      for (IpAddress address : ipam.addressesOf(info.handle())) {
        if (!address.equals(info.address())) {
          others.add(address.toString());
        }
      }
      return others;
    } catch (IpamException e) {
      if (e.reason() == IpamException.Reason.NO_SUCH_HANDLE) {
        return List.of();
      }
      throw e;
    }
  }

  private static String verdict(
      Optional<AddressInfo> info, List<String> users, List<String> here, boolean complete) {
    if (info.isEmpty()) {
      if (!users.isEmpty()) {
        return "used without being assigned, so somebody else may get it: restart its pod";
      }
      if (!here.isEmpty()) {
        return "in use on this machine; it is not one of Calico's";
      }
      return complete ? "free: nobody has it" : "nobody is known to have it";
    }
    if (!users.isEmpty()) {
      return isKept(info.get()) ? "kept for a virtual machine that no pod runs now" : "in use";
    }
    if (!here.isEmpty()) {
      return "in use on this machine, and no endpoint has it";
    }
    return "assigned, and no endpoint, tunnel or service has it: either its pod is just being"
        + " started, or it has leaked; \"ocicat ipam gc\" finds out";
  }

  private static boolean isKept(AddressInfo info) {
    return CalicoConventions.mayBeVirtualMachine(info.handle())
        && info.owner().isEmpty()
        && info.alternate().isEmpty();
  }
}
