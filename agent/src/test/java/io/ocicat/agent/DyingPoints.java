package io.ocicat.agent;

import io.ocicat.base.CrashPoints;
import io.ocicat.datastore.Datastore;
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
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Kills the process at the n-th point: n is in the file {@code die-at}, and counted from the moment
 * that it appears; zero kills at none. {@code passed} names the points so far.
 */
final class DyingPoints implements CrashPoints {
  private static final Set<String> WRITES = Set.of("create", "update", "delete", "commit");
  private static final int SIGKILL = 9;

  private final Path dieAt;
  private final Path passed;
  private int count;

  DyingPoints(Path control) {
    this.dieAt = dieAt(control);
    this.passed = passed(control);
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
    return (Datastore)
        Proxy.newProxyInstance(
            Datastore.class.getClassLoader(),
            new Class<?>[] {Datastore.class},
            (_, method, arguments) -> invoke(datastore, method, arguments));
  }

  private @Nullable Object invoke(Datastore datastore, Method method, Object @Nullable [] arguments)
      throws Throwable {
    boolean writes = WRITES.contains(method.getName());
    try {
      if (writes) {
        pass("before " + method.getName());
      }
      Object result = method.invoke(datastore, arguments);
      if (writes) {
        pass("after " + method.getName());
      }
      return result;
    } catch (InvocationTargetException e) {
      throw e.getCause() == null ? e : e.getCause();
    }
  }
}
