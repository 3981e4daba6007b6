package io.ocicat.cli.pod;

import io.ocicat.image.ImageStore;
import io.ocicat.image.store.LocalImageStore;
import io.ocicat.image.store.StoreSettings;
import java.nio.file.Path;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The image store, opened when it is first needed. Thread-safe. */
public final class OpenImages implements Supplier<ImageStore>, AutoCloseable {
  private final Path root;
  private @Nullable ImageStore store;

  OpenImages(Path root) {
    this.root = root;
  }

  @Override
  public synchronized ImageStore get() {
    ImageStore known = store;
    if (known == null) {
      known = LocalImageStore.open(StoreSettings.usual(root));
      store = known;
    }
    return known;
  }

  @Override
  public synchronized void close() {
    if (store != null) {
      store.close();
    }
  }
}
