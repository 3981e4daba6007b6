package io.ocicat.agent.startup;

import static io.ocicat.agent.startup.StartupException.Reason.DATASTORE;
import static io.ocicat.agent.startup.StartupException.Reason.DUPLICATE_ADDRESS;

import io.ocicat.base.json.Json;
import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.error.ConflictException;
import io.ocicat.datastore.error.ExistsException;
import io.ocicat.datastore.error.NotFoundException;
import io.ocicat.datastore.error.UnsupportedException;
import io.ocicat.datastore.model.Shapes;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.datastore.resource.ResourceQuery;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import io.ocicat.netlink.ns.NetNs;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Creates and updates the Node of this machine. Writes only what differs, and keeps what others
 * wrote. Can be repeated at any time.
 */
final class NodeRegistration {
  private static final int ATTEMPTS = 10;
  private static final String INTERNAL = "InternalIP";

  private final Datastore datastore;
  private final NetNs host;
  private final StartupSettings settings;

  NodeRegistration(Datastore datastore, NetNs host, StartupSettings settings) {
    this.datastore = datastore;
    this.host = host;
    this.settings = settings;
  }

  /** The Node as it is stored, and the addresses it has. */
  record Registered(Resource node, NodeAddresses addresses) {}

  /**
   * Registers the node.
   *
   * @throws StartupException when it has no address, another node has its address, or it cannot be
   *     written
   */
  Registered register(String name) {
    ResourceKey.Named key = new ResourceKey.Named(Kind.NODE, "", name);
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      Optional<Resource> stored = find(key);
      Resource before = stored.orElseGet(() -> Resource.of(key, _ -> {}));
      AddressAutodetection detection = new AddressAutodetection(host, internal(before));
      NodeAddresses addresses = addresses(before, detection);
      Resource after = before.edit(document -> write(document, detection, addresses));
      if (stored.isPresent() && isSame(before, after)) {
        return new Registered(before, addresses);
      }
      if (!settings.isPolicyOnly()) {
        checkUnique(before, key, addresses);
      }
      try {
        return new Registered(
            stored.isPresent() ? datastore.update(after) : datastore.create(after), addresses);
      } catch (ConflictException | ExistsException | NotFoundException _) {
        // Somebody else was faster: with what they wrote, once more.
      } catch (UnsupportedException e) {
        throw new StartupException(
            DATASTORE,
            "Kubernetes has no node \"%s\": set NODENAME to the name that kubelet registered"
                .formatted(name),
            e);
      }
    }
    throw new StartupException(
        DATASTORE,
        "Node %s is written by others all the time: %d attempts to register this machine have failed"
            .formatted(name, ATTEMPTS));
  }

  private Optional<Resource> find(ResourceKey key) {
    try {
      return Optional.of(datastore.get(key));
    } catch (NotFoundException _) {
      return Optional.empty();
    }
  }

  private NodeAddresses addresses(Resource before, AddressAutodetection detection) {
    String ipv4 = before.text("spec", "bgp", "ipv4Address").orElse("");
    String ipv6 = before.text("spec", "bgp", "ipv6Address").orElse("");
    return settings.isPolicyOnly()
        ? new NodeAddresses(
            NodeAddress.stored(ipv4, detection), NodeAddress.stored(ipv6, detection), List.of())
        : NodeAddresses.determine(settings, detection, ipv4, ipv6);
  }

  /** The addresses that Kubernetes knows as the node's. */
  private static List<IpAddress> internal(Resource node) {
    return node.read(
        document ->
            document
                .at("/spec/addresses")
                .valueStream()
                .filter(address -> address.path("type").asString("").equals(INTERNAL))
                .flatMap(
                    address -> IpAddress.tryParse(address.path("address").asString("")).stream())
                .toList());
  }

  private static boolean isSame(Resource before, Resource after) {
    return Shapes.canonical(Kind.NODE, before.content())
        .equals(Shapes.canonical(Kind.NODE, after.content()));
  }

  private void write(ObjectNode document, AddressAutodetection detection, NodeAddresses addresses) {
    ObjectNode spec = document.withObject("/spec");
    if (!settings.isPolicyOnly()) {
      ObjectNode bgp = spec.withObject("/bgp");
      put(bgp, "ipv4Address", addresses.ipv4());
      put(bgp, "ipv6Address", addresses.ipv6());
      asNumber(bgp);
      if (bgp.isEmpty()) {
        // Calico does not accept an empty one.
        spec.remove("bgp");
      }
      spec.set("interfaces", interfaces(detection));
    }
    reference(spec);
  }

  private static void put(ObjectNode bgp, String member, Optional<NodeAddress> address) {
    if (address.isPresent()) {
      bgp.put(member, address.get().text());
    } else {
      bgp.remove(member);
    }
  }

  private void asNumber(ObjectNode bgp) {
    String number = settings.text("AS");
    if (number.isEmpty()) {
      return;
    }
    if (!number.matches("\\d{1,10}(\\.\\d{1,5})?")) {
      throw StartupException.badSetting(
          "AS must be an AS number, as in 64512 or 1.10, not \"%s\"".formatted(number));
    }
    bgp.put("asNumber", number);
  }

  private static ArrayNode interfaces(AddressAutodetection detection) {
    ArrayNode list = Json.array();
    for (HostInterface one : detection.interfaces()) {
      ObjectNode item = list.addObject().put("name", one.name());
      List<IpPrefix> addresses =
          one.addresses().stream().filter(prefix -> !prefix.address().isLinkLocal()).toList();
      if (!addresses.isEmpty()) {
        ArrayNode texts = item.putArray("addresses");
        addresses.forEach(prefix -> texts.add(prefix.address().toString()));
      }
    }
    return list;
  }

  private void reference(ObjectNode spec) {
    String name = settings.text("CALICO_K8S_NODE_REF");
    if (name.isEmpty()) {
      return;
    }
    ArrayNode references = spec.withArray("/orchRefs");
    for (JsonNode one : references) {
      if (one.path("orchestrator").asString("").equals("k8s")) {
        ((ObjectNode) one).put("nodeName", name);
        return;
      }
    }
    references.addObject().put("nodeName", name).put("orchestrator", "k8s");
  }

  /** Two nodes with one address would send each other's packets to themselves. */
  private void checkUnique(Resource before, ResourceKey key, NodeAddresses addresses) {
    List<NodeAddress> changed =
        Stream.of(addresses.ipv4(), addresses.ipv6())
            .flatMap(Optional::stream)
            .filter(address -> !has(before, address.address()))
            .toList();
    if (changed.isEmpty() || settings.flag("DISABLE_NODE_IP_CHECK", false)) {
      return;
    }
    for (Resource other : datastore.list(ResourceQuery.of(Kind.NODE)).items()) {
      for (NodeAddress address : changed) {
        if (!other.key().equals(key) && has(other, address.address())) {
          throw new StartupException(
              DUPLICATE_ADDRESS,
              "%s, the address of this node on %s, is that of %s as well: give one of them another address, delete the Node if its machine is gone, or set DISABLE_NODE_IP_CHECK=true"
                  .formatted(
                      address.address(),
                      address.interfaceName().isEmpty() ? "no interface" : address.interfaceName(),
                      other.describe()));
        }
      }
    }
  }

  private static boolean has(Resource node, IpAddress address) {
    return Stream.of("ipv4Address", "ipv6Address")
        .flatMap(member -> node.text("spec", "bgp", member).stream())
        .map(text -> text.indexOf('/') < 0 ? text : text.substring(0, text.indexOf('/')))
        .flatMap(text -> IpAddress.tryParse(text).stream())
        .anyMatch(address::equals);
  }
}
