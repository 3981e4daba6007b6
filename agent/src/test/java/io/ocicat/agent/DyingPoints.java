package io.ocicat.agent;

import io.ocicat.base.CrashPoints;
import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.kv.KeyValueDatastore;
import io.ocicat.datastore.kv.KeyValueStore;
import io.ocicat.netlink.linux.Kernel;
import io.ocicat.netlink.linux.Syscall;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Kills the process at the n-th point: n is in the file {@code die-at}, and counted from the moment
 * that it appears; zero kills at none. {@code passed} names the points so far.
 */
final class DyingPoints implements CrashPoints {
  private static final Set<String> WRITES =
      Set.of("commit", "grantLease", "keepAlive", "revokeLease");
  private static final int SIGKILL = 9;
  private static final int KILLS = 2;

  private final Path dieAt;
  private final Path passed;
  private int count;

  DyingPoints(Path control) {
    this.dieAt = dieAt(control);
    this.passed = passed(control);
  }

  /**
   * The points, counted from 1, that this run kills at. Two of them, because each kill costs the
   * start of a JVM, and the next round goes on where this one ends: the day is the round, {@code
   * -Docicat.round} another one. {@code -Docicat.longer=1} kills at every point.
   */
  static List<Integer> chosen(int all) {
    if (Integer.getInteger("ocicat.longer", 0) > 0) {
      return IntStream.rangeClosed(1, all).boxed().toList();
    }
    long round = Long.getLong("ocicat.round", LocalDate.now(ZoneOffset.UTC).toEpochDay());
    return IntStream.range(0, KILLS)
        .mapToObj(kill -> Math.floorMod(round * KILLS + kill, all) + 1)
        .distinct()
        .toList();
  }

  static Path dieAt(Path control) {
    return control.resolve("die-at");
  }

  static Path passed(Path control) {
    return control.resolve("passed");
  }

  @Override
  public synchronized void pass(String point) {
    // What only reads leaves the same state as the point before it.
    if (point.startsWith("list") || point.startsWith("get ")) {
      return;
    }
    try {
      int deadly = Integer.parseInt(Files.readString(dieAt));
      count++;
      Files.writeString(passed, point + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
      if (count == deadly) {
        Kernel.call(Syscall.KILL, ProcessHandle.current().pid(), SIGKILL);
      }
    } catch (NoSuchFileException _) {
      count = 0;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The datastore, with a point before and after everything that is written. */
  Datastore around(Datastore datastore) {
    KeyValueStore store = ((KeyValueDatastore) datastore).store();
    return new KeyValueDatastore(
        (KeyValueStore)
            Proxy.newProxyInstance(
                KeyValueStore.class.getClassLoader(),
                new Class<?>[] {KeyValueStore.class},
                (_, method, arguments) -> invoke(store, method, arguments)));
  }

  private @Nullable Object invoke(KeyValueStore store, Method method, Object @Nullable [] arguments)
      throws Throwable {
    boolean writes = WRITES.contains(method.getName());
    try {
      if (writes) {
        pass("before " + method.getName());
      }
      Object result = method.invoke(store, arguments);
      if (writes) {
        pass("after " + method.getName());
      }
      return result;
    } catch (InvocationTargetException e) {
      throw e.getCause() == null ? e : e.getCause();
    }
  }
}
