package io.ocicat.ipam;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.model.BlockAffinity;
import io.ocicat.datastore.model.IpamBlock;
import io.ocicat.datastore.model.IpamConfig;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.datastore.resource.ResourceQuery;
import io.ocicat.ip.IpAddress;
import io.ocicat.ip.IpPrefix;
import io.ocicat.ipam.cluster.IpamRecords;
import io.ocicat.ipam.model.AutoAssignRequest;
import io.ocicat.ipam.model.AutoAssignResult;
import io.ocicat.ipam.model.ClockAndRandom;
import io.ocicat.ipam.model.IpamException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import tools.jackson.databind.node.ObjectNode;

/**
 * Hosts, pools and shorthands for tests of IPAM; checks that the records are consistent at the end.
 */
abstract class IpamFixture {
  static final String A = "host-a";
  static final String B = "host-b";

  private @Nullable Engine engine;
  private final List<Ipam> opened = new ArrayList<>();
  private Duration passed = Duration.ZERO;

  /** An empty datastore. */
  abstract Engine open();

  @BeforeEach
  final void begin() {
    engine = open();
    node(A, Map.of());
    node(B, Map.of());
  }

  @AfterEach
  final void end() {
    try {
      if (isConsistent()) {
        assertThat(newIpam().check().run().findings()).isEmpty();
      }
    } finally {
      opened.forEach(Ipam::close);
      if (engine != null) {
        engine.close();
      }
    }
  }

  /** Whether nothing is left to be repaired. */
  boolean isConsistent() {
    return true;
  }

  final Engine engine() {
    if (engine == null) {
      throw new IllegalStateException("no test runs");
    }
    return engine;
  }

  final Datastore datastore() {
    return engine().datastore();
  }

  final void node(String name, Map<String, String> labels) {
    engine().node(name, labels);
  }

  final ClockAndRandom sources() {
    ClockAndRandom system = ClockAndRandom.ofSystem();
    Clock clock =
        new Clock() {
          @Override
          public Instant instant() {
            return system.clock().instant().plus(passed);
          }

          @Override
          public ZoneId getZone() {
            return ZoneOffset.UTC;
          }

          @Override
          public Clock withZone(ZoneId zone) {
            return this;
          }
        };
    return new ClockAndRandom(clock, system.nanoTime(), system.random());
  }

  final void letPass(Duration time) {
    passed = passed.plus(time);
  }

  /** An IPAM as in another process. */
  final Ipam newIpam() {
    Ipam ipam = Ipam.forOneCall(datastore(), sources());
    opened.add(ipam);
    return ipam;
  }

  /** An IPAM of a resident process; to be closed. */
  final Ipam resident() {
    return Ipam.resident(datastore(), sources());
  }

  final Ipam ipam() {
    return opened.isEmpty() ? newIpam() : opened.getFirst();
  }

  final void pool(String name, String cidr, int blockSize) {
    pool(name, cidr, spec -> spec.put("blockSize", blockSize));
  }

  final void pool(String name, String cidr, Consumer<ObjectNode> more) {
    datastore()
        .create(
            Resource.of(
                new ResourceKey.Named(Kind.IP_POOL, "", name),
                spec -> more.accept(spec.put("cidr", cidr))));
  }

  final void changePool(String name, Consumer<ObjectNode> change) {
    Resource pool = datastore().get(ResourceKey.of(Kind.IP_POOL, name));
    datastore().update(pool.edit(document -> change.accept(document.withObject("/spec"))));
  }

  final void reserve(String... cidrs) {
    datastore()
        .create(
            Resource.of(
                new ResourceKey.Named(Kind.IP_RESERVATION, "", "kept"),
                spec -> List.of(cidrs).forEach(spec.putArray("reservedCIDRs")::add)));
  }

  final void strict(boolean strict) {
    ipam().configure(new IpamConfig(strict, true, 0, true));
  }

  static AutoAssignRequest on(String host, int v4, int v6) {
    return AutoAssignRequest.on(host).withCounts(v4, v6);
  }

  /** Assigns IPv4 addresses to a host and a handle, and requires all of them. */
  final List<IpAddress> take(String host, int count, String handle) {
    AutoAssignResult assigned =
        newIpam().autoAssign(on(host, count, 0).withHandle(handle, Map.of("node", host)));
    assertThat(assigned.isComplete()).as(assigned.toString()).isTrue();
    return addresses(assigned);
  }

  static List<IpAddress> addresses(AutoAssignResult assigned) {
    return assigned.addresses().stream().map(IpPrefix::address).toList();
  }

  static IpPrefix cidr(String text) {
    return IpPrefix.parse(text);
  }

  static IpAddress ip(String text) {
    return IpAddress.parse(text);
  }

  final List<IpamBlock> blocks() {
    return new IpamRecords(datastore())
        .blocks(ResourceQuery.of(Kind.IPAM_BLOCK)).stream().map(IpamRecords.Stored::value).toList();
  }

  final List<IpPrefix> blocksOf(String host) {
    return blocks().stream()
        .filter(block -> ("host:" + host).equals(block.affinity()))
        .map(IpamBlock::cidr)
        .toList();
  }

  final List<String> affinities() {
    return datastore().list(ResourceQuery.of(Kind.BLOCK_AFFINITY)).items().stream()
        .map(BlockAffinity::of)
        .map(found -> found.key().host() + " " + found.key().cidr() + " " + found.state())
        .toList();
  }

  final List<String> handles() {
    return datastore().list(new ResourceQuery.Handles()).items().stream()
        .map(found -> found.key().name())
        .toList();
  }

  static IpamException.@Nullable Reason refusal(Runnable action) {
    return catchThrowable(action::run) instanceof IpamException e ? e.reason() : null;
  }
}
