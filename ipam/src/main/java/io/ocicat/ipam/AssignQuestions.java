package io.ocicat.ipam;

import io.ocicat.datastore.Ahead;
import io.ocicat.datastore.IpVersion;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a request for addresses has to know, asked for before the request is made: with a datastore
 * in which it must be read each time, and which is far away, that is a round trip less for whoever
 * has other things to ask first. Good for one request.
 */
public final class AssignQuestions {
  /** Blocks of a family, as they are listed since a certain moment. */
  record Listed(long since, Ahead<?> blocks) {}

  private final HostBlocks.Register hosts;
  private final BlockOwner owner;
  private final Surroundings surroundings;
  private final Map<IpVersion, Listed> listed = new EnumMap<>(IpVersion.class);

  private AssignQuestions(HostBlocks.Register hosts, BlockOwner owner, Surroundings surroundings) {
    this.hosts = hosts;
    this.owner = owner;
    this.surroundings = surroundings;
  }

  /**
   * Asks all of it at the same time.
   *
   * @param node whose labels are needed; null when none are
   */
  static AssignQuestions ask(
      Surroundings surroundings,
      HostBlocks.Register hosts,
      BlockOwner owner,
      @Nullable String node,
      List<IpVersion> versions) {
    ConcurrentSurroundings around = new ConcurrentSurroundings(surroundings, node);
    around.ask();
    AssignQuestions asked = new AssignQuestions(hosts, owner, around);
    for (IpVersion version : versions) {
      HostBlocks host = hosts.of(owner, version);
      long since = host.now();
      asked.listed.put(version, new Listed(since, Ahead.ask(() -> host.list(since))));
    }
    return asked;
  }

  /** Whether they were asked for the blocks of that owner, by who keeps them here. */
  boolean areFor(BlockOwner who, HostBlocks.Register of) {
    return owner.equals(who) && hosts.equals(of);
  }

  Surroundings surroundings() {
    return surroundings;
  }

  /** Null when that family was not asked for. */
  @Nullable Listed listed(IpVersion version) {
    return listed.get(version);
  }
}
