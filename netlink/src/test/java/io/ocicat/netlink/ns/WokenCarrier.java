package io.ocicat.netlink.ns;

import io.ocicat.netlink.linux.Fd.FileId;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;

/**
 * A program that says in which namespace a virtual thread goes on after {@code call} or {@code
 * visit} of the namespace at a path. It runs with two carriers at most, and the only one that there
 * is has to stay busy while the work inside ends. So whoever wakes up the caller starts the second
 * one, in its own namespace.
 */
final class WokenCarrier {
  private WokenCarrier() {}

  public static void main(String[] args) throws Exception {
    AtomicReference<FileId> after = new AtomicReference<>();
    CountDownLatch mayEnd = new CountDownLatch(1);
    CountDownLatch busy = new CountDownLatch(1);
    try (NetNs home = NetNs.current();
        NetNs inside = NetNs.open(Path.of(args[1]))) {
      NetNs.create().close();
      inside.visit(() -> "classes are loaded");
      Thread caller =
          Thread.startVirtualThread(
              () -> {
                go(args[0], inside, mayEnd);
                try (NetNs here = NetNs.current()) {
                  after.set(here.id());
                }
              });
      while (caller.getState() != Thread.State.WAITING) {
        Thread.sleep(10);
      }
      // The carrier has to be idle, so that the second virtual thread gets it.
      Thread.sleep(200);
      Thread.startVirtualThread(
          () -> {
            busy.countDown();
            while (after.get() == null) {
              Thread.onSpinWait();
            }
          });
      busy.await();
      mayEnd.countDown();
      caller.join();
      System.out.println(
          home.id().equals(after.get())
              ? "home"
              : inside.id().equals(after.get()) ? "inside" : "elsewhere");
    }
  }

  private static void go(String how, NetNs inside, CountDownLatch mayEnd) {
    try {
      if (how.equals("call")) {
        inside.call(
            () -> {
              mayEnd.await();
              return "called";
            });
      } else {
        inside.visit(
            () -> {
              try {
                mayEnd.await();
              } catch (InterruptedException _) {
                Thread.currentThread().interrupt();
              }
              return "visited";
            });
      }
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }
}
