package io.ocicat.plugins.calicocluster;

import io.ocicat.cni.CniException;
import io.ocicat.cni.plugin.AddCall;
import io.ocicat.cni.plugin.DelCall;
import io.ocicat.datastore.config.DatastoreConfig;
import io.ocicat.ipam.assign.AssignPrefetch;
import io.ocicat.ipam.assign.ReleasePrefetch;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * What calico-ipam will ask the datastore for a call that calico has yet to delegate to it, asked
 * together with calico's own questions. Only calico-ipam knows its IPAM, so it says with the first
 * call that is delegated to it in this process how to ask; from the next call on calico does.
 * Thread-safe.
 */
public final class IpamPrefetch {
  /** Asks ahead of a call. */
  public interface Asker {
    Optional<AssignPrefetch> ofAdd(AddCall call);

    Optional<ReleasePrefetch> ofDel(DelCall call);
  }

  /** What is known while one call is delegated. */
  private record Delegated(
      IpamPrefetch early, Optional<AssignPrefetch> add, Optional<ReleasePrefetch> del) {}

  private static final ScopedValue<Delegated> CURRENT = ScopedValue.newInstance();

  private final Map<DatastoreConfig, Asker> askers = new ConcurrentHashMap<>();

  /** Asks for an ADD; what is wrong with the call is for calico-ipam to say. */
  public Optional<AssignPrefetch> ask(CalicoBackend backend, AddCall call) {
    return ask(backend, asker -> asker.ofAdd(call));
  }

  /** The same for a DEL. */
  public Optional<ReleasePrefetch> ask(CalicoBackend backend, DelCall call) {
    return ask(backend, asker -> asker.ofDel(call));
  }

  private <T> Optional<T> ask(CalicoBackend backend, Function<Asker, Optional<T>> question) {
    try {
      return Optional.ofNullable(askers.get(backend.config())).flatMap(question);
    } catch (CniException _) {
      return Optional.empty();
    }
  }

  /** Delegates an ADD with what was asked for it. */
  public <T> T add(Optional<AssignPrefetch> asked, Supplier<T> delegation) {
    return ScopedValue.where(CURRENT, new Delegated(this, asked, Optional.empty()))
        .call(delegation::get);
  }

  /** Delegates a DEL with what was asked for it. */
  public void del(Optional<ReleasePrefetch> asked, Runnable delegation) {
    ScopedValue.where(CURRENT, new Delegated(this, Optional.empty(), asked)).run(delegation);
  }

  /** What was asked for the ADD that is delegated on this thread. */
  public static Optional<AssignPrefetch> ofAdd() {
    return CURRENT.isBound() ? CURRENT.get().add() : Optional.empty();
  }

  /** What was asked for the DEL that is delegated on this thread. */
  public static Optional<ReleasePrefetch> ofDel() {
    return CURRENT.isBound() ? CURRENT.get().del() : Optional.empty();
  }

  /** Tells whoever delegates on this thread how to ask ahead next time. */
  public static void offer(DatastoreConfig config, Asker asker) {
    if (CURRENT.isBound()) {
      CURRENT.get().early().askers.put(config, asker);
    }
  }
}
