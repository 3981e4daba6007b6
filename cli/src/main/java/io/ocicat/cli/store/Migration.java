package io.ocicat.cli.store;

import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.error.DatastoreException;
import io.ocicat.datastore.resource.Resource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Decides which datastore is locked during a migration, and which afterwards. A failure restores
 * the source's state, because its nodes must continue; a target that served nodes before continues
 * as well. One that did not stays locked, because it holds only a part, and records whose part that
 * is.
 */
final class Migration {
  private static final String MARK = "ocicat.io/migrating-from";

  private final Datastore source;
  private final Datastore target;
  private final Mark mark;
  private boolean begun;

  Migration(Datastore source, Datastore target, Mark mark) {
    this.source = source;
    this.target = target;
    this.mark = mark;
    this.begun = mark.isResumed();
  }

  /**
   * The state of both before the migration, kept in the target's ClusterInformation for when the
   * command is repeated.
   *
   * @param guid the source's
   * @param isResumed whether an earlier attempt has begun to copy
   */
  record Mark(
      String guid,
      boolean sourceWasReady,
      boolean targetWasReady,
      boolean merges,
      boolean isResumed) {
    private static final String SOURCE_READY = "source-was-ready";
    private static final String TARGET_READY = "target-was-ready";
    private static final String MERGES = "merges";

    static Mark of(Datastore source, Datastore target, boolean merge) {
      Resource cluster = ReadyFlag.ensure(source);
      String guid = cluster.text("spec", "clusterGUID").orElse("");
      Optional<Resource> there = ReadyFlag.read(target);
      List<String> noted =
          List.of(
              there
                  .flatMap(found -> found.text("metadata", "annotations", MARK))
                  .orElse("")
                  .split(" ", -1));
      if (!guid.isEmpty() && noted.getFirst().equals(guid)) {
        // Older versions recorded only the source.
        boolean old = noted.size() == 1;
        return new Mark(
            guid,
            old || noted.contains(SOURCE_READY),
            noted.contains(TARGET_READY),
            noted.contains(MERGES),
            true);
      }
      return new Mark(
          guid,
          ReadyFlag.isReady(source),
          there.isPresent() && ReadyFlag.isReady(target),
          merge,
          false);
    }

    @Override
    public String toString() {
      return guid
          + (sourceWasReady ? " " + SOURCE_READY : " source-was-locked")
          + (targetWasReady ? " " + TARGET_READY : "")
          + (merges ? " " + MERGES : "");
    }
  }

  /** Locks the target: from now on its content is incomplete. */
  void begin() {
    begun = true;
    Resource cluster = ReadyFlag.read(source).orElseThrow();
    Optional<Resource> present = ReadyFlag.read(target);
    if (present.isEmpty()) {
      target.create(marked(cluster.withRevision("")));
    } else {
      target.update(marked(present.get()));
    }
  }

  private Resource marked(Resource cluster) {
    return cluster.edit(
        tree -> {
          tree.withObject("spec").put("datastoreReady", false);
          tree.withObject("metadata").withObject("annotations").put(MARK, mark.toString());
        });
  }

  /** Everything is copied: the target is ready, the source stays locked. */
  void finish() {
    unlockTarget();
  }

  private void unlockTarget() {
    Resource cluster = ReadyFlag.read(target).orElseThrow();
    target.update(
        cluster.edit(
            tree -> {
              tree.withObject("spec").put("datastoreReady", true);
              tree.withObject("metadata").withObject("annotations").remove(MARK);
            }));
  }

  /** Unlocks what was locked; reports which of the two is locked then, and how to change that. */
  List<String> giveUp() {
    List<String> state = new ArrayList<>();
    boolean sourceFree =
        attempt(
            () -> ReadyFlag.set(source, mark.sourceWasReady()),
            "the source stays locked: \"ocicat datastore unlock\" it",
            state);
    boolean targetFree =
        mark.targetWasReady()
            && begun
            && attempt(
                this::unlockTarget,
                "the target stays locked: \"ocicat datastore unlock\" it",
                state);
    if (targetFree && sourceFree && mark.sourceWasReady()) {
      state.add("both datastores are unlocked again; what was copied stays in the target");
    } else if (sourceFree && mark.sourceWasReady()) {
      state.add("the source is unlocked again");
    }
    if (begun && !mark.targetWasReady()) {
      state.add(
          "the target stays locked, because it holds only a part: repeat the migration, which starts from what the source holds then");
    }
    return state;
  }

  private static boolean attempt(Runnable unlock, String otherwise, List<String> state) {
    try {
      unlock.run();
      return true;
    } catch (DatastoreException e) {
      state.add("%s (%s)".formatted(otherwise, e.getMessage()));
      return false;
    }
  }
}
