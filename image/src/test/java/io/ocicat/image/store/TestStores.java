package io.ocicat.image.store;

import io.ocicat.image.files.Directory;
import io.ocicat.image.unpack.LayerListing;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** What tests of the store share. */
final class TestStores {
  private TestStores() {}

  static LocalImageStore open(Path folder) {
    return LocalImageStore.open(StoreSettings.usual(folder.resolve("store")));
  }

  /** Every file below a directory with all that is known of it. */
  static List<String> tree(Path root) throws IOException {
    List<String> lines = new ArrayList<>();
    try (Directory directory = Directory.open(root)) {
      LayerListing.list(directory, lines::add);
    }
    return lines;
  }
}
