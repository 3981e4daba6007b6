package io.ocicat.image.archive;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Optional;

/** The files of an OCI layout that is a folder. Links in it are not followed. */
public final class FolderFiles implements ArchiveFiles {
  private final Path folder;

  public FolderFiles(Path folder) {
    this.folder = folder;
  }

  @Override
  public Optional<Content> find(String name) throws IOException {
    Path file = folder.resolve(name).normalize();
    if (!file.startsWith(folder.normalize())
        || !Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
      return Optional.empty();
    }
    long size = Files.size(file);
    return Optional.of(
        new Content() {
          @Override
          public long size() {
            return size;
          }

          @Override
          public InputStream open() throws IOException {
            return Files.newInputStream(file, LinkOption.NOFOLLOW_LINKS);
          }
        });
  }

  @Override
  public void close() {}
}
