package io.ocicat.image.archive;

import java.io.IOException;
import java.io.InputStream;
import java.util.Optional;

/** The files of an image's archive, by name: those in a tar, or those in a folder. */
public interface ArchiveFiles extends AutoCloseable {

  /** Empty if there is no such file. */
  Optional<Content> find(String name) throws IOException;

  @Override
  void close() throws IOException;

  /** A file's content, which can be opened any number of times. */
  interface Content {
    long size();

    InputStream open() throws IOException;

    /** All of it, if it is not longer than a document should be. */
    default byte[] readDocument(int longest, String name) throws IOException {
      if (size() > longest) {
        throw new ArchiveException(
            "%s has %d bytes, at most %d are read".formatted(name, size(), longest));
      }
      try (InputStream in = open()) {
        return in.readNBytes(longest);
      }
    }
  }
}
