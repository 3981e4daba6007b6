package io.ocicat.agent.bgp;

import io.ocicat.agent.config.AgentConfig;
import io.ocicat.agent.view.AddressBlock;
import io.ocicat.agent.view.ViewChange;
import io.ocicat.agent.view.WatchedCluster;
import io.ocicat.ip.IpPrefix;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Computes the configuration of BIRD again after changes that it depends on, and hands it on when
 * it is another one. A burst of changes is gathered first: every new configuration makes BIRD look
 * at all routes again. For one thread, the agent's.
 */
public final class BgpFollower {
  private static final Duration GATHER = Duration.ofMillis(50);

  private final WatchedCluster view;
  private final BgpSettings settings;
  private final BgpSecrets secrets;
  private final Consumer<String> configuration;
  private final LongSupplier clock;
  private Set<IpPrefix> ownBlocks = Set.of();
  private @Nullable AgentConfig config;
  private @Nullable DesiredBgp last;
  private String handedOn = "";
  private boolean changed = true;
  private long due;

  /**
   * A follower that has not computed anything yet.
   *
   * @param configuration gets every new configuration, and must not wait
   * @param clock of {@link System#nanoTime}
   */
  public BgpFollower(
      WatchedCluster view,
      BgpSettings settings,
      BgpSecrets secrets,
      Consumer<String> configuration,
      LongSupplier clock) {
    this.view = view;
    this.settings = settings;
    this.secrets = secrets;
    this.configuration = configuration;
    this.clock = clock;
    this.due = clock.getAsLong();
  }

  /** Takes note of changes of the view. */
  public void note(Set<ViewChange> changes) {
    if (changes.stream().anyMatch(this::matters)) {
      noteChange();
    }
  }

  /** Takes note of a change of something else, such as a Secret. */
  public void noteChange() {
    if (!changed) {
      changed = true;
      due = clock.getAsLong() + GATHER.toNanos();
    }
  }

  private boolean matters(ViewChange change) {
    return switch (change) {
      case ViewChange.BgpChanged _, ViewChange.PoolsChanged _ -> true;
      case ViewChange.BlockChanged(IpPrefix cidr) ->
          ownBlocks.contains(cidr)
              || Optional.ofNullable(view.blocks().get(cidr)).filter(this::isOwn).isPresent();
      case ViewChange.EndpointChanged _ ->
          view.bgpPeers().values().stream().anyMatch(peer -> peer.workloadSelector() != null);
      // The configuration is compared; services are BGPConfiguration's; nodes have their own event.
      case ViewChange.SettingsChanged _,
          ViewChange.ServicesChanged _,
          ViewChange.NodeChanged _,
          ViewChange.ReadinessChanged _ ->
          false;
    };
  }

  private boolean isOwn(AddressBlock block) {
    return view.localNode().equals(block.owner());
  }

  /** When {@link #follow} has something to do. */
  public OptionalLong next() {
    return changed ? OptionalLong.of(due) : OptionalLong.empty();
  }

  /** Computes again, if it is time to. */
  public void follow(AgentConfig now) {
    if (!now.equals(config)) {
      config = now;
      noteChange();
    }
    if (!changed || clock.getAsLong() - due < 0) {
      return;
    }
    changed = false;
    ownBlocks =
        view.blocks().values().stream()
            .filter(this::isOwn)
            .map(AddressBlock::cidr)
            .collect(Collectors.toUnmodifiableSet());
    DesiredBgp desired =
        DesiredBgp.of(new BgpInputs(view, now, settings, secrets, ServiceRoutes.NONE));
    last = desired;
    if (!desired.pending() && !desired.text().isEmpty() && !desired.text().equals(handedOn)) {
      handedOn = desired.text();
      configuration.accept(handedOn);
    }
  }

  /** What is not as it should be, one line each. */
  public List<String> problems() {
    DesiredBgp desired = last;
    return desired == null ? List.of() : desired.problems();
  }
}
