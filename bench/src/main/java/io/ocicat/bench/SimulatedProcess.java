package io.ocicat.bench;

import io.ocicat.datastore.Datastore;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** The datastore as one process sees it: its calls are counted, and it may be killed. */
final class SimulatedProcess {
  private static final Set<String> COUNTED =
      Set.of("create", "update", "delete", "get", "list", "commit");

  private SimulatedProcess() {}

  /** A process is killed at this call. */
  static final class Killed extends Error {
    private static final long serialVersionUID = 1L;

    Killed() {
      super("killed", null, false, false);
    }
  }

  static Datastore living(Datastore datastore, AtomicLong calls) {
    return seen(datastore, calls, Integer.MAX_VALUE, false);
  }

  /** Dies before or after one of its first writes. */
  static Datastore mortal(Datastore datastore, AtomicLong calls) {
    ThreadLocalRandom random = ThreadLocalRandom.current();
    return seen(datastore, calls, random.nextInt(1, 8), random.nextBoolean());
  }

  private static Datastore seen(Datastore datastore, AtomicLong calls, int writes, boolean before) {
    AtomicInteger left = new AtomicInteger(writes);
    return (Datastore)
        Proxy.newProxyInstance(
            Datastore.class.getClassLoader(),
            new Class<?>[] {Datastore.class},
            (_, method, args) -> {
              boolean asks = COUNTED.contains(method.getName());
              boolean writesSomething =
                  method.getName().equals("commit") && !((List<?>) args[0]).isEmpty();
              if (asks) {
                calls.incrementAndGet();
              }
              boolean dies = writesSomething && left.decrementAndGet() == 0;
              if (dies && before) {
                throw new Killed();
              }
              try {
                Object result = method.invoke(datastore, args);
                if (dies) {
                  throw new Killed();
                }
                return result;
              } catch (InvocationTargetException e) {
                throw e.getCause() == null ? e : e.getCause();
              }
            });
  }
}
