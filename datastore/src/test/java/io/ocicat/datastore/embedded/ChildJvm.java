package io.ocicat.datastore.embedded;

import io.ocicat.datastore.error.DatastoreException;
import io.ocicat.datastore.kv.Transaction;
import io.ocicat.testkit.Background;
import io.ocicat.testkit.Command;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Uses a datastore in a process of its own, which tests may kill. */
final class ChildJvm {
  private ChildJvm() {}

  static Command command(String... arguments) {
    List<String> argv =
        new ArrayList<>(
            List.of(
                System.getProperty("java.home") + "/bin/java",
                "--enable-native-access=ALL-UNNAMED",
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path"),
                ChildJvm.class.getName()));
    argv.addAll(List.of(arguments));
    return Command.of(argv);
  }

  /** Writes endlessly, and prints each revision once it is committed. */
  static Background writer(Path directory, String name) {
    return command("write", directory.toString(), name).start();
  }

  public static void main(String[] arguments) {
    Path directory = Path.of(arguments[1]);
    switch (arguments[0]) {
      case "write" -> write(directory, arguments[2]);
      case "fill" -> fill(directory);
      case "read" -> read(directory);
      case "put" -> put(directory);
      case "outlive" -> outlive(directory, arguments[2], arguments[3]);
      default -> throw new IllegalArgumentException(arguments[0]);
    }
  }

  /** Killing the process must be harmless whether a commit waits for the disk or not. */
  private static void write(Path directory, String name) {
    EmbeddedSettings settings = EmbeddedSettings.standard().durable(_ -> name.endsWith("0"));
    try (EmbeddedStore store = EmbeddedStore.open(directory, settings)) {
      for (int i = 0; i < 1_000_000; i++) {
        String key = "/" + name + "/" + i % 50;
        String value = name + " " + i;
        long revision = store.commit(Transaction.put(key, value)).revision();
        System.out.println(revision + " " + key + " " + value);
      }
    }
  }

  /** Writes until the disk is full. */
  private static void fill(Path directory) {
    try (EmbeddedStore store = EmbeddedStore.open(directory)) {
      for (int i = 0; i < 100_000; i++) {
        try {
          store.commit(Transaction.put("/" + i, "x".repeat(5000)));
        } catch (DatastoreException e) {
          System.out.println(e.getClass().getSimpleName() + ": " + e.getMessage());
          boolean all = true;
          for (int j = 0; j < i; j++) {
            all &= store.get("/" + j).isPresent();
          }
          System.out.println("committed before are there: " + all);
          System.out.println("refused is not: " + store.get("/" + i).isEmpty());
          return;
        }
      }
    }
  }

  private static void read(Path directory) {
    try (EmbeddedStore store = EmbeddedStore.open(directory)) {
      System.out.println(store.get("/0").isPresent());
    } catch (DatastoreException e) {
      System.out.println(e.getClass().getSimpleName() + ": " + e.getMessage());
    }
  }

  /** Continues both while something keeps it from writing, and after that is gone. */
  private static void outlive(Path directory, String breaking, String mending) {
    EmbeddedSettings impatient = EmbeddedSettings.standard().timeout(Duration.ofSeconds(1));
    try (EmbeddedStore store = EmbeddedStore.open(directory, impatient)) {
      store.commit(Transaction.put("/before", ""));
      System.out.println(store.writeProblem());
      Command.of("sh", "-c", breaking).run();
      for (int i = 0; i < 3; i++) {
        try {
          store.commit(Transaction.put("/x", "x".repeat(100_000)));
          System.out.println("not refused");
        } catch (DatastoreException e) {
          System.out.println(e.getMessage());
        }
      }
      System.out.println(store.writeProblem());
      Command.of("sh", "-c", mending).run();
      System.out.println(store.writeProblem());
      put(directory);
      store.commit(Transaction.put("/after", ""));
      System.out.println(store.get("/before").isPresent() && store.get("/after").isPresent());
    }
  }

  private static void put(Path directory) {
    try (EmbeddedStore store =
        EmbeddedStore.open(directory, EmbeddedSettings.standard().timeout(Duration.ofSeconds(1)))) {
      store.commit(Transaction.put("/put", ""));
      System.out.println("done");
    } catch (DatastoreException e) {
      System.out.println(e.getClass().getSimpleName() + ": " + e.getMessage());
    }
  }
}
