package io.ocicat.netlink.link;

import io.ocicat.netlink.ExchangeListener;
import io.ocicat.netlink.NetlinkRequest;
import io.ocicat.netlink.NetlinkSocket;
import io.ocicat.netlink.RequestOutcome;
import io.ocicat.netlink.linux.Errno;
import io.ocicat.netlink.linux.Fd.FileId;
import io.ocicat.netlink.linux.NetlinkException;
import io.ocicat.netlink.ns.NetNs;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Combines concurrent deletions of links in one namespace. The kernel waits for some twenty
 * milliseconds for each deletion, part of it under the lock that every change of a link needs; but
 * for a whole group of links it waits once.
 *
 * <p>The first caller deletes at once. Those who arrive meanwhile queue up; then one of them
 * deletes for all who wait by then, by moving the links into a group of their own and deleting the
 * group. So nobody waits for others to arrive, and each call returns when its own link is gone.
 *
 * <p>Thread-safe, and shared by all threads; other processes have theirs.
 */
public final class SharedDeletion {
  /** The group of links that are about to be deleted together: the letters of our name. */
  private static final int TRASH = 0x6f636963;

  private static final Map<FileId, SharedDeletion> BUSY = new HashMap<>();

  private final FileId namespace;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private List<Order> waiting = new ArrayList<>();
  private boolean underWay;

  /** How many threads use it; guarded by {@link #BUSY}. */
  private int users;

  /** A link to be deleted and the outcome, which its owner may read once it is done. */
  private static final class Order {
    private final int index;
    private boolean done;
    private @Nullable RuntimeException failure;

    Order(int index) {
      this.index = index;
    }
  }

  private SharedDeletion(FileId namespace) {
    this.namespace = namespace;
  }

  /**
   * Deletes a link of the namespace, together with those of other callers if there are any.
   *
   * @param net a socket in it
   * @return whether it existed
   */
  public static boolean delete(NetNs namespace, NetlinkSocket net, int index) {
    SharedDeletion shared = enter(namespace.id());
    try {
      return shared.delete(net, index);
    } finally {
      leave(shared);
    }
  }

  /**
   * Makes a deletion of another kind, which need not concern a link in the namespace, if no
   * deletion is running: callers that arrive meanwhile wait as they do for each other.
   *
   * @return empty, and nothing done, when one is running
   */
  public static <T> Optional<T> alone(NetNs namespace, Supplier<T> deletion) {
    SharedDeletion shared = enter(namespace.id());
    try {
      return shared.begin() ? Optional.of(shared.performAlone(deletion)) : Optional.empty();
    } finally {
      leave(shared);
    }
  }

  /**
   * Deletes several links, which together wait no longer than one; those already gone are not an
   * error.
   */
  public static void deleteAll(NetlinkSocket net, List<Integer> indices) {
    List<Order> orders = indices.stream().map(Order::new).toList();
    if (!orders.isEmpty()) {
      perform(net, orders);
      orders.forEach(SharedDeletion::existed);
    }
  }

  private static SharedDeletion enter(FileId namespace) {
    synchronized (BUSY) {
      SharedDeletion shared = BUSY.computeIfAbsent(namespace, SharedDeletion::new);
      shared.users++;
      return shared;
    }
  }

  private static void leave(SharedDeletion shared) {
    synchronized (BUSY) {
      if (--shared.users == 0) {
        BUSY.remove(shared.namespace);
      }
    }
  }

  private boolean delete(NetlinkSocket net, int index) {
    Order mine = new Order(index);
    long start = System.nanoTime();
    List<Order> all = awaitTurn(mine);
    if (all.isEmpty()) {
      ExchangeListener.report(List.of(Links.delete(index)), start);
    } else {
      try {
        perform(net, all);
      } finally {
        finish(all);
      }
    }
    return existed(mine);
  }

  /** All links that the caller is to delete; empty when another caller has deleted its own. */
  private List<Order> awaitTurn(Order mine) {
    lock.lock();
    try {
      waiting.add(mine);
      while (underWay && !mine.done) {
        changed.awaitUninterruptibly();
      }
      if (mine.done) {
        return List.of();
      }
      underWay = true;
      List<Order> all = waiting;
      waiting = new ArrayList<>();
      return all;
    } finally {
      lock.unlock();
    }
  }

  private boolean begin() {
    lock.lock();
    try {
      boolean free = !underWay;
      underWay = true;
      return free;
    } finally {
      lock.unlock();
    }
  }

  private <T> T performAlone(Supplier<T> deletion) {
    try {
      return deletion.get();
    } finally {
      finish(List.of());
    }
  }

  private void finish(List<Order> all) {
    lock.lock();
    try {
      underWay = false;
      all.forEach(order -> order.done = true);
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private static void perform(NetlinkSocket net, List<Order> orders) {
    try {
      if (orders.size() == 1 || !performAsGroup(net, orders)) {
        performSingly(net, orders);
      }
    } catch (RuntimeException e) {
      orders.forEach(order -> order.failure = e);
    }
  }

  /** Returns false when the kernel refuses; then nothing is deleted. */
  private static boolean performAsGroup(NetlinkSocket net, List<Order> orders) {
    List<NetlinkRequest> requests = new ArrayList<>(orders.size() + 1);
    orders.forEach(order -> requests.add(Links.setGroup(order.index, TRASH)));
    requests.add(Links.deleteGroup(TRASH));
    List<RequestOutcome> outcomes = net.attempt(requests);
    Optional<NetlinkException> refusal = outcomes.getLast().failure();
    // None exists: all are gone, or another process has just deleted them with its own.
    if (refusal.isPresent() && !refusal.get().is(Errno.ENODEV)) {
      return false;
    }
    note(orders, outcomes);
    return true;
  }

  private static void performSingly(NetlinkSocket net, List<Order> orders) {
    note(orders, net.attempt(orders.stream().map(order -> Links.delete(order.index)).toList()));
  }

  private static void note(List<Order> orders, List<RequestOutcome> outcomes) {
    for (int i = 0; i < orders.size(); i++) {
      orders.get(i).failure = outcomes.get(i).failure().orElse(null);
    }
  }

  private static boolean existed(Order order) {
    RuntimeException failure = order.failure;
    if (failure == null) {
      return true;
    }
    if (failure instanceof NetlinkException refusal && refusal.is(Errno.ENODEV)) {
      return false;
    }
    throw failure;
  }
}
